"""What a load comes to: counts, response codes, latencies by second and altogether.

Latencies go into an HDR histogram: three digits, one microsecond to five minutes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from sim.link.exchange import ANSWERED, Exchange

_MICRO = 1_000_000
_LONGEST = 300 * _MICRO
_DIGITS = 3
_KEPT_BITS = 11  # what the histogram tells apart, of three digits


def histogram() -> Any:
    """An empty HDR histogram of microseconds. Raises ImportError where its package is missing."""
    try:
        from hdrh.histogram import HdrHistogram
    except ModuleNotFoundError as missing:
        text = "load needs hdrhistogram: pip install 'iso8583-lab[load]'"
        raise ModuleNotFoundError(text, name=missing.name) from missing
    return HdrHistogram(1, _LONGEST, _DIGITS)


@dataclass(slots=True)
class Second:
    """One second of a load: what was sent and answered, what failed, percentiles of its latencies in
    milliseconds, which are there when it is over."""

    sent: int = 0
    answered: int = 0
    failed: int = 0
    p50: float = 0.0
    p95: float = 0.0
    p99: float = 0.0
    longest: float = 0.0


@dataclass(slots=True)
class Numbers:
    """What a load has come to. `statuses` counts how exchanges ended, `codes` the response codes, `kinds`
    what was sent, `wrong` what checks said. `latencies` is the HDR histogram, in microseconds, of the seconds
    that are over."""

    sent: int = 0
    answered: int = 0
    seconds: float = 0.0
    statuses: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    by_second: list[Second] = field(default_factory=list)
    latencies: Any = field(default_factory=histogram, repr=False)
    _of_second: list[int] = field(default_factory=list, repr=False)

    @property
    def rate(self) -> float:
        """Answered requests a second."""
        return self.answered / self.seconds if self.seconds else 0.0

    def percentile(self, percent: float) -> float:
        """Latency in milliseconds that *percent* of the answers did not exceed."""
        return float(self.latencies.get_value_at_percentile(percent)) / 1000 if self.answered else 0.0

    def second(self, now: float) -> Second:
        """The second that is under way at *now*, in seconds from the start."""
        seconds = self.by_second
        self.seconds = now
        while len(seconds) <= now:
            self._close()
            seconds.append(Second())
        return seconds[-1]

    def take(self, exchange: Exchange, began: float, now: float) -> None:
        """Count what became of *exchange*, which *began* and ended at these seconds."""
        second = self.second(now)
        self.statuses[exchange.status] += 1
        if exchange.status != ANSWERED:
            second.failed += 1
            return
        self.answered += 1
        second.answered += 1
        self.codes[exchange.code] += 1
        self._of_second.append(max(1, min(_LONGEST, int((now - began) * _MICRO))))

    def end(self, now: float) -> None:
        """Nothing more comes."""
        self.seconds = now
        self._close()

    def _close(self) -> None:
        """Take the percentiles of the second that is over, and put its latencies into the histogram."""
        micros, self._of_second = sorted(self._of_second), []
        if not micros:
            return
        last = len(micros) - 1
        second = self.by_second[-1]
        second.p50, second.p95, second.p99, second.longest = (
            micros[last * percent // 100] / 1000 for percent in (50, 95, 99, 100)
        )
        # What the histogram does not tell apart goes in at once; the ends are kept as they are.
        record = self.latencies.record_value
        for micro, count in Counter(map(_coarse, micros[1:-1])).items():
            record(micro, count)
        for micro in {0: micros[0], last: micros[-1]}.values():
            record(micro)


def _coarse(micro: int) -> int:
    """The least latency that stands with *micro* in the histogram."""
    beyond = micro.bit_length() - _KEPT_BITS
    return micro >> beyond << beyond if beyond > 0 else micro

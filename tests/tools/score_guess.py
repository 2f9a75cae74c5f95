"""Score the guess: over the samples in tests/vectors, and over ones made up, whole and damaged.

    python -m tests.tools.score_guess [how many made up samples]

Prints verdicts by kind of sample, and the time a paste takes (processor time, milliseconds).
"""

from __future__ import annotations

import sys
import time
from collections import Counter

from sim.paste import guess
from tests.guess_score import FOUND, MADE, TEXT, paste, rows, verdict
from tests.wire_samples import Sample, same, samples

_SEED = 20261121


def main(count: int) -> None:
    """Score everything and print it, a line for each kind of sample."""
    guess("08002020000000000000990000123456")  # what is loaded on first use counts for nobody
    for name in (FOUND, MADE, TEXT):
        counted: Counter[str] = Counter()
        times = []
        for row in rows(name):
            started = time.process_time()
            best = guess(paste(row)).best
            times.append(time.process_time() - started)
            counted[f"{verdict(row, best)} {best.confidence}"] += 1
        _say(name, counted, times)
    _made_up("made up", samples(count, _SEED))
    _made_up("damaged", samples(count, _SEED + 1, damaged=True))


def _made_up(name: str, found: object) -> None:
    counted: Counter[str] = Counter()
    times = []
    for sample in found:  # type: ignore[attr-defined]
        assert isinstance(sample, Sample)
        started = time.process_time()
        best = guess(sample.paste).best
        times.append(time.process_time() - started)
        right = best.message is not None and same(best.message, sample.message)
        counted[f"{'right' if right else 'not right'} {best.confidence}"] += 1
    _say(name, counted, times)


def _say(name: str, counted: Counter[str], times: list[float]) -> None:
    times.sort()
    at = {"median": 0.5, "p95": 0.95, "worst": 1.0}
    taken = {what: 1000 * times[int(share * (len(times) - 1))] for what, share in at.items()}
    shown = ", ".join(f"{what} {value:.1f} ms" for what, value in taken.items())
    print(f"{name} ({len(times)}): {dict(sorted(counted.items()))}; {shown}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)

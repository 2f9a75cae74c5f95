"""The verdict on a message, and the memory of verdicts.

Everything a verdict says follows from the message's likeness (`sim.judge.likeness`) and the network it is
judged on. So it is kept, without the message, and told again of the next message alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sim.codec import Message
from sim.judge import Finding, Severity
from sim.judge.engine import Located, Places, hits, locate_all, loudness, sentence
from sim.judge.networks import Asked, network_hits
from sim.spec import lookup


class Judgement:
    """What one set of rules says of a message: `passed` at once, `errors` and all `findings` on
    demand. The verdict needs no located finding, so none is made before somebody looks."""

    __slots__ = ("_errors", "_findings", "_found", "_places", "_wrong", "network", "passed")

    network: str
    passed: bool  # whether none of the findings is an error

    def __init__(self, places: Places, found: Sequence[Located], network: str = "") -> None:
        self.network = network
        self._places = places
        self._found = found
        self._errors: tuple[str, ...] | None = None
        self._findings: tuple[Finding, ...] | None = None
        self._wrong = [hit for text, hit in found if (hit.severity or text.severity) is Severity.ERROR]
        self.passed = not self._wrong

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.network or 'ISO 8583'}: {'passed' if self.passed else 'failed'})"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, in the order of the elements."""
        if self._findings is None:
            self._findings = tuple(locate_all(self._places, self._found, self.network))
        return self._findings

    @property
    def errors(self) -> list[str]:
        """The errors as sentences."""
        if self.passed:
            return []
        if self._errors is None:
            wrong = sorted(self._wrong, key=lambda hit: (hit.field or 0, hit.at))
            self._errors = tuple(sentence(self._places, hit) for hit in wrong)
        return [*self._errors]


class NetworkResult(Judgement):
    """What one network's rules say of a message."""

    __slots__ = ()


class Verdict:
    """What is said of a message and of all that are like it.

    `standard` is the standard's judgement, `own` that of the message's `network`, without what the
    standard says already. `framing` is the one finding of a text that does not parse, or of elements that
    cannot be written; then there is nothing else. Holds no message.
    """

    __slots__ = ("_asked", "_places", "_results", "framing", "network", "own", "standard", "version")

    def __init__(self, version: str, network: str | None, framing: Finding | None = None) -> None:
        self.version = version
        self.network = network
        self.framing = framing
        self.standard: Judgement | None = None
        self.own: Judgement | None = None
        self._places: Places | None = None
        self._results: dict[str, NetworkResult] = {}
        self._asked: dict[tuple[str, ...], dict[str, NetworkResult]] = {}

    @classmethod
    def on(cls, message: Message, network: str | None) -> Verdict:
        """The verdict on *message*, well framed, whose own network is *network*."""
        made = cls(message.version, network)
        made._places = places = Places(message).let_go()
        standard = _in_dialect(message, network, hits(message))
        made.standard = Judgement(places, standard)
        if network:
            found = network_hits(Asked(message), network)
            made._results[network] = NetworkResult(places, found, network)
            made.own = Judgement(places, _unsaid(found, standard, network), network)
        return made

    def ask(self, message: Message, names: tuple[str, ...]) -> None:
        """Ask the networks *names*, too; *message* is one of the alike."""
        if names in self._asked or self._places is None:
            return
        asked = Asked(message)
        for name in names:
            if name not in self._results:
                self._results[name] = NetworkResult(self._places, network_hits(asked, name), name)
        self._asked[names] = {name: self._results[name] for name in names}

    def results(self, names: tuple[str, ...]) -> dict[str, NetworkResult]:
        """What the networks *names*, which have been asked, say; none of a text that does not parse."""
        return self._asked[names].copy() if names in self._asked else {}


class Memory:
    """Verdicts by likeness, the latest ones. Ever new kinds of messages do not grow it: when *most* are
    kept, they become the old ones, of which those are kept that are asked for again."""

    __slots__ = ("_most", "_old", "_young")

    def __init__(self, most: int) -> None:
        self._most = most
        self._young: dict[tuple[Any, ...], Verdict] = {}
        self._old: dict[tuple[Any, ...], Verdict] = {}

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def get(self, key: tuple[Any, ...]) -> Verdict | None:
        """The verdict kept for *key*, if any."""
        found = self._young.get(key)
        if found is None and (found := self._old.get(key)) is not None:
            self.keep(key, found)
        return found

    def keep(self, key: tuple[Any, ...], verdict: Verdict) -> None:
        """Keep *verdict* for the messages alike."""
        if len(self._young) >= self._most:
            self._old, self._young = self._young, {}
        self._young[key] = verdict

    def clear(self) -> None:
        """Forget all."""
        self._young, self._old = {}, {}


VERDICTS = Memory(2048)


def _in_dialect(message: Message, own: str | None, said: list[Located]) -> list[Located]:
    """The standard's hits, a reserved message function only warned of where the message's own network
    uses it: Mastercard's 1987 dialect acknowledges with x180 and x190."""
    known = lookup("mti_function", message.mti[2], version=message.version, network=own)
    if known is None or known.network != own:
        return said
    return [
        (text, replace(hit, severity=Severity.WARNING)) if text.id == "mti-function" else (text, hit)
        for text, hit in said
    ]


def _unsaid(told: Sequence[Located], said: Sequence[Located], network: str) -> Sequence[Located]:
    """A network's hits without those that only repeat what the standard already says, at least as
    loudly: of the same place, or, for its rules on the form of an element, of the same element."""
    if not said:
        return told
    place: dict[tuple[int | None, int], int] = {}
    element: dict[int | None, int] = {}
    for located in said:
        hit, volume = located[1], loudness(located)
        place[hit.field, hit.at] = min(volume, place.get((hit.field, hit.at), volume))
        element[hit.field] = min(volume, element.get(hit.field, volume))
    own, silent = f"{network.lower()}-", len(Severity)
    return [
        (text, hit)
        for text, hit in told
        if loudness((text, hit))
        < (
            element.get(hit.field, silent)
            if text.id.startswith(own)
            else place.get((hit.field, hit.at), silent)
        )
    ]

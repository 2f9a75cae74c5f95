"""The verdict on a message, and the memory of verdicts.

Everything a verdict says follows from the key that the message's kind sees of it (`sim.judge.kind`) and the
network it is judged on. So it is kept by them, without the message, and told again of the next message alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

from sim.codec import Message
from sim.judge import Finding, Severity, dialect, networks
from sim.judge.engine import Located, Places, heard, locate_all, loudness, sentence
from sim.judge.finding import Hit
from sim.judge.kind import Key, Kind
from sim.judge.networks import QUIET, Facts, Told, network_hits, plainly
from sim.kept import Kept
from sim.spec import lookup


def _place(hit: Hit) -> tuple[int, int]:
    return hit.field or 0, hit.at


class Judgement:
    """What one set of rules says of a message: `passed` at once, `errors` and all `findings` on
    demand. The verdict needs no located finding, so none is made before somebody looks."""

    __slots__ = ("_errors", "_findings", "_places", "_said", "_wrong", "network", "passed")

    network: str
    passed: bool  # whether none of the findings is an error

    def __init__(self, places: Places, said: Told, network: str = "") -> None:
        self.network = network
        self._said = said
        self._wrong = wrong = networks.wrong(said)
        self.passed = not wrong
        self._places = places
        self._errors: tuple[str, ...] | None = None
        self._findings: tuple[Finding, ...] | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.network or 'ISO 8583'}: {'passed' if self.passed else 'failed'})"

    @property
    def found(self) -> tuple[Located, ...]:
        """All that was found, not yet located."""
        return networks.found(self._said)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, in the order of the elements."""
        if self._findings is None:
            self._findings = tuple(locate_all(self._places, self.found, self.network))
        return self._findings

    @property
    def errors(self) -> list[str]:
        """The errors as sentences."""
        if self.passed:
            return []
        if self._errors is not None:
            return [*self._errors]
        wrong = self._wrong if len(self._wrong) < 2 else sorted(self._wrong, key=_place)
        errors = [hit.said or sentence(self._places, hit) for hit in wrong]
        self._errors = tuple(errors)
        return errors


@cache
def _nothing(network: str) -> Judgement:
    """What is said by a network that finds nothing: the same of every message."""
    return Judgement(Places(Message("")), QUIET, network)


@dataclass(slots=True, eq=False, repr=False)
class Verdict:
    """What is said of a message and of all that are like it.

    `standard` is the standard's judgement, `own` that of the message's `network`, without what the
    standard says already. `framing` is the one finding of a text that does not parse, or of elements that
    cannot be written; then there is nothing else. `kept`: it is remembered. Holds no message.
    """

    version: str
    network: str | None
    framing: Finding | None = None
    kept: bool = False
    standard: Judgement | None = None
    own: Judgement | None = None
    asked: dict[tuple[str, ...], dict[str, Judgement]] = field(default_factory=dict)
    _places: Places | None = None
    _kind: Kind | None = None
    _answers: tuple[tuple[int, str], ...] = ()
    _results: dict[str, Judgement] = field(default_factory=dict)

    @classmethod
    def on(
        cls, message: Message, kind: Kind, key: Key, network: str | None, names: tuple[str, ...] = ()
    ) -> Verdict:
        """The verdict on *message*, well framed, of *kind*, which saw *key*, or its end, of it; *network*
        is its own. Asks the networks *names*, too."""
        made = cls(message.version, network)
        made._places = places = Places(message)
        made._kind, made._answers = kind, key[-2]
        codes = kind.known(message)
        standard = _in_dialect(message, network, kind.hits(message, key, codes))
        if message.dialect is not None:
            standard = [*dialect.replaced(message, standard), *dialect.hits(message)]
        made.standard = Judgement(places, plainly(heard(standard)))
        facts = kind.facts(message, made._answers, codes)
        made._ask(facts, names)
        if network:
            if network not in made._results:
                made._judge(facts, (network,))
            told = made._results[network]
            found = told.found if standard else ()
            unsaid = _unsaid(found, standard, network)
            made.own = told if unsaid is found else Judgement(places, plainly(heard(unsaid)), network)
        return made

    def _judge(self, facts: Facts, names: Iterable[str]) -> None:
        results, places, message = self._results, self._places, facts.message
        if places is None:
            return
        unknown = [name for name in names if name not in results] if results else names
        for name, said in network_hits(facts, unknown):
            if message.dialect is not None:
                said = plainly(heard(dialect.replaced(message, networks.found(said), name)))
            results[name] = Judgement(places, said, name) if said is not QUIET else _nothing(name)

    def _ask(self, facts: Facts, names: tuple[str, ...]) -> None:
        self._judge(facts, names)
        self.asked[names] = {name: self._results[name] for name in names}

    def ask(self, message: Message, names: tuple[str, ...]) -> None:
        """Ask the networks *names*, too; *message* is one of the alike."""
        if self._kind is not None:
            self._ask(self._kind.facts(message, self._answers), names)

    def results(self, names: tuple[str, ...]) -> dict[str, Judgement]:
        """What the networks *names*, which have been asked, say; none of a text that does not parse."""
        found = self.asked.get(names)
        return found.copy() if found else {}


# By key and network.
VERDICTS: Kept[tuple[Key, str | None], Verdict] = Kept(2048)
# Of a message of which rules say more than this, no verdict is kept: it would be large, and come once.
MOST_SAID = 24


_RESERVED = "mti-function"


def _in_dialect(message: Message, own: str | None, said: list[Located]) -> list[Located]:
    """The standard's hits, a reserved message function only warned of where the message's own network
    uses it: Mastercard's 1987 dialect acknowledges with x180 and x190."""
    if not any(text.id == _RESERVED for text, _ in said):
        return said
    known = lookup("mti_function", message.mti[2], version=message.version, network=own)
    if known is None or known.network != own:
        return said
    return [
        (text, hit._replace(severity=Severity.WARNING)) if text.id == _RESERVED else (text, hit)
        for text, hit in said
    ]


def _unsaid(told: Sequence[Located], said: Sequence[Located], network: str) -> Sequence[Located]:
    """A network's hits without those that only repeat what the standard already says, at least as
    loudly: of the same place, or, for its rules on the form of an element, of the same element."""
    near: dict[int | None, list[Located]] = {}
    for one in said:
        near.setdefault(one[1].field, []).append(one)
    if near.keys().isdisjoint([hit.field for _, hit in told]):
        return told
    return [
        one
        for one in told
        if (others := near.get(one[1].field)) is None or not _is_said(one, others, network)
    ]


def _is_said(told: Located, said: Sequence[Located], network: str) -> bool:
    """Whether *told* is what is *said* of the same element already, at least as loudly."""
    own, at, volume = told[0].id.startswith(f"{network.lower()}-"), told[1].at, loudness(told)
    return any((own or one[1].at == at) and loudness(one) <= volume for one in said)

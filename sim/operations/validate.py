"""Judge a message by the standard's rules, its network's and others'."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sim.codec import Message, ParseError, build, parse
from sim.elements.pan import detect_network
from sim.errors import BuildError, SpecError
from sim.operations.project import strip_line_ending
from sim.rules import Finding, Severity, catalogue
from sim.rules.causes import likely_cause
from sim.rules.engine import Located, Places, hits, locate_all, loudness, sentence
from sim.rules.networks import Asked, network_hits
from sim.spec import VERSIONS, lookup, spec, version_of
from sim.spec.networks import NETWORKS

DEFAULT_VERSION = "1987"


class Judgement:
    """What one set of rules says of a message: `passed` and `errors` at once, all `findings` on
    demand. The verdict needs no located finding, so none is made before somebody looks."""

    __slots__ = ("_found", "_made", "_places", "_wrong", "network")

    def __init__(self, places: Places, found: Sequence[Located], network: str = "") -> None:
        self.network = network
        self._places = places
        self._found = found
        self._wrong = [hit for text, hit in found if (hit.severity or text.severity) is Severity.ERROR]
        self._made: tuple[Finding, ...] | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.network or 'ISO 8583'}: {'passed' if self.passed else 'failed'})"

    @property
    def passed(self) -> bool:
        """Whether none of the findings is an error."""
        return not self._wrong

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, in the order of the elements."""
        if self._made is None:
            self._made = tuple(locate_all(self._places, self._found, self.network))
        return self._made

    @property
    def errors(self) -> list[str]:
        """The errors as sentences."""
        if not self._wrong:
            return []
        wrong = sorted(self._wrong, key=lambda hit: (hit.field or 0, hit.at))
        return [sentence(self._places, hit) for hit in wrong]


class NetworkResult(Judgement):
    """What one network's rules say of a message."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The verdict on one message.

    `networks` are the results of the networks asked for (none when the text does not parse). Other
    networks' results never change `valid`.
    """

    version: str
    network: str | None
    message: Message | None
    networks: dict[str, NetworkResult]
    standard: Judgement | None
    own: Judgement | None = None
    framing: Finding | None = None

    @property
    def valid(self) -> bool:
        """Whether neither the standard nor the message's own network has an error."""
        if self.framing is not None or self.standard is None:
            return False
        return self.standard.passed and (self.own is None or self.own.passed)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The standard's own findings and those of the message's network, warnings and hints included."""
        if self.framing is not None or self.standard is None:
            return (self.framing,) if self.framing else ()
        return (*self.standard.findings, *(self.own.findings if self.own else ()))

    @property
    def errors(self) -> list[str]:
        """The errors as sentences."""
        if self.framing is not None or self.standard is None:
            return [self.framing.message] if self.framing else []
        return [*self.standard.errors, *(self.own.errors if self.own else ())]

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """`findings` and what the other networks asked for say."""
        others = (
            finding
            for name, result in self.networks.items()
            if name != self.network
            for finding in result.findings
        )
        return (*self.findings, *others)


def chosen_version(raw: str, version: str | None) -> str:
    """*version*, or the one the MTI names when it is None (1987 when it names none)."""
    if version is None:
        return version_of(raw) or DEFAULT_VERSION
    if version not in VERSIONS:
        raise SpecError(None, None, " or ".join(VERSIONS), repr(version)[:20])
    return version


def chosen_network(message: Message, network: str | None) -> str | None:
    """*network*, or the one of the message's card when it is None."""
    if network is not None:
        if network not in NETWORKS:
            raise SpecError(None, None, " or ".join(NETWORKS), repr(network)[:20])
        return network
    found = detect_network(message)
    return found.network if found else None


def validate(
    message: str | Message,
    *,
    against: Iterable[str] = (),
    network: str | None = None,
    version: str | None = None,
) -> Report:
    """All that is wrong with *message*, which may be text or a Message.

    Checks the standard and the message's own network (*network*, else the card's), and gives a
    result for each network of *against*, for every network when it is empty. *version* None reads
    it off the MTI. A text that does not parse is one finding, never an exception; SpecError is
    raised for an unknown version or network.
    """
    wanted = set(against) or set(NETWORKS)
    if unknown := wanted.difference(NETWORKS):
        raise SpecError(None, None, " or ".join(NETWORKS), repr(sorted(unknown)[0])[:20])
    if isinstance(message, Message):
        try:
            build(message)
        except BuildError as error:
            return Report(message.version, network, message, {}, None, framing=_unbuildable(message, error))
        return judge(message, network, wanted)
    raw = strip_line_ending(message)
    chosen = chosen_version(raw, version)
    try:
        parsed = parse(raw, chosen)
    except ParseError as error:
        return Report(chosen, network, None, {}, None, framing=framing_finding(raw, chosen, error))
    return judge(parsed, network, wanted)


def judge(message: Message, network: str | None, wanted: Iterable[str]) -> Report:
    """The report on a message that is well framed; a result per network of *wanted*."""
    own = chosen_network(message, network)
    asked, places = Asked(message), Places(message)
    names = [name for name in NETWORKS if name in wanted or name == own]
    found = {name: network_hits(asked, name) for name in names}
    results = {name: NetworkResult(places, found[name], name) for name in names if name in wanted}
    standard = _in_dialect(message, own, hits(message))
    told = Judgement(places, _unsaid(found[own], standard, own), own) if own else None
    return Report(message.version, own, message, results, Judgement(places, standard), told)


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


def framing_finding(raw: str, version: str, error: ParseError) -> Finding:
    """A parse error as the one finding it is, with its likely cause."""
    text = catalogue()["framing"]
    names = {None: "message", 0: "Message type indicator", 1: "Bitmap"}
    name = names.get(error.field) or spec(version)[error.field or 0].name
    return Finding(
        severity=Severity.ERROR,
        network="",
        field=error.field,
        path="" if error.field is None else str(error.field),
        name=name,
        rule=text.id,
        message=str(error),
        start=error.offset,
        end=len(raw),
        expected=error.expected,
        found=error.found,
        hint=likely_cause(raw, version, error),
        source=text.source,
    )


def _unbuildable(message: Message, error: BuildError) -> Finding:
    """An element of a Message or table that cannot be written."""
    text = catalogue()["framing"]
    known = error.field is not None and 1 <= error.field <= 128
    return Finding(
        severity=Severity.ERROR,
        network="",
        field=error.field,
        path="" if error.field is None else str(error.field),
        name=spec(message.version)[error.field].name if known and error.field else "message",
        rule=text.id,
        message=str(error),
        start=None,
        end=None,
        expected=error.expected,
        found=error.found,
        hint="The value does not fit its element, so the message cannot be written; change it.",
        source=text.source,
    )

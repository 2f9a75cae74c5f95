"""Judge a message by the standard's rules, its network's and others'."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sim.codec import Message, ParseError, build, parse
from sim.errors import BuildError
from sim.judge import Finding, Severity, dialect
from sim.judge.engine import Rows, by_order, by_place, hear
from sim.judge.finding import Hit, Places, Said, locate_all, loudness, sentence
from sim.operations.choosing import chosen_version
from sim.operations.framing import framing_finding
from sim.operations.project import strip_line_ending
from sim.spec import lookup
from sim.spec.networks import NETWORKS
from sim.spec.spellings import network_named, several

SEVERAL = "networks such as VISA and AMEX"


_NO_ROWS = Rows((), ())


class Judgement:
    """What one set of rules says of a message: `passed` at once, `errors` and all `findings` on
    demand. The verdict needs no located finding, so none is made before somebody looks."""

    __slots__ = ("_findings", "_found", "_places", "_rows", "network", "passed")

    network: str
    passed: bool  # whether none of the findings is an error

    def __init__(self, places: Places, rows: Rows, found: Sequence[Said] = (), network: str = "") -> None:
        self.network, self._places, self._rows, self._found = network, places, rows, found
        self.passed = not rows.wrong
        for one in found:
            if one.error:
                self.passed = False
                break
        self._findings: tuple[Finding, ...] | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.network or 'ISO 8583'}: {'passed' if self.passed else 'failed'})"

    @property
    def said(self) -> Sequence[Said]:
        """All that is said, in the order of the rules."""
        return sorted((*self._rows.said, *self._found), key=by_order) if self._found else self._rows.said

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, in the order of the elements."""
        if self._findings is None:
            self._findings = tuple(locate_all(self._places, self.said))
        return self._findings

    @property
    def wrong(self) -> int:
        """How many errors there are."""
        return len(self._wrong())

    @property
    def errors(self) -> list[str]:
        """The errors as sentences."""
        places = self._places
        return [hit.said or sentence(places, hit) for hit in self._wrong()]

    def _wrong(self) -> Sequence[Hit]:
        wrong = [one.hit for one in self._found if one.error]
        if len(wrong) + len(self._rows.wrong) < 2 or not wrong:
            return wrong or self._rows.wrong
        return sorted((*self._rows.wrong, *wrong), key=by_place)


@dataclass(slots=True, eq=False, repr=False)
class Report:
    """The verdict on one message.

    `message` is None where the text does not parse; `framing` is what is wrong with such a text, or with
    elements that cannot be written, and then there is nothing else. `version` is the one it was read as,
    `network` the message's own: the one given, else its card's. `asked` are the networks asked for, in the
    order of NETWORKS. `standard` is the standard's judgement, `own` that of the message's network, without
    what the standard says already.
    """

    message: Message | None
    version: str
    network: str | None
    framing: Finding | None = None
    asked: tuple[str, ...] = ()
    standard: Judgement | None = None
    own: Judgement | None = None
    _places: Places | None = None
    _rows: Mapping[str, Rows] = field(default_factory=dict)
    _found: Mapping[str, Sequence[Said]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(valid={self.valid}, message={self.message!r}, asked={self.asked!r})"

    @property
    def networks(self) -> dict[str, Judgement]:
        """The results of the networks asked for (none when the text does not parse). Other networks'
        results never change `valid`."""
        places, rows, found = self._places, self._rows.get, self._found.get
        if places is None:
            return {}
        return {name: Judgement(places, rows(name, _NO_ROWS), found(name, ()), name) for name in self.asked}

    @property
    def valid(self) -> bool:
        """Whether neither the standard nor the message's own network has an error."""
        standard, own = self.standard, self.own
        return standard is not None and standard.passed and (own is None or own.passed)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The standard's own findings and those of the message's network, warnings and hints included."""
        if self.standard is None:
            return (self.framing,) if self.framing else ()
        return (*self.standard.findings, *(self.own.findings if self.own else ()))

    @property
    def errors(self) -> list[str]:
        """The errors as sentences."""
        if self.standard is None:
            return [self.framing.message] if self.framing else []
        return self.standard.errors + (self.own.errors if self.own else [])

    @property
    def wrong(self) -> int:
        """How many errors there are."""
        if self.standard is None:
            return 1
        return self.standard.wrong + (self.own.wrong if self.own else 0)

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
    it off the MTI. A text that does not parse is one finding, never an exception; ChoiceError is
    raised for an unknown version or network.
    """
    asked = _asked(several("against", against, SEVERAL)) if against else NETWORKS
    if network is not None and network not in NETWORKS:
        network = network_named(network)
    if isinstance(message, Message):
        try:
            build(message)
        except BuildError as error:
            found = framing_finding(error, message.spec)
            return Report(message, message.version, network, found)
        return judge(message, network, asked)
    raw = strip_line_ending(message)
    chosen = chosen_version(raw, version)
    try:
        parsed = parse(raw, chosen)
    except ParseError as error:
        return Report(None, chosen, network, framing_finding(error, chosen, raw=raw))
    return judge(parsed, network, asked)


def _asked(against: tuple[str, ...]) -> tuple[str, ...]:
    """The networks of *against*, all when it is empty, in the order of NETWORKS."""
    named = {network_named(name, "against") for name in against}
    return tuple(name for name in NETWORKS if name in named) or NETWORKS


def judge(message: Message, network: str | None, asked: tuple[str, ...]) -> Report:
    """The report on a message that is well framed; a result per network of *asked*."""
    rows, all_found, of_card = hear(message)
    own = network or of_card
    found: dict[str, list[Said]] = {}
    for one in all_found:
        found.setdefault(one.network, []).append(one)
    if message.dialect is not None or message.mti[2] in _RESERVED_FUNCTIONS:
        rows, found = {}, _otherwise(message, own, rows, found)
    places = Places(message)
    standard, of_network = Judgement(places, rows.get("", _NO_ROWS), found.get("", ())), None
    if own:
        of_network = Judgement(places, rows.get(own, _NO_ROWS), found.get(own, ()), own)
        if (told := of_network.said) and (unsaid := _unsaid(told, standard.said)) is not told:
            of_network = Judgement(places, _NO_ROWS, unsaid, own)
    return Report(message, message.version, own, None, asked, standard, of_network, places, rows, found)


def _otherwise(
    message: Message, own: str | None, rows: Mapping[str, Rows], found: Mapping[str, list[Said]]
) -> dict[str, list[Said]]:
    """All that is said of a message whose dialect has its elements otherwise, or whose function is
    reserved."""
    said = {name: [*of.said, *found.get(name, ())] for name, of in rows.items()}
    said = {**found, **said}
    said[""] = _tolerated(message, own, said.get("", []))
    if message.dialect is not None:
        said = {name: dialect.replaced(message, told) for name, told in said.items()}
        said[""] += dialect.hits(message)
    return said


_RESERVED, _RESERVED_FUNCTIONS = "mti-function", "89"


def _tolerated(message: Message, own: str | None, said: list[Said]) -> list[Said]:
    """The standard's hits, a reserved message function only warned of where the message's own network
    uses it: Mastercard's 1987 dialect acknowledges with x180 and x190."""
    known = lookup("mti_function", message.mti[2], version=message.version, network=own)
    if known is None or known.network != own:
        return said
    return [
        one._replace(hit=one.hit._replace(severity=Severity.WARNING), error=False)
        if one.text.id == _RESERVED
        else one
        for one in said
    ]


def _unsaid(told: Sequence[Said], said: Sequence[Said]) -> Sequence[Said]:
    """A network's hits without those that only repeat what the standard already says, at least as
    loudly: of the same place, or, for its rules on the form of an element, of the same element."""
    near: dict[int | None, list[Said]] = {}
    for one in said:
        near.setdefault(one.hit.field, []).append(one)
    if near.keys().isdisjoint([one.hit.field for one in told]):
        return told
    return [one for one in told if not _is_said(one, near.get(one.hit.field, ()))]


def _is_said(told: Said, said: Sequence[Said]) -> bool:
    """Whether *told* is what is *said* of the same element already, at least as loudly."""
    own, at, volume = told.text.id.startswith(f"{told.network.lower()}-"), told.hit.at, loudness(told)
    return any((own or one.hit.at == at) and loudness(one) <= volume for one in said)

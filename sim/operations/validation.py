"""Validate a message by the rules of the standard, of its network and of others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sim.codec import Message, ParseError, build, parse
from sim.codec.text import strip_line_ending
from sim.errors import BuildError
from sim.judge import Finding, Severity
from sim.judge.engine import Heard, hear
from sim.judge.finding import Places, Said, by_place, is_error, locate_all, loudness, sentence
from sim.judge.networks import OF_CARD
from sim.operations.anatomy import dissect
from sim.operations.findings import framing_finding, placed
from sim.paste.reading import TEXT, Reading
from sim.spec.interfaces import interface
from sim.spec.networks import NETWORKS
from sim.spec.spellings import chosen_version, network_named, several


class Judgement:
    """The verdict of one set of rules on a message: `passed` immediately, `errors` and all `findings` on
    demand. The verdict needs no located findings, so they are made only on request."""

    __slots__ = ("_errors", "_findings", "_places", "_said", "network", "passed")

    network: str
    passed: bool  # whether none of the findings is an error

    def __init__(self, places: Places, said: Sequence[Said], network: str = "") -> None:
        self.network, self._places, self._said = network, places, said
        self._errors = [*filter(is_error, said)]
        self.passed = not self._errors
        self._findings: tuple[Finding, ...] | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.network or 'ISO 8583'}: {'passed' if self.passed else 'failed'})"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, in the order of the elements."""
        if self._findings is None:
            self._findings = tuple(locate_all(self._places, self._said))
        return self._findings

    @property
    def wrong(self) -> int:
        """The number of errors."""
        return len(self._errors)

    @property
    def warnings(self) -> int:
        """The number of warnings."""
        return [loudness(finding) for finding in self._said].count(Severity.WARNING.rank)

    @property
    def errors(self) -> list[str]:
        """The errors as sentences."""
        if self.passed:
            return []
        return [sentence(self._places, finding.hit) for finding in sorted(self._errors, key=by_place)]


def _beyond(others: Iterable[Said], said: Sequence[Said]) -> Sequence[Said]:
    """*said* without what *others* already have with at least the same severity: at the same position or, if
    it is on an element's format, on the same element."""
    near: dict[int | None, list[Said]] = {}
    for finding in others:
        near.setdefault(finding.hit.field, []).append(finding)
    if not near:
        return said
    return [item for item in said if item.hit.field not in near or not _repeats(item, near[item.hit.field])]


def _repeats(candidate: Said, said: Sequence[Said]) -> bool:
    """Whether *said*, on the same element, already has the finding *candidate* with at least its severity."""
    is_own, at, volume = (
        candidate.text.id.startswith(f"{candidate.network.lower()}-"),
        candidate.hit.at,
        loudness(candidate),
    )
    return any((is_own or finding.hit.at == at) and loudness(finding) <= volume for finding in said)


@dataclass(slots=True, eq=False, repr=False)
class Report:
    """The verdict on one message. `message` is None if the text does not parse; `framing` is then the only
    finding, as for elements that cannot be written, and nothing else was checked. `version` is the one it was
    read as, `network` the message's own: the given one, otherwise its card's. `asked` are the requested
    networks, in the order of NETWORKS. `standard` is the standard's verdict, `own` that of the message's
    network, without what the standard already reports.
    """

    message: Message | None
    version: str
    network: str | None
    framing: Finding | None = None
    asked: tuple[str, ...] = ()
    standard: Judgement | None = None
    own: Judgement | None = None
    _places: Places | None = None
    _heard: Heard | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}(valid={self.valid}, message={self.message!r}, asked={self.asked!r})"

    @property
    def networks(self) -> dict[str, Judgement]:
        """The results of the requested networks (none if the text does not parse). Other networks'
        results never change `valid`."""
        places, hearing = self._places, self._heard
        if places is None or hearing is None:
            return {}
        return {name: Judgement(places, hearing.said.get(name, ()), name) for name in self.asked}

    @property
    def valid(self) -> bool:
        """Whether neither the standard nor the message's own network has an error."""
        standard, of_network = self.standard, self.own
        return standard is not None and standard.passed and (of_network is None or of_network.passed)

    @property
    def _verdicts(self) -> list[Judgement]:
        return [verdict for verdict in (self.standard, self.own) if verdict is not None]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings by the standard and by the message's network, including warnings and infos."""
        framing = (self.framing,) if self.framing else ()
        return framing or tuple(finding for verdict in self._verdicts for finding in verdict.findings)

    @property
    def errors(self) -> list[str]:
        """The errors as sentences."""
        if self.standard is None:
            return [self.framing.message] if self.framing else []
        return self.standard.errors + (self.own.errors if self.own else [])

    @property
    def wrong(self) -> int:
        """The number of errors."""
        return 1 if self.framing else sum(verdict.wrong for verdict in self._verdicts)

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """`findings` and those of the other requested networks."""
        others = [result for name, result in self.networks.items() if name != self.network]
        return (*self.findings, *(finding for result in others for finding in result.findings))


def validate(
    message: str | Message,
    *,
    against: Iterable[str] = (),
    network: str | None = None,
    version: str | None = None,
) -> Report:
    """Validate *message*, which may be text or a Message, against the standard and the message's own
    network (*network*, otherwise the card's), with a result for each network in *against*, or for every
    network if it is empty. *version* None reads it off the MTI. A text that does not parse is one finding,
    never an exception; ChoiceError is raised for an unknown version or network.
    """
    networks = asked_of(against)
    if network is not None and network not in NETWORKS:
        network = network_named(network)
    if isinstance(message, Message):
        try:
            build(message)
        except BuildError as error:
            return Report(message, message.version, network, framing_finding(error, message.spec))
    else:
        raw = strip_line_ending(message)
        chosen = chosen_version(raw, version)
        try:
            message = parse(raw, chosen)
        except ParseError as error:
            return Report(None, chosen, network, framing_finding(error, chosen, raw=raw))
    return judge(message, network, networks)


def networks_against(against: object) -> tuple[str, ...]:
    """The networks *against* as a tuple: none, one or several. Raises OptionError for anything else."""
    return several("against", against, "networks such as VISA and AMEX")


def asked_of(against: Iterable[str]) -> tuple[str, ...]:
    """The networks of *against*, all if it is empty, in the order of NETWORKS."""
    if not against:
        return NETWORKS
    names = {network_named(name, "against") for name in networks_against(against)}
    return tuple(name for name in NETWORKS if name in names) or NETWORKS


def judge(message: Message, network: str | None, asked: tuple[str, ...]) -> Report:
    """The report on a message that parses; with a result per network of *asked*."""
    places, hearing = Places(message), hear(message, network)
    said, name = hearing
    of_standard = said.get("", ())
    on = message.dialect.interface if message.dialect else ""
    link = interface(on).speaker if on else ""
    of_network = None
    if own := name or link:
        hits = said.get(own, ())
        if link and link != own:
            # Rules on whose card it is come from the card's own brand.
            hits = [*hits, *(hit for hit in said.get(link, ()) if hit.place[-1] != OF_CARD)]
        of_network = Judgement(places, _beyond(of_standard, hits), own)
    standard = Judgement(places, of_standard)
    return Report(message, message.version, name, None, asked, standard, of_network, places, hearing)


def verdict_on(reading: Reading, against: tuple[str, ...] = ()) -> Report:
    """The verdict on a reading; if it is incomplete or does not fit, the first misfit is the only finding."""
    network, networks = reading.network, asked_of(against)
    if reading.message is not None and not reading.misfits:
        if reading.format != TEXT:
            return validate(reading.message, network=network, against=against)
        # The text form was just parsed, so building it again would check nothing.
        return judge(reading.message, network and network_named(network), networks)
    view = dissect(reading)
    return Report(None, view.version, network, view.findings[0])


def placed_findings(report: Report, reading: Reading, against: tuple[str, ...] = ()) -> tuple[Finding, ...]:
    """The findings of a verdict on a reading, including those of the networks *against*, with their positions
    in the input."""
    if reading.message is None or reading.misfits:
        return dissect(reading).findings
    findings = report.all_findings if against else report.findings
    # Rules count characters of the text form.
    return (
        findings
        if reading.given is None or reading.raw is not None
        else placed(findings, reading.message, reading)
    )

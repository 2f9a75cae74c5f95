"""Judge a message by the standard's rules, its network's and others'."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sim.codec import Message, ParseError, build, parse
from sim.elements.pan import detect_network
from sim.errors import BuildError, SpecError
from sim.operations.project import strip_line_ending
from sim.rules import Finding, Severity, catalogue, run
from sim.rules.causes import likely_cause
from sim.rules.networks import check_network
from sim.spec import VERSIONS, spec, version_of
from sim.spec.networks import NETWORKS

DEFAULT_VERSION = "1987"


@dataclass(frozen=True, slots=True)
class NetworkResult:
    """What one network's rules say of a message."""

    network: str
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        """Whether none of the findings is an error."""
        return not any(finding.is_error for finding in self.findings)

    @property
    def errors(self) -> list[str]:
        """The errors as sentences."""
        return [finding.message for finding in self.findings if finding.is_error]


@dataclass(frozen=True, slots=True)
class Report:
    """The verdict on one message.

    `findings` are the standard's own and those of the message's network, warnings and hints
    included; `networks` the results of the networks asked for (none when the text does not parse).
    Other networks' results never change `valid`.
    """

    version: str
    network: str | None
    message: Message | None
    findings: tuple[Finding, ...]
    networks: dict[str, NetworkResult]

    @property
    def valid(self) -> bool:
        """Whether neither the standard nor the message's own network has an error."""
        return not any(finding.is_error for finding in self.findings)

    @property
    def errors(self) -> list[str]:
        """The errors as sentences."""
        return [finding.message for finding in self.findings if finding.is_error]

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
            return Report(message.version, network, message, (_unbuildable(message, error),), {})
        return judge(message, network, wanted)
    raw = strip_line_ending(message)
    chosen = chosen_version(raw, version)
    try:
        parsed = parse(raw, chosen)
    except ParseError as error:
        return Report(chosen, network, None, (framing_finding(raw, chosen, error),), {})
    return judge(parsed, network, wanted)


def judge(message: Message, network: str | None, wanted: Iterable[str]) -> Report:
    """The report on a message that is well framed; a result per network of *wanted*."""
    own = chosen_network(message, network)
    results = {name: NetworkResult(name, check_network(message, name)) for name in NETWORKS if name in wanted}
    findings = run(message)
    if own:
        told = results[own].findings if own in results else check_network(message, own)
        findings += _unsaid(told, findings)
    return Report(message.version, own, message, tuple(findings), results)


def _unsaid(told: Iterable[Finding], said: Iterable[Finding]) -> list[Finding]:
    """A network's findings without those that repeat what the standard already says of an element:
    that it is missing, or that its tags do not fit."""
    missing = {one.field for one in said if one.start is None}
    chip = any(one.rule == "chip-data" for one in said)
    return [
        one
        for one in told
        if not (one.rule == "required-element" and one.field in missing)
        and not (one.rule.endswith("-chip-data") and chip)
    ]


def framing_finding(raw: str, version: str, error: ParseError) -> Finding:
    """A parse error as the one finding it is, with its likely cause."""
    text = catalogue()["framing"]
    name = "message"
    if error.field is not None:
        name = "Message type indicator" if error.field == 0 else spec(version)[error.field].name
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

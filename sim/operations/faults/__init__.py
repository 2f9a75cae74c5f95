"""Negative data: valid messages broken in one place, each labeled with the finding it must cause.

A fault is applied to a message only if it causes exactly the promised finding and no new one of a rule that
its row does not name in `also`; each case is checked, so a label is never wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from operator import attrgetter

from sim.codec import BuildError, Message, ParseError, build, parse, spans
from sim.elements.card import chosen_network
from sim.errors import ChoiceError
from sim.judge import Finding
from sim.operations.faults import content, framing
from sim.operations.faults.change import Attempt, Broken, Fault, Row, base, prepared
from sim.operations.findings import framing_finding
from sim.operations.validation import judge
from sim.spec import VERSIONS, Spec
from sim.spec.networks import NETWORKS
from sim.spec.spellings import network_named, version_named
from sim.spec.words import AnyNetwork, AnyVersion

__all__ = ["Broken", "Fault", "all_faults", "break_message", "cases", "faults_for"]

# Our choice: a fixed moment, so that the same call gives the same cases.
AT = datetime(2026, 11, 20, 10, 15, 30, tzinfo=UTC)

# What identifies a finding before and after a change: everything but its position in the text, which moves
# with the preceding elements.
_Mark = tuple[str, str, str, str, int | None]

# Rules with tables per network: one case for each network.
_OF_EACH_NETWORK = ("luhn", "pan-network", "network-mti-version", "required-element", "forbidden-element")


@cache
def _all() -> dict[str, tuple[Fault, Attempt]]:
    return {fault.id: (fault, put) for fault, put in (*framing.table(), *content.table())}


def add_faults(more: Mapping[str, Row]) -> None:
    """Add faults of content, rows by id."""
    content.rows().update(more)
    _all.cache_clear()


def all_faults() -> tuple[Fault, ...]:
    """All faults: of framing, of content, of single networks."""
    return tuple(fault for fault, _ in _all().values())


def faults_for(message: Message, *, network: str | None = None) -> tuple[Fault, ...]:
    """The faults that apply to *message*; *network* None is the card's."""
    name = chosen_network(message, network)
    return tuple(fault for fault, put in _all().values() if _tried(put, message, name))


def break_message(message: Message, fault: str, *, network: str | None = None) -> Broken:
    """*message* with the one fault of id *fault*, and the finding it must cause.

    The same message and fault give the same text. *network* None is the card's. Raises ChoiceError, with
    the faults that apply, if this one does not; BuildError for a message that cannot be written.
    """
    build(message)
    name = chosen_network(message, network)
    if not isinstance(fault, str):
        raise ChoiceError.of("fault", fault, _all())
    if fault in _all() and (case := _tried(_all()[fault][1], message, name)):
        return case
    choices = sorted(item.id for item in faults_for(message, network=name))
    if fault in _all():
        raise ChoiceError("fault", f"{fault!r}, which does not apply to this message", choices)
    raise ChoiceError.of("fault", fault, choices)


def cases(
    network: AnyNetwork | None = None, version: AnyVersion | None = None, *, at: datetime = AT
) -> tuple[Broken, ...]:
    """A broken message for each fault, in each version where it is possible: the standard's faults in a
    message of *network*, then the network's own. *network* None is all: the standard's faults are then put
    into a message of the first network on which only the fault itself is found. *version* None is all
    three. Dates are those of *at*. Raises ChoiceError for an unknown network or version.
    """
    networks = (network_named(network),) if network else NETWORKS
    return tuple(
        case
        for edition in ((version_named(version),) if version else VERSIONS)
        for fault, put in _all().values()
        if edition in fault.versions
        for case in _cases_of(fault, put, edition, networks, at)
    )


def _cases_of(
    fault: Fault, put: Attempt, version: str, networks: Iterable[str], at: datetime
) -> Iterator[Broken]:
    """One case of a fault or, if it depends on the network, one for each network."""
    row = content.rows().get(fault.id, {})
    for name in networks:
        if row.get("network", name) != name:
            continue
        for kind in fault.kinds:
            message, owner = base(kind, name, version, at)
            if case := _tried(put, prepared(row, message), owner):
                yield replace(case, kind=kind)
                break
        else:
            continue
        if fault.rule not in _OF_EACH_NETWORK:
            return


def _tried(put: Attempt, message: Message, network: str | None) -> Broken | None:
    """The broken message, if it can be written and causes only the promised finding."""
    try:
        case = put(message, network)
    except BuildError:
        return None
    if case is None:
        return None
    promised = attrgetter("rule", "severity", "field", "path", "start")
    new = [finding for finding in new_findings(case, message) if finding.rule not in case.also]
    return case if list(map(promised, new)) == [promised(case)] else None


def new_findings(case: Broken, message: Message) -> list[Finding]:
    """The findings on the broken message that *message*, from before the fault, did not have."""
    dialect, new = message.dialect, list[Finding]()
    before = _marked_findings(build(message), dialect or message.version, case.network)
    old = Counter(mark for mark, _ in before)
    edition = dialect if dialect and case.version == dialect.version else case.version
    for mark, finding in _marked_findings(case.raw, edition, case.network):
        old[mark] -= 1
        if old[mark] < 0:
            new.append(finding)
    return new


def _marked_findings(raw: str, version: str | Spec, network: str | None) -> list[tuple[_Mark, Finding]]:
    """The findings of the standard and of *network*, each with its mark."""
    try:
        message = parse(raw, version)
    except ParseError as error:
        misfit = framing_finding(error, version, raw=raw)
        return [(("", misfit.rule, misfit.severity, misfit.path, misfit.start), misfit)]
    places, pairs = spans(message), list[tuple[_Mark, Finding]]()
    for finding in judge(message, network, ()).findings:
        missing = finding.start is None or finding.field is None
        at = None if missing else (finding.start or 0) - places[finding.field or 0][1]
        pairs.append(((finding.network, finding.rule, finding.severity, finding.path, at), finding))
    return pairs

"""Messages and findings as records of plain values, card data hidden: for programs and assistants."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from sim.codec import Message
from sim.operations.anatomy import UNREAD, Anatomy, Place, differences, dissect, masked_text
from sim.operations.choosing import chosen_version
from sim.operations.findings import placed
from sim.operations.project import strip_line_ending
from sim.operations.reading import read
from sim.paste.reading import TEXT, Reading
from sim.spec.spellings import network_named, several

if TYPE_CHECKING:
    from sim.judge import Finding
    from sim.operations.validation import Report


def seen(
    message: str, *, version: str | None = None, network: str | None = None, format: str | None = None
) -> tuple[Anatomy, str]:
    """The anatomy of *message*, written in any way, and how it was read (empty: as the text that it is).

    Raises ParseError for bytes of which nothing can be read, ChoiceError for a wrong word.
    """
    found = read(message, format=format, version=version, network=network)
    if found.message is None and found.raw is None and found.error is not None:
        raise found.error
    return dissect(found), "" if found.raw is not None else found.read_as


def judged(
    message: str,
    *,
    version: str | None = None,
    network: str | None = None,
    format: str | None = None,
    against: tuple[str, ...] = (),
) -> Judged:
    """The verdict on *message*, written in any way."""
    found = read(message, format=format, version=version, network=network)
    report = verdict_on(found, against)
    return Judged(report, told(report, found, against))


class Judged(NamedTuple):
    """A verdict, and its findings in the units of what was judged."""

    report: Report
    findings: tuple[Finding, ...]


def told(report: Report, reading: Reading, against: tuple[str, ...] = ()) -> tuple[Finding, ...]:
    """The findings of a verdict on what was read, those of the networks asked for included, each where it
    stands in what was given."""
    view = dissect(reading) if reading.misfits or reading.message is None else None
    if view is not None:
        return view.findings
    return placed(report.all_findings if against else report.findings, reading)


def verdict_on(reading: Reading, against: tuple[str, ...] = ()) -> Report:
    """The verdict on what was read: of what does not read to its end, or not fit, that is the finding."""
    # What only shows a message loads no rules.
    from sim.operations.validation import SEVERAL, Report, validate

    if reading.message is not None and not reading.misfits:
        return validate(reading.message, network=reading.network, against=against)
    for name in several("against", against, SEVERAL):
        network_named(name, "against")
    view = dissect(reading)
    return Report(None, view.version, reading.network, view.findings[0])


def held(
    message: str, *, version: str | None = None, network: str | None = None, format: str | None = None
) -> str | Message:
    """What *message*, written in any way, holds: the message, or the text of a broken one."""
    return seen(message, version=version, network=network, format=format)[0].content


def masked(message: str, version: str | None = None, format: str | None = None) -> str:
    """*message* as it stands, card data starred out; one in a wire format that is named, as text."""
    if format not in (None, TEXT):
        view, _ = seen(message, version=version, format=format)
        return view.shown_text
    text = strip_line_ending(message)
    return masked_text(text, chosen_version(text, version))


def label(number: int) -> str:
    """What a table calls an element: `MTI`, `bitmap`, its number; empty for what was left unread."""
    return {0: "MTI", 1: "bitmap", UNREAD: ""}.get(number, str(number))


def row(view: Anatomy, place: Place) -> dict[str, Any]:
    """One element: number, name, format, value as it may be shown, meaning, place in the text."""
    return {
        "number": place.number,
        "name": view.name(place),
        "format": view.format(place),
        "value": view.shown_values[place.number],
        "meaning": view.meaning(place),
        "start": place.start if view.is_text else None,
        "end": place.end if view.is_text else None,
    }


def message_record(view: Anatomy, read_as: str) -> dict[str, Any]:
    """A message, its elements, and the finding where it could not be read to its end."""
    return {
        "mti": view.message.mti,
        "version": view.version,
        "network": view.network,
        "read_as": read_as or "text",
        "elements": [row(view, place) for place in view.places],
        "finding": finding_record(view.findings[0]) if view.findings else None,
        "findings": [finding_record(one) for one in view.findings],
    }


def finding_record(finding: Finding) -> dict[str, Any]:
    """One finding; with `url`, the page about its rule, where a site of documentation is known."""
    made = asdict(finding)
    return made | {"url": finding.url} if finding.url else made


def report_record(made: Judged, against: tuple[str, ...]) -> dict[str, Any]:
    """A verdict: its findings, and which of the networks asked for the message passes."""
    report, found = made
    networks = {name: judged.passed for name, judged in report.networks.items()} if against else {}
    head = {"valid": report.valid, "version": report.version, "network": report.network}
    return head | {"networks": networks, "findings": [finding_record(one) for one in found]}


def guess_record(candidate: Any) -> dict[str, Any]:
    """What a paste may be, and why."""
    names = ("confidence", "read_as", "mti", "version", "format", "read", "size", "reasons")
    return {name: getattr(candidate, name) for name in names}


def difference_records(a: Anatomy, b: Anatomy) -> list[dict[str, Any]]:
    """The elements in which two messages differ; None where one of them lacks an element."""
    made = []
    for one in differences(a, b):
        name = a.name(one.a) if one.a else b.name(one.b) if one.b else ""
        values = (
            None if place is None else side.shown_values[place.number]
            for side, place in ((a, one.a), (b, one.b))
        )
        made.append(dict(zip(("number", "name", "a", "b"), (one.number, name, *values), strict=True)))
    return made

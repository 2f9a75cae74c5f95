"""Findings that no rule makes, on what is no message; and every finding in the units of what was given: a
rule counts characters of the text form, which nobody pasted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sim.codec import ParseError, spans
from sim.errors import BITMAP_FIELD, MTI_FIELD, IsoError, element_label
from sim.judge import Finding, Severity, catalogue
from sim.operations.choosing import DEFAULT_VERSION
from sim.paste.reading import Reading
from sim.spec import Spec
from sim.spec.elements import table
from sim.spec.networks import told_name

RULE = "framing"
MTI_NAME = "Message type indicator"
BITMAP_NAME = "Bitmap"
ELSE = "Paste the complete message, or the bytes that contain it."
UNWRITABLE = "The value does not fit its element, so the message cannot be written; change it."
NO_ROWS = "The rows are not a message: change the cell, or remove the row."

READ_UP_TO = "Read up to that point. Against this reading: {}. `sim.guess` lists the other candidates."

_NAMES = {None: "message", MTI_FIELD: MTI_NAME, BITMAP_FIELD: BITMAP_NAME}
_LAST = 128


def framing_finding(
    error: IsoError, version: str | Spec, *, raw: str | None = None, hint: str = ""
) -> Finding:
    """What the codec says, *error*, as the finding it is.

    The elements have the names of *version*, or of the table of a dialect. *raw* is the text that was
    read, which gets its likely cause; None for elements that cannot be written, which have no place, and
    of which *hint* says what to do.
    """
    rule, field, elements = catalogue()[RULE], error.field, table(version)
    read = raw is not None and isinstance(error, ParseError)
    known = field is not None and BITMAP_FIELD < field <= _LAST
    return Finding(
        severity=Severity.ERROR,
        network="",
        field=field,
        path="" if field is None else str(field),
        name=told_name(elements, field) if known and field else _NAMES.get(field, _NAMES[None]),
        rule=rule.id,
        message=str(error),
        start=error.offset if read else None,
        end=len(raw) if read and raw is not None else None,
        expected=error.expected,
        found=error.found,
        hint=_cause(raw, elements.version, error) if read and raw is not None else hint or UNWRITABLE,
        source=rule.source,
    )


def _cause(raw: str, version: str, error: IsoError) -> str:
    """Why *raw* is no message of *version*."""
    if error.offset is None:
        return ELSE
    from sim.judge.causes import likely_cause  # what fits needs no cause, and no rules

    return likely_cause(raw, version, error) if isinstance(error, ParseError) else ""


def misfit_findings(reading: Reading) -> Iterator[Finding]:
    """What does not fit in *reading*, a finding each, where it stands in what was given; none where all
    does."""
    own = (reading.message.dialect if reading.message else None) or reading.version or DEFAULT_VERSION
    for error in reading.misfits:
        if reading.raw is not None:
            yield framing_finding(error, own, raw=reading.raw)
            continue
        # Looking for places takes a room of its own, which the text form does without.
        from sim.paste.places import characters_ahead, place, place_of_element

        if isinstance(error, ParseError):
            named = f"Read up to that point as {reading.format}, the named format."
            why = (
                named
                if reading.written and not reading.origin
                else READ_UP_TO.format("; ".join(reading.reasons))
            )
            made, at = framing_finding(error, own, hint=why), error.offset
            where, ahead = "" if at is None else place(reading, at), characters_ahead(reading) or 0
            start = None if at is None else at + ahead
            yield replace(made, start=start, end=reading.size + ahead, message=_located(error, where))
        else:
            where = "" if error.field is None else place_of_element(reading, error.field)
            yield replace(framing_finding(error, own), message=_located(error, where))


def _located(error: IsoError, where: str) -> str:
    """The sentence of *error*, with the place *where* it stands in what was given."""
    label = element_label(error.field)
    return f"{label}{f' at {where}' if where else ''}: expected {error.expected}, found {error.found}"


_IN_TEXT = " at offset {}:"


def placed(findings: Iterable[Finding], reading: Reading) -> tuple[Finding, ...]:
    """*findings* on the message that was read, each where it stands in what was given."""
    if reading.given is None or reading.raw is not None:
        return tuple(findings)
    if reading.message is None or reading.misfits:
        return tuple(findings)
    there = spans(reading.message)
    return tuple(_placed(one, reading, there) for one in findings)


def _placed(one: Finding, reading: Reading, there: dict[int, tuple[int, int, int]]) -> Finding:
    from sim.paste.places import characters_ahead, place, place_of_element

    if one.start is None or one.end is None:
        return one
    number = next((number for number, span in there.items() if span[0] <= one.start < span[2]), one.field)
    if number is None or number not in reading.spans:
        said = place_of_element(reading, number) if number is not None else ""
        return replace(one, start=None, end=None, message=_said(one, said))
    start, end = (_byte(at, there[number], reading.spans[number]) for at in (one.start, one.end))
    ahead = characters_ahead(reading) or 0
    return replace(one, start=start + ahead, end=end + ahead, message=_said(one, place(reading, start)))


def _said(one: Finding, where: str) -> str:
    """The sentence of a finding with the place *where* it stands."""
    return one.message.replace(_IN_TEXT.format(one.start), f" at {where}:" if where else ":", 1)


def _byte(at: int, text: tuple[int, int, int], data: tuple[int, int, int]) -> int:
    """The byte in which character *at* of the text form stands, whose element is *text* there and *data* in
    the bytes: a byte is a character, or two packed digits."""
    (start, first, end), (begin, value, stop) = text, data
    if at < first:
        return min(begin + at - start, value)
    size, count = end - first, stop - value
    if count in (0, size):
        return min(value + at - first, stop)
    return min(value + (at - first + size % 2) * count // (size + size % 2), stop)

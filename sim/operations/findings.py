"""Findings on input that is not a valid message, which no rule makes; and positions of all findings in the
units of the input, because rules count characters of the text form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sim.codec import Message, ParseError, spans
from sim.errors import BITMAP_FIELD, MTI_FIELD, IsoError, element_label
from sim.judge import Finding, Severity, catalogue
from sim.paste.reading import Reading
from sim.spec import Spec
from sim.spec.elements import table
from sim.spec.networks import told_name
from sim.spec.spellings import DEFAULT_VERSION

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
    """The codec's *error* as a finding.

    Element names are those of *version*, or of a dialect's table. *raw* is the text that was read, and the
    hint is its likely cause; None for elements that cannot be written, which have no position, and whose hint
    is *hint*.
    """
    rule, field, elements = catalogue()[RULE], error.field, table(version)
    start = end = None
    if raw is not None and isinstance(error, ParseError):
        start, end, hint = error.offset, len(raw), ELSE
        if start is not None:
            from sim.judge.causes import likely_cause  # valid messages need no cause, so no rules either

            hint = likely_cause(raw, elements.version, error)
    is_element = field is not None and BITMAP_FIELD < field <= _LAST
    return Finding(
        severity=Severity.ERROR,
        network="",
        field=field,
        path="" if field is None else str(field),
        name=told_name(elements, field) if is_element and field else _NAMES.get(field, _NAMES[None]),
        rule=rule.id,
        message=str(error),
        start=start,
        end=end,
        expected=error.expected,
        found=error.found,
        hint=hint or UNWRITABLE,
        source=rule.source,
    )


def misfit_findings(reading: Reading) -> Iterator[Finding]:
    """A finding for each misfit in *reading*, with its position in the input."""
    version = (reading.message.dialect if reading.message else None) or reading.version or DEFAULT_VERSION
    for error in reading.misfits:
        if reading.raw is not None:
            yield framing_finding(error, version, raw=reading.raw)
            continue
        # The text form does not need `sim.paste.places`.
        from sim.paste.places import characters_ahead, place, place_of_element

        if isinstance(error, ParseError):
            why = READ_UP_TO.format("; ".join(reading.reasons))
            if reading.written and not reading.origin:
                why = f"Read up to that point as {reading.format}, the named format."
            finding, at = framing_finding(error, version, hint=why), error.offset
            where, ahead = "" if at is None else place(reading, at), characters_ahead(reading) or 0
            start = None if at is None else at + ahead
            yield replace(finding, start=start, end=reading.size + ahead, message=_located(error, where))
        else:
            where = "" if error.field is None else place_of_element(reading, error.field)
            yield replace(framing_finding(error, version), message=_located(error, where))


def _located(error: IsoError, where: str) -> str:
    """The sentence of *error*, with its position *where* in the input."""
    label = element_label(error.field)
    return f"{label}{f' at {where}' if where else ''}: expected {error.expected}, found {error.found}"


_IN_TEXT = " at offset {}:"


def placed(findings: Iterable[Finding], message: Message, reading: Reading) -> tuple[Finding, ...]:
    """*findings* on *message*, with their positions in the bytes that it was read from."""
    positions = spans(message)
    return tuple(_placed(finding, reading, positions) for finding in findings)


def _placed(finding: Finding, reading: Reading, positions: dict[int, tuple[int, int, int]]) -> Finding:
    from sim.paste.places import characters_ahead, place, place_of_element

    if finding.start is None or finding.end is None:
        return finding
    at_start = (number for number, span in positions.items() if span[0] <= finding.start < span[2])
    number = next(at_start, finding.field)
    if number is None or number not in reading.spans:
        where = place_of_element(reading, number) if number is not None else ""
        return replace(finding, start=None, end=None, message=_sentence_of(finding, where))
    start, end = (_byte(at, positions[number], reading.spans[number]) for at in (finding.start, finding.end))
    ahead, sentence = characters_ahead(reading) or 0, _sentence_of(finding, place(reading, start))
    return replace(finding, start=start + ahead, end=end + ahead, message=sentence)


def _sentence_of(finding: Finding, where: str) -> str:
    """The sentence of a finding, with its position *where*."""
    return finding.message.replace(_IN_TEXT.format(finding.start), f" at {where}:" if where else ":", 1)


def _byte(at: int, text: tuple[int, int, int], data: tuple[int, int, int]) -> int:
    """The byte with character *at* of the text form; its element is at *text* there and at *data* in the
    bytes. A byte has one character, or two packed digits."""
    (start, first, end), (begin, value, stop) = text, data
    if at < first:
        return min(begin + at - start, value)
    size, count = end - first, stop - value
    if count in (0, size):
        return min(value + at - first, stop)
    return min(value + (at - first + size % 2) * count // (size + size % 2), stop)

"""Findings in the units of what was given: a rule counts characters of the text form, which nobody pasted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sim.codec import spans
from sim.judge import Finding
from sim.paste.reading import Reading

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

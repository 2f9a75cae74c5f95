"""All that a text may have been before a fault: each text that can be read after an edit, weighed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from dataclasses import field as attribute
from math import log2
from unicodedata import normalize

from sim.codec import Message
from sim.codec.text import is_digits
from sim.elements.card import detect_network
from sim.judge import Severity
from sim.judge.causes import READ, REWRITTEN, STRIPPED, causes
from sim.operations.repairing import chip, halves
from sim.operations.repairing import edits as undoing
from sim.operations.repairing.edits import Edit, Frame, frame
from sim.operations.repairing.weighing import UNKNOWN, Weight, announced, usually_odd, weigh
from sim.operations.validation import Report, judge
from sim.spec import Spec, spec, version_of

# What is longer is no message with one fault; it is only read.
_LONGEST = 20_000
_BITS = {Severity.ERROR: 10.0, Severity.WARNING: 5.0, Severity.INFO: 0.5}
# What is absent is weighed with the elements that are there.
_OF_ABSENT = 0.2
_OTHER_LENGTH, _NO_TAGS = 6.0, 14.0
_SECOND = 5.0  # bits by which a second fault is unlikelier than none
_NEAR = 2
_ENDS = "\x02\x03\0\r\n"


@dataclass(slots=True)
class Trial:
    """A text that can be read after an edit of `raw`: how it weighs, by what table it is read, and what stood
    around it."""

    raw: str
    edit: Edit
    table: Spec
    weight: Weight
    bits: float
    outside: Edit | None = None
    report: Report | None = None
    judged: dict[int | None, float] = attribute(default_factory=dict)

    def warns(self, number: int) -> bool:
        """Whether the judge finds something odd in the value of element *number*."""
        found = self.report.findings if self.report else ()
        odd = (one for one in found if one.start is not None and one.severity != Severity.INFO)
        return any(one.field == number for one in odd)

    @property
    def owner(self) -> str | None:
        """The network of its card."""
        found = detect_network(Message(self.edit.text[:4], self.weight.fields, self.table.version))
        return found.network if found else None

    @property
    def lost(self) -> bool:
        """Whether nothing tells a character of it, or what it was at all."""
        return UNKNOWN in self.edit.text or self.edit.action in undoing.UNTOLD

    def inside(self, outside: Edit) -> Trial:
        """The same inside of what stands around it."""
        if not self.edit.action:
            return replace(self, edit=outside, bits=self.bits + outside.bits)
        return replace(self, outside=outside, bits=self.bits + outside.bits + _SECOND)

    def judge(self, network: str | None) -> None:
        """Ask the judge, and weigh what it finds."""
        text = self.edit.text.replace(UNKNOWN, "0")
        again = frame(text, self.table)
        if again is None or self.report is not None:
            return
        empty = len(again.bits) > 16 and not any(number > 64 for number in again.numbers)
        dialect = self.table if self.table.dialect else None
        message = Message(text[:4], _fields(text, again), self.table.version, empty, dialect)
        self.report = judge(message, network, ())
        for finding in self.report.findings:
            bits = _BITS[finding.severity] * (_OF_ABSENT if finding.start is None else 1)
            self.judged[finding.field] = self.judged.get(finding.field, 0.0) + bits
        self.bits += sum(self.judged.values())


def _fields(text: str, found: Frame) -> dict[int, str]:
    return {place.number: text[place.first : place.end] for place in found.places}


def weighed(raw: str, edit: Edit, table: Spec) -> Trial | None:
    """What *raw* is after *edit*; None where it cannot be read to its end."""
    found = frame(edit.text.replace(UNKNOWN, "0"), table)
    if found is None or not found.whole:
        return None
    weight = weigh(edit.text[:4], _fields(edit.text, found), table)
    return Trial(raw, edit, table, weight, edit.bits + weight.bits)


def valued(raw: str, table: Spec) -> list[Trial]:
    """What *raw*, which can be read, may have been: as it came, or with other values."""
    came = weighed(raw, Edit(raw, 0.0, "", None, ""), table)
    if came is None:
        return []
    asked = replace(came, judged={})
    asked.judge(None)
    weights = came.weight.odd.items()
    odd = {number for number, bits in weights if number and bits > usually_odd(number, table)}
    suspects = {number for number in odd | asked.judged.keys() if number and number > 1} - {41, 42, 43, 55}
    found = frame(raw, table)
    others = undoing.values(raw, found, table, suspects) if found else ()
    return [came, *(one for edit in others if (one := weighed(raw, edit, table)))]


def trials_of(raw: str, table: Spec, pinned: bool, stated: int = -1, outermost: bool = True) -> list[Trial]:
    """All that the text *raw* may have been, read by *table*, or by another version where it is not *pinned*.
    *stated* is the length that stands in front of it."""
    if not 0 < len(raw) <= _LONGEST:
        return []
    found = frame(raw, table)
    made: list[Trial] = []
    if outermost and (found is None or not found.whole):
        for around, inner in _around(raw, table, pinned):
            length = undoing.stated_length(around.before, len(around.text))
            further = len(around.text) < len(raw)  # nothing is taken off for ever
            made += [one.inside(around) for one in trials_of(around.text, inner, True, length, further)]
    if found is None and halves.is_half(raw) and (read := [*_halves(raw, table)]):
        return [*made, *read]
    for edit, inner in _edits(raw, found, table, pinned):
        if trial := weighed(raw, edit, inner):
            if 0 < abs(stated - len(raw)) <= _NEAR and len(edit.text) != stated:
                trial.bits += _OTHER_LENGTH
            made.append(trial)
    if found is not None and found.whole:
        made += valued(raw, table)
    elif found is not None and found.stop is not None and (cut := _cut(raw, found, table)):
        made.append(cut)
    return made


def _around(raw: str, table: Spec, pinned: bool) -> Iterator[tuple[Edit, Spec]]:
    """What is known to stand around a message, taken off: quotes, headers, a hex dump, another version."""
    for cause in causes(raw, table.version) if not table.dialect else ():
        if cause.text is None or (cause.action == READ and not pinned):
            continue  # the MTI names the version, and is wrong then
        if cause.action == STRIPPED and cause.text not in "".join(raw.splitlines()):
            continue  # blanks inside a message are data
        before = raw.removesuffix(cause.text) if raw.endswith(cause.text) else ""
        yield Edit(cause.text, 0.0, cause.action, None, _fact(cause.hint), before), spec(cause.version)
    bare = raw.strip(_ENDS)
    if bare != raw and frame(bare, table):
        yield Edit(bare, 0.0, STRIPPED, None, "control characters of the link were pasted along"), table
    for text, why in _rewritten(raw):
        if frame(text, table):
            yield Edit(text, undoing.PRIOR[STRIPPED], REWRITTEN, None, why), table
    for front in undoing.fronts(raw):
        named = None if pinned else version_of(front.text)
        yield front, spec(named) if named else table


def _fact(hint: str) -> str:
    """What a hint says is so, without what it says to do."""
    said = re.split("[;.] ", hint.rstrip("."))[0]
    return said[:1].lower() + said[1:]


def _rewritten(raw: str) -> Iterator[tuple[str, str]]:
    """The same text where it is there twice, or went through another code page."""
    half = len(raw) // 2
    if raw[:half] == raw[half:]:
        yield raw[:half], "the message is there twice"
    if not raw.isascii():
        for page in ("latin-1", "cp1252"):
            with suppress(UnicodeError):
                yield raw.encode(page).decode("utf-8"), "UTF-8 was read as another code page"
        yield normalize("NFKC", raw), "its digits are wide ones, or of another alphabet"


def _edits(raw: str, found: Frame | None, table: Spec, pinned: bool) -> Iterator[tuple[Edit, Spec]]:
    if not table.dialect:
        for edit in undoing.heads(raw):
            named = version_of(edit.text)
            yield edit, table if pinned and edit.field != 0 else spec(named or table.version)
    if found is None or not found.whole:
        yield from ((edit, table) for edit in undoing.bitmap_digits(raw, table))
    if found is not None:
        yield from ((edit, table) for edit in undoing.edits(raw, found, table))


def _halves(raw: str, table: Spec) -> Iterator[Trial]:
    """What the text may be whose raw bitmap lost the upper half of its code page."""
    for text in halves.texts(raw, table):
        edit = Edit(text, 0.0, undoing.HALVES, 1, "with this bitmap all elements can be read")
        if trial := weighed(raw, edit, table):
            yield trial


def _cut(raw: str, found: Frame, table: Spec) -> Trial | None:
    """The end is missing, and what was read before it is sound; None where the text goes on."""
    element, start, size = table[found.stop or 0], found.end, len(raw)
    stated = raw[start : start + element.prefix]
    left = size - start - element.prefix
    if len(stated) == element.prefix > 0 and not (is_digits(stated) and left < int(stated) <= element.width):
        return None
    missing = (int(stated) if element.prefix and is_digits(stated) else element.width) - left
    trial = cut_off(
        raw, Message(raw[:4], _fields(raw, found)), table, found.numbers, found.stop or 0, missing
    )
    if found.stop == 55 and not chip.is_begun(raw[start + element.prefix :]):
        trial.bits += _NO_TAGS
    return trial


def cut_off(raw: str, read: Message, table: Spec, numbers: tuple[int, ...], stop: int, missing: int) -> Trial:
    """What was *read* of a message whose bitmap announces *numbers*, and which ends *missing* characters or
    bytes before the end of element *stop*."""
    fields, mti = dict(read.fields), read.mti
    weight = weigh(mti, fields, table)
    absent = [number for number in numbers if number not in fields and number > 1]
    bits = (
        weight.bits
        - announced(fields, mti, table)
        + announced(fields | dict.fromkeys(absent, ""), mti, table)
    )
    bits += sum(usually_odd(number, table) for number in absent) + log2(max(missing, 1))
    edit = Edit(raw, 0.0, undoing.CUT, stop, "the text ends inside or before this element")
    return Trial(raw, edit, table, weight, undoing.PRIOR_OF_CUT + bits)

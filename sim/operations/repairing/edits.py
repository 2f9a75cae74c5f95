"""The edits that undo faults known from practice, each one that makes the text readable to its end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, product
from math import inf, log2
from typing import NamedTuple

from sim.codec import bitmap
from sim.codec.message import is_mti
from sim.codec.text import BITMAP_WIDTH, MTI_WIDTH, is_digits, reads
from sim.errors import BITMAP_FIELD, MTI_FIELD
from sim.judge.causes import STRIPPED
from sim.operations.repairing import chip
from sim.operations.repairing.framing import UNKNOWN, Frame, Opening, Source, Text, Units
from sim.operations.repairing.witnesses import expected, fits, tags_given
from sim.paste import anchors
from sim.spec import VERSIONS, Spec, spec, version_of

# What was done, in the words of a proposal.
CUT, WRONG, MISSING = "end missing", "character wrong", "character missing"
UNTOLD = (CUT, WRONG)
VERSION, ZERO = "version digit changed", "leading zero restored"
BIT_SET, BIT_CLEARED, SECOND, DIGIT = "bit set", "bit cleared", "bit 1 changed", "bitmap digit changed"
LENGTH, LOST, ADDED, SWAPPED = "length changed", "character restored", "character removed", "swapped back"
TAG, HALVES = "tag changed", "bitmap restored"
PADDING, TURNED, GIVEN = "padding removed", "month and year swapped", "value restored"
# The prior of each fault, in bits; the position inside an element is added where it is chosen.
PRIOR = {
    **{STRIPPED: 2.0, ZERO: 3.0, VERSION: 4.0, BIT_SET: 4.5, BIT_CLEARED: 4.0, SECOND: 3.0, LENGTH: 5.0},
    **{LOST: 5.0, ADDED: 5.0, SWAPPED: 6.0, PADDING: 3.0, TURNED: 4.0, GIVEN: 8.0},
}
# A message can be cut anywhere, so another edit explains the rest only by chance.
PRIOR_OF_CUT, PRIOR_OF_WRONG = 9.0, 12.0
_FARTHER, _NOTHING_TELLS, _HEX_LOST, _DIGIT_WRONG = 8.0, 9.0, 11.0, 8.5
# Ranks candidates with unknown characters last: they restore nothing.
UNSEEN = 15.0
NO_HABIT = 5.0  # doubled keystrokes are common, other extra characters are not
_COUNTED, _OFF = 6, 2
_CUT_OFF, _BLANK = 6.0, -4.0
_DECIMAL, _HEX, _WHICH = "0123456789", "0123456789ABCDEF", 4.0
_LEAST = MTI_WIDTH + BITMAP_WIDTH
_FARTHEST = 44  # the longest header
_TPDU, _TPDU_WIDTH, _ISO_HEADER = "60", 10, re.compile("ISO[0-9]{9}")
_LONGEST_SWAPPED = 42
_TRACK_2, _EXPIRY, _CHIP = 35, 14, 55
_PAN, _SENTINELS, _FILLER = 2, ";?", "Ff"
_CLOCKS = {7, 12}  # other elements suggest a time, but do not prove another one wrong
TOLD, _PARTLY_TOLD = "other elements give this value", "other elements give part of this value"
_TURNED_ROUND = "two adjacent characters were swapped"
WRONG_DIGIT = "one digit of the length was wrong"
FITS = "with this length, the message can be read to its end"
_FILLED = "F is padding, not a digit of a card number"
_ON_THE_STRIPE = "sentinels on the stripe are not part of the track data"


class Edit(NamedTuple):
    """A text after an edit: the cost of the fault in `bits`, the action, the element, the reason, the element
    before and after, and the `table` to read it by if it is another."""

    text: str
    bits: float
    action: str
    field: int | None
    why: str
    before: str = ""
    after: str = ""
    table: Spec | None = None


def _stated(front: str) -> set[int]:
    """The lengths that leading digits may give, in decimal or hex."""
    is_hex = bitmap.HEX_DIGITS.issuperset(front)
    return ({int(front, 16)} if is_hex else set()) | ({int(front)} if is_digits(front) else set())


def fronts(raw: str) -> Iterator[Edit]:
    """*raw* without a known header before the MTI."""
    for size in range(2, min(_FARTHEST, len(raw) - _LEAST) + 1):
        rest = raw[size:]
        if not is_digits(rest[:MTI_WIDTH]) or not bitmap.HEX_DIGITS.issuperset(rest[MTI_WIDTH:_LEAST]):
            continue
        front = raw[:size]
        stated = _stated(front) if size <= _COUNTED else set()
        near = next((count for count in stated if abs(count - len(rest)) <= _OFF), 0)
        if stated & {len(rest), len(raw)}:
            why = f"the first {size} characters are the length of the rest"
        elif near:  # correct if a character was lost or added later
            why = f"the first {size} characters announce {near} characters, but {len(rest)} follow"
        elif size == 2 and int.from_bytes(front.encode("latin-1", "replace")) in (len(rest), len(raw)):
            why = "the first 2 bytes are the length of the rest"
        elif size == _TPDU_WIDTH and front.startswith(_TPDU) and is_digits(front):
            why = "the first 10 digits are a TPDU (routing header)"
        elif _ISO_HEADER.fullmatch(front):
            why = "the first 12 characters are an ISO header"
        else:
            continue
        yield Edit(rest, PRIOR[STRIPPED], STRIPPED, None, why, front)


def heads(raw: str, frame: Frame | None, table: Spec, pinned: bool) -> Iterator[Edit]:
    """Other MTIs and bitmaps: of another version, or with a digit restored, changed or swapped."""
    for edit in _heads(raw, frame):
        edition = table
        if edit.field != BITMAP_FIELD:
            if table.dialect:
                continue
            edition = spec(version_of(edit.text) or table.version)
        if is_mti(edit.text[:MTI_WIDTH]) and reads(edit.text, edition):
            yield edit._replace(table=edition)


def _heads(raw: str, frame: Frame | None) -> Iterator[Edit]:
    mti, rest, digits = raw[:MTI_WIDTH], raw[MTI_WIDTH:], raw[: MTI_WIDTH - 1]
    for index, version in enumerate(VERSIONS):
        bits, why = PRIOR[VERSION] + 3 * (index == 2), f"the elements are those of ISO 8583:{version}"
        if mti[:1] != str(index):
            yield Edit(f"{index}{raw[1:]}", bits, VERSION, MTI_FIELD, why, mti[:1], str(index))
    if is_digits(digits) and len(digits) == MTI_WIDTH - 1:
        tried = {digits[:at] + digit + digits[at:] for at in range(MTI_WIDTH) for digit in _DECIMAL}
        for candidate in sorted(
            value for value in tried if anchors.usual(value) and anchors.is_known_mti(value)
        ):
            # Software that treats the text as a number drops the leading zero.
            action, bits = (ZERO, PRIOR[ZERO]) if candidate == f"0{digits}" else (LOST, PRIOR[LOST])
            why = "an MTI has four digits"
            yield Edit(candidate + raw[MTI_WIDTH - 1 :], bits, action, MTI_FIELD, why, digits, candidate)
    begin, is_whole = frame.begin if frame else MTI_WIDTH + 2 * BITMAP_WIDTH, bool(frame and frame.whole)
    for at in range(1 if is_whole else min(begin, len(raw) - 1)):
        if (text := swapped(raw, at)) != raw:
            number = MTI_FIELD if at < MTI_WIDTH else BITMAP_FIELD
            yield Edit(text, PRIOR[SWAPPED] + 4, SWAPPED, number, _TURNED_ROUND)
    why = "with this bitmap digit, the message can be read to its end"
    for at in range(MTI_WIDTH, MTI_WIDTH if is_whole else begin):
        for digit in _HEX:
            text = mti + rest[: at - MTI_WIDTH] + digit
            yield Edit(text + raw[at:], _HEX_LOST, LOST, BITMAP_FIELD, "the bitmap is one hex digit short")
            if frame and (int(digit, 16) ^ int(raw[at], 16)).bit_count() > 1:
                yield Edit(text + raw[at + 1 :], _DIGIT_WRONG, DIGIT, BITMAP_FIELD, why, raw[at], digit)


def swapped(raw: Units, at: int) -> Units:
    """*raw* with the units at *at* and *at* + 1 swapped."""
    return raw[:at] + raw[at + 1 : at + 2] + raw[at : at + 1] + raw[at + 2 :]


def edits(raw: Units, frame: Frame, source: Source) -> Iterator[Edit]:
    """The edits of bitmap, lengths and characters that make *raw* readable to the end."""
    yield from _bits(raw, frame, source)
    yield from _lengths(raw, frame, source)
    yield from _units(raw, frame, source)


def _bits(raw: Units, frame: Frame, source: Source) -> Iterator[Edit]:
    first, top, value = 1 << 63, frame.top, frame.bits
    mapped: Units
    for number in range(2, top + 1):
        bit = 1 << (top - number)
        if number == bitmap.PRIMARY_BITS + 1 and not value & bit:
            continue  # a tertiary bitmap
        mapped = source.mapped(raw, value ^ bit, top, frame.begin)
        if done := source.read(mapped):
            action, why = BIT_SET, f"DE {number} is present, but the bitmap does not announce it"
            if value & bit:
                action, why = BIT_CLEARED, f"the bitmap announces DE {number}, but it is not present"
            yield Edit(done[0], PRIOR[action], action, number, why, table=done[1])
    if top == bitmap.ALL_BITS:
        mapped = source.mapped(raw, value >> 64 & ~first, 64, frame.begin - source.map)
        why = "bit 1 is set, but there is no secondary bitmap"
    else:
        mapped = source.mapped(raw, value | first, top, frame.begin)
        why = "there is a secondary bitmap, but bit 1 is not set"
    if done := source.read(mapped):
        yield Edit(done[0], PRIOR[SECOND], SECOND, BITMAP_FIELD, why, table=done[1])


def _lengths(raw: Units, frame: Frame, source: Source) -> Iterator[Edit]:
    tried = [(place.number, place.start) for place in frame.places]
    tried += [(frame.stop, frame.end)] if frame.stop is not None else []
    left = 0 if frame.stop else len(raw) - frame.end
    for number, start in tried:
        length = source.length(number)
        if length is None:
            continue
        first = start + len(length.written(0))
        digits = length.stated(raw[start:first])
        for size, bits, why in sizes(digits, length.most, left):
            near = is_digits(digits) and abs(size - int(digits)) <= _OFF
            if number == frame.stop == frame.numbers[-1] and not near and why in (FITS, WRONG_DIGIT):
                bits += _CUT_OFF  # the text may be truncated instead
            prefix = length.written(size)
            if len(prefix) == first - start and (done := source.read(raw[:start] + prefix + raw[first:])):
                yield Edit(done[0], bits, LENGTH, number, why, digits, f"{size:0{len(digits)}d}", done[1])
        end = first + int(digits) if is_digits(digits) else 0
        if isinstance(source, Text) and end > first + length.most:
            for bare, why in _bare(number, raw[first:end]):
                text = f"{raw[:start]}{len(bare):0{first - start}}{bare}{raw[end:]}"
                if source.read(text):
                    yield Edit(text, PRIOR[PADDING], PADDING, number, why)


def sizes(said: str, most: int, left: int) -> Iterator[tuple[int, float, str]]:
    """The lengths that *said* may stand for, up to *most*, each with cost and reason; *left* characters are
    left over."""
    now, lengths = int(said) if is_digits(said) else -1, dict[int, tuple[float, str]]()
    usual, far = PRIOR[LENGTH], PRIOR[LENGTH] + _FARTHER
    if said and bitmap.HEX_DIGITS.issuperset(said):
        lengths[int(said, 16)] = usual, "the length was written in hex"
    if now > 0:
        lengths[now - len(said)] = usual + 1, "the length included itself"
        lengths[2 * now] = usual, "the length was counted in bytes, not in hex digits"
        if now % 2 == 0:
            lengths[now // 2] = usual, "the length was counted in hex digits, not in bytes"
    if now >= 0:
        for at in range(len(said) - 1):
            lengths[int(said[:at] + said[at + 1] + said[at] + said[at + 2 :])] = PRIOR[SWAPPED], _TURNED_ROUND
    near = [(-1, usual), (1, usual), (-2, usual + 3), (2, usual + 3), (left, far)] if now >= 0 else []
    tried = [(now + by, bits, FITS) for by, bits in near]
    for at, digit in product(range(len(said)), _DECIMAL) if now >= 0 else ():
        tried.append((int(said[:at] + digit + said[at + 1 :]), usual + 4, WRONG_DIGIT))
    tried += [(size, far, FITS) for size in range(most + 1)] if now < 0 else []
    for size, bits, why in tried:
        if lengths.get(size, (inf, ""))[0] > bits:
            lengths[size] = bits, why
    for size, (bits, why) in lengths.items():
        if 0 <= size <= most and size != now:
            yield size, bits, why


def _bare(number: int, value: str) -> Iterator[tuple[str, str]]:
    """A card number or track 2 without padding or sentinels."""
    if number in (_PAN, _TRACK_2):
        for chars, why in ((_FILLER, _FILLED), (_SENTINELS, _ON_THE_STRIPE)):
            bare = value.rstrip(chars) if chars == _FILLER else value.strip(chars)
            if bare != value:
                yield bare, why


def _units(raw: Units, frame: Frame, source: Source) -> Iterator[Edit]:
    """A character or byte lost or added inside an element: first the elements where that makes the rest
    readable, then which character."""
    for at, place in enumerate([*frame.places, *([frame.ended] if frame.ended else [])]):
        number, rest = place.number, frame.numbers[at + 1 :]
        for by in source.steps if number == _CHIP else (-1, 1):
            if gap := source.opened(raw, place, rest, by):
                action = LOST if by < 0 else ADDED
                size = abs(by) * gap.unit
                for value, bits, why in _bared(gap.value, size) if by > 0 else _restored(gap, number, size):
                    if text := gap.put(value):
                        cost = PRIOR[action] + bits
                        yield Edit(text, cost, action, number, why, gap.value, value, gap.table)


def _bared(long: str, unit: int) -> Iterator[tuple[str, float, str]]:
    """The values of an element without *unit* extra characters."""
    for begin, stop in _runs(long, unit):
        value, same = long[:begin] + long[begin + unit :], (stop - begin) // unit
        bits, extra = log2(len(long) / unit), _quoted(long[begin : begin + unit])
        if not long[begin].isdigit() and is_digits(long[:begin] + long[stop:]):
            yield value, bits, f"{extra} is among digits"
        elif same > 1:
            yield value, bits - log2(same - 1), f"{extra} occurs twice in a row"
        else:
            yield value, bits + NO_HABIT, f"without {extra}, the message can be read to its end"


def _quoted(unit: str) -> str:
    """A unit in words; digits and letters are not shown, because they may belong to a card, its holder's name
    or a PIN block."""
    if len(unit) > 1:
        return "a byte"
    kind = "a digit" if unit.isdigit() else "a letter" if unit.isalpha() else repr(unit)
    return {"0": "a zero", " ": "a blank"}.get(unit, kind)


def _runs(value: str, unit: int) -> Iterator[tuple[int, int]]:
    """The runs of equal units, each with start and end."""
    at = len(value) % unit
    for _, group in groupby(value[position : position + unit] for position in range(at, len(value), unit)):
        start, at = at, at + unit * sum(1 for _ in group)
        yield start, at


def _restored(gap: Opening, number: int, lost: int) -> Iterator[tuple[str, float, str]]:
    """The values of an element that lost *lost* characters: as other elements give it, one more of a run, or
    unknown."""
    short, seen = gap.value, set[str]()
    if number == _CHIP:
        for value, bits, why in chip.restored(short, lost, tags_given(gap.others)):
            seen.add(value)
            yield value, bits + _WHICH, why
    what = "characters they were" if lost > gap.unit else "byte it was" if lost > 1 else "character it was"
    yield short + UNKNOWN * lost, _NOTHING_TELLS, f"nothing shows which {what}"
    if lost > gap.unit:
        return
    for pattern in expected(number, gap.others, gap.table):
        values = fits(short, pattern, lost)
        told = _PARTLY_TOLD if any(UNKNOWN in value for value in values) else TOLD
        for value in sorted(values - seen):
            seen.add(value)
            yield value, log2(len(value)) + (_NOTHING_TELLS - 2 if UNKNOWN in value else 0), told
    for begin, stop in _runs(short, lost):
        value, unit = short[:begin] + short[begin : begin + lost] + short[begin:], short[begin : begin + lost]
        if value not in seen and (stop - begin > lost or unit in (" ", "0")):
            rare = _BLANK if unit == " " else float(stop - begin == lost)
            yield value, log2(len(short) / (stop - begin)) + rare, f"{_quoted(unit)} is missing from a run"


def values(raw: str, frame: Frame, table: Spec, suspects: Iterable[int]) -> Iterator[Edit]:
    """Edits of values in *raw*, which can be read: track 2, expiry, chip tags, and for each of *suspects*
    swapped characters and the value that other elements give."""
    where = {place.number: place for place in frame.places}
    fields = {number: raw[place.first : place.end] for number, place in where.items()}
    for changes, bits, action, number, why in _changed(fields, table, suspects):
        text = raw
        for each in sorted(changes, reverse=True):
            _, start, first, end = where[each]
            prefix = f"{len(changes[each]):0{first - start}d}" if first > start else ""
            text = text[:start] + prefix + changes[each] + text[end:]
        yield Edit(text, bits, action, number, why, fields[number], changes[number])
    for number in sorted({*suspects} & fields.keys()):
        # A swap may cross the border to an adjacent element.
        _, _, first, end = where[number]
        begin, last = max(first - 1, frame.places[0].first), min(end, len(raw) - 1)
        for at in range(begin, last if end - first <= _LONGEST_SWAPPED else begin):
            if (text := swapped(raw, at)) != raw:
                pair = fields[number], text[first:end]
                yield Edit(text, PRIOR[SWAPPED], SWAPPED, number, _TURNED_ROUND, *pair)


def _changed(
    held: Mapping[int, str], table: Spec, suspects: Iterable[int]
) -> Iterator[tuple[dict[int, str], float, str, int, str]]:
    """Changed values by element, each with cost, action, element and reason."""
    for number, value in held.items():
        for bare, why in _bare(number, value):
            yield {number: bare}, PRIOR[PADDING], PADDING, number, why
    if stated := held.get(_EXPIRY, ""):
        turned, track, why = stated[2:] + stated[:2], held.get(_TRACK_2, ""), "an expiry is YYMM"
        yield {_EXPIRY: turned}, PRIOR[TURNED] + 2, TURNED, _EXPIRY, why
        if f"={stated}" in track:
            both = {_EXPIRY: turned, _TRACK_2: track.replace(f"={stated}", f"={turned}", 1)}
            yield both, PRIOR[TURNED], TURNED, _EXPIRY, f"{why}, in DE 14 and in DE 35"
    for count in (0, 2, 4):
        for value, bits, why in chip.restored(held.get(_CHIP, ""), count, {}):
            yield {_CHIP: value}, PRIOR[LENGTH] + bits, TAG, _CHIP, why
    for number in sorted({*suspects} & held.keys() - _CLOCKS):
        value = held[number]
        others = {other: text for other, text in held.items() if other != number}
        for pattern in dict.fromkeys(expected(number, others, table)):
            candidate = pattern + value[len(pattern) :]
            distance = sum(a != b for a, b in zip(candidate, value, strict=False))
            if "." not in pattern and len(candidate) == len(value) and distance:
                yield {number: candidate}, PRIOR[GIVEN] + 6 * (distance - 1), GIVEN, number, TOLD

"""The edits that undo a fault known from practice: each one that lets a text be read to its end."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from math import inf, log2
from typing import NamedTuple

from sim.codec import bitmap
from sim.codec.message import is_mti
from sim.codec.text import BITMAP_WIDTH, MTI_WIDTH, ends, is_digits, reads
from sim.errors import BITMAP_FIELD, MTI_FIELD
from sim.judge.causes import STRIPPED
from sim.operations.repairing import chip
from sim.operations.repairing.weighing import UNKNOWN
from sim.operations.repairing.witnesses import expected, tags_given
from sim.spec import VERSIONS, Spec

# What was done, in the words of a proposal.
CUT, WRONG, MISSING = "end missing", "character wrong", "byte missing"
UNTOLD = (CUT, WRONG, MISSING)
VERSION, ZERO = "version digit changed", "leading zero restored"
BIT_SET, BIT_CLEARED, SECOND, DIGIT = "bit set", "bit cleared", "second bitmap", "bitmap digit changed"
LENGTH, LOST, ADDED, SWAPPED = "length changed", "character restored", "character removed", "swapped back"
TAG, HALVES = "tag changed", "bitmap restored"
PADDING, TURNED, GIVEN = "padding removed", "month and year swapped", "value restored"
# How unlikely a fault is beforehand, in bits; the place inside an element comes to it where it is chosen.
PRIOR = {
    **{STRIPPED: 2.0, ZERO: 3.0, VERSION: 4.0, BIT_SET: 4.5, BIT_CLEARED: 4.0, SECOND: 3.0, LENGTH: 5.0},
    **{LOST: 5.0, ADDED: 5.0, SWAPPED: 6.0, PADDING: 3.0, TURNED: 4.0, GIVEN: 8.0},
}
# A cut falls anywhere; that another edit explains what it leaves would be chance.
PRIOR_OF_CUT, PRIOR_OF_WRONG = 9.0, 12.0
_IN_BYTES, _FARTHER, _NOTHING_TELLS, _HEX_LOST, _DIGIT_WRONG = 3.0, 8.0, 9.0, 7.0, 8.5
# Bits by which what nothing tells is put last: it restores nothing.
UNSEEN = 15.0
NO_HABIT = 5.0  # a key is hit twice; another character is seldom added
# A length in front may be right where a character is lost or added after it.
_COUNTED, _OFF = (2, 6), 2
_CUT_OFF, _BLANK = 6.0, -4.0
_DECIMAL, _WHICH = "0123456789", 4.0
_LEAST = MTI_WIDTH + BITMAP_WIDTH
_FARTHEST = 44  # the longest header that is looked behind
_TPDU, _TPDU_WIDTH, _ISO_HEADER = "60", 10, re.compile("ISO[0-9]{9}")
_LONGEST_SWAPPED = 42
_TRACK_2, _EXPIRY, _CHIP, _TRACK_WIDTH = 35, 14, 55, 37
_PAN, _SENTINELS, _FILLER = 2, ";?", "Ff"
TOLD = "other elements give it again"
_TURNED_ROUND = "two neighbors were the wrong way round"
FITS = "with this length all elements after it can be read"
_FILLED = "F fills up half a byte and is no digit of a card"
_ON_THE_STRIPE = "sentinels are on the stripe and are no track data"


class Edit(NamedTuple):
    """A text after an edit: how unlikely its fault is in `bits`, what was done, to which element, and why."""

    text: str
    bits: float
    action: str
    field: int | None
    why: str
    before: str = ""
    after: str = ""


# Writes a value into an element of a text.
Put = Callable[[str, int, str], str]


class Place(NamedTuple):
    """Where an element stands: its number, prefix, value and end."""

    number: int
    start: int
    first: int
    end: int


class Frame(NamedTuple):
    """How far a text can be read: the `bits` of its bitmap, the numbers announced, the places of the elements
    up to the one at which reading stopped (None where it did not), and whether it ends with the text."""

    bits: str
    numbers: tuple[int, ...]
    places: list[Place]
    stop: int | None
    whole: bool

    @property
    def end(self) -> int:
        """The end of what was read."""
        return self.places[-1].end if self.places else MTI_WIDTH + len(self.bits)


def frame(raw: str, table: Spec) -> Frame | None:
    """*raw* read by *table* as far as that goes; None where it does not begin as a message does."""
    if not is_digits(raw[:MTI_WIDTH]) or not is_mti(raw[:MTI_WIDTH]):
        return None
    wide = BITMAP_WIDTH * (1 + bitmap.has_secondary(raw[MTI_WIDTH : MTI_WIDTH + 1]))
    bits = raw[MTI_WIDTH : MTI_WIDTH + wide]
    if len(bits) < wide or not bitmap.HEX_DIGITS.issuperset(bits):
        return None
    at, size, numbers = MTI_WIDTH + wide, len(raw), bitmap.numbers(bits)
    places: list[Place] = []
    for number in numbers:
        element = table.elements[number - 1]
        width, first = element.width, at + element.prefix
        if element.prefix:
            stated = raw[at:first]
            if len(stated) < element.prefix or not is_digits(stated) or int(stated) > width:
                return Frame(bits, numbers, places, number, False)
            width = int(stated)
        if first + width > size:
            return Frame(bits, numbers, places, number, False)
        places.append(Place(number, at, first, first + width))
        at = first + width
    return Frame(bits, numbers, places, None, at == size)


def stated_length(front: str, size: int) -> int:
    """The length near *size* that a few digits in front of a message state, decimal or hex; -1 for none."""
    if not _COUNTED[0] <= len(front) <= _COUNTED[1] or not bitmap.HEX_DIGITS.issuperset(front):
        return -1
    stated = [int(front), int(front, 16)] if is_digits(front) else [int(front, 16)]
    return next((one for one in stated if abs(one - size) <= _OFF), -1)


def whole(text: str, table: Spec) -> bool:
    """Whether *text* can be read to its end."""
    return is_mti(text[:MTI_WIDTH]) and reads(text, table)


def fronts(raw: str) -> Iterator[Edit]:
    """What stands in front of an MTI and a bitmap, where it is known to stand there."""
    for size in range(2, min(_FARTHEST, len(raw) - _LEAST) + 1):
        rest = raw[size:]
        if not is_mti(rest[:MTI_WIDTH]) or not bitmap.HEX_DIGITS.issuperset(rest[MTI_WIDTH:_LEAST]):
            continue
        front = raw[:size]
        if front in {f"{count:0{size}{form}}" for count in (len(rest), len(raw)) for form in "dX"}:
            why = "they are the length of what follows"
        elif size == 2 and int.from_bytes(front.encode("latin-1", "replace")) in (len(rest), len(raw)):
            why = "they are the length of what follows, in binary"
        elif size == _TPDU_WIDTH and front.startswith(_TPDU) and is_digits(front):
            why = "they are a TPDU (routing header)"
        elif _ISO_HEADER.fullmatch(front):
            why = "they are an ISO header"
        elif (stated := stated_length(front, len(rest))) > 0:
            why = f"they say that {stated} characters follow, and {len(rest)} do"
        else:
            continue
        yield Edit(rest, PRIOR[STRIPPED], STRIPPED, None, why, front)


def edits(raw: str, found: Frame, table: Spec) -> Iterator[Edit]:
    """The edits of bitmap, lengths and characters after which *raw* can be read to its end."""
    for edit in (*_bits(raw, found, table), *_lengths(raw, found, table)):
        if whole(edit.text, table):
            yield edit
    yield from _characters(raw, found, table)
    if not found.whole:
        yield from _head_digits(raw, found, table)


def _head_digits(raw: str, found: Frame, table: Spec) -> Iterator[Edit]:
    """A digit of the bitmap that is wrong in more than one bit, and two digits of MTI and bitmap swapped."""
    end = MTI_WIDTH + len(found.bits)
    for at in range(MTI_WIDTH, end):
        for digit in "0123456789ABCDEF":
            if (int(digit, 16) ^ int(raw[at], 16)).bit_count() > 1:
                text = raw[:at] + digit + raw[at + 1 :]
                if whole(text, table):
                    why = "with this digit of the bitmap all elements can be read"
                    yield Edit(text, _DIGIT_WRONG, DIGIT, BITMAP_FIELD, why, raw[at], digit)
    for at in range(end):
        text = raw[:at] + raw[at + 1] + raw[at] + raw[at + 2 :] if at + 1 < len(raw) else raw
        if text != raw and whole(text, table):
            bits, number = PRIOR[SWAPPED] + 2, MTI_FIELD if at < MTI_WIDTH else BITMAP_FIELD
            yield Edit(text, bits, SWAPPED, number, _TURNED_ROUND)


def heads(raw: str) -> Iterator[Edit]:
    """Another version digit, a leading zero that is lost, a digit that the bitmap lacks."""
    for digit in range(len(VERSIONS)):
        if is_mti(f"{digit}{raw[1:MTI_WIDTH]}") and raw[0] != str(digit):
            bits = PRIOR[VERSION] + 3 * (digit == 2)
            why = f"the elements are those of ISO 8583:{VERSIONS[digit]}"
            yield Edit(f"{digit}{raw[1:]}", bits, VERSION, MTI_FIELD, why, raw[0], str(digit))
    if (joined := "".join(raw.split())) != raw:
        yield Edit(joined, PRIOR[SWAPPED], STRIPPED, None, "the paste added blanks inside the message")
    if (digits := raw[: MTI_WIDTH - 1]).isdigit() and len(digits) == MTI_WIDTH - 1:
        for mti in dict.fromkeys(digits[:at] + d + digits[at:] for at in range(MTI_WIDTH) for d in _DECIMAL):
            # What takes a text for a number loses its leading zero.
            action, bits = (ZERO, PRIOR[ZERO]) if mti == f"0{digits}" else (LOST, PRIOR[LOST] + _WHICH)
            if is_mti(mti):
                yield Edit(
                    mti + raw[MTI_WIDTH - 1 :], bits, action, MTI_FIELD, "an MTI has four digits", digits, mti
                )


def bitmap_digits(raw: str, table: Spec) -> Iterator[Edit]:
    """A hex digit that the bitmap lost."""
    if not is_mti(raw[:MTI_WIDTH]):
        return
    seen = set()
    for at in range(MTI_WIDTH, MTI_WIDTH + 2 * BITMAP_WIDTH):
        for digit in "0123456789ABCDEF":
            text = raw[:at] + digit + raw[at:]
            if (head := text[: MTI_WIDTH + 2 * BITMAP_WIDTH]) in seen:
                continue
            seen.add(head)
            wide = BITMAP_WIDTH * (1 + bitmap.has_secondary(text[MTI_WIDTH]))
            if at < MTI_WIDTH + wide and whole(text, table):
                yield Edit(text, _HEX_LOST + 4, LOST, BITMAP_FIELD, "the bitmap is one hex digit short")


def announced_wrongly(number: int, action: str) -> str:
    """Why a bit is set or cleared."""
    if action == BIT_SET:
        return f"the bitmap does not announce DE {number}, which is there"
    return f"the bitmap announces DE {number}, which is not there"


def _bits(raw: str, found: Frame, table: Spec) -> Iterator[Edit]:
    value, width = int(found.bits, 16), len(found.bits)
    top, after = 4 * width, raw[MTI_WIDTH + width :]
    for number in range(2, top + 1):
        bit = 1 << (top - number)
        if number == bitmap.PRIMARY_BITS + 1 and not value & bit:
            continue  # a third bitmap, which nobody forgets to announce
        action = BIT_CLEARED if value & bit else BIT_SET
        why = announced_wrongly(number, action)
        text = f"{raw[:MTI_WIDTH]}{value ^ bit:0{width}X}{after}"
        yield Edit(text, PRIOR[action], action, number, why)
    first = 1 << 63
    if top == bitmap.ALL_BITS:
        text = f"{raw[:MTI_WIDTH]}{value >> 64 & ~first:016X}{raw[_LEAST:]}"
        yield Edit(text, PRIOR[SECOND], SECOND, BITMAP_FIELD, "bit 1 is set, and there is no second bitmap")
    elif bitmap.HEX_DIGITS.issuperset(raw[_LEAST : _LEAST + BITMAP_WIDTH]):
        text = f"{raw[:MTI_WIDTH]}{value | first:016X}{raw[_LEAST:]}"
        why = "there is a second bitmap, and bit 1 is not set"
        yield Edit(text, PRIOR[SECOND], SECOND, BITMAP_FIELD, why)


def _lengths(raw: str, found: Frame, table: Spec) -> Iterator[Edit]:
    tried = [(place.number, place.start, place.first) for place in found.places if place.first > place.start]
    if (stop := found.stop) is not None and (prefix := table[stop].prefix):
        tried.append((stop, found.end, found.end + prefix))
    left = 0 if found.stop else len(raw) - found.end
    for number, start, first in tried:
        said, most, width = raw[start:first], table[number].width, first - start
        for size, bits, why in sizes(said, most, left, table[number].binary or number == _CHIP):
            near = is_digits(said) and abs(size - int(said)) <= _OFF
            if number == found.stop == found.numbers[-1] and not near:
                bits += _CUT_OFF  # the text ends in it
            if len(text := f"{size:0{width}d}") == width:
                yield Edit(raw[:start] + text + raw[first:], bits, LENGTH, number, why, said, text)
        end = first + int(said) if is_digits(said) else 0
        for bare, why in _bare(number, raw[first:end]) if end > first + most else ():
            yield Edit(
                f"{raw[:start]}{len(bare):0{width}}{bare}{raw[end:]}", PRIOR[PADDING], PADDING, number, why
            )


def sizes(said: str, most: int, left: int, counted: bool) -> Iterator[tuple[int, float, str]]:
    """The lengths that may have been meant where *said* stands, how unlikely each is, and why: at most
    *most*; *left* characters are left over. Of what is *counted* in bytes or in hex digits either may be."""
    now, known = int(said) if is_digits(said) else -1, dict[int, tuple[float, str]]()
    usual, far = PRIOR[LENGTH], PRIOR[LENGTH] + _FARTHER
    if now < 0 and said and bitmap.HEX_DIGITS.issuperset(said):
        known[int(said, 16)] = usual, "the length was written in hex"
    if now > 0:
        in_unit = _IN_BYTES if counted else usual
        known[now - len(said)] = usual + 1, "the length counted itself, too"
        known[2 * now] = in_unit, "the length was counted in bytes, not in hex digits"
        if now % 2 == 0:
            known[now // 2] = in_unit, "the length was counted in hex digits, not in bytes"
    if now >= 0:
        for at in range(len(said)):
            for digit in _DECIMAL:
                known.setdefault(int(said[:at] + digit + said[at + 1 :]), (far, FITS))
        for at in range(len(said) - 1):
            known[int(said[:at] + said[at + 1] + said[at] + said[at + 2 :])] = PRIOR[SWAPPED], _TURNED_ROUND
    for by, bits in ((-1, usual), (1, usual), (-2, usual + 3), (2, usual + 3), (left, far)):
        if now >= 0 and by and known.get(now + by, (inf, ""))[0] > bits:
            known[now + by] = bits, FITS
    for size in range(most + 1) if now < 0 else ():
        known.setdefault(size, (far, FITS))
    for size, (bits, why) in known.items():
        if 0 <= size <= most and size != now:
            yield size, bits, why


def _bare(number: int, value: str) -> Iterator[tuple[str, str]]:
    """A card number or track 2 without what fills it up or stands around it on the stripe."""
    if number in (_PAN, _TRACK_2):
        for chars, why in ((_FILLER, _FILLED), (_SENTINELS, _ON_THE_STRIPE)):
            bare = value.rstrip(chars) if chars == _FILLER else value.strip(chars)
            if bare != value:
                yield bare, why


def _characters(raw: str, found: Frame, table: Spec) -> Iterator[Edit]:
    """A character lost or added inside an element: first where that lets all after it be read, then which."""
    places = [*found.places, *_stopped(raw, found, table)]
    for at, (number, _, first, end) in enumerate(places):
        rest = found.numbers[at + 1 :]
        if end > first and end - 1 <= len(raw) and ends(raw, end - 1, rest, table):
            short = raw[first : end - 1]
            for value, bits, why in _restored(raw, found, number, short, end - 1, table):
                text = raw[:first] + value + raw[end - 1 :]
                yield Edit(text, PRIOR[LOST] + bits, LOST, number, why, short, value)
        if end < len(raw) and ends(raw, end + 1, rest, table):
            long = raw[first : end + 1]
            for begin, stop in _runs(long):
                same = stop - begin
                bits = log2(len(long) / (same - 1)) if same > 1 else log2(len(long)) + NO_HABIT
                why = "without it all elements after it can be read"
                if not long[begin].isdigit() and is_digits(long[:begin] + long[stop:]):
                    bits, why = log2(len(long)), f"{_quoted(long[begin])} is among digits"
                elif same > 1:
                    why = f"{_quoted(long[begin])} is there twice"
                value = long[:begin] + long[begin + 1 :]
                text = raw[:first] + value + raw[end + 1 :]
                yield Edit(text, PRIOR[ADDED] + bits, ADDED, number, why, long, value)


def _quoted(char: str) -> str:
    """A character in words; a digit may be of a card and is not shown."""
    named = {"0": "a zero", " ": "a blank"}
    return "a digit" if char.isdigit() and char != "0" else named.get(char, repr(char))


def _stopped(raw: str, found: Frame, table: Spec) -> list[Place]:
    """The element at which reading stopped for want of one character."""
    if found.stop is None:
        return []
    element, start = table[found.stop], found.end
    stated = raw[start : start + element.prefix]
    if element.prefix and (not is_digits(stated) or int(stated) > element.width):
        return []
    end = start + element.prefix + (int(stated) if element.prefix else element.width)
    return [Place(found.stop, start, start + element.prefix, end)] if end == len(raw) + 1 else []


def _runs(value: str) -> list[tuple[int, int]]:
    at, found = 0, []
    for _, group in groupby(value):
        size = sum(1 for _ in group)
        found.append((at, at + size))
        at += size
    return found


def _restored(
    raw: str, found: Frame, number: int, short: str, end: int, table: Spec
) -> Iterator[tuple[str, float, str]]:
    """What an element may have been that is *short* by one character: as others say it, one more of a run, or
    what nobody knows."""
    text = f"{raw[:end]}{UNKNOWN}{raw[end:]}"
    again = frame(text, table)
    places = again.places if again else []
    others = {one.number: text[one.first : one.end] for one in places if one.number != number}
    seen: set[str] = set()
    for pattern in expected(number, others, table):
        for value in sorted(_fits(short, pattern) - seen):
            seen.add(value)
            bits = log2(len(value)) + (_NOTHING_TELLS - 2 if UNKNOWN in value else 0)
            yield value, bits, TOLD
    if number == _CHIP:
        for value, why in chip.restored(short, tags_given(others)):
            yield value, log2(len(value)), why
    for begin, stop in _runs(short):
        value, char = short[:begin] + short[begin] + short[begin:], short[begin]
        if value not in seen and (stop - begin > 1 or char == " "):
            rare = _BLANK if char == " " else 0.0
            yield value, log2(len(short) / (stop - begin)) + rare, f"{_quoted(char)} is one of a run"
    yield short + UNKNOWN, _NOTHING_TELLS, "nothing tells which character it was"


def _fits(short: str, pattern: str) -> set[str]:
    """What *short* was, if it is *pattern*, or begins with it, less one character. Dots stand for characters
    that *short* gives."""
    found = set()
    rest = short[len(pattern) - 1 :]
    for at in range(len(pattern)):
        head = pattern[:at] + pattern[at + 1 :]
        if len(head) <= len(short) and all(
            want in (".", have) for want, have in zip(head, short, strict=False)
        ):
            found.add(short[:at] + pattern[at].replace(".", UNKNOWN) + short[at : len(pattern) - 1] + rest)
    return found


def values(raw: str, found: Frame, table: Spec, suspects: Iterable[int]) -> Iterator[Edit]:
    """Edits of values of *raw*, which can be read: track 2, the expiry, two digits swapped, and what others
    say that an element is."""
    where = {place.number: place for place in found.places}
    held = {number: raw[place.first : place.end] for number, place in where.items()}

    def put(text: str, number: int, value: str) -> str:
        _, start, first, end = where[number]
        prefix = f"{len(value):0{first - start}d}" if first > start else ""
        return text[:start] + prefix + value + text[end:]

    for number in held:
        for bare, why in _bare(number, held[number]):
            yield Edit(put(raw, number, bare), PRIOR[PADDING], PADDING, number, why, held[number], bare)
    yield from _turned(raw, held, put)
    for whole_value, why in chip.rewritten(held.get(_CHIP, "")):
        text = put(raw, _CHIP, whole_value)
        yield Edit(text, PRIOR[LENGTH], TAG, _CHIP, why, held[_CHIP], whole_value)
    for number in sorted({*suspects} & held.keys()):
        value = held[number]
        others = {other: text for other, text in held.items() if other != number}
        for given in dict.fromkeys(expected(number, others, table)):
            whole = given + value[len(given) :]
            if "." in given or len(whole) != len(value) or whole == value:
                continue
            apart = sum(a != b for a, b in zip(whole, value, strict=True))
            bits = PRIOR[GIVEN] + 2 * (apart - 1)
            yield Edit(put(raw, number, whole), bits, GIVEN, number, "other elements give it", value, whole)
        # The neighbors may be of two elements.
        _, _, first, end = where[number]
        begin, last = max(first - 1, found.places[0].first), min(end, len(raw) - 1)
        for at in range(begin, last if len(value) <= _LONGEST_SWAPPED else begin):
            if raw[at] != raw[at + 1]:
                text = raw[:at] + raw[at + 1] + raw[at] + raw[at + 2 :]
                why = _TURNED_ROUND
                yield Edit(text, PRIOR[SWAPPED], SWAPPED, number, why, value, text[first:end])


def _turned(raw: str, held: Mapping[int, str], put: Put) -> Iterator[Edit]:
    """MMYY where YYMM should be, in DE 14 and on the track alike, or in DE 14 alone."""
    stated, track = held.get(_EXPIRY, ""), held.get(_TRACK_2, "")
    if not stated:
        return
    turned = stated[2:] + stated[:2]
    text = put(raw, _EXPIRY, turned)
    why = "an expiry is YYMM"
    yield Edit(text, PRIOR[TURNED] + 2, TURNED, _EXPIRY, why, stated, turned)
    if f"={stated}" in track:
        value = track.replace(f"={stated}", f"={turned}", 1)
        why = "an expiry is YYMM, in DE 14 and in DE 35"
        yield Edit(put(text, _TRACK_2, value), PRIOR[TURNED], TURNED, _EXPIRY, why, stated, turned)

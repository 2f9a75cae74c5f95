"""Recognizes card data in text by its form, in linear time.

A card number has the first digits of a known issuer, a length that the issuer uses and a correct check digit.
In free text it is delimited by characters other than digits, or preceded by its own length. In text that
could not be read (`unread`) nothing shows where it begins, so the search starts at every digit. It may be
written with blanks or dashes, as bytes (ASCII or EBCDIC) in hex, as numbers, as escapes or in Base64, packed
two digits to a byte, inside a track or a chip data tag, or over the lines of a dump.

Not recognized: digits as words, or in reverse order. Messages and logs do not contain such card numbers, each
form would need another search of every text, and reverse order would mask twice as many other numbers. Data
that leaves the machine is also searched for words (`sim.models.guard`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from typing import NamedTuple

from sim.masking import written
from sim.masking.written import SHORTEST, has_digits
from sim.spec import emv
from sim.spec.networks import detect, luhn_ok

LONGEST = 19
SHORTEST_PAN = 12  # the fewest digits in DE 2, of a network or not
_SHOWN_FIRST, _SHOWN_LAST = 6, 4
USUAL = 16
_LEAST = 8  # fewer first digits identify only the issuer, not the card
_MOST_LENGTHS = 7  # a range with more lengths is a national scheme's, so the length says nothing
_SIZES = {f"{size:02}": size for size in range(LONGEST + 1)}
_NEAR = 80  # DE 2, after headers, MTI and bitmaps, begins before this offset

# Digits, with up to five other characters between any two of them, as in `"4111" + "1111"`; = and ^
# separate the parts of tracks, except for = at the end of a line of an e-mail.
_CHAIN = re.compile(r"[0-9]+(?:(?:[^0-9A-Za-z=^*]{1,5}|=\r?\n)[0-9]+)*")
_CROSSED = re.compile(r"(?<![0-9A-Za-z])[0-9]{1,4}(?:[xX][0-9]{1,4}){3,}(?![0-9A-Za-z])")
_RUN = re.compile(r"[0-9]+")
# The lengths of the groups in which card numbers are written.
GROUPS = frozenset(((4, 4, 4, 4), (4, 4, 4, 4, 3), (4, 6, 5), (4, 6, 4), (8, 8), (6, 10), (6, 6, 4)))
_EVEN_GROUPS = (1, 2, 4)

_TRACK_1 = re.compile(r"%?[A-Za-z]?(?:[0-9*] ?){12,19}\^[^^\r\n]{0,30}(?:\^[0-9=^ ]*\??)?")
_TRACK_1_PIECE = re.compile(r"[A-Za-z .'/-]{0,53}\^[^^\r\n]{0,30}(?:\^[0-9=^ ]*\??)?")
_TRACK_2 = re.compile(r"[0-9*]{12,19} ?[=Dd] ?[0-9=]*[Ff]?")
_TRACK_2_PIECE = re.compile(r"[0-9]{0,19}=[0-9=]{7,}")
_STARRED = re.compile(r"[0-9]{6}\*{3,9}[0-9]{4} ?[Dd]")  # a card number that was masked before
_MONTH = re.compile(r"[=Dd] ?[0-9]{2}(?:0[1-9]|1[0-2])")
_CHIP_TRACK = re.compile(r"57(?:0[B-Fb-f]|1[0-3])([0-9*]{12,19}[Dd][0-9]*[Ff]?)")
_CHIP_PAN = re.compile(r"5[Aa]0[6-9Aa]([0-9]{12,19})")
# No amount comes here: `chip and PIN 5000 JPY` has no PIN.
NO_AMOUNT = (
    r"(?![0-9]*(?:[.,][0-9]|\s?(?:(?-i:[A-Z]{3})\b(?!\s?[0-9])|[€£¥$]|yen|won|euros?|dollars?|pounds?"
    r"|rupees?)))"
)
_LABELLED = re.compile(
    r"\b(?:cvv2?|cvc2?|cav2?|csc|cid)(?:[\W_]{1,4}|[\W_]+(?:code|value|is)[\W_]{1,4})([0-9]{3,4})(?![0-9])"
    # Without a sign between them, a round number is no PIN, either.
    rf"|\bpin(?:\s?block)?(?:\s?[:=]\s?|\s+is\s+|\s{NO_AMOUNT}(?=[0-9]{{4,12}}(?![0-9]))(?![0-9]{{1,3}}00\b))"
    r"([0-9A-F]{4,16})(?![0-9A-Za-z])",
    re.IGNORECASE,
)

_LABEL = re.compile("c[av]v|cvc|csc|cid|pin", re.IGNORECASE)

_NO_ALNUM = re.compile("[^0-9A-Za-z]+")
_DUMPED = re.compile(
    r"^([ \t]*(?:0x)?[0-9A-Fa-f]{3,8}[:hH]?[ \t|]{1,4})((?:[0-9A-Fa-f]{2}|[0-9A-Fa-f]{4})[ \t:-]{1,3}"
    r"(?:[0-9A-Fa-f]{2,4}[ \t:-]{1,3}){3,}.*)$",
    re.MULTILINE,
)
_BYTES = re.compile(
    r"(?:(?<![0-9A-Za-z])(?:"
    r"[0-9A-Fa-f]{2}(?:([ \t:,;-])\1?[0-9A-Fa-f]{2}){7,}"
    r"|[0-9A-Fa-f]{4}(?: {1,2}[0-9A-Fa-f]{4}){7,}|[0-9A-Fa-f]{8}(?: {1,2}[0-9A-Fa-f]{8}){3,}"
    r"|(?<=[0-9A-Fa-f]{4}: )[0-9A-Fa-f]{4}(?: [0-9A-Fa-f]{4}){3,}"  # a short row behind its offset
    r"|-?[0-9]{1,3}(?:(,? |,)-?[0-9]{1,3})(?:\2-?[0-9]{1,3}){6,})"
    r"|(?:(?:\(byte\) ?)?(?:0x|%|&#x?)[0-9A-Fa-f]{2,3}[^0-9A-Za-z%&(]{0,4}){8,}"
    r"|\\(?:(?:x|u00)?[0-9A-Fa-f]{2,3}[^\\\r\n]{0,99}\\){4,}(?:x|u00)?[0-9A-Fa-f]{2,3}[^\\\s]{0,40}"
    r")(?:(?: {2,8}|[ \t]{0,2}\|)[^\r\n]{1,40}$)?",
    re.MULTILINE,
)


class Span(NamedTuple):
    """Characters `start` to `end` that must be masked; `whole` also masks characters other than letters
    and digits."""

    start: int
    end: int
    whole: bool = False


def find(text: str, *, unread: bool = False) -> list[Span]:
    """The parts of *text* that must be masked.

    >>> find("card 4111 1111 1111 1111 seen")
    [Span(start=12, end=19, whole=False)]
    """
    if not unread and not may_hold(text):
        return []
    plain = text if text.isascii() else _folded(text)
    spans = list(_in_plain(plain, unread))
    for decoded, places in written.spelled(plain):
        for start, end, whole in _in_plain(decoded, unread):
            spans.append(Span(places[2 * start], places[2 * end - 1] + 1, whole))
    for start, end, texts in written.in_base64(plain):
        if any(next(_in_plain(decoded_text, False), None) for decoded_text in texts):
            spans.append(Span(start, end, True))
    for other in written.other_pages(text):
        spans += (Span(start, end, True) for start, end, _ in _in_plain(other, unread))
    for first, digits in written.packed(text):
        for start, end, _ in _in_plain(digits, True):
            span = Span(first + start // 2, first + (end + 1) // 2, True)
            # Including the first six and last four digits, which stay visible.
            if written.is_binary(text[max(0, span.start - 3) : span.end + 2]):
                spans.append(span)
    if unread:
        spans += (Span(0, len(text), True) for digits in written.packed_alone(text) if is_card(digits))
        spans += (Span(line.start(2), line.end(2)) for line in _DUMPED.finditer(plain))
    return spans


def byte_runs(text: str) -> list[Span]:
    """Eight bytes or more in a row, in hex or as numbers, and the characters beside them in a dump.

    >>> byte_runs("12:00:01 sent 8f 3a 61 c9 d2 7b 04 e5")
    [Span(start=14, end=37, whole=False)]
    """
    return [Span(*run.span()) for run in _BYTES.finditer(text)]


def is_clean(text: str) -> bool:
    """Whether *text* contains nothing that must be masked."""
    return not find(text)


def has_piece(text: str) -> bool:
    """Whether *text* has enough digits for a piece of a card number."""
    return has_digits(text, _LEAST)


def may_hold(text: str) -> bool:
    """Whether *text* has enough digits for a card number, a word for a verification value, or Base64."""
    if has_digits(text, _LEAST) or written.is_binary(text):
        return True
    return len(text) > _LEAST and (_LABEL.search(text) or written.BASE64.search(text)) is not None


def hide(text: str, spans: Iterable[Span]) -> str:
    """*text* with *spans* replaced by asterisks, at the same length."""
    chars, ranges = list(text), sorted(spans)
    for kind in (False, True):
        done = 0  # unread text has many spans, mostly nested
        for start, end, whole in ranges:
            if whole == kind:
                for at in range(max(start, done), end):
                    if whole or chars[at].isalnum():
                        chars[at] = "*"
                done = max(done, end)
    return "".join(chars)


def accounts(text: str, pans: Iterable[str]) -> list[Span]:
    """The middle of each of *pans* wherever it occurs in *text*, in any notation, even truncated after its
    first eight digits."""
    tight = _NO_ALNUM.sub("", text).upper()
    ends: list[tuple[int, int]] = []
    for pan in pans:
        if len(pan) < _LEAST or not (pan.isascii() and pan.isalnum()):
            continue
        first, last, _ = middle(0, len(pan))
        for spelled in spellings(pan):
            each = len(spelled) // len(pan)
            if spelled[: _LEAST * each] in tight:
                places = _occurrences(tight, spelled, each)
                ends += ((at + each * first, at + min(each * last, size)) for at, size in places)
    if not ends:
        return []
    at_text = [at for at, char in enumerate(text) if char.isascii() and char.isalnum()]
    return [Span(at_text[start], at_text[end - 1] + 1) for start, end in ends]


def spellings(pan: str) -> tuple[str, ...]:
    """*pan* in characters, and in hex digits of ASCII and EBCDIC."""
    if pan.isdecimal():  # the same, but faster
        return pan, "3" + "3".join(pan), "F" + "F".join(pan)
    return pan.upper(), pan.encode().hex().upper(), pan.encode("cp037").hex().upper()


def _occurrences(text: str, spelled: str, each: int) -> Iterator[tuple[int, int]]:
    """Where *spelled* occurs in *text*, and how much of it, at least its first eight digits."""
    head = spelled[: _LEAST * each]
    at = text.find(head)
    while at >= 0:
        size = len(head)
        while size < len(spelled) and text[at + size : at + size + 1] == spelled[size]:
            size += 1
        yield at, size
        at = text.find(head, at + 1)


def middle(start: int, end: int) -> Span:
    """The masked digits of the card number from *start* to *end*."""
    if end - start < SHORTEST:
        return Span(start, end)
    return Span(start + _SHOWN_FIRST, end - _SHOWN_LAST)


def is_card(digits: str) -> bool:
    """Whether *digits* can be a card number, by issuer, length and check digit."""
    return fits(digits) and luhn_ok(digits)


def fits(digits: str) -> bool:
    """Whether the issuer of *digits* is known and has card numbers of that length."""
    owner = detect(digits[:6])
    return owner is not None and len(digits) in owner.range.lengths


def is_usual(digits: str) -> bool:
    """Whether the issuer of *digits* is known and most of its card numbers have that length."""
    owner = detect(digits[:6])
    return owner is not None and len(digits) in _usual(owner.range.lengths)


def _folded(text: str) -> str:
    """*text*, at the same length, with digits of other scripts, superscripts or circled digits as ASCII."""
    return "".join(
        char if char.isascii() or (digit := unicodedata.digit(char, None)) is None else str(digit)
        for char in text
    )


def _in_plain(text: str, unread: bool) -> Iterator[Span]:
    yield from tracks(text, unread)
    yield from _tags(text, unread)
    for match in _LABELLED.finditer(text):
        at = 1 if match[1] else 2
        yield Span(match.start(at), match.end(at), True)
    for chain in _CHAIN.finditer(text):
        if chain.end() - chain.start() >= SHORTEST:
            yield from _cards(text, chain.start(), chain.end(), unread)
    for chain in _CROSSED.finditer(text) if "x" in text or "X" in text else ():
        yield from _cards(text, chain.start(), chain.end(), False)


def tracks(text: str, unread: bool = False) -> Iterator[Span]:
    """The parts of *text* that look like a track, or, in unread text, like a piece of one."""
    if "^" in text:
        for track in (_TRACK_1_PIECE if unread else _TRACK_1).finditer(text):
            yield Span(*track.span(), True)
        if unread:
            yield from (Span(*track.span(), True) for track in _TRACK_1.finditer(text))
    for track in _TRACK_2.finditer(text) if "=" in text or "D" in text or "d" in text else ():
        start = track.end() - len(track[0].lstrip("*"))
        digits = _RUN.match(text, start)
        end = digits.end() if digits else start
        first = next((at for at in range(start, end - 11) if is_card(text[at:end])), None)
        if first is not None:
            yield Span(first, track.end(), True)
        elif ("=" in track[0] or _STARRED.search(track[0])) and _MONTH.search(track[0]):
            yield Span(*track.span(), True)
    if unread and "=" in text:
        yield from (Span(*track.span(), True) for track in _TRACK_2_PIECE.finditer(text))


def _tags(text: str, unread: bool) -> Iterator[Span]:
    """Chip data in text: track and card number, and in unread text also the cardholder's name."""
    for match in _CHIP_TRACK.finditer(text):
        yield Span(*match.span(1), True)
    for match in _CHIP_PAN.finditer(text):
        if fits(match[1]) or is_card(match[1][:-1]) or is_card(match[1][:16]):
            yield middle(*match.span(1))
    if unread:
        for match in _secret_tags().finditer(text):
            end = match.end() + 2 * int(match[1], 16)
            yield Span(match.end(), min(end, len(text)), True)


@cache
def _secret_tags() -> re.Pattern[str]:
    tags = [tag for role in ("track", "name", "pin") for tag in emv.with_role(role) if len(tag) > 2]
    return re.compile(rf"(?:{'|'.join(tags)})([0-7][0-9A-F])(?=[0-9A-F]{{4}})", re.IGNORECASE)


class _Digits(NamedTuple):
    """A chain of digits: the position of each in the text, the digits at which groups begin and after
    which they end, and the sums for check digits, by whether the last digit's index is even or odd."""

    text: str
    places: Sequence[int]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    sums: tuple[list[int], list[int]]

    def right(self, start: int, end: int) -> bool:
        """Whether the digits from *start* to *end* have a correct check digit."""
        sums = self.sums[(end - 1) % 2]
        return (sums[end] - sums[start]) % 10 == 0

    def hidden(self, start: int, end: int) -> Span:
        """The part of the card number from *start* to *end* that is masked."""
        return Span(self.places[start + _SHOWN_FIRST], self.places[end - _SHOWN_LAST - 1] + 1)


_PLAIN = bytes.maketrans(b"0123456789", bytes(range(10)))
_DOUBLED = bytes.maketrans(b"0123456789", bytes((0, 2, 4, 6, 8, 1, 3, 5, 7, 9)))


def _chained(text: str, start: int, end: int) -> _Digits:
    runs = [run.span() for run in _RUN.finditer(text, start, end)]
    ends = tuple(accumulate(stop - at for at, stop in runs))
    digits = "".join(text[at:stop] for at, stop in runs)
    places = range(start, end) if len(runs) == 1 else [at for run in runs for at in range(*run)]
    plain, doubled = digits.encode().translate(_PLAIN), digits.encode().translate(_DOUBLED)
    even, odd = bytearray(doubled), bytearray(plain)
    even[::2], odd[::2] = plain[::2], doubled[::2]
    sums = [0, *accumulate(even)], [0, *accumulate(odd)]
    return _Digits(digits, places, (0, *ends[:-1]), ends, sums)


def _cards(text: str, start: int, end: int, unread: bool) -> Iterator[Span]:
    digits = _chained(text, start, end)
    if len(digits.text) < SHORTEST:
        return
    if unread:
        yield from _anywhere(digits)
    else:
        yield from _bounded(digits)
        yield from _behind_length(digits)


def _bounded(digits: _Digits) -> Iterator[Span]:
    """Card numbers that begin and end with a group, grouped as people write them."""
    text, starts, ends = digits.text, digits.starts, digits.ends
    for first, start in enumerate(starts):
        if text[start] == "0":  # skip zero padding
            start = ends[first] - len(text[start : ends[first]].lstrip("0"))
        owner = detect(text[start : start + 6])
        if owner is None:
            continue
        for last in range(first, min(first + LONGEST, len(ends))):
            size = ends[last] - start
            if size > LONGEST:
                break
            fitting = size >= SHORTEST and size in owner.range.lengths
            if fitting and digits.right(start, ends[last]) and _written(starts, ends, first, last):
                yield digits.hidden(start, ends[last])


def _written(starts: Sequence[int], ends: Sequence[int], first: int, last: int) -> bool:
    """Whether people write card numbers in groups like those from *first* to *last*."""
    sizes = [ends[at] - starts[at] for at in range(first, last + 1)]
    if len(sizes) == 1 or tuple(sizes) in GROUPS:
        return True
    return sizes[0] in _EVEN_GROUPS and set(sizes[:-1]) == {sizes[0]} and sizes[-1] <= sizes[0]


def _behind_length(digits: _Digits) -> Iterator[Span]:
    """Card numbers after their own length, as in DE 2 and in lists of ID, length and data."""
    for start in range(2, len(digits.text) - SHORTEST + 1):
        if digits.text[start - 2] != "1":
            continue
        end = start + 10 + int(digits.text[start - 1])
        in_range = end - start >= SHORTEST and end <= len(digits.text)
        if in_range and digits.right(start, end) and fits(digits.text[start:end]):
            yield digits.hidden(start, end)


def _anywhere(digits: _Digits) -> Iterator[Span]:
    """Card numbers at any digit of unread text. Unusual lengths need a boundary. Between two boundaries,
    or after its own length where DE 2 may be, a number needs no correct check digit."""
    edges, text, last = {*digits.starts, *digits.ends}, digits.text, len(digits.text)
    for start in range(last - SHORTEST + 1):
        owner = detect(text[start : start + 6])
        if owner is None:
            continue
        usual, begins = _usual(owner.range.lengths), start in edges
        prefix_size = _SIZES.get(text[start - 2 : start])
        for size in owner.range.lengths:
            end = start + size
            if size < SHORTEST or end > last:
                continue
            ends, prefixed = end in edges, prefix_size == size
            sure = (prefixed and digits.places[start] < _NEAR) or (size in usual and begins and ends)
            likely = size in usual or begins or ends or prefixed
            if sure or (likely and digits.right(start, end)):
                yield digits.hidden(start, end)


@lru_cache
def _usual(lengths: Collection[int]) -> frozenset[int]:
    """Those of an issuer's *lengths* that most of its card numbers have."""
    return frozenset((USUAL, min(lengths)) if len(lengths) <= _MOST_LENGTHS else ())

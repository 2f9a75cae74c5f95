"""What a person, a log or a language model may see of card data: one policy for every display.

- A card number (PAN) shows its first 6 and last 4 digits, or nothing if it has fewer than 13.
- Track data, PIN blocks, verification values, key data and the chip tags and subfields that contain them
  show nothing; other chip tags stay readable, but tags without a row show nothing.
- A card number in any other element, or in text that cannot be read, is recognized by its form, in any
  notation of its digits (`sim.masking.search`), and masked in the same way. Other numbers stay.
- Masked text keeps its length, so that offsets stay valid; an entirely masked element is described:
  `[16 characters masked]`.

Sensitive elements are the rows of `data/sensitive.csv`, sensitive chip tags those of `data/emv/roles.csv`.
Source: PCI DSS 4.0, requirements 3.3 and 3.4.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import takewhile
from typing import NamedTuple

from sim.errors import size
from sim.kept import Kept
from sim.masking import search as search
from sim.masking.inside import cover_chip, cover_tagged, names_card_data
from sim.masking.inside import cover_parts as cover_parts
from sim.masking.search import SHORTEST_PAN, Span, hide, middle
from sim.masking.search import is_card as is_card
from sim.masking.texts import LONG_HEX, STAR
from sim.masking.texts import mask_bytes as mask_bytes
from sim.masking.texts import mask_pan as mask_pan
from sim.masking.texts import mask_piece as mask_piece
from sim.masking.texts import mask_text as mask_text
from sim.masking.texts import mask_words as mask_words
from sim.masking.written import SHORTEST
from sim.parts import chip_data
from sim.spec import currency
from sim.spec.elements import spec
from sim.spec.layouts import of_dialects
from sim.spec.tables import read_csv

UNREAD = -1  # the number of unread text
_MTI, _BITMAP, _PAN = 0, 1, 2
_LONG_RUN = re.compile(r"[0-9A-Fa-f=]{13,}")
_REACH = 64  # a card number spelled out, or a track, is not longer
_LAST_DIGITS = re.compile(r"(?:[0-9][^0-9A-Za-z*]{0,3}){6}((?:[0-9A-F][^0-9A-Za-z*]{0,3})+)$")
_ACCOUNT_IN_TRACK = re.compile(r"B?([0-9]{12,19})[=D^]")
# Possible positions of the length of DE 2, the first element: after one or two bitmaps, with a few
# characters lost or added before it.
_PLACES = (*range(16, 27), *range(32, 43))
_BEHIND_BITMAP = (20, 36)
_LENGTHS = frozenset(str(length) for length in range(SHORTEST, search.LONGEST + 1))
_NUMERIC = ("n", "x+n")
_CHARACTERS = {"n": frozenset("0123456789"), "b": frozenset("0123456789ABCDEFabcdef")}
_MONTHS = frozenset(f"{month:02}" for month in range(1, 13))


class Stretch(NamedTuple):
    """A piece of a message, in text order: `number` 0 is the MTI, 1 the bitmap, UNREAD the unread rest;
    `prefix` is the length field before the value."""

    number: int
    prefix: str
    value: str


@cache
def _kinds(version: str) -> Mapping[int, str]:
    rows = read_csv("sensitive")
    return {int(row["number"]): row["kind"] for row in rows if version in row["versions"].split("|")}


@cache
def _telling(version: str) -> frozenset[int]:
    """The elements for which `tells_itself` is true."""
    return frozenset(number for number, kind in _kinds(version).items() if kind in ("pan", "hidden", "chip"))


def is_sensitive(number: int, version: str) -> bool:
    """Whether the element always contains card data, a PIN or key material in this version."""
    return _kinds(version).get(number) in ("pan", "hidden", "account", "chip")


def may_hold_card_data(number: int, version: str) -> bool:
    """Whether the element, or a subfield of it in any layout, is for card data, a PIN or key material."""
    return number in _kinds(version) or names_card_data(version, number)


def tells_itself(number: int, version: str) -> bool:
    """Whether everything said about the element's value is known to contain no card data."""
    return number in _telling(version)


def mask(number: int, value: str, version: str = "1987", pan: str = "") -> str:
    """*value* of data element *number*, masked; *pan* is masked wherever it occurs.

    >>> mask(35, "4111111111111111=29122010000012345678")
    '[37 characters masked]'
    >>> mask(41, "TERM0001")
    'TERM0001'
    """
    return described(number, cover_value(number, value, version, pan), version)


def mask_cells(
    cells: Sequence[Stretch],
    version: str,
    *,
    broken: bool = False,
    unread: frozenset[int] = frozenset(),
    cut: bool = False,
) -> list[str]:
    """The masked values of a message, with a description of the entirely masked ones; see `cover`."""
    covered = cover(cells, version, broken=broken, unread=unread, cut=cut)
    return [described(cell.number, value, version) for cell, (_, value) in zip(cells, covered, strict=True)]


def described(number: int, covered: str, version: str) -> str:
    """A masked value, ready to show: a description if it is an entirely masked sensitive element."""
    hidden = covered and not covered.strip(STAR) and _kinds(version).get(number) in ("hidden", "chip")
    return f"[{size(covered)} masked]" if hidden else covered


def cover_fields(fields: Mapping[int, str], version: str) -> Mapping[int, str]:
    """*fields* for use in sentences: card data is masked in elements that may contain any. Returns the
    same mapping if nothing is masked."""
    pan, telling, changed = fields.get(_PAN, ""), _telling(version), {}
    for number, value in fields.items():
        if number in telling or _is_short(value):
            continue
        covered = cover_value(number, value, version, pan)
        if covered != value:
            changed[number] = covered
    return {**fields, **changed} if changed else fields


# Values that need no masking by themselves, by version, element and number of dialect layouts: most values
# repeat. True if they also have too few digits for a piece of a card number: these are never masked,
# whatever the card is.
OPEN: Kept[tuple[str, int, str, int], bool] = Kept(2048)


_HEX_DIGITS = frozenset("0123456789ABCDEF")
_EXTENDED, _LONGEST_EXTENDED = 34, 28


def is_data_sets(number: int, value: str) -> bool:
    """Whether the element has data sets of electronic commerce, where the standard has an extended card
    number of at most 28 digits: it is longer, or hex digits, including letters, whose two-byte length is
    correct."""
    if number != _EXTENDED:
        return False
    head, rest = value[2:6], value[6:]
    return len(value) > _LONGEST_EXTENDED or (
        not value.isdigit() and head == f"{len(rest) // 2:04X}" and not set(rest) - _HEX_DIGITS
    )


def cover_value(number: int, value: str, version: str, pan: str = "") -> str:
    """*value* of data element *number* with card data replaced by asterisks, at the same length."""
    key = version, number, value, len(of_dialects(version, number))
    few = OPEN.get(key)
    if few:
        return value
    kind = _kinds(version).get(number)
    if kind == "hidden":
        return STAR * len(value)
    if kind == "pan" and not is_data_sets(number, value):
        return mask_pan(value)
    if kind == "chip":
        return cover_chip(value, pan)
    covered = value if few is not None else _without_parts(kind, number, value, version)
    near = len(pan) >= SHORTEST_PAN and search.has_piece(covered)
    beside = search.accounts(covered, (pan,)) if near else ()
    covered = hide(covered, beside) if beside else covered
    if (few is None or beside) and not _is_short(value) and not _is_amount(number, value, version):
        covered = mask_words(covered)
    if few is None and covered == value:
        OPEN.keep(key, not search.has_piece(value))
    return covered


def _without_parts(kind: str | None, number: int, value: str, version: str) -> str:
    """*value* with the card data masked that the table rows define for it."""
    if kind == "account":
        value = _LONG_RUN.sub(lambda run: mask_pan(run[0]), value)
    if kind == "tagged":
        value = cover_tagged(value)
    return cover_parts(version, number, value)


def _is_short(value: str) -> bool:
    """Whether *value* is too short for a card number recognized by its form, and is not binary."""
    return len(value) < SHORTEST and value.isprintable()


def _is_amount(number: int, value: str, version: str) -> bool:
    """Whether a numeric element is an amount, by its currency, and not a card number."""
    if not 1 < number <= 128:
        return False
    element = spec(version)[number]
    numeric = element.content in _NUMERIC and "amount" in element.name.casefold()
    return numeric and currency(value[:3]) is not None


def cover(
    cells: Sequence[Stretch],
    version: str,
    *,
    broken: bool = False,
    unread: frozenset[int] = frozenset(),
    cut: bool = False,
) -> list[tuple[str, str]]:
    """Prefix and value of every cell, at the same length, with card data replaced by asterisks.

    In a *broken* message, or if values do not have their elements' form, a card number may be in the wrong
    element or span several. *unread* are the elements in the bitmap that could not be read, including the
    failing one: if one of them contains secrets, or the positions are unknown, long runs of hex digits in the
    rest are masked. *cut* means that the text was truncated, so that the digits at its end may be part of a
    card number.
    """
    text = "".join(prefix + value for _, prefix, value in cells)
    pans = card_numbers(cells, version)
    placed = any(map(is_card, pans))
    lost = broken and not placed
    covered = hide(text, [*_of_elements(cells, version, unread, lost), *search.accounts(text, pans)])
    if lost or _misshapen(cells, version):
        # If no card number is in its element, one may be anywhere.
        across = search.find(covered) if placed else search.find(text, unread=True)
    else:
        across = [*search.tracks(covered), *([] if placed else _shifted(covered))]
    known = takewhile(lambda cell: cell.number != UNREAD and cell.number not in unread, cells)
    start = sum(len(prefix) + len(value) for _, prefix, value in known)
    if broken and (placed or start > _REACH):  # otherwise all of it has been searched already
        across += _left(text, start)
    if cut and (piece := _LAST_DIGITS.search(covered, max(len(covered) - _REACH, 0))):
        across.append(Span(*piece.span(1)))
    covered = hide(covered, across)
    pieces, at = [], 0
    for _, prefix, value in cells:
        first = at + len(prefix)
        pieces.append((covered[at:first], covered[first : first + len(value)]))
        at = first + len(value)
    return pieces


def _misshapen(cells: Sequence[Stretch], version: str) -> bool:
    """Whether a value cannot be of its element: not digits, not hex digits, or an invalid month."""
    elements = spec(version).elements
    for number, _, value in cells:
        if not _BITMAP < number <= len(elements):
            continue
        element = elements[number - 1]
        allowed = _CHARACTERS.get(element.content)
        if allowed is not None and not allowed.issuperset(value):
            return True
        at = (element.pattern or "").find("MM")
        if at >= 0 and len(value) == len(element.pattern) and value[at : at + 2] not in _MONTHS:
            return True
    return False


def _of_elements(cells: Sequence[Stretch], version: str, unread: frozenset[int], lost: bool) -> list[Span]:
    """What is masked in each cell by itself; if the reading was *lost*, any cell may contain anything."""
    kinds = _kinds(version)
    # An element that was announced but misread may be in the rest, which is probably shifted.
    numbers = {number for number, _, _ in cells}
    announced = {*unread, *numbers} if unread or UNREAD in numbers else ()
    secrets = any(kinds.get(number) in ("hidden", "chip") for number in announced)
    spans, at = list[Span](), 0
    for number, prefix, value in cells:
        first = at + len(prefix)
        at = first + len(value)
        if number > _BITMAP:
            stars = _STARS.finditer(cover_value(number, value, version))
            spans += [Span(first + run.start(), first + run.end(), True) for run in stars]
        if number not in (_MTI, _BITMAP) and (lost or (secrets and (number == UNREAD or number in unread))):
            spans += [Span(first + run.start(), first + run.end()) for run in LONG_HEX.finditer(value)]
    return spans


_STARS = re.compile(r"\*+")


def _left(text: str, start: int) -> list[Span]:
    """What to mask in the unread text from *start*; a card number may begin before it."""
    before = max(start - _REACH, 0)
    return [
        Span(before + span.start, before + span.end, span.whole)
        for span in search.find(text[before:], unread=True)
        if before + span.end > start - 4
    ]


def card_numbers(cells: Sequence[Stretch], version: str) -> set[str]:
    """The card numbers in the elements that are meant for them."""
    pans = set()
    for number, _, value in cells:
        kind = _kinds(version).get(number)
        if number == _PAN and len(value) >= SHORTEST_PAN:
            pans.add(value)
        elif kind == "hidden" and (track := _ACCOUNT_IN_TRACK.match(value)):
            pans.add(track[1])
        elif kind == "chip" and value:
            chip = chip_data.read(value)
            pans |= {chip.value("5A").rstrip("F"), chip.value("57").partition("D")[0]}
    return {pan for pan in pans if len(pan) >= SHORTEST_PAN}


def _shifted(text: str) -> list[Span]:
    """A card number after its length, at the positions that DE 2 would have if bits of the bitmap were
    flipped."""
    spans = []
    for at in _PLACES:
        digits = text[at : at + 2]
        if digits not in _LENGTHS:
            continue
        pan = text[at + 2 : at + 2 + int(digits)]
        sound = len(pan) == int(digits) and pan.isdecimal() and pan.isascii()
        # Directly after a bitmap, issuer and length are enough.
        if sound and (search.fits(pan) if at in _BEHIND_BITMAP else is_card(pan)):
            spans.append(middle(at + 2, at + 2 + len(pan)))
    return spans

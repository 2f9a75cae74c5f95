"""Texts that do not read, mended in every way that people know from practice; only those that then read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from unicodedata import normalize

from sim.codec import Message, ParseError, bitmap, parse, spans
from sim.codec.text import BITMAP_WIDTH, MTI_WIDTH
from sim.errors import BITMAP_FIELD
from sim.judge.causes import DECODED, READ, REWRITTEN, STRIPPED, causes
from sim.masking import mask_text
from sim.operations.choosing import chosen_version
from sim.operations.reading import recognised

_ENDS = " \t\r\n\x02\x03\0"
# A length prefix is off by a few; so many elements before the fault are looked at.
_FAR, _NEAR = 24, 40
_SHOWN = 24


@dataclass(frozen=True, slots=True)
class Mended:
    """A text that reads: the `message`, what was done, `before` and `after` as they may be shown, `why`, the
    element concerned, whether that is `safe`, and how many characters it `cost`."""

    message: Message
    action: str
    before: str
    after: str
    why: str
    field: int | None
    safe: bool
    cost: int


def mended(raw: str, version: str, where: int | None) -> Iterator[Mended]:
    """Every way to mend *raw* that makes it read; *where* is the element that reading stopped at.

    Safe ones come first: what stood around the message, its bytes, another version. The others, which shift
    where an element ends, or make up what is lost, follow.
    """
    yield from _upstream(raw, version)
    yield from _around(raw, version)
    yield from _as_bytes(raw)
    try:
        parse(raw, version)
    except ParseError as error:
        yield from _at_the_end(raw, version, error)
        if error.partial is not None and where is not None and where > BITMAP_FIELD:
            yield from _prefixes(raw, version, error.partial)
            yield from _own_prefix(raw, version, error.partial, where, error.offset or 0)
            yield from _announced(raw, version, where)
            yield from _characters(raw, version, error.partial)


def _read(text: str, version: str) -> Message | None:
    try:
        return parse(text, version)
    except ParseError:
        return None


def _piece(text: str) -> str:
    """What of a text may be shown of an edit."""
    shown = mask_text(text)
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"


def _upstream(raw: str, version: str) -> Iterator[Mended]:
    """The causes that hints name, undone."""
    for cause in causes(raw, version):
        if cause.text is not None and (found := _read(cause.text, cause.version)):
            before, after = "", ""
            if cause.action == READ:
                before, after = f"as {version}", f"as {cause.version}"
            elif raw.endswith(cause.text):
                before = _piece(raw.removesuffix(cause.text))
            cost = abs(len(raw) - len(cause.text))
            yield Mended(found, cause.action, before, after, cause.hint, None, True, cost)


def _around(raw: str, version: str) -> Iterator[Mended]:
    """Control characters of a link, and digits of another alphabet."""
    bare = raw.strip(_ENDS)
    if bare != raw and (found := _read(bare, version)):
        why = "control characters of the link came with the paste"
        yield Mended(found, STRIPPED, "", "", why, None, True, len(raw) - len(bare))
    plain = normalize("NFKC", raw)
    if plain != raw and (found := _read(plain, chosen_version(plain, None))):
        yield Mended(found, REWRITTEN, "", "", "digits of another alphabet, or wide ones", None, True, 1)


def _as_bytes(raw: str) -> Iterator[Mended]:
    """Bytes in some spelling, recognised surely enough."""
    best = recognised(raw)
    if best and best.message and best.complete and best.believed and best.text is not None:
        yield Mended(best.message, DECODED, "", "", f"it reads as {best.read_as}", None, True, 0)


def _at_the_end(raw: str, version: str, error: ParseError) -> Iterator[Mended]:
    """What is left over, and an end that is missing."""
    offset = error.offset or 0
    if error.part == "end" and (found := _read(raw[:offset], version)):
        rest = raw[offset:]
        blank = not rest.strip(_ENDS + "\"'`")
        why = "nothing of the message stands there" if blank else "the bitmap announces no element for it"
        yield Mended(found, "cut off", _piece(rest), "", why, None, blank, len(rest))
    missing = error.wanted - (len(raw) - offset)
    if error.part == "value" and missing > 0:
        for fill in "0 ":
            if found := _read(raw + fill * missing, version):
                why = "the text ends inside its last element"
                yield Mended(found, "filled", "", fill * missing, why, error.field, False, missing)


def _prefixes(raw: str, version: str, partial: Message) -> Iterator[Mended]:
    """A length prefix that says more or less than there is."""
    places = [(number, *place) for number, place in spans(partial).items() if number > BITMAP_FIELD]
    for number, start, first, end in reversed(places[-_NEAR:]):
        width = partial.spec[number].prefix
        for size in range(max(0, end - first - _FAR), end - first + _FAR + 1) if width else ():
            text = f"{size:0{width}}"
            if len(text) != width or size == end - first:
                continue
            if found := _read(raw[:start] + text + raw[first:], version):
                why = "with this length all elements behind it read"
                yield Mended(found, "length changed", raw[start:first], text, why, number, False, 1)


def _own_prefix(raw: str, version: str, partial: Message, where: int, start: int) -> Iterator[Mended]:
    """The length prefix at which reading stopped: a letter in it, or more than the element may have."""
    element = partial.spec[where]
    if not element.prefix:
        return
    for size in range(min(element.width, len(raw) - start - element.prefix) + 1):
        text = f"{size:0{element.prefix}}"
        if found := _read(raw[:start] + text + raw[start + element.prefix :], version):
            before = _piece(raw[start : start + element.prefix])
            why = "with this length all elements behind it read"
            yield Mended(found, "length changed", before, text, why, where, False, 1)


def _announced(raw: str, version: str, where: int) -> Iterator[Mended]:
    """A bit that announces what is not there."""
    wide = BITMAP_WIDTH * (1 + bitmap.has_secondary(raw[MTI_WIDTH : MTI_WIDTH + 1]))
    bits = raw[MTI_WIDTH : MTI_WIDTH + wide]
    numbers = bitmap.numbers(bits)
    for number in numbers:
        if number < where - 1:
            continue
        value = f"{int(bits, 16) & ~(1 << (wide * 4 - number)):0{wide}X}"
        if found := _read(raw[:MTI_WIDTH] + value + raw[MTI_WIDTH + wide :], version):
            why = f"the bitmap announces DE {number}, which is not there"
            yield Mended(found, "bit cleared", f"bit {number}", "", why, number, False, 1)


def _characters(raw: str, version: str, partial: Message) -> Iterator[Mended]:
    """A character that was lost, or added."""
    places = [(number, place[2]) for number, place in spans(partial).items() if number > BITMAP_FIELD]
    for number, end in reversed(places[-_NEAR:]):
        for text, action, why in (
            (raw[:end] + "0" + raw[end:], "character added", "one character was lost in it or near it"),
            (
                raw[: end - 1] + raw[end:],
                "character removed",
                "one character too many stands in it or near it",
            ),
        ):
            if found := _read(text, version):
                yield Mended(found, action, "", "", why, number, False, 2)

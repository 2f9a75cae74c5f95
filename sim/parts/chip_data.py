"""Parses DE 55: tags, a dataset around them, or a network's fixed layout.

Layout only: `sim.elements.emv` interprets the tags, and `sim.masking` masks them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

from sim.errors import IsoError, counted
from sim.spec.layouts import layouts

_NO_HEX = re.compile(r"[^0-9A-Fa-f]")
# Padding between tags: 00 in EMV, FF in files of ISO/IEC 7816-4.
_PADDING = ("00", "FF")
_CONSTRUCTED = 0x20
_MORE_BYTES = 0x1F  # low five bits all ones: more tag bytes follow while bit 8 is set
# Nearly all tags: one or two bytes, primitive, with a one-byte length.
_SHORT = frozenset(
    f"{byte:02X}" for byte in range(1, 256) if not byte & _CONSTRUCTED and byte & _MORE_BYTES != _MORE_BYTES
)
_LONG = frozenset(f"{byte:02X}" for byte in range(_MORE_BYTES, 256, 0x40))
_MORE = "8"  # a tag byte whose first hex digit is 8 or more has another after it
_SIZES = {f"{size:02X}": 2 * size for size in range(0x80)}
# Far more than any card uses; beyond that the data are not tags, or meant to exhaust the parser.
_TAG_BYTES = 4
_LENGTH_BYTES = 4
_DEPTH = 8


class TlvError(IsoError):
    """The hex digits are not TLV. `offset` counts them from the start of the element's value, `tag` is the
    tag at fault (empty if none could be read), `partial` the top-level tags before it."""

    def __init__(
        self, offset: int, expected: str, found: str, tag: str = "", partial: tuple[Tag, ...] = ()
    ) -> None:
        super().__init__(55, offset, expected, found, partial)
        self.tag = tag

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.offset, self.expected, self.found, self.tag, self.partial)


class Tag(NamedTuple):
    """One tag with its value in upper-case hex. The tag is at `start`, its value from `value_start` to `end`;
    `depth` is 0 at the top. A constructed tag has `children`, or a `fault` if its content is not TLV."""

    tag: str
    value: str
    start: int
    value_start: int
    end: int
    depth: int = 0
    children: tuple[Tag, ...] = ()
    fault: TlvError | None = None

    def __repr__(self) -> str:
        # Some tags contain the card number.
        return f"Tag({self.tag!r}, {counted(len(self.value) // 2, 'byte')})"

    @property
    def constructed(self) -> bool:
        """Whether the tag is a template: bit 6 of its first byte marks a value that contains tags."""
        return bool(int(self.tag[:2], 16) & _CONSTRUCTED)


def read_tags(text: str, *, strict: bool = True, start: int = 0) -> tuple[Tag, ...]:
    """Parse chip data from hex digit *start* on, keeping repeats and order. Raises TlvError.

    Unless *strict*, a template whose content is not TLV gets a `fault` and no children: since its own length
    is right, so are the tags around it.

    >>> [(tag.tag, tag.value) for tag in read_tags("9F2701809C0100")]
    [('9F27', '80'), ('9C', '00')]
    """
    upper = text.upper()
    if places := _plain(upper, start):
        return _as_tags(upper, places)
    if wrong := _NO_HEX.search(text, start):
        readable = wrong[0].isascii() and wrong[0].isprintable()
        raise TlvError(wrong.start(), "hex digits", repr(wrong[0]) if readable else f"U+{ord(wrong[0]):04X}")
    if (len(text) - start) % 2:
        raise TlvError(len(text), "whole bytes, two hex digits each", counted(len(text) - start, "hex digit"))
    tags = _tags_in(upper, start, len(text), 0)
    if strict:
        for tag in walk_tags(tags):
            if tag.fault:
                raise tag.fault
    return tags


# A tag's name, and the start and end of its value.
Place = tuple[str, int, int]


def _plain(text: str, at: int) -> tuple[Place, ...] | None:
    """The places of the tags in upper-case *text* from *at* on, if all are of the usual kind: one or two
    bytes, primitive, with a one-byte length. None for other tags, and if *text* is not TLV."""
    try:
        if 2 * len(bytes.fromhex(text)) != (end := len(text)):
            return None  # fromhex skips blanks
        places: list[Place] = []
        while at < end:
            tag = text[at : at + 2]
            if tag in _SHORT:
                start = at + 4
            elif tag in _LONG and text[at + 2] < _MORE:
                tag, start = text[at : at + 4], at + 6
            else:
                return None
            at = start + _SIZES[text[start - 2 : start]]
            places.append((tag, start, at))
    except (ValueError, LookupError):
        return None
    return tuple(places) if at == end else None


def _as_tags(text: str, places: Iterable[Place]) -> tuple[Tag, ...]:
    return tuple(Tag(tag, text[start:end], start - 2 - len(tag), start, end) for tag, start, end in places)


def _tags_in(text: str, at: int, end: int, depth: int) -> tuple[Tag, ...]:
    tags: list[Tag] = []
    while at < end:
        if text[at : at + 2] in _PADDING:
            at += 2
            continue
        try:
            tag, after_tag = _read_tag(text, at, end)
            length, start = _read_length(text, after_tag, end, tag)
        except TlvError as error:
            error.partial = tuple(tags)
            raise
        stop = start + 2 * length
        if stop > end:
            expected = f"{counted(length, 'byte')} of tag {tag}, as its length requires"
            raise TlvError(start, expected, f"{(end - start) // 2}", tag, tuple(tags))
        children: tuple[Tag, ...] = ()
        fault = None
        if int(tag[:2], 16) & _CONSTRUCTED:
            try:
                if depth == _DEPTH:
                    raise TlvError(start, f"templates at most {_DEPTH} deep", "another one inside", tag)
                children = _tags_in(text, start, stop, depth + 1)
            except TlvError as error:
                fault = error
        tags.append(Tag(tag, text[start:stop], at, start, stop, depth, children, fault))
        at = stop
    return tuple(tags)


def _read_tag(text: str, at: int, end: int) -> tuple[str, int]:
    stop = at + 2
    more = int(text[at:stop], 16) & _MORE_BYTES == _MORE_BYTES
    while more:
        if stop >= end:
            raise TlvError(at, "another byte of the tag", f"the end after {text[at:stop]}")
        if stop - at >= 2 * _TAG_BYTES:
            raise TlvError(at, f"a tag of at most {_TAG_BYTES} bytes", "a longer one")
        stop += 2
        more = int(text[stop - 2 : stop], 16) & 0x80 > 0
    return text[at:stop], stop


def _read_length(text: str, at: int, end: int, tag: str) -> tuple[int, int]:
    if at >= end:
        raise TlvError(at, f"a length for tag {tag}", "the end", tag)
    first = int(text[at : at + 2], 16)
    if first < 0x80:
        return first, at + 2
    size = first & 0x7F
    stop = at + 2 + 2 * size
    if size == 0 or size > _LENGTH_BYTES:
        expected = f"a length for tag {tag}: 00 to 7F, or 81 to 84 and as many bytes"
        raise TlvError(at, expected, text[at : at + 2], tag)
    if stop > end:
        raise TlvError(at, f"{size} length bytes for tag {tag}", f"{(end - at) // 2 - 1}", tag)
    return int(text[at + 2 : stop], 16), stop


def walk_tags(tags: Iterable[Tag]) -> Iterator[Tag]:
    """All tags, each before its children."""
    for tag in tags:
        yield tag
        yield from walk_tags(tag.children)


def write_tags(tags: Mapping[str, str] | Iterable[tuple[str, str]]) -> str:
    """Chip data of tags and hex values, given as a mapping, or as pairs if a tag repeats.

    >>> write_tags({"9F27": "80", "9C": "00"})
    '9F2701809C0100'
    """
    pairs = tags.items() if isinstance(tags, Mapping) else tags
    return "".join(tag + write_length(len(value) // 2) + value for tag, value in pairs)


def write_length(size: int) -> str:
    """The length field of a value of *size* bytes, in hex digits.

    >>> write_length(3), write_length(200)
    ('03', '81C8')
    """
    if size < 0x80:
        return f"{size:02X}"
    digits = f"{size:X}"
    digits = digits.zfill(len(digits) + len(digits) % 2)
    return f"{0x80 + len(digits) // 2:02X}{digits}"


# A network may announce its fixed layout (values without tags, in an agreed order) by its name in EBCDIC.
FIXED = "AGNS"
_FIXED_HEAD = "C1C7D5E2"
_FIXED_VERSION = "0001"
_DATASET = "01"
_DATASET_HEAD = 6
# All callers read one message before the next, so its card data is cached no longer than needed.
_CACHE_SIZE = 2


@dataclass(eq=False, repr=False)
class ChipData:
    """Parsed DE 55. `layout` is `tags`, `dataset` (tags after the id 01 and a two-byte length) or `AGNS` (a
    network's fixed layout: values in an agreed order, without tags). `places` lists every tag, a template
    before its content, by hex digit of the element; if there is an `error`, those before it."""

    layout: str
    _text: str = ""
    places: tuple[Place, ...] = ()
    error: TlvError | None = None

    @cached_property
    def tags(self) -> tuple[Tag, ...]:
        """Every tag, a template before its content."""
        return _as_tags(self._text, self.places)

    @cached_property
    def values(self) -> dict[str, str]:
        """The value of the first tag of each name."""
        text = self._text
        return {tag: text[start:end] for tag, start, end in reversed(self.places)}

    @cached_property
    def firsts(self) -> dict[str, Tag]:
        """The first tag of each name, at any depth."""
        return {tag.tag: tag for tag in reversed(self.tags)}

    def __contains__(self, tag: object) -> bool:
        return tag in self.values

    def value(self, tag: str) -> str:
        """The value of the first tag of this name, empty if there is none."""
        return self.values.get(tag, "")


@lru_cache(maxsize=_CACHE_SIZE)
def read(text: str) -> ChipData:
    """Parse DE 55; never raises: the result's `error` says what is wrong.

    >>> [tag.tag for tag in read("9F2701809C0100").tags]
    ['9F27', '9C']
    """
    if text[: len(_FIXED_HEAD)].upper() == _FIXED_HEAD:
        return _read_fixed(text)
    wrapped = text[:2] == _DATASET and len(text) > _DATASET_HEAD
    if wrapped and text[2:_DATASET_HEAD].upper() == f"{(len(text) - _DATASET_HEAD) // 2:04X}":
        return _parsed(text, "dataset", _DATASET_HEAD)
    plain = _parsed(text, "tags", 0)
    if wrapped and plain.error and text[2:4] == "00":
        return _dataset_error(text, plain.error)
    return plain


@cache
def _order() -> tuple[tuple[str, int, bool], ...]:
    """The tags of the fixed layout, in order, with their hex digits and whether a one-byte length comes
    before the value."""
    rows = (layout for layout in layouts("1993", 55, "AMEX") if layout.variant == FIXED)
    return tuple((cell.key, cell.most, bool(cell.own)) for cell in next(rows).cell.cells[2:])


def _read_fixed(text: str) -> ChipData:
    upper, at = text.upper(), len(_FIXED_HEAD) + len(_FIXED_VERSION)
    if wrong := _NO_HEX.search(text):
        return ChipData(FIXED, upper, (), TlvError(wrong.start(), "hex digits", "another character"))
    tags: list[Tag] = []
    error = None
    for name, size, announced in _order():
        if announced:
            size, at = 2 * int(upper[at : at + 2] or "0", 16), at + 2
        if at + size > len(upper):
            left = f"{max(0, len(upper) - at) // 2} before the end"
            error = TlvError(min(at, len(upper)), f"{counted(size // 2, 'byte')} of {name}", left, name)
            break
        tags.append(Tag(name, upper[at : at + size], at, at, at + size))
        at += size
    if error is None and at < len(upper):
        error = TlvError(at, f"the end after {tags[-1].tag}", counted((len(upper) - at) // 2, "more byte"))
    return _chip(FIXED, upper, tuple(tags), error)


def write_fixed(tags: Mapping[str, str]) -> str:
    """The fixed layout with these values (hex) of its tags. Missing fixed-length values are zeros; tags that
    it does not have are ignored."""
    text = _FIXED_HEAD + _FIXED_VERSION
    for name, size, announced in _order():
        value = tags.get(name, "" if announced else "0" * size)
        text += (write_length(len(value) // 2) if announced else "") + value
    return text


def _parsed(text: str, layout: str, start: int) -> ChipData:
    upper = text.upper()
    if places := _plain(upper, start):
        return ChipData(layout, upper, places)
    error = None
    try:
        top = read_tags(text, strict=False, start=start)
    except TlvError as misfit:
        top, error = misfit.partial, misfit
    return _chip(layout, upper, tuple(walk_tags(top)), error)


def _chip(layout: str, text: str, tags: tuple[Tag, ...], error: TlvError | None) -> ChipData:
    chip = ChipData(layout, text, tuple((tag.tag, tag.value_start, tag.end) for tag in tags), error)
    chip.tags = tags
    return chip


def _dataset_error(text: str, plain: TlvError) -> ChipData:
    """Parse *text* as a dataset, since no tag is 01; its length is wrong, or a tag in it is cut short."""
    chip = _parsed(text, "dataset", _DATASET_HEAD)
    if chip.error is None and len(text) % 2 == 0:
        size = int(text[2:_DATASET_HEAD], 16)
        expected = f"{counted(size, 'byte')} in dataset 01, as its length requires"
        chip.error = TlvError(2, expected, f"{(len(text) - _DATASET_HEAD) // 2}")
    chip.error = chip.error or plain
    return chip

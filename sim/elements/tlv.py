"""BER-TLV, the layout of chip data in DE 55 (EMV book 3, annex B).

Works on hex digits, since that is how the text form writes binary data; offsets count hex digits
from the start of the element's value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sim.codec.bitmap import HEX_DIGITS
from sim.errors import IsoError

_PADDING = ("00", "FF")
_CONSTRUCTED = 0x20


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag with its value in upper-case hex. `start` is where the tag stands, `value_start` and
    `end` bound its value; `depth` is 0 at the top, `children` the tags of a constructed one."""

    tag: str
    value: str
    start: int
    value_start: int
    end: int
    depth: int = 0
    children: tuple[Tag, ...] = ()

    def __repr__(self) -> str:
        # Some tags hold the card number.
        return f"Tag({self.tag!r}, {len(self.value) // 2} bytes)"


class TlvError(IsoError):
    """Hex digits are no TLV. `offset` counts them from the start of the element's value."""


def read(text: str, *, strict: bool = True) -> tuple[Tag, ...]:
    """Take chip data apart, tag by tag; repeats and order are kept. Raises TlvError.

    With *strict* off, a template whose inside is no TLV stays unread (no children): its own length is
    right, so the tags around it are.

    >>> [(tag.tag, tag.value) for tag in read("9F2701809C0100")]
    [('9F27', '80'), ('9C', '00')]
    """
    for index, char in enumerate(text):
        if char not in HEX_DIGITS:
            raise TlvError(55, index, "hex digits", repr(char))
    if len(text) % 2:
        raise TlvError(55, len(text), "whole bytes, two hex digits each", f"{len(text)} hex digits")
    return _read(text.upper(), 0, len(text), 0, strict)


def _read(text: str, at: int, end: int, depth: int, strict: bool) -> tuple[Tag, ...]:
    found = []
    while at < end:
        if text[at : at + 2] in _PADDING:
            at += 2
            continue
        tag, after_tag = _read_tag(text, at, end)
        length, start = _read_length(text, after_tag, end, tag)
        stop = start + 2 * length
        if stop > end:
            expected = f"{length} byte{'' if length == 1 else 's'} of tag {tag}, as its length says"
            raise TlvError(55, start, expected, f"{(end - start) // 2}")
        children: tuple[Tag, ...] = ()
        if int(tag[:2], 16) & _CONSTRUCTED:
            try:
                children = _read(text, start, stop, depth + 1, strict)
            except TlvError:
                if strict:
                    raise
        found.append(Tag(tag, text[start:stop], at, start, stop, depth, children))
        at = stop
    return tuple(found)


def _read_tag(text: str, at: int, end: int) -> tuple[str, int]:
    # Low five bits all ones: more tag bytes follow while bit 8 is set.
    stop = at + 2
    if int(text[at:stop], 16) & 0x1F == 0x1F:
        while True:
            if stop >= end:
                raise TlvError(55, at, "another byte of the tag", f"the end after {text[at:stop]}")
            stop += 2
            if not int(text[stop - 2 : stop], 16) & 0x80:
                break
    return text[at:stop], stop


def _read_length(text: str, at: int, end: int, tag: str) -> tuple[int, int]:
    if at >= end:
        raise TlvError(55, at, f"a length for tag {tag}", "the end")
    first = int(text[at : at + 2], 16)
    if first < 0x80:
        return first, at + 2
    size = first & 0x7F
    stop = at + 2 + 2 * size
    if size == 0 or size > 3:
        raise TlvError(55, at, f"a length of 1 to 3 bytes for tag {tag}", text[at : at + 2])
    if stop > end:
        raise TlvError(55, at, f"{size} length bytes for tag {tag}", f"{(end - at) // 2 - 1}")
    return int(text[at + 2 : stop], 16), stop


def walk(tags: tuple[Tag, ...]) -> Iterator[Tag]:
    """All tags, a constructed one before its children."""
    for tag in tags:
        yield tag
        yield from walk(tag.children)


def write(tags: dict[str, str]) -> str:
    """Tags and values (hex) as chip data.

    >>> write({"9F27": "80", "9C": "00"})
    '9F2701809C0100'
    """
    return "".join(tag + _write_length(len(value) // 2) + value for tag, value in tags.items())


def _write_length(size: int) -> str:
    if size < 0x80:
        return f"{size:02X}"
    return f"81{size:02X}" if size <= 0xFF else f"82{size:04X}"

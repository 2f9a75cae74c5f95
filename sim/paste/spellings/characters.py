"""The text form of a message in a paste: alone, within other text, in several lines, or in its three
parts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sim.codec.text import strip_line_ending
from sim.paste.spellings import tidy
from sim.paste.spellings.hexadecimal import pairs
from sim.paste.spellings.sighting import Sighting, around, encoded

# A possible start of a message within other text: an MTI and a bitmap, or a header in characters, such as a
# length in four hex digits.
_MESSAGE = re.compile(
    r"(?<![0-9A-Za-z])(?=(?:0[0-9A-Fa-f]{3})?[0-9]{4}[0-9A-Fa-f]{16})|(?<![0-9A-Za-z])(?=[0-9]{4}ISO[0-9]{13})"
    r"|(?<![A-Za-z]{2})(?=ISO[0-9]{13}|A4M[0-9]{9})"
)
# The text form broken into several lines, between lines of words.
_QUOTING = " \t>"
_BLOCK = re.compile(
    r"(?m)^[ \t>]{0,8}[0-9]{4}[0-9A-Fa-f]{16}\S{0,400}(?:\r?\n[ \t>]{0,8}\S{8,400}[ \t]*(?=\r?\n|\Z))+"
)
_INDENT = re.compile(r"[ \t]{0,40}\r?\n[ \t>]{0,8}")
_MOST_PLACES = 6
_APART = "MTI, bitmap and data put together"
_PARTS = re.compile(
    r"(?im)\bMTI\b[^0-9\r\n]{0,20}([0-9]{4})\b[^0-9A-F]{0,4}\s*.{0,40}?bit ?map[^:=\r\n]{0,20}[:=]\W{0,4}"
    r"([0-9A-F]{31,33}|[0-9A-F]{15,17})\b\W{0,4}(?:[^:=\r\n]{0,20}\b(?:data|body|fields|elements|payload|rest|content)\w{0,9}"
    r"\W{0,3}[:=]\s?)(['\"]?)([^\r\n]{6,}?)\3\s*$"
)
_BLANK = re.compile(r"\s")
_LINE = re.compile(r"[^\r\n]*")
_QUOTES = "\"'`"
_CLOSING = re.compile(r"[\"'`\]}>]")
# Words of a log after a message, with small letters, which follow blanks.
_REMARK = re.compile(r"(?:[ \t]{1,20}+(?:[^\w\s]{0,4}[A-Z]?[a-z]{1,20}[^\w\s]{0,3}|[^\w\s]{1,4})){1,12}$")
_LONGEST_REMARK = 80
_HEX = re.compile(r"[0-9A-Fa-f]{16,}")
IN_LINES = "text in lines"
NAMES = ("text", _APART)
EXAMPLES = (
    ("10:15 sent '08002020000000000000990000123456' ok", b"08002020000000000000990000123456"),
    ("08002020000000000000\n990000123456\n", b"08002020000000000000990000123456"),
    ("MTI: 0800\nBitmap: 2020000000000000\nData: 990000123456", b"08002020000000000000990000123456"),
)


def find(text: str) -> Iterator[Sighting]:
    """The characters of *text*, then the parts of it that may be a message."""
    yield Sighting("text", encoded(strip_line_ending(text)), 0.0, text=True)
    yield from _inside(tidy.joined(text))
    yield from _rejoin_parts(text)
    yield from _lines_joined(text)


def _inside(text: str) -> Iterator[Sighting]:
    """Messages within other text, such as a log line or a quotation."""
    content = strip_line_ending(text)
    parts = {content}
    places = (match.start() for match in _MESSAGE.finditer(text))
    for start, _ in zip(places, range(_MOST_PLACES), strict=False):
        match = _LINE.match(text, start)
        line = match[0] if match else ""
        if (mark := text[start - 1 : start]) and mark in _QUOTES and mark in line:
            line = line.rpartition(mark)[0]  # the closing mark is not part of the message
        remark = _REMARK.search(line, max(len(line) - _LONGEST_REMARK, 0))
        alone = line[: remark.start()] if remark else ""
        for part in (line, line.rstrip(), _CLOSING.split(line, maxsplit=1)[0], alone):
            if part and part not in parts and part != content.rstrip():  # trailing blanks are data
                parts.add(part)
                notes = ("the words after it are not part of it",) * (part is alone)
                name = "text among other text"
                yield Sighting(name, encoded(part), -around(len(text) - len(part)), notes, text=True)


def _rejoin_parts(text: str) -> Iterator[Sighting]:
    """MTI, bitmap and data that a log shows separately, joined: as characters, and as hex."""
    match = _PARTS.search(text)
    if match is None:
        return
    mti, bits, rest = match[1], match[2], match[4]
    taken = len(mti) + len(bits) + len(rest)
    note = ("MTI, bitmap and data were shown apart",)
    yield Sighting(_APART, encoded(mti + bits + rest), -around(len(text) - taken), note, True)
    digits = _BLANK.sub("", rest)
    if _HEX.fullmatch(digits):
        for head in (mti, mti.encode().hex()):
            yield pairs(f"{_APART}, in hex", head + bits + digits, taken, text)


def _lines_joined(text: str) -> Iterator[Sighting]:
    """A text form that was wrapped, or broken in copying: its lines joined."""
    text = tidy.unwrapped(text)
    lines = strip_line_ending(text).splitlines()
    if len(lines) > 1 and _MESSAGE.match(lines[0].lstrip()):
        joined = "".join(lines).strip()
        yield Sighting(IN_LINES, encoded(joined), -around(len(lines)), text=True)
    elif len(lines) > 1 and (block := _BLOCK.search(text)):
        joined = _INDENT.sub("", block[0].lstrip(_QUOTING)).strip()
        yield Sighting(IN_LINES, encoded(joined), -around(len(text) - len(joined)), text=True)


def write(data: bytes) -> str:
    """*data* as characters."""
    return data.decode("latin-1")


def rewrite(paste: str, old: bytes, new: bytes) -> str | None:
    """*paste* with the characters of *new* in place of those of *old*."""
    old_text = old.decode("latin-1")
    return paste.replace(old_text, new.decode("latin-1"), 1) if old_text in paste else None

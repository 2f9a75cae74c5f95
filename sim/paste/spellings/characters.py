"""The text form of a message as it stands in a paste: among other text, or in lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sim.paste.spellings import tidy
from sim.paste.spellings.sighting import Sighting, around, bare, encoded

# Where a message in text may begin inside other text: an MTI and a bitmap, or a header in characters, such as
# its length in four hex digits.
_MESSAGE = re.compile(
    r"(?<![0-9A-Za-z])(?=(?:0[0-9A-Fa-f]{3})?[0-9]{4}[0-9A-Fa-f]{16})|(?<![0-9A-Za-z])(?=[0-9]{4}ISO[0-9]{13})"
    r"|(?<![A-Za-z]{2})(?=ISO[0-9]{13}|A4M[0-9]{9})"
)
# The text form broken into lines, between lines of words.
_QUOTING = " \t>"
_BLOCK = re.compile(
    r"(?m)^[ \t>]{0,8}[0-9]{4}[0-9A-Fa-f]{16}\S{0,400}(?:\r?\n[ \t>]{0,8}\S{8,400}[ \t]*(?=\r?\n|\Z))+"
)
_INDENT = re.compile(r"[ \t]{0,40}\r?\n[ \t>]{0,8}")
_MOST_PLACES = 6
_LINE = re.compile(r"[^\r\n]*")
_QUOTES = "\"'`"
_CLOSING = re.compile(r"[\"'`\]}>]")
NAMES = ("text",)
EXAMPLES = (
    ("10:15 sent '08002020000000000000990000123456' ok", b"08002020000000000000990000123456"),
    ("08002020000000000000\n990000123456\n", b"08002020000000000000990000123456"),
)


def find(text: str) -> Iterator[Sighting]:
    """The characters of *text* themselves, then those in it that may be a message."""
    yield Sighting("text", encoded(bare(text)), 0.0, text=True)
    yield from _inside(tidy.joined(text))
    yield from _lines_joined(text)


def _inside(text: str) -> Iterator[Sighting]:
    """Messages in text with other text around them: a log line, a quotation."""
    whole = bare(text)
    seen = {whole}
    places = (match.start() for match in _MESSAGE.finditer(text))
    for start, _ in zip(places, range(_MOST_PLACES), strict=False):
        match = _LINE.match(text, start)
        line = match[0] if match else ""
        if (mark := text[start - 1 : start]) and mark in _QUOTES and mark in line:
            line = line.rpartition(mark)[0]  # no mark is the last character of what stands between two
        for part in (line, line.rstrip(), _CLOSING.split(line, maxsplit=1)[0]):
            if part not in seen and part != whole.rstrip():  # blanks behind it are data
                seen.add(part)
                name = "text among other text"
                yield Sighting(name, encoded(part), -around(len(text) - len(part)), text=True)


def _lines_joined(text: str) -> Iterator[Sighting]:
    """A text form that was wrapped, or broken where it was copied: its lines put together."""
    lines = bare(text).splitlines()
    if len(lines) > 1 and _MESSAGE.match(lines[0].lstrip()):
        joined = "".join(lines).strip()
        yield Sighting("text in lines", encoded(joined), -around(len(lines)), text=True)
    elif len(lines) > 1 and (block := _BLOCK.search(text)):
        joined = _INDENT.sub("", block[0].lstrip(_QUOTING)).strip()
        yield Sighting("text in lines", encoded(joined), -around(len(text) - len(joined)), text=True)


def write(data: bytes) -> str:
    """*data* as they are."""
    return data.decode("latin-1")


def rewrite(paste: str, old: bytes, new: bytes) -> str | None:
    """*paste* with other characters where those of *old* stand."""
    there = old.decode("latin-1")
    return paste.replace(there, new.decode("latin-1"), 1) if there in paste else None

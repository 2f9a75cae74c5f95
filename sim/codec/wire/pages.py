"""Character sets of links: one byte per character, by a table of 256; only GBK uses more.

Python has no code page 1047, the EBCDIC of open systems and of jPOS. It is code page 037 with six characters
moved (IBM CDRA, CCSID 1047) and the line ends of open systems: 15 is line feed, 25 is next line.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from functools import cache

# `ascii` reads and writes all of Latin-1: a byte above 7F is a finding on the value, not a framing error.
SINGLE_BYTE = ("ascii", "cp037", "cp500", "cp1047", "cp1140")
MULTI_BYTE = ("gbk",)
PAGES = (*SINGLE_BYTE, *MULTI_BYTE)

_CP1047 = {0x15: "\n", 0x25: "\x85", 0x5F: "^", 0xAD: "[", 0xB0: "¬", 0xBA: "Ý", 0xBB: "¨", 0xBD: "]"}


@cache
def table(page: str) -> str:
    """The 256 characters of a code page, by byte."""
    name = {"ascii": "latin-1", "cp1047": "cp037"}.get(page, page)
    characters = list(bytes(range(256)).decode(name))
    if page == "cp1047":
        for byte, character in _CP1047.items():
            characters[byte] = character
    return "".join(characters)


@cache
def _encoding(page: str) -> Mapping[int, int]:
    return {ord(character): byte for byte, character in enumerate(table(page))}


def view(data: bytes, page: str) -> str:
    """All of *data* as characters of a single-byte *page*, one per byte; never fails.

    >>> view(bytes.fromhex("F0F1C1"), "cp037")
    '01A'
    """
    if page == "ascii":
        return data.decode("latin-1")
    return codecs.charmap_decode(data, "strict", table(page))[0]


def to_bytes(text: str, page: str) -> bytes:
    """*text* in a code page. Raises UnicodeEncodeError for a character not in it."""
    if page == "ascii":
        return text.encode("latin-1")
    if page in MULTI_BYTE:
        return text.encode(page)
    return codecs.charmap_encode(text, "strict", _encoding(page))[0]


def number_bytes(number: int, width: int, written: str, order: str = "big") -> bytes:
    """*number* in *width* bytes, *written* as binary, bcd, hex or digits of a single-byte page. Raises
    OverflowError if they are too few.

    >>> number_bytes(26, 2, "bcd"), number_bytes(26, 2, "hex")
    (b'\\x00&', b'1A')
    """
    if written == "binary":
        return number.to_bytes(width, "little" if order == "little" else "big")
    count = 2 * width if written == "bcd" else width
    digits = f"{number:0{count}{'X' if written == 'hex' else 'd'}}"
    if len(digits) > count:
        raise OverflowError
    if written == "bcd":
        return bytes.fromhex(digits)
    return to_bytes(digits, "ascii" if written == "hex" else written)

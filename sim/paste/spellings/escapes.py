"""Strings with escapes, as printed by programs: hex, octal or decimal numbers, letters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sim.paste.spellings import tidy
from sim.paste.spellings.sighting import Sighting, sighted, word_before

NAMES = ("string with escapes",)
EXAMPLES = (
    (r"b'0800\x82 \x00\x00'", b"0800\x82 \0\0"),
    (r'"\060\070\060\060\202\040\000"', b"0800\x82 \0"),
    (r'"0800\NUL\130\&2\ETX\SO\&H\DEL"', b"0800\0\x822\3\x0eH\x7f"),
    (r'D:\SIM\RS1.LOG "\060\070\060\060\202\040\000"', b"0800\x82 \0"),
)
_ESCAPES = tuple(
    re.compile(
        r"\\(?:(?:x|u00)([0-9A-Fa-f]{2})|u\{([0-9A-Fa-f]{1,2})\}"
        rf"|({number})|([nrtabfve\\'\"]))|([^\\\r\n\u0100-\U0010ffff])",
        re.DOTALL,
    )
    for number in ("[0-7]{1,3}", "[0-9]{1,3}", "0")
)
_ESCAPED = re.compile(r"\\(?:x|u00)[0-9A-Fa-f]{2}|\\u\{[0-9A-Fa-f]{1,2}\}")
_OCTAL = re.compile(r"\\[0-9]{1,3}")
# Haskell's control characters, and its mark between a number and a digit.
_CONTROL = re.compile(rf"\\(?:({'|'.join(sorted(tidy.CONTROL_CODES, key=len, reverse=True))})|&)")
# Not octal.
_DECIMAL = re.compile(r"\\(?:[0-9]{0,2}[89]|[4-9][0-9]{2})")
# A merchant's name may contain a backslash and digits; four of them make a literal.
_FEWEST_OCTAL = 4
# If no number but `\\0` is escaped, and digits follow it, it may be a complete escape.
_OTHER_NUMBER = re.compile(r"\\[1-9]|^(?!.*\\0[0-7])", re.DOTALL)
_NUMBERS = (8, 10, 0)
_NAMED = {"n": 10, "r": 13, "t": 9, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}
_WRITTEN = re.compile(r"\\x([0-9A-Fa-f]{2})|([^\\\r\n])|\\([ntr\\'\"])")
_PRINTED = range(0x20, 0x7F)
_LETTERS = {"n": 10, "t": 9, "r": 13}


def find(text: str) -> Iterator[Sighting]:
    """The strings with escapes in *text*, joined if in pieces; with Haskell's names in addition, because the
    path of a file may have them, too."""
    joined = tidy.joined(text)
    yield from _strings(joined, text, False)
    codes = tidy.CONTROL_CODES
    named, count = _CONTROL.subn(lambda mark: f"\\x{codes[mark[1]]}" if mark[1] else "", joined)
    if count:
        yield from _strings(named, text, True)


def _strings(text: str, paste: str, named: bool) -> Iterator[Sighting]:
    """The strings in *text*; with *named* characters, numbers are decimal."""
    if not _ESCAPED.search(text) and len(_OCTAL.findall(text)) < _FEWEST_OCTAL:
        return
    start = min(match.start() for match in (_ESCAPED.search(text), _OCTAL.search(text)) if match)
    # 60, the first byte of a TPDU, is a backtick: after a quotation mark, it is a byte and not a mark.
    marks = [text.rfind(mark, 0, start) for mark in "\"'`"]
    opened = [max(marks[:2])] if max(marks[:2]) == marks[2] - 1 >= 0 else []
    bodies = [_quoted(text, at, start) for at in dict.fromkeys([*opened, max(marks)])]
    if "" in bodies:
        bodies = [*filter(None, bodies), text[start - len(word_before(text, start)) :]]
    for body in dict.fromkeys(bodies):
        bases = [8] + [10] * bool(_DECIMAL.search(body)) + [0] * (not _OTHER_NUMBER.search(body))
        for base in [10] if named else bases:
            data, taken = _unescaped(body, base)
            if data:
                yield sighted("string with escapes", data, taken, paste)


def _quoted(text: str, at: int, start: int) -> str:
    """The text between the quotation mark at *at* and the closing one after *start*; empty if there is no
    mark."""
    end = text.find(text[at], start) if at >= 0 else -1
    while end > 0 and text[end - 1] == "\\":
        end = text.find(text[at], end + 1)
    return text[at + 1 : end] if end > 0 else text[at + 1 :] if at >= 0 else ""


def _unescaped(body: str, base: int) -> tuple[bytes, int]:
    """The bytes of the literal at the start of *body*, with numbers in *base*, as in C or Lua (0: only `\\0`,
    as in Rust and C#), and its number of characters."""
    data, at = bytearray(), 0
    for match in _ESCAPES[_NUMBERS.index(base)].finditer(body):
        if match.start() != at:
            break
        at = match.end()
        hexed, number, name, plain = match[1] or match[2], match[3], match[4], match[5]
        if hexed:
            data.append(int(hexed, 16))
        elif number:
            data.append(int(number, base or 8) & 0xFF)
        elif name:
            data.append(_NAMED.get(name, ord(name)))
        else:
            data.append(ord(plain))
    return bytes(data), at


def write(data: bytes) -> str:
    """*data* with every byte as an escape."""
    return '"' + "".join(_escaped(byte, False) for byte in data) + '"'


def rewrite(paste: str, old: bytes, new: bytes) -> str | None:
    """*paste* with *new* in place of *old* in its string with escapes; printable characters stay plain if
    some were."""
    for first in (0, *(match.end() for match in re.finditer(r"[\"'`]", paste))):
        at, data, plain = first, bytearray(), False
        quote = paste[first - 1 : first]
        while len(data) < len(old) and (match := _WRITTEN.match(paste, at)) and match[0] != quote:
            char = match[2] or match[3]
            data.append(int(match[1], 16) if match[1] else _LETTERS.get(match[3], ord(char)) & 0xFF)
            if data[-1] != old[len(data) - 1]:
                break
            at, plain = match.end(), plain or match[2] is not None
        if bytes(data) == old:
            upper = not re.search(r"\\x(?:[a-f]|.[a-f])", paste[first:at])
            texts = (
                chr(byte)
                if plain and byte in _PRINTED and chr(byte) not in "\\\"'`"
                else _escaped(byte, upper)
                for byte in new
            )
            return paste[:first] + "".join(texts) + paste[at:]
    return None


def _escaped(byte: int, upper: bool) -> str:
    return f"\\x{byte:02X}" if upper else f"\\x{byte:02x}"

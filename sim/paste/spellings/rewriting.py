"""Other bytes in the writing of a paste: the same dump, literal or line of a log, with these in it.

What was pasted is taken as its own pattern: digits, what stands between them, the length of rows, offsets and
gutter. What comes out is read again, and given only where it reads as those bytes.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from sim.paste.spellings.reading import readings
from sim.paste.spellings.rows import rows_rewritten

_DIGIT = re.compile(r"0[xX](?=[0-9A-Fa-f]{2})|[0-9A-Fa-f]")
_BETWEEN = re.compile(r"(?:\s|[:,;|\-]|0[xX]){0,40}")
_NUMBER = re.compile(r"0[xX][0-9A-Fa-f]{1,2}\b|(?<![0-9A-Za-z.])-?[0-9]{1,3}(?![0-9A-Za-z.])")
_ESCAPE = re.compile(r"\\x([0-9A-Fa-f]{2})|([^\\\r\n])|\\([ntr\\'\"])")
_NAMED = {"n": 10, "t": 9, "r": 13}
_PRINTED = range(0x20, 0x7F)

# Start and end of one byte in the paste, and what it is.
_Token = tuple[int, int, int]


def rewritten(paste: str, name: str, old: bytes, new: bytes) -> str | None:
    """*paste*, in which the reading called *name* saw the bytes *old*, with *new* in their place; None where
    its writing cannot be kept.

    >>> rewritten("log: 30 38 30 30 AA BB CC DD 00 11 22 33 end", "hex among other text",
    ...           bytes.fromhex("30383030AABBCCDD00112233"), bytes.fromhex("30383130AABBCCDD00112233"))
    'log: 30 38 31 30 AA BB CC DD 00 11 22 33 end'
    """
    if old == new:
        return paste
    made = next((make(paste, old, new) for start, make in _MAKERS if name.startswith(start)), None)
    again = made is not None and any(one.name == name and one.data == new for one in readings(made))
    return made if again else None


def _as_text(paste: str, old: bytes, new: bytes) -> str | None:
    """Characters that stand in the paste as they are."""
    there = old.decode("latin-1")
    return paste.replace(there, new.decode("latin-1"), 1) if there in paste else None


def _as_base64(paste: str, old: bytes, new: bytes) -> str | None:
    there, made = (base64.b64encode(data).decode() for data in (old, new))
    for mark in ("", "=", "=="):
        bare = there.removesuffix(mark) if mark else there
        if bare in paste and there.rstrip("=") in bare:
            return paste.replace(bare, made if bare == there else made.rstrip("="), 1)
    return None


def _as_hex(paste: str, old: bytes, new: bytes) -> str | None:
    for tokens in _hex_tokens(paste, old):
        upper = not any(char in "abcdef" for start, end, _ in tokens for char in paste[start:end])
        return _laid_out(paste, tokens, [f"{byte:02X}" if upper else f"{byte:02x}" for byte in new])
    return None


def _hex_tokens(paste: str, old: bytes) -> Iterator[list[_Token]]:
    """Where the bytes stand as pairs of digits, one behind the other."""
    places = [match.start() for match in _DIGIT.finditer(paste) if len(match[0]) == 1]
    digits = "".join(paste[at] for at in places).lower()
    at = digits.find(old.hex())
    while at >= 0:
        found = [
            (places[at + 2 * which], places[at + 2 * which + 1] + 1, byte) for which, byte in enumerate(old)
        ]
        gaps = [paste[one[1] : other[0]] for one, other in pairwise(found)]
        if all(one[1] - one[0] == 2 for one in found) and all(_BETWEEN.fullmatch(gap) for gap in gaps):
            yield found
        at = digits.find(old.hex(), at + 1)


def hex_places(paste: str, data: bytes) -> list[int]:
    """Where each byte of *data* stands in *paste* as two hex digits; empty where they do not, one behind the
    other.

    >>> hex_places("log: 08 00 20", bytes.fromhex("080020"))
    [5, 8, 11]
    """
    return [start for start, _, _ in next(_hex_tokens(paste, data), [])]


def _as_list(paste: str, old: bytes, new: bytes) -> str | None:
    tokens = [(one.start(), one.end(), _value(one[0])) for one in _NUMBER.finditer(paste)]
    start = bytes(value for _, _, value in tokens).find(old)
    if start < 0:
        return None
    found = tokens[start : start + len(old)]
    number = _numbers_like([paste[one:end] for one, end, _ in found])
    return _laid_out(paste, found, [number(byte) for byte in new])


def _value(text: str) -> int:
    return (int(text, 16) if text[:2] in ("0x", "0X") else int(text)) & 0xFF


def _numbers_like(texts: Sequence[str]) -> Callable[[int], str]:
    """What writes a byte as the numbers *texts* are written."""
    sign = texts[0][:2]
    if sign in ("0x", "0X"):
        short = min(map(len, texts)) < len("0x00")
        upper = not any(char in "abcdef" for one in texts for char in one)
        form = f"{sign}{{:{'' if short else '02'}{'X' if upper else 'x'}}}"
        return form.format
    signed = any(one.startswith("-") for one in texts)
    return lambda byte: str(byte - 0x100 if signed and byte > 0x7F else byte)


def _laid_out(paste: str, tokens: Sequence[_Token], texts: Sequence[str]) -> str:
    """*texts* in place of *tokens*, with between them what stood between those; rows go on as they did."""
    gaps = [paste[one[1] : other[0]] for one, other in pairwise(tokens)]
    row = next((at + 1 for at, gap in enumerate(gaps) if "\n" in gap), 0)
    made = [texts[0]] if texts else []
    for at, text in enumerate(texts[1:]):
        made += [gaps[at] if at < len(gaps) else gaps[at % (row or len(gaps))] if gaps else "", text]
    return paste[: tokens[0][0]] + "".join(made) + paste[tokens[-1][1] :]


def _as_escapes(paste: str, old: bytes, new: bytes) -> str | None:
    """One string with `\\x` escapes, and characters that stand for themselves where some did."""
    for first in (0, *(match.end() for match in re.finditer(r"[\"'`]", paste))):
        at, data, plain = first, bytearray(), False
        quote = paste[first - 1 : first]
        while len(data) < len(old) and (match := _ESCAPE.match(paste, at)) and match[0] != quote:
            shown = match[2] or match[3]
            data.append(int(match[1], 16) if match[1] else _NAMED.get(match[3], ord(shown)) & 0xFF)
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


# By how the names of readings begin.
_MAKERS: tuple[tuple[str, Callable[[str, bytes, bytes], str | None]], ...] = (
    ("hex dump with offsets", rows_rewritten),
    ("hex", _as_hex),
    ("text", _as_text),
    ("base64", _as_base64),
    ("list of byte values", _as_list),
    ("string with escapes", _as_escapes),
)

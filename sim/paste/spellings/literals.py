"""Bytes as programs print them: escapes in a quoted string, lists of numbers (signed ones, too), base64."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from sim.paste.spellings.numbered import Found, word_before
from sim.paste.spellings.tidy import uncommented

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
# No number of an octal escape.
_DECIMAL = re.compile(r"\\(?:[0-9]{0,2}[89]|[4-9][0-9]{2})")
# A backslash and digits may stand in a merchant's name; four of them are a literal.
_FEWEST_OCTAL = 4
# Where `\\0` alone is followed by digits, and no other number is escaped, it may be all of an escape.
_OTHER_NUMBER = re.compile(r"\\[1-9]|^(?!.*\\0[0-7])", re.DOTALL)
_NUMBERS = (8, 10, 0)
_NAMED = {"n": 10, "r": 13, "t": 9, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}
_CAST = re.compile(r"\((?:byte|sbyte|uint8|Byte)\)\s?")
_LISTED = re.compile(
    r"-?(?:0[xX][0-9A-Fa-f]{1,2}|[0-9]{1,3})(?:\s?[,;]\s{0,12}-?(?:0[xX][0-9A-Fa-f]{1,2}|[0-9]{1,3})){9,}"
)
# A number in quotation marks of its own.
_QUOTED_NUMBER = re.compile(r"(['\"])(-?(?:0[xX][0-9A-Fa-f]{1,2}|[0-9]{1,3}))\1(?=\s?[,;\]})])")
_SPACED = re.compile(
    r"(?<=[\[{(])\s{0,8}-?[0-9]{1,3}(?:\s{1,5}-?[0-9]{1,3}){9,}|0[xX][0-9A-Fa-f]{2}(?:\s{1,3}0[xX][0-9A-Fa-f]{2}){8,}"
    r"|(?<![0-9A-Za-z.])[0-2][0-9]{2}(?:\s{1,3}[0-2][0-9]{2}){11,}(?![0-9A-Za-z.])"
)
_NUMBER = re.compile(r"-?(?:0[xX][0-9A-Fa-f]{1,2}|[0-9]{1,3})")
_TOKEN = re.compile(r"[A-Za-z0-9+/_-]{20,}={0,2}")
_BLANK = re.compile(r"\s")
_HEX = re.compile(r"[0-9A-Fa-f]+")
# One byte as other languages write it, given as C does: Visual Basic, Pascal, an assembler, Kotlin, Rust, and
# terminals that show each in brackets.
_DIALECTS = (
    (re.compile(r"&[hH]([0-9A-Fa-f]{1,2})\b"), r"0x\1"),
    (re.compile(r"\$([0-9A-Fa-f]{2})\b"), r"0x\1"),
    (re.compile(r"\b0?([0-9A-Fa-f]{2})[hH]\b"), r"0x\1"),
    (re.compile(r"\b(0x[0-9A-Fa-f]{1,2}|[0-9]{1,3})(?:\.toByte\(\)|u8\b| as byte\b)"), r"\1"),
    (re.compile(r"\b16#([0-9A-Fa-f]{1,2})\b"), r"0x\1"),
    (re.compile(r"[\[<(]([0-9A-Fa-f]{2})[\]>)](?=[\[<(\r\n]|$)"), r"0x\1 "),
)
_IN_BRACKETS = tuple(
    re.compile(rf"{one}(?:0[xX])?([0-9A-Fa-f]{{2}}){two}")
    for one, two in ("<>", (r"\[", r"\]"), ("{", "}"), (r"\(", r"\)"))
)
_FEWEST_MARKED = 4
_BASE32 = re.compile(r"(?<![0-9A-Za-z+/_=-])(?:[A-Z2-7]{32,}|[a-z2-7]{32,})(?=={0,6}(?![0-9A-Za-z+/_=-]))")
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_FEWEST_PERCENT = 2
_PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~+*-"
_ENCODED = re.compile(r"(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9._~+*-])+")
_BASE64_LINES = re.compile(
    r"(?m)(?:^[ \t]{0,16}[A-Za-z0-9+/]{40,80}\r?\n)+[ \t]{0,16}[A-Za-z0-9+/]{1,80}={0,2}$"
)
_LOWEST, _HIGHEST = -128, 255


def all_of(text: str) -> Iterator[Found]:
    """Every literal in *text* that may hold a message; those in pieces were put together."""
    yield from _escapes(text)
    yield from _marked(text)
    yield from _lists(_as_in_c(_QUOTED_NUMBER.sub(r"\2", _CAST.sub("", uncommented(text)))))
    yield from _base64(text)
    yield from _base32(text)
    yield from _percent(text)


def _as_in_c(text: str) -> str:
    """*text* with the bytes of other languages as C writes them."""
    for pattern, plain in _DIALECTS:
        text = pattern.sub(plain, text)
    return text


def _percent(text: str) -> Iterator[Found]:
    """Bytes as a URL writes them."""
    first = _PERCENT.search(text)
    if first is None:
        return
    start = len(text[: first.start()].rstrip(_PLAIN))
    found = _ENCODED.match(text, start)
    if found is not None and len(_PERCENT.findall(found[0])) >= _FEWEST_PERCENT:
        yield "URL encoding", unquote_to_bytes(found[0].replace("+", " ")), len(found[0])


def _marked(text: str) -> Iterator[Found]:
    """Characters as they are, and those that do not print as hex digits in brackets: `<02>0800[82]`."""
    for pattern in _IN_BRACKETS:
        first = pattern.search(text)
        if first is None or len(pattern.findall(text)) < _FEWEST_MARKED:
            continue
        word = word_before(text, first.start())
        line = text[first.start() - len(word) :].splitlines()[0]
        parts = pattern.split(line)
        pieces = [
            bytes.fromhex(part) if place % 2 else part.encode("latin-1", "replace")
            for place, part in enumerate(parts)
        ]
        yield "hex in brackets among characters", b"".join(pieces), len(line)


def _escapes(text: str) -> Iterator[Found]:
    if not _ESCAPED.search(text) and len(_OCTAL.findall(text)) < _FEWEST_OCTAL:
        return
    start = min(match.start() for match in (_ESCAPED.search(text), _OCTAL.search(text)) if match)
    # 60, which begins a TPDU, is a backtick: behind a quotation mark it is a byte, no mark.
    marks = [text.rfind(mark, 0, start) for mark in "\"'`"]
    opened = [max(marks[:2])] if max(marks[:2]) == marks[2] - 1 >= 0 else []
    bodies = [_quoted(text, at, start) for at in dict.fromkeys([*opened, max(marks)])]
    if "" in bodies:
        bodies = [*filter(None, bodies), text[start - len(word_before(text, start)) :]]
    for body in dict.fromkeys(bodies):
        bases = [8] + [10] * bool(_DECIMAL.search(body)) + [0] * (not _OTHER_NUMBER.search(body))
        for base in bases:
            data, taken = _unescaped(body, base)
            if data:
                yield "string with escapes", data, taken


def _quoted(text: str, at: int, start: int) -> str:
    """What stands between the mark at *at* and the one that closes it behind *start*; empty where there is
    none."""
    end = text.find(text[at], start) if at >= 0 else -1
    while end > 0 and text[end - 1] == "\\":
        end = text.find(text[at], end + 1)
    return text[at + 1 : end] if end > 0 else text[at + 1 :] if at >= 0 else ""


def _unescaped(body: str, base: int) -> tuple[bytes, int]:
    """The bytes that *body* writes up to what is no part of a literal, numbers in *base* as C or Lua have
    them (0: `\\0` alone, as in Rust and C#), and how many characters that is."""
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


def _lists(text: str) -> Iterator[Found]:
    for pattern in (_LISTED, _SPACED):
        found = max(pattern.finditer(text), key=lambda match: len(match[0]), default=None)
        if found is None:
            continue
        values = [int(one, 0) if "x" in one.lower() else int(one) for one in _NUMBER.findall(found[0])]
        if all(_LOWEST <= value <= _HIGHEST for value in values):
            yield "list of byte values", bytes(value & 0xFF for value in values), len(found[0])


def _base32(text: str) -> Iterator[Found]:
    whole = _BASE32.fullmatch(_BLANK.sub("", text).strip("\"'`="))
    found = whole or max(_BASE32.finditer(text), key=lambda match: len(match[0]), default=None)
    if found is None or _HEX.fullmatch(found[0]):
        return
    try:
        data = base64.b32decode(found[0] + "=" * (-len(found[0]) % 8), casefold=True)
    except binascii.Error:
        return
    yield "base32", data, len(text) if whole else len(found[0])


def _base64(text: str) -> Iterator[Found]:
    whole = _BLANK.sub("", text).strip("\"'`")
    longest = max((match[0] for match in _TOKEN.finditer(text)), key=len, default="")
    lined = max(_BASE64_LINES.finditer(text), key=lambda match: len(match[0]), default=None)
    block = _BLANK.sub("", lined[0]) if lined else ""
    for token in dict.fromkeys((whole, block, longest)):
        if not _TOKEN.fullmatch(token) or _HEX.fullmatch(token):
            continue
        bare = token.rstrip("=")
        standard = bare.replace("-", "+").replace("_", "/")
        try:
            data = base64.b64decode(standard + "=" * (-len(bare) % 4), validate=True)
        except (binascii.Error, ValueError):
            continue
        # One character in four is there for the writing; a digit of base64 has six bits.
        taken = len(text) if token == whole else len(lined[0]) if lined and token == block else len(token)
        yield "base64", data, taken

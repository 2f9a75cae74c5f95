"""Bytes by their numbers, as languages, debuggers and terminals write them besides lists:
`Chr(48) & "200"`, `#48#$30'00'`, `<<16#30,"200">>`, `&#48;`, `=30`, `^@<F2>`, `[0] 48`,
one number a line, eight binary digits."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

# Name, bytes, and how many characters of the paste they were taken from.
Found = tuple[str, bytes, int]

_FEWEST, _FEWEST_LISTED = 4, 16
_LONGEST_WORD = 64
_NUMBER = r"(?P<number>[0-9]{1,3})"
_STRING = r"\"(?P<double>[^\"\r\n]*)\"|'(?P<single>[^'\r\n]*)'"
# How a byte among strings is written, with what in front of hex digits, and what stands between two of them.
_CHAINS = (
    (r"(?i:w?chr[wb]?)\$?\(\s?(?:%s)\s?\)", r"0[xX]|&[hH]|\$", r"[\s&+.,|_]{0,40}"),
    (r"#(?:%s)", r"\$", r"[\s+]{0,40}"),
    (r"(?<![0-9A-Za-z])(?:%s)(?![0-9A-Za-z.#])", r"0[xX]|16#", r"\s{0,40},\s{0,40}"),
)
_BYTES = tuple(
    (byte % f"(?:{front})(?P<hex>[0-9A-Fa-f]{{1,2}})|{_NUMBER}", between) for byte, front, between in _CHAINS
)
_CHAINED = tuple(
    (re.compile(byte), re.compile(f"{byte}|{_STRING}"), re.compile(between)) for byte, between in _BYTES
)
_VALUE = r"(-?(?:0[xX][0-9A-Fa-f]{1,2}|[0-9]{1,3}))(?![0-9A-Za-z.])"
_INDEXED = re.compile(
    r"(?<![0-9A-Za-z.])\[?['\"]?([0-9]{1,5})['\"]?\]?(?:\s{0,4}(?:=>|[:=])|\t| {2,4})\s{0,8}"
    rf"(?:\{{byte\}}\s?|\(byte\)\s?|int\()?{_VALUE}"
)
_ONE_A_LINE = re.compile(rf"(?m)^[ \t]{{0,16}}{_VALUE}[ \t]{{0,8}},?[ \t]{{0,8}}\r?$")
_BITS = re.compile(r"(?<![0-9A-Za-z])(?:[01]{8}[\s_,|-]{0,2}){16,}(?![0-9A-Za-z])")
_OCTET = re.compile(r"[01]{8}")
_ENTITY = re.compile(r"&#(?:[xX]([0-9A-Fa-f]{1,2})|([0-9]{1,3}));")
_QUOTED_PRINTABLE = re.compile(r"=([0-9A-F]{2})")
_GOES_ON = re.compile(r"=\r?\n")
_ON_TERMINAL = re.compile(r"<([0-9A-Fa-f]{2})>|(M-)?\^([@-_?])|M-([ -~])")
_LINE = re.compile(r"[^\r\n]*")
_LOWEST, _HIGHEST, _META = -128, 255, 128


def all_of(text: str) -> Iterator[Found]:
    """Every run of bytes in *text* that is written so.

    >>> next(all_of('Chr(48) & Chr(50) & "00" & Chr(&H82) & Chr(32)'))[1]
    b'0200\\x82 '
    """
    for byte, token, between in _CHAINED:
        yield from _chain(text, byte, token, between)
    yield from _listed(text)
    for found in _BITS.finditer(text):
        yield "binary digits", bytes(int(one, 2) for one in _OCTET.findall(found[0])), len(found[0])
    text = _GOES_ON.sub("", text)
    for name, mark, shown in (
        ("XML entities", _ENTITY, _by_entity),
        ("quoted-printable", _QUOTED_PRINTABLE, _by_hex),
        ("characters as terminals show them", _ON_TERMINAL, _by_terminal),
    ):
        if line := _marked(text, mark):
            hexed = [one[1] for one in mark.finditer(line)]
            if _uneven([one for one in hexed if one]) or (mark is _ENTITY and any(hexed) and not all(hexed)):
                continue
            yield name, html.unescape(mark.sub(shown, line)).encode("latin-1", "replace"), len(line)


def _chain(
    text: str, byte: re.Pattern[str], token: re.Pattern[str], between: re.Pattern[str]
) -> Iterator[Found]:
    """The longest run of bytes and strings with nothing but what joins them between."""
    best: list[re.Match[str]] = []
    now: list[re.Match[str]] = []
    tokens = token.finditer(text) if byte.search(text) else ()
    for match in tokens:
        if now and not between.fullmatch(text, now[-1].end(), match.start()):
            now = []
        now.append(match)
        best = now if len(now) > len(best) else best
    if _uneven([one["hex"] for one in best if one["hex"]]):
        return
    pieces = [_piece(one) for one in best]
    if sum(one.lastgroup in ("hex", "number") for one in best) >= _FEWEST and None not in pieces:
        data = b"".join(piece or b"" for piece in pieces)
        yield "bytes and strings", data, best[-1].end() - best[0].start()


def _uneven(digits: list[str]) -> bool:
    """Whether one of *digits* lacks a digit, as others show: these begin with a 0 of their own."""
    return any(len(one) == 1 for one in digits) and any(one[0] == "0" and len(one) > 1 for one in digits)


def _piece(match: re.Match[str]) -> bytes | None:
    """The bytes of one token; None for a number that is no byte."""
    if match["hex"] or match["number"]:
        value = int(match["hex"], 16) if match["hex"] else int(match["number"])
        return bytes([value]) if value <= _HIGHEST else None
    return (match["double"] or match["single"] or "").encode("latin-1", "replace")


def _listed(text: str) -> Iterator[Found]:
    """Bytes each behind its index from 0 on, as debuggers and consoles show an array; or one a line."""
    best: list[re.Match[str]] = []
    now: list[re.Match[str]] = []
    for match in _INDEXED.finditer(text):
        if int(match[1]) != len(now):
            now = []
        if int(match[1]) == len(now):
            now.append(match)
            best = now if len(now) > len(best) else best
    lines = list(_ONE_A_LINE.finditer(text))
    for found, value in ((best, 2), (lines, 1)):
        values = [int(one[value], 16 if "x" in one[value].lower() else 10) for one in found]
        if len(values) >= _FEWEST_LISTED and all(_LOWEST <= one <= _HIGHEST for one in values):
            taken = found[-1].end() - found[0].start()
            yield "list of byte values", bytes(one & 0xFF for one in values), taken


def _marked(text: str, mark: re.Pattern[str]) -> str:
    """The line with marks in it, from the word on that the first one stands in; empty for few marks."""
    starts = [match.start() for match, _ in zip(mark.finditer(text), range(_FEWEST), strict=False)]
    if len(starts) < _FEWEST:
        return ""
    found = _LINE.match(text, starts[0] - len(word_before(text, starts[0])))
    return found[0] if found else ""


def word_before(text: str, at: int) -> str:
    """What of a word stands directly in front of character *at*."""
    before = text[max(at - _LONGEST_WORD, 0) : at]
    return before.split()[-1] if before.strip() and not before[-1].isspace() else ""


def _by_entity(match: re.Match[str]) -> str:
    """Below 256 as it stands: HTML has other characters in the place of C1."""
    return chr(int(match[1], 16) if match[1] else int(match[2]) & 0xFF)


def _by_hex(match: re.Match[str]) -> str:
    return chr(int(match[1], 16))


def _by_terminal(match: re.Match[str]) -> str:
    hexed, meta, control, high = match.groups()
    if hexed:
        return chr(int(hexed, 16))
    return chr(ord(high) + _META) if high else chr((ord(control) ^ 0x40) + _META * bool(meta))

"""Byte values mixed with characters: `Chr(48) & "200"`, `#48#$30`, `<<16#30,"200">>`, `<02>0800[82]`,
`^@M-0`; and groups of eight binary digits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sim.paste.spellings import tidy
from sim.paste.spellings.sighting import Sighting, encoded, sighted, word_before

NAMES = (
    "bytes and strings",
    "binary digits",
    "hex in brackets among characters",
    "characters as terminals show them",
)
EXAMPLES = (
    ('Chr(48) & Chr(50) & "00" & Chr(&H82) & Chr(32)', b"0200\x82 "),
    ("0200<82><20><00><00><01>", b"0200\x82 \0\0\1"),
    ("0200M-^B ^@^@^A^@", b"0200\x82 \0\0\1\0"),
)
_FEWEST = 4
_NUMBER = r"(?P<number>[0-9]{1,3})"
_STRING = r"\"(?P<double>[^\"\r\n]*)\"|'(?P<single>[^'\r\n]*)'"
# A byte among strings, the prefixes of hex digits, and the separators.
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
_BITS = re.compile(r"(?<![0-9A-Za-z])(?:[01]{8}[\s_,|-]{0,2}){16,}(?![0-9A-Za-z])")
_OCTET = re.compile(r"[01]{8}")
_ON_TERMINAL = re.compile(r"<([0-9A-Fa-f]{2})>|(M-)?\^([@-_?])|M-([ -~])")
_LINE = re.compile(r"[^\r\n]*")
_IN_BRACKETS = tuple(
    re.compile(rf"{one}(?:0[xX])?([0-9A-Fa-f]{{2}}){two}")
    for one, two in ("<>", (r"\[", r"\]"), ("{", "}"), (r"\(", r"\)"))
)
_HIGHEST, _META = 255, 128


def find(text: str) -> Iterator[Sighting]:
    """Every run of such bytes in *text*."""
    joined = tidy.joined(text)
    for brackets in _IN_BRACKETS:
        yield from marked("hex in brackets among characters", joined, brackets, by_hex, text)
    for byte, token, between in _CHAINED:
        yield from _chain(text, byte, token, between)
    for match in _BITS.finditer(text):
        data = bytes(int(octet, 2) for octet in _OCTET.findall(match[0]))
        yield sighted("binary digits", data, len(match[0]), text)
    yield from marked("characters as terminals show them", text, _ON_TERMINAL, _by_terminal, text)


def _chain(
    text: str, byte: re.Pattern[str], token: re.Pattern[str], between: re.Pattern[str]
) -> Iterator[Sighting]:
    """The longest run of bytes and strings with only separators between them."""
    best: list[re.Match[str]] = []
    now: list[re.Match[str]] = []
    tokens = token.finditer(text) if byte.search(text) else ()
    for match in tokens:
        if now and not between.fullmatch(text, now[-1].end(), match.start()):
            now = []
        now.append(match)
        best = now if len(now) > len(best) else best
    if uneven([link["hex"] for link in best if link["hex"]]):
        return
    pieces = [_piece(link) for link in best]
    if sum(link.lastgroup in ("hex", "number") for link in best) >= _FEWEST and None not in pieces:
        data = b"".join(piece or b"" for piece in pieces)
        yield sighted("bytes and strings", data, best[-1].end() - best[0].start(), text)


def uneven(digits: list[str]) -> bool:
    """Whether one of *digits* has lost a digit: it is single, but others show a leading 0."""
    return any(len(number) == 1 for number in digits) and any(
        number[0] == "0" and len(number) > 1 for number in digits
    )


def _piece(match: re.Match[str]) -> bytes | None:
    """The bytes of one token; None if a number is too large for a byte."""
    if match["hex"] or match["number"]:
        value = int(match["hex"], 16) if match["hex"] else int(match["number"])
        return bytes([value]) if value <= _HIGHEST else None
    return (match["double"] or match["single"] or "").encode("latin-1", "replace")


def marked(
    name: str, text: str, mark: re.Pattern[str], character: Callable[[re.Match[str]], str], paste: str
) -> Iterator[Sighting]:
    """Plain characters, with a *mark* for each other one; its first group is hex digits: `<02>0800[82]`."""
    line = line_with(text, mark)
    if line and not uneven([match[1] for match in mark.finditer(line) if match[1]]):
        yield sighted(name, encoded(mark.sub(character, line)), len(line), paste)


def by_hex(match: re.Match[str]) -> str:
    """The character of a mark's hex digits."""
    return chr(int(match[1], 16))


def line_with(text: str, mark: re.Pattern[str]) -> str:
    """The line of *text* from the word with the first mark on; empty if *text* has too few marks."""
    starts = [match.start() for match, _ in zip(mark.finditer(text), range(_FEWEST), strict=False)]
    if len(starts) < _FEWEST:
        return ""
    line_match = _LINE.match(text, starts[0] - len(word_before(text, starts[0])))
    return line_match[0] if line_match else ""


def _by_terminal(match: re.Match[str]) -> str:
    hexed, meta, control, high = match.groups()
    if hexed:
        return by_hex(match)
    return chr(ord(high) + _META) if high else chr((ord(control) ^ 0x40) + _META * bool(meta))


def write(data: bytes) -> str:
    """*data* as a Visual Basic chain."""
    return " & ".join(f"Chr({byte})" for byte in data)

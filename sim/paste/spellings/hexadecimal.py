"""Hex digits: in pairs with any separators, in lines, in literals, with notes, within other text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from sim.paste.spellings import tidy
from sim.paste.spellings.sighting import Sighting, Token, laid_out, longest, sighted

NAMES = ("hex",)
EXAMPLES = (
    ("30 38 30 30 82 20 00 00 FF", bytes.fromhex("30383030 82200000 FF")),
    ("60 00 03 00 00 (TPDU) 02 00 (MTI) 30 20", bytes.fromhex("6000030000 0200 3020")),
    ('"30 38 30 30\\n" +\n"82 20 00 00\\n"', bytes.fromhex("30383030 82200000")),
    ("sent 0800202000000000000099000012 ok", bytes.fromhex("0800202000000000000099000012")),
)
# `\x` before all digits, as in PostgreSQL, is not an escape of only two of them.
_SEPARATORS = re.compile(
    r"0[xX](?=[0-9A-Fa-f]{2})|\\x(?=[0-9A-Fa-f]{16})|[\s:,;|\-]|(?<=[0-9A-Fa-f]{2})[._/](?=[0-9A-Fa-f]{2})"
)
_WRAPPING = " \t\r\n\"'`{}[]();,"
_HEX_ONLY = re.compile(r"[0-9A-Fa-f]{16,}")
# One word of digits; pairs with the same separator between them; anything that looks like pairs, but not a
# decimal number, such as a length or a thread, before one word.
_HEX_RUNS = (
    re.compile(r"(?<![0-9A-Za-z])(?:0[xX]|\\x)?[0-9A-Fa-f]{20,}(?![0-9A-Za-z])"),
    re.compile(
        r"(?<![0-9A-Za-z])[0-9A-Fa-f]{2}([\s:,;|\-._/]{1,2})[0-9A-Fa-f]{2}(?:\1[0-9A-Fa-f]{2}){8,}(?![0-9A-Za-z])"
    ),
    re.compile(
        r"(?<![0-9A-Za-z])(?![0-9]{2}\s[0-9A-Fa-f]{24})"
        r"(?:0[xX])?[0-9A-Fa-f]{2}(?:[\s:,;|\-]{0,2}(?:0[xX])?[0-9A-Fa-f]{2}){9,}"
        r"(?![0-9A-Fa-f]?[G-Zg-z])"
    ),
    re.compile(
        r"['\"](?:0[xX])?[0-9A-Fa-f]{2}['\"](?:\s{0,2},\s{0,20}['\"](?:0[xX])?[0-9A-Fa-f]{2}['\"]){9,}"
    ),
)
# Leading zeros are dropped, so no pair starts with 0.
_SHORT_HEX = re.compile(r"(?:[1-9A-Fa-f]?[0-9A-Fa-f]\s{1,2}){9,}[1-9A-Fa-f]?[0-9A-Fa-f]")
_SHORT_LIST = re.compile(
    r"(?<![0-9A-Za-z,])(?:[1-9A-Fa-f]?[0-9A-Fa-f],){15,}[1-9A-Fa-f]?[0-9A-Fa-f](?![0-9A-Za-z,])"
)
# Literals in COBOL, PL/I and SQL, one per part of a message.
_HEX_LITERAL = re.compile(r"(?<![0-9A-Za-z])[xX](['\"])([0-9A-Fa-f]{2,})\1")
_STATEMENT = re.compile(r";|\n[ \t\r]{0,8}\n")
# Digits that a window wrapped anywhere, after other text in the first line.
_BROKEN = re.compile(
    r"(?m)(?<![0-9A-Za-z])[0-9A-Fa-f]{8,}(?:(?:[ \t]*\r?\n){1,2}[ \t>]{0,8}[0-9A-Fa-f]+(?=[ \t]*\r?$))+"
)
# Escaped line ends, in a literal of several rows.
_LINE_END = re.compile(r"(?:\\[rnt])+")
_NOT_HEX = re.compile(r"0[xX](?=[0-9A-Fa-f]{2})|[^0-9A-Fa-f]")
_MOST_RUNS = 3
_DIGIT = re.compile(r"0[xX](?=[0-9A-Fa-f]{2})|[0-9A-Fa-f]")
_BETWEEN = re.compile(r"(?:\s|[:,;|\-]|0[xX]){0,40}")


def find(text: str) -> Iterator[Sighting]:
    """All of *text* as hex digits, without a person's notes; else the longest runs of them."""
    text, notes = tidy.unmasked(_LINE_END.sub("\n", tidy.joined(text)))
    for statement in _STATEMENT.split(text):
        if len(pieces := [match[2] for match in _HEX_LITERAL.finditer(statement)]) > 1:
            yield pairs("hex literals", digits := "".join(pieces), len(digits), text, notes)
            break
    for name, bare in (("hex", tidy.unwrapped), ("hex with notes", tidy.unnoted)):
        words = _SEPARATORS.sub(" ", bare(text).strip(_WRAPPING)).split()
        digits = "".join(words)
        if _HEX_ONLY.fullmatch(digits) and _in_pairs(words):
            yield pairs(name, digits, len(text), text, notes)
            return
    if _SHORT_HEX.fullmatch(text.strip(_WRAPPING)):
        digits = "".join(word.zfill(2) for word in text.strip(_WRAPPING).split())
        yield pairs("hex without leading zeros", digits, len(text), text, notes)
    for short in _SHORT_LIST.findall(text)[:_MOST_RUNS]:
        digits = "".join(word.zfill(2) for word in short.split(","))
        yield pairs("hex without leading zeros", digits, len(short), text, notes)
    if lines := tidy.rewrapped(text):
        yield pairs("hex in lines", _NOT_HEX.sub("", lines), len(lines), text, notes)
    if broken := longest(_BROKEN, text):
        yield pairs("hex in lines", _NOT_HEX.sub("", broken[0]), len(broken[0]), text, notes)
    runs: set[str] = set()
    text = tidy.unmargined(text)
    for pattern in _HEX_RUNS:
        for run in sorted(pattern.finditer(text), key=lambda match: -len(match[0]))[:_MOST_RUNS]:
            if run[0] not in runs:
                runs.add(run[0])
                run_notes = (*notes, *tidy.cut_behind(text, run.end()))
                yield pairs("hex among other text", _NOT_HEX.sub("", run[0]), len(run[0]), text, run_notes)


def _in_pairs(words: list[str]) -> bool:
    """Whether hex digits in these *words* are bytes: only the last word may end within one, unless all are
    lines of equal length, or single digits."""
    sizes = {len(word) for word in words[:-1]}
    return not any(size % 2 for size in sizes) or (len(sizes) == 1 and len(words[-1]) <= max(sizes))


def pairs(name: str, digits: str, taken: int, text: str, notes: tuple[str, ...] = ()) -> Sighting:
    """The bytes of hex *digits*; an odd last digit is left out, with a note."""
    even = digits[: len(digits) & ~1]
    odd = ("an odd number of hex digits: the last one is left out",) if even != digits else ()
    return sighted(name, bytes.fromhex(even), taken, text, (*odd, *notes))


def write(data: bytes) -> str:
    """*data* as pairs of digits."""
    return data.hex(" ").upper()


def rewrite(paste: str, old: bytes, new: bytes) -> str | None:
    """*paste* with the digits of *new* in place of those of *old*, and the same separators."""
    for tokens in _tokens(paste, old):
        upper = set("abcdef").isdisjoint(paste[tokens[0][0] : tokens[-1][1]])
        return laid_out(paste, tokens, [f"{byte:02X}" if upper else f"{byte:02x}" for byte in new])
    return None


def _tokens(paste: str, old: bytes) -> Iterator[list[Token]]:
    """Each place where the bytes are consecutive pairs of digits."""
    places = [match.start() for match in _DIGIT.finditer(paste) if len(match[0]) == 1]
    digits = "".join(paste[at] for at in places).lower()
    at = digits.find(old.hex())
    while at >= 0:
        tokens = [
            (places[at + 2 * which], places[at + 2 * which + 1] + 1, byte) for which, byte in enumerate(old)
        ]
        gaps = {paste[token[1] : other[0]] for token, other in pairwise(tokens)}
        if all(token[1] - token[0] == 2 for token in tokens) and all(map(_BETWEEN.fullmatch, gaps)):
            yield tokens
        at = digits.find(old.hex(), at + 1)


def places(paste: str, data: bytes) -> list[int]:
    """The position in *paste* of each byte of *data*; empty if they are not consecutive pairs of digits
    there.

    >>> places("0 8 00 20: 08 00 20", bytes.fromhex("080020"))
    [11, 14, 17]
    """
    return [start for start, _, _ in next(_tokens(paste, data), [])]

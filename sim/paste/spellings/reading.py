"""Every way to see bytes in a paste. Each reading says how many bits it saves: 8 for a character that it
takes, less 8 for a byte that it gives, less a little for each character around it that it does not use; so
readings of one paste can be compared with each other by what they explain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sim.paste.spellings import checked, literals, numbered, tidy
from sim.paste.spellings.hexdump import HexDump, bare_rows, columns, rows
from sim.paste.spellings.octal import octal_rows
from sim.paste.spellings.vertical import vertical

MOST_CHARACTERS = 65536
_BYTE = 8.0
_AROUND = 1.6
_SWAPPED = 12.0
_MOST_BLANKS = 64
# Far more blanks in a row than any dump has; a paste of nothing else must not cost more than its length.
_BLANKS = re.compile(r"[ \t]{64,}|[\r\n]{64,}")
# `\x` in front of all digits, as PostgreSQL shows bytes, is no escape of two of them.
_SEPARATORS = re.compile(
    r"0[xX](?=[0-9A-Fa-f]{2})|\\x(?=[0-9A-Fa-f]{16})|[\s:,;|\-]|(?<=[0-9A-Fa-f]{2})[._/](?=[0-9A-Fa-f]{2})"
)
_WRAPPING = " \t\r\n\"'`{}[]();,"
_HEX_ONLY = re.compile(r"[0-9A-Fa-f]{16,}")
# One word of digits; pairs with the same separator between them; anything that looks like pairs.
_HEX_RUNS = (
    re.compile(r"(?<![0-9A-Za-z])(?:0[xX]|\\x)?[0-9A-Fa-f]{20,}(?![0-9A-Za-z])"),
    re.compile(
        r"(?<![0-9A-Za-z])[0-9A-Fa-f]{2}([\s:,;|\-._/]{1,2})[0-9A-Fa-f]{2}(?:\1[0-9A-Fa-f]{2}){8,}(?![0-9A-Za-z])"
    ),
    re.compile(
        r"(?<![0-9A-Za-z])(?:0[xX])?[0-9A-Fa-f]{2}(?:[\s:,;|\-]{0,2}(?:0[xX])?[0-9A-Fa-f]{2}){9,}"
        r"(?![0-9A-Fa-f]?[G-Zg-z])"
    ),
    re.compile(
        r"['\"](?:0[xX])?[0-9A-Fa-f]{2}['\"](?:\s{0,2},\s{0,20}['\"](?:0[xX])?[0-9A-Fa-f]{2}['\"]){9,}"
    ),
)
# Without the first digit where that is 0: none of two digits begins with it then.
_SHORT_HEX = re.compile(r"(?:[1-9A-Fa-f]?[0-9A-Fa-f]\s{1,2}){9,}[1-9A-Fa-f]?[0-9A-Fa-f]")
_SHORT_LIST = re.compile(
    r"(?<![0-9A-Za-z,])(?:[1-9A-Fa-f]?[0-9A-Fa-f],){15,}[1-9A-Fa-f]?[0-9A-Fa-f](?![0-9A-Za-z,])"
)
# Literals of COBOL, PL/I and SQL, one for each part of a message.
_HEX_LITERAL = re.compile(r"(?<![0-9A-Za-z])[xX](['\"])([0-9A-Fa-f]{2,})\1")
_STATEMENT = re.compile(r";|\n[ \t\r]{0,8}\n")
# Digits that a window broke anywhere, behind other text in the first line.
_BROKEN = re.compile(
    r"(?m)(?<![0-9A-Za-z])[0-9A-Fa-f]{8,}(?:[ \t]*\r?\n[ \t>]{0,8}[0-9A-Fa-f]{2,}(?=[ \t]*\r?$))+"
)
_NOT_HEX = re.compile(r"0[xX](?=[0-9A-Fa-f]{2})|[^0-9A-Fa-f]")
_MOST_RUNS = 3
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
_APART = "MTI, bitmap and data put together"
_PARTS = re.compile(
    r"(?im)\bMTI\b[^0-9\r\n]{0,20}([0-9]{4})\b[^0-9A-F]{0,4}\s*.{0,40}?bit ?map[^:=\r\n]{0,20}[:=]\W{0,4}"
    r"([0-9A-F]{32}|[0-9A-F]{16})\b\W{0,4}(?:[^:=\r\n]{0,20}\b(?:data|body|fields|elements|payload|rest|content)\w{0,9}"
    r"\W{0,3}[:=]\s?)(['\"]?)([^\r\n]{6,}?)\3\s*$"
)
_BLANK = re.compile(r"\s")
_LINE = re.compile(r"[^\r\n]*")
_QUOTES = "\"'`"
_CLOSING = re.compile(r"[\"'`\]}>]")


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to see bytes in a paste: its *name*, the *data*, the bits it *saved*, and *notes* on what had
    to be assumed. *text* says that the data are the characters of the paste as they stand. The repr leaves
    the data out: they hold card numbers."""

    name: str
    data: bytes
    saved: float
    notes: tuple[str, ...] = ()
    text: bool = False

    def __repr__(self) -> str:
        return f"Reading({self.name!r}, {len(self.data)} bytes, {self.saved:.0f} bits)"


def readings(paste: str) -> list[Reading]:
    """Every way to see bytes in *paste*, of which at most MOST_CHARACTERS characters are looked at.

    Parameters
    ----------
    paste : str
        What a person copied: a dump, a literal, a line of a log, the text form of a message.

    Returns
    -------
    list of Reading
        The characters themselves first, then those in it that may be a message, then dumps, hex digits,
        literals and base64. Never empty.

    Examples
    --------
    >>> [one.name for one in readings("30 38 30 30 20 20 00 00 00 80 00 00")]
    ['text', 'hex']
    """
    return list(_each(paste))


def reading_named(paste: str, name: str) -> Reading | None:
    """The way called *name* to see bytes in *paste*; None where that is none. What follows it is not made."""
    made = next((make for start, make in _MAKERS if name.startswith(start)), None)
    found = made(_text(paste)) if made else _each(paste)
    return next((one for one in found if one.name == name), None)


def _text(paste: str) -> str:
    return tidy.plain(_BLANKS.sub(_fewer, paste[:MOST_CHARACTERS].lstrip("\ufeff")))


def _fewer(blanks: re.Match[str]) -> str:
    return "\n" * _MOST_BLANKS if "\n" in blanks[0] else " " * _MOST_BLANKS


def _each(paste: str) -> Iterator[Reading]:
    text = _text(paste)
    yield Reading("text", _encoded(_bare(text)), 0.0, text=True)
    joined = tidy.joined(text)
    yield from _inside(joined)
    yield from _apart(text)
    yield from _lines_joined(text)
    yield from _dumps(text)
    yield from _hex(text)
    for name, data, taken in (*literals.all_of(joined), *numbered.all_of(text)):
        yield _taken(name, data, taken, text)


def _bare(text: str) -> str:
    """*text* without the line ending that copying brings along."""
    return text[:-2] if text.endswith("\r\n") else text[:-1] if text.endswith(("\n", "\r")) else text


def _encoded(text: str) -> bytes:
    return text.encode("latin-1", "replace")


def _taken(name: str, data: bytes, taken: int, text: str, notes: tuple[str, ...] = ()) -> Reading:
    saved = _BYTE * (taken - len(data)) - _AROUND * (len(text) - taken)
    return Reading(name, data, saved, notes)


def _inside(text: str) -> Iterator[Reading]:
    """Messages in text with other text around them: a log line, a quotation."""
    whole = _bare(text)
    seen = {whole}
    places = (match.start() for match in _MESSAGE.finditer(text))
    for start, _ in zip(places, range(_MOST_PLACES), strict=False):
        match = _LINE.match(text, start)
        line = match[0] if match else ""
        if (mark := text[start - 1 : start]) and mark in _QUOTES and mark in line:
            line = line.rpartition(mark)[0]  # no mark is the last character of what stands between two
        for part in (line, _CLOSING.split(line, maxsplit=1)[0]):
            if part not in seen:
                seen.add(part)
                name = "text among other text"
                yield Reading(name, _encoded(part), -_AROUND * (len(text) - len(part)), text=True)


def _apart(text: str) -> Iterator[Reading]:
    """MTI, bitmap and the rest, which a log shows apart, put together again: as characters, and as hex."""
    match = _PARTS.search(text)
    if match is None:
        return
    mti, bits, rest = match[1], match[2], match[4]
    taken = len(mti) + len(bits) + len(rest)
    note = ("MTI, bitmap and data were shown apart",)
    yield Reading(_APART, _encoded(mti + bits + rest), -_AROUND * (len(text) - taken), note, True)
    digits = _BLANK.sub("", rest)
    if _HEX_ONLY.fullmatch(digits):
        for head in (mti, mti.encode().hex()):
            yield _pairs(f"{_APART}, in hex", head + bits + digits, taken, text)


def _lines_joined(text: str) -> Iterator[Reading]:
    """A text form that was wrapped, or broken where it was copied: its lines put together."""
    text = tidy.unwrapped(text)
    lines = _bare(text).splitlines()
    if len(lines) > 1 and _MESSAGE.match(lines[0].lstrip()):
        joined = "".join(lines).strip()
        yield Reading("text in lines", _encoded(joined), -_AROUND * len(lines), text=True)
    elif len(lines) > 1 and (block := _BLOCK.search(text)):
        joined = _INDENT.sub("", block[0].lstrip(_QUOTING)).strip()
        yield Reading("text in lines", _encoded(joined), -_AROUND * (len(text) - len(joined)), text=True)


def _dumps(text: str) -> Iterator[Reading]:
    for other in octal_rows(text):
        yield _taken(other.name, other.data, other.characters, text)
    for image in checked.all_of(text):
        yield _taken(*image, text)
    if under := vertical(text):
        yield _taken("vertical hex", *under, text)
    shown, notes = tidy.unmasked(text)
    found: HexDump | None = rows(shown) or bare_rows(shown) or columns(shown)
    if found is None:
        return
    name = "hex dump with offsets" if found.offsets else "hex dump"
    yield _taken(name, found.data[: found.size], found.characters, text, notes)
    if found.word > 1:
        even = found.data[: len(found.data) // found.word * found.word]
        swapped = bytes(even[at ^ (found.word - 1)] for at in range(len(even)))[: found.size]
        kept = _taken(f"{name}, bytes of each word swapped", swapped, found.characters, text)
        yield Reading(kept.name, kept.data, kept.saved - _SWAPPED)


def _hex(text: str) -> Iterator[Reading]:
    text, notes = tidy.unmasked(tidy.joined(text))
    for statement in _STATEMENT.split(text):
        if len(pieces := [found[2] for found in _HEX_LITERAL.finditer(statement)]) > 1:
            yield _pairs("hex literals", digits := "".join(pieces), len(digits), text, notes)
            break
    for name, bare in (("hex", tidy.unwrapped), ("hex with notes", tidy.unnoted)):
        words = _SEPARATORS.sub(" ", bare(text).strip(_WRAPPING)).split()
        digits = "".join(words)
        if _HEX_ONLY.fullmatch(digits) and _in_pairs(words):
            yield _pairs(name, digits, len(text), text, notes)
            return
    if _SHORT_HEX.fullmatch(text.strip(_WRAPPING)):
        digits = "".join(word.zfill(2) for word in text.strip(_WRAPPING).split())
        yield _pairs("hex without leading zeros", digits, len(text), text, notes)
    for short in _SHORT_LIST.findall(text)[:_MOST_RUNS]:
        digits = "".join(word.zfill(2) for word in short.split(","))
        yield _pairs("hex without leading zeros", digits, len(short), text, notes)
    if lines := tidy.rewrapped(text):
        yield _pairs("hex in lines", _NOT_HEX.sub("", lines), len(lines), text, notes)
    for broken in sorted(_BROKEN.findall(text), key=len)[-1:]:
        yield _pairs("hex in lines", _NOT_HEX.sub("", broken), len(broken), text, notes)
    seen: set[str] = set()
    for pattern in _HEX_RUNS:
        for run in sorted(pattern.finditer(text), key=lambda match: -len(match[0]))[:_MOST_RUNS]:
            if run[0] not in seen:
                seen.add(run[0])
                said = (*notes, *tidy.cut_behind(text, run.end()))
                yield _pairs("hex among other text", _NOT_HEX.sub("", run[0]), len(run[0]), text, said)


def _in_pairs(words: list[str]) -> bool:
    """Whether hex digits in such *words* are bytes: no word but the last ends within one, unless all are
    lines cut after as many digits, or single digits."""
    sizes = {len(word) for word in words[:-1]}
    return not any(size % 2 for size in sizes) or (len(sizes) == 1 and len(words[-1]) <= max(sizes))


def _pairs(name: str, digits: str, taken: int, text: str, notes: tuple[str, ...] = ()) -> Reading:
    even = digits[: len(digits) & ~1]
    odd = ("an odd number of hex digits: the last one is left out",) if even != digits else ()
    return _taken(name, bytes.fromhex(even), taken, text, (*odd, *notes))


# What alone makes readings of such a name: nothing else need be looked for then.
_MAKERS = (("hex dump", _dumps), ("dump of", _dumps), ("vertical", _dumps), ("hex", _hex))

"""Bytes seen in a paste, with what is needed to compare sightings and to replace the bytes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sim.paste.weights import WEIGHTS

GIVEN = "bytes"  # the sighting of input that is bytes
_BYTE = 8.0
_AROUND = WEIGHTS["around"]
_LONGEST_WORD = 64
_LEGIBLE, _PRINTED = 0.95, bytes(range(0x20, 0x7F)) + b"\r\n\t"
# Start and end of one byte in the paste, and its value.
Token = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Sighting:
    """One way to see bytes in a paste: its *name*, the *data*, the bits *saved*, and *notes* on assumptions.
    *text* says that the data are unchanged characters of the paste. The repr omits the data, which may
    contain card numbers."""

    name: str
    data: bytes
    saved: float
    notes: tuple[str, ...] = ()
    text: bool = False

    def __repr__(self) -> str:
        return f"Sighting({self.name!r}, {len(self.data)} bytes, {self.saved:.0f} bits)"


def sighted(name: str, data: bytes, taken: int, text: str, notes: tuple[str, ...] = ()) -> Sighting:
    """The sighting called *name* of *data*, spelled by *taken* characters of *text*."""
    return Sighting(name, data, _BYTE * (taken - len(data)) - around(len(text) - taken), notes)


def around(characters: int) -> float:
    """The cost in bits of *characters* unread characters around those read."""
    return _AROUND * characters


def encoded(text: str) -> bytes:
    """The characters of *text*, one byte each."""
    return text.encode("latin-1", "replace")


def is_legible(data: bytes, share: float = _LEGIBLE) -> bool:
    """Whether *data* are printable ASCII or line ends, except a few."""
    return len(data) - len(data.translate(None, _PRINTED)) >= share * len(data)


def longest(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The longest match of *pattern* in *text*, the first of equals; None if there is none."""
    return max(pattern.finditer(text), key=lambda match: len(match[0]), default=None)


def word_before(text: str, at: int) -> str:
    """The part of a word directly before character *at*."""
    before = text[max(at - _LONGEST_WORD, 0) : at]
    return before.split()[-1] if before.strip() and not before[-1].isspace() else ""


def laid_out(paste: str, tokens: Sequence[Token], texts: Sequence[str]) -> str:
    """*paste* with *texts* in place of *tokens* and the same separators, repeated by rows if there are more
    texts."""
    gaps = [paste[token[1] : other[0]] for token, other in pairwise(tokens)]
    row = next((at + 1 for at, gap in enumerate(gaps) if "\n" in gap), 0)
    pieces = [texts[0]] if texts else []
    for at, text in enumerate(texts[1:]):
        pieces += [gaps[at] if at < len(gaps) else gaps[at % (row or len(gaps))] if gaps else "", text]
    return paste[: tokens[0][0]] + "".join(pieces) + paste[tokens[-1][1] :]

"""Spellings: the notations in which people write the bytes of a message, or name its elements one by one.

Each spelling is a file: `find` yields what it sees in a text, `write` writes bytes, `rewrite` replaces the
bytes in a paste, `NAMES` are the prefixes of its sightings' names, and `EXAMPLES` are its tests. To add one,
write a file and put it in `BYTES` or `ELEMENTS`. Spellings do not know what a message is: the guess decides
which sighting is right. Everything here takes linear time, and nothing follows an entity, a length or a
reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from types import ModuleType

from sim.paste.spellings import (
    byte_list,
    chains,
    characters,
    dictionaries,
    element_log,
    element_table,
    encoded,
    escapes,
    hexadecimal,
    hexdump,
    octal,
    program_text,
    tidy,
    vertical,
    xml,
)
from sim.paste.spellings.dump_log import LoggedDump, dumps_apart
from sim.paste.spellings.element_table import Wide
from sim.paste.spellings.elements import Named
from sim.paste.spellings.sighting import GIVEN, Sighting, is_legible
from sim.paste.spellings.tidy import AS_UTF8, CUT, MASKED, narrowed, narrowed_utf8
from sim.paste.spellings.worded import WORDED, worded

__all__ = [
    "AS_UTF8",
    "BYTES",
    "CUT",
    "ELEMENTS",
    "GIVEN",
    "MASKED",
    "MOST_CHARACTERS",
    "WORDED",
    "LoggedDump",
    "Named",
    "Sighting",
    "Wide",
    "dumps_apart",
    "is_legible",
    "looks_at_all",
    "named",
    "narrowed",
    "narrowed_utf8",
    "rewritten",
    "sighting_named",
    "sightings",
    "worded",
]

# Spellings of bytes; if two see the same bytes, the first one names them.
BYTES: tuple[ModuleType, ...] = (
    *(characters, octal, vertical, hexdump, hexadecimal, escapes, byte_list, encoded, chains),
)
# Spellings of named elements; the first that finds any wins.
ELEMENTS: tuple[ModuleType, ...] = (xml, dictionaries, program_text, element_table, element_log)

MOST_CHARACTERS = 65536
# The length of the longest element.
_MOST_BLANKS = 999
# More blanks in a row than any paste has; they must not cost more than linear time.
_BLANKS = re.compile(rf"[ \t]{{{_MOST_BLANKS},}}|[\r\n]{{64,}}")


def sightings(paste: str) -> list[Sighting]:
    """Every way to see bytes in the first MOST_CHARACTERS characters of *paste*.

    Parameters
    ----------
    paste : str
        What a person copied: a dump, a literal, a line of a log, the text form of a message.

    Returns
    -------
    list of Sighting
        The characters themselves first, then those in it that may be a message, then dumps, hex digits,
        literals and base64. Never empty.

    Examples
    --------
    >>> [one.name for one in sightings("30 38 30 30 20 20 00 00 00 80 00 00")]
    ['text', 'hex']
    """
    return list(_find_sightings(paste, BYTES))


def sighting_named(paste: str, name: str) -> Sighting | None:
    """The sighting called *name* in *paste*, or that of the whole *paste* in place of one among other text;
    None if there is none."""
    seen = _find_sightings(paste, _of_name(name))
    by_name = {sighting.name: sighting for sighting in reversed([*seen])}
    return by_name.get(name) or by_name.get(name.removesuffix(" among other text"))


def _of_name(name: str) -> list[ModuleType]:
    """The spellings whose sightings may be called *name*."""
    return [module for module in BYTES if name.startswith(module.NAMES)]


def _find_sightings(paste: str, spellings: Iterable[ModuleType]) -> Iterator[Sighting]:
    bare = paste[:MOST_CHARACTERS].lstrip("\ufeff")
    text = tidy.plain(_BLANKS.sub(lambda run: run[0][: 64 if run[0][0] in "\r\n" else _MOST_BLANKS], bare))
    for spelling in spellings:
        yield from spelling.find(text)


def rewritten(paste: str, name: str, old: bytes, new: bytes) -> str | None:
    """*paste* with the bytes *new* in place of *old*, which the sighting called *name* saw; None if the
    notation cannot be kept. The paste is the pattern: digits, separators, row length, offsets and gutter. The
    result is returned only if it reads as *new*.

    >>> rewritten("log: 30 38 30 30 AA BB CC DD 00 11 22 33 end", "hex among other text",
    ...           bytes.fromhex("30383030AABBCCDD00112233"), bytes.fromhex("30383130AABBCCDD00112233"))
    'log: 30 38 31 30 AA BB CC DD 00 11 22 33 end'
    """
    if old == new:
        return paste
    spelling = next((module for module in _of_name(name) if hasattr(module, "rewrite")), None)
    text: str | None = spelling.rewrite(paste, old, new) if spelling else None
    if text is None and name == "hex dump":  # without offsets
        text = hexadecimal.rewrite(paste, old, new)
    again = text is not None and any(
        sighting.name == name and sighting.data == new for sighting in _find_sightings(text, _of_name(name))
    )
    return text if again else None


def named_messages(paste: str) -> list[Named]:
    """The messages whose elements *paste* names: in XML, JSON, printed dictionaries, program text, tables or
    logs.

    Parameters
    ----------
    paste : str
        What a person copied.

    Returns
    -------
    list of Named
        In order; empty if the paste names no elements.

    Examples
    --------
    >>> [one.mti for one in named_messages('{"mti": "0800", "3": "990000", "11": "123456"}')]
    ['0800']
    """
    return next((messages for module in ELEMENTS if (messages := list(module.find(paste)))), [])


def looks_at_all(paste: str) -> bool:
    """Whether `named_messages` reads all of *paste*: spellings stop after a maximum of lines or records."""
    return paste.count("\n") < element_log.MOST_LINES and paste.count("{") < dictionaries.MOST_RECORDS

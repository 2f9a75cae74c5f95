"""Spellings: the ways in which people write the bytes of a message, or name its elements one by one.

A spelling is one file: `find` gives what it sees in a text, `write` writes bytes so, `rewrite` puts other
bytes into a paste that is written so, `NAMES` are how the names of its sightings begin, and `EXAMPLES` are
its tests. A new one is a file and its place in `BYTES` or `ELEMENTS`. None knows what a message is: which
sighting is right is for the guess to judge. Everything here takes time linear in the paste, and nothing
follows an entity, a length or a reference.
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

# Where bytes are seen; of two that see the same ones, the first says how they are written.
BYTES: tuple[ModuleType, ...] = (
    *(characters, octal, vertical, hexdump, hexadecimal, escapes, byte_list, encoded, chains),
)
# Where elements are named; the first that names some is right.
ELEMENTS: tuple[ModuleType, ...] = (xml, dictionaries, program_text, element_table, element_log)

MOST_CHARACTERS = 65536
# As long as an element of a message can be.
_MOST_BLANKS = 999
# Far more in a row than any paste has; one of nothing else must not cost more than its length.
_BLANKS = re.compile(rf"[ \t]{{{_MOST_BLANKS},}}|[\r\n]{{64,}}")


def sightings(paste: str) -> list[Sighting]:
    """Every way to see bytes in *paste*, of which at most MOST_CHARACTERS characters are looked at.

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
    return list(_found(paste, BYTES))


def sighting_named(paste: str, name: str) -> Sighting | None:
    """The way called *name* to see bytes in *paste*; None where that is none."""
    found = _found(paste, [one for one in BYTES if name.startswith(one.NAMES)])
    return next((one for one in found if one.name == name), None)


def _found(paste: str, spellings: Iterable[ModuleType]) -> Iterator[Sighting]:
    text = tidy.plain(_BLANKS.sub(_fewer, paste[:MOST_CHARACTERS].lstrip("\ufeff")))
    for spelling in spellings:
        yield from spelling.find(text)


def _fewer(blanks: re.Match[str]) -> str:
    return blanks[0][:64] if blanks[0][0] in "\r\n" else blanks[0][:_MOST_BLANKS]


def rewritten(paste: str, name: str, old: bytes, new: bytes) -> str | None:
    """*paste*, in which the sighting called *name* saw the bytes *old*, with *new* in their place; None where
    its writing cannot be kept. What was pasted is taken as its own pattern: digits, what stands between them,
    the length of rows, offsets and gutter. What comes out is given only where it reads as those bytes.

    >>> rewritten("log: 30 38 30 30 AA BB CC DD 00 11 22 33 end", "hex among other text",
    ...           bytes.fromhex("30383030AABBCCDD00112233"), bytes.fromhex("30383130AABBCCDD00112233"))
    'log: 30 38 31 30 AA BB CC DD 00 11 22 33 end'
    """
    if old == new:
        return paste
    spelling = next((one for one in BYTES if name.startswith(one.NAMES) and hasattr(one, "rewrite")), None)
    made: str | None = spelling.rewrite(paste, old, new) if spelling else None
    if made is None and name == "hex dump":  # without offsets
        made = hexadecimal.rewrite(paste, old, new)
    again = made is not None and any(one.name == name and one.data == new for one in sightings(made))
    return made if again else None


def named(paste: str) -> list[Named]:
    """The messages whose elements *paste* names: XML, JSON, what programs print of their
    dictionaries, program text that sets elements, tables, logs of elements.

    Parameters
    ----------
    paste : str
        What a person copied.

    Returns
    -------
    list of Named
        In their order; empty where elements have to be read from bytes.

    Examples
    --------
    >>> [one.mti for one in named('{"mti": "0800", "3": "990000", "11": "123456"}')]
    ['0800']
    """
    return next((found for one in ELEMENTS if (found := list(one.find(paste)))), [])


def looks_at_all(paste: str) -> bool:
    """Whether `named` looks at all of *paste*: its spellings stop after so many lines or records."""
    return paste.count("\n") < element_log.MOST_LINES and paste.count("{") < dictionaries.MOST_RECORDS

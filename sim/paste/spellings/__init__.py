"""Spellings: the ways in which people write the bytes of a message, and how to get the bytes back.

A paste is a hex dump, a literal of some language, base64, a log line with a message in it. `readings` gives
every way to see bytes in it; `named` gives messages whose elements the paste names one by one (jPOS XML,
JSON, logs of elements). Neither knows what a message is: which reading is right is for the guess to judge.
Everything here takes time linear in the paste, and nothing follows an entity, a length or a reference.
"""

from sim.paste.spellings.apart import LoggedDump, dumps_apart
from sim.paste.spellings.named import Named, looks_at_all, named
from sim.paste.spellings.reading import MOST_CHARACTERS, Reading, reading_named, readings
from sim.paste.spellings.rewriting import rewritten
from sim.paste.spellings.tables import Wide
from sim.paste.spellings.tidy import AS_UTF8, CUT, MASKED, narrowed, narrowed_utf8
from sim.paste.spellings.worded import WORDED, worded

__all__ = [
    "AS_UTF8",
    "CUT",
    "MASKED",
    "MOST_CHARACTERS",
    "WORDED",
    "LoggedDump",
    "Named",
    "Reading",
    "Wide",
    "dumps_apart",
    "looks_at_all",
    "named",
    "narrowed",
    "narrowed_utf8",
    "reading_named",
    "readings",
    "rewritten",
    "worded",
]

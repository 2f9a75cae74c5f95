"""Messages whose elements a paste names, whichever way it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sim.paste.spellings import elements, isomsg, lines, literal_pairs, records, tables
from sim.paste.spellings.parts import Named

__all__ = ["Named", "looks_at_all", "named", "texts"]

texts = records.texts
_READERS: tuple[Callable[[str], Iterator[Named]], ...] = (
    *(isomsg.messages, elements.messages, records.messages, literal_pairs.messages),
    *(tables.messages, lines.messages),
)


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
    for reader in _READERS:
        if found := list(reader(paste)):
            return found
    return []


def looks_at_all(paste: str) -> bool:
    """Whether `named` looks at all of *paste*: its readers stop after so many lines or records."""
    return paste.count("\n") < lines.MOST_LINES and paste.count("{") < records.MOST_RECORDS

"""Messages whose elements a paste names, whichever way it does."""

from __future__ import annotations

from sim.codec.wire.dumps import isomsg, lines, records
from sim.codec.wire.dumps.parts import Named

__all__ = ["Named", "named", "texts"]

texts = records.texts


def named(paste: str) -> list[Named]:
    """The messages whose elements *paste* names: jPOS XML, JSON and printed dictionaries, logs of elements.

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
    return list(isomsg.messages(paste)) or list(records.messages(paste)) or list(lines.messages(paste))

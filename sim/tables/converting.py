"""A message in another version of the standard, as a table, and what became of each of its elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from sim import operations
from sim.operations.asked import moment
from sim.spec.spellings import version_named
from sim.spec.words import AnyMoment, AnyNetwork, AnyVersion
from sim.tables.argument import MessageArgument, readable, take
from sim.tables.messages import columns_of, table_of
from sim.tables.tables import ConvertedTable, Table

if TYPE_CHECKING:
    from sim.codec.wire import Format

SOURCE = "convert"
_COLUMNS = ("number", "to", "action", "note")


class NotesTable(Table):
    """A row per element of the original message: nothing in it is card data."""

    def masked(self) -> pd.DataFrame:
        return pd.DataFrame(self)


def convert(
    message: MessageArgument | bytes,
    to: AnyVersion,
    *,
    version: AnyVersion | None,
    network: AnyNetwork | None,
    at: AnyMoment | None,
    format: Format | str | None = None,
) -> ConvertedTable:
    """The message table of *message* in version *to*; raises BuildError where it is no message."""
    given = take(message, version, network, format)
    made = operations.convert(readable(given), version_named(to), network=given.network, at=moment(at))
    plain = table_of(take(made.message, None, given.network), source=SOURCE)
    table = ConvertedTable(plain).__finalize__(plain)
    rows = [(note.number, ", ".join(map(str, note.to)), note.action, note.note) for note in made.notes]
    table.attrs["iso"] |= {"conversion": rows, "lossless": made.lossless}
    return table


def notes_table(rows: Sequence[Sequence[object]]) -> NotesTable:
    """What became of each element, as a table: `to` names the elements it went to."""
    return NotesTable(columns_of(_COLUMNS, [list(row) for row in rows]))

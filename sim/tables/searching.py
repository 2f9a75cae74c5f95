"""`sim.search`: the toolkit's own tables, looked through."""

from __future__ import annotations

from sim.operations.search import search as entries
from sim.tables.messages import columns_of
from sim.tables.reference import ReferenceTable
from sim.tables.tables import Table

_COLUMNS = ("kind", "key", "name", "inside", "versions", "network", "text", "source", "call")


class SearchTable(ReferenceTable):
    """What was found, best first: `kind`, `key`, `name`, `inside`, `versions`, `network`, `text`, `source`,
    `call`."""

    _when_empty = ("inside", "versions", "network", "text", "call")
    _nothing = "Nothing found."


def search(text: str, kind: str | None) -> Table:
    """Every entry that has all words of *text*."""
    rows = [[_text(getattr(one, name)) for name in _COLUMNS] for one in entries(text, kind)]
    return SearchTable(columns_of(_COLUMNS, rows))


def _text(cell: str | tuple[str, ...]) -> str:
    return cell if isinstance(cell, str) else ", ".join(cell)

"""`sim.search`: the toolkit's own tables, looked through."""

from __future__ import annotations

from sim.operations.search import search as entries
from sim.spec.words import SearchKind
from sim.tables.reference import ReferenceTable
from sim.tables.tables import Table, columns_of

_COLUMNS = ("kind", "key", "name", "inside", "versions", "network", "text", "source", "call")


class SearchTable(ReferenceTable):
    """What was found, best first: `kind`, `key`, `name`, `inside`, `versions`, `network`, `text`, `source`,
    `call`."""

    _when_empty = ("inside", "versions", "network", "text", "call")
    _nothing = "Nothing found."


def search(text: str, kind: SearchKind | None = None) -> Table:
    """Search elements, codes, chip tags, rules, faults and flows.

    Parameters
    ----------
    text
        One or more words, all of which must be there: `terminal`, `de 41`, `9F1C`, `51`, `visa token`.
    kind
        Only these: element, part (of an element, by network), code, tag (of chip data, and its bits), rule,
        fault or flow. Default: all.

    Returns
    -------
    Table
        Best first: `kind`, `key` (`DE 41`, `9F1C`, `51`), `name`, `inside` (the list, element or tag around
        it), `versions` and `network` (empty where it is any), `text`, `source`, `call` (what gives all of
        it). No rows where nothing has all words.

    Raises
    ------
    ChoiceError
        There is no such kind.
    OptionError
        There is no word in *text*.

    Examples
    --------
    >>> import sim
    >>> sim.search("9F1C")[["key", "name"]].iloc[0].tolist()
    ['9F1C', 'Terminal identification']
    """
    rows = [[_text(getattr(one, name)) for name in _COLUMNS] for one in entries(text, kind)]
    return SearchTable(columns_of(_COLUMNS, rows))


def _text(cell: str | tuple[str, ...]) -> str:
    return cell if isinstance(cell, str) else ", ".join(cell)

"""Elements of a message table by their numbers: what `table.iso[4]` reads and writes.

Rows of a table have labels of their own, 0 to n, which look like element numbers and are none. Here the
number is the element's. What follows from a changed value (its meaning, where each element stands, the
bitmap) is written anew, as far as the rows are a message.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from sim.codec import ParseError
from sim.errors import BITMAP_FIELD, BuildError
from sim.spec import spec
from sim.tables.argument import facts_of, take
from sim.tables.shown import element_number, is_missing

_FOLLOW = ("name", "format", "meaning", "start", "end")


def _places(table: pd.DataFrame, number: int) -> list[int]:
    """The positions of the rows of element *number*. Raises TypeError for what is no number."""
    if isinstance(number, bool) or not isinstance(number, int):
        raise TypeError(f"an element has a number, as in .iso[4], not {type(number).__name__}")
    cells = pd.DataFrame(table)["number"].tolist()
    return [at for at, cell in enumerate(cells) if not is_missing(cell) and element_number(cell) == number]


def element(table: pd.DataFrame, number: int) -> str:
    """The value of element *number* in the rows of *table*; 0 is the MTI, 1 the bitmap.

    Raises KeyError for an element that the message does not have, TypeError for what is no number.
    """
    places = _places(table, number)
    if not places:
        raise KeyError(f"the message has no DE {number}")
    return str(table["value"].tolist()[places[0]])


def set_element(table: pd.DataFrame, number: int, value: str) -> None:
    """Write *value* as element *number* into *table* itself, in a new row where it has none. (An element is
    taken out by leaving its row out: `table[table["number"] != 60]`.)

    Raises ValueError for the bitmap, TypeError for a value that is no text, SpecError for an element that no
    version has.
    """
    if number == BITMAP_FIELD:
        raise ValueError("the bitmap follows from the elements: set an element instead")
    if not isinstance(value, str):
        hint = f"a text, as in .iso[{number}] = {str(value)!r}" if isinstance(value, int) else "a text"
        raise TypeError(f"DE {number}: expected {hint}, found {type(value).__name__}")
    places = _places(table, number)
    if places:
        _write(table, places[0], "value", value)
    else:
        _insert(table, number, value)
    _follow(table, number)


def _write(table: pd.DataFrame, at: int, column: str, value: str) -> None:
    cells = table[column].copy()
    cells.iloc[at] = value
    table[column] = cells.array


def _insert(table: pd.DataFrame, number: int, value: str) -> None:
    """A row more, where its number belongs."""
    _ = spec(facts_of(table).get("version") or "1987")[number]
    label = max((at for at in table.index if isinstance(at, int)), default=-1) + 1
    row: Any = {"number": number, "value": value}
    table.loc[label] = [row.get(column, pd.NA) for column in table.columns]
    order = pd.Series(table["number"].array).argsort(kind="stable")
    for column in table.columns:
        table[column] = table[column].iloc[order].array


def _follow(table: pd.DataFrame, number: int) -> None:
    """Write anew what follows from the values. Where the rows are no message yet, the value that was just
    written has no meaning, and the other rows keep what they had."""
    from sim.tables.messages import table_of

    facts = facts_of(table)
    known = {**facts, "rows": len(table)}
    try:
        given = take(table)
        given.whole()
    except (BuildError, ParseError):
        if "meaning" in table.columns:
            for at in _places(table, number):
                _write(table, at, "meaning", "")
        table.attrs["iso"] = known
        return
    fresh = table_of(given)
    for column in (*_FOLLOW, "value"):
        if column in table.columns and column in fresh.columns and len(fresh) == len(table):
            table[column] = fresh[column].array
    table.attrs["iso"] = known | {"bitmap": facts_of(fresh).get("bitmap", facts.get("bitmap"))}

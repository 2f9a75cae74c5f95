"""The candidates of a guess as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.paste import Reading
from sim.paste import guess as guess_paste
from sim.spec.words import AnyVersion
from sim.tables.messages import columns_of
from sim.tables.tables import Table

if TYPE_CHECKING:
    from sim.codec.wire import Format

COLUMNS = (
    *("message", "confidence", "spelling", "framing", "format", "title", "version", "mti"),
    *("elements", "read", "size", "reasons"),
)


class GuessTable(Table):
    """What a paste may be: a row per candidate for each message in it, the best first.

    Columns: `message` (1 for the first in the paste), `confidence` (sure, likely, unsure, none), `spelling`,
    `framing`, `format` (its name), `title` (the same in words), `version`, `mti`, `elements` (how many were
    read), `read` of `size` bytes, `reasons`.
    """

    _safe_columns = COLUMNS
    _when_empty = ("framing",)


def guess(
    data: str | bytes, *, format: Format | str | None = None, version: AnyVersion | None = None
) -> GuessTable:
    """The candidates for the first message of *data*, and the best of each further one."""
    found = guess_paste(data, format=format, version=version)
    rows = [_row(1, one) for one in found.candidates]
    rows += [_row(place, one) for place, one in enumerate(found.messages[1:], 2)]
    table = GuessTable(columns_of(COLUMNS, rows))
    return table.astype(dict.fromkeys(("message", "elements", "read", "size"), "int64"))


def _row(place: int, one: Reading) -> tuple[object, ...]:
    elements = len(one.message.fields) if one.message else 0
    said = one.confidence, one.spelling, ", ".join(one.framing), one.format, one.title, one.version, one.mti
    return (str(place), *said, str(elements), str(one.read), str(one.size), "; ".join(one.reasons))

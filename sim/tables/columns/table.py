"""The table of many messages, and its `.iso` view.

Cells contain the true values. Displays mask them by the element that the column, row label or index name
indicates, and anything else by its appearance.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from types import SimpleNamespace
from typing import Any, Self

import pandas as pd

from sim.codec import Message, build
from sim.errors import BuildError
from sim.grid import Grid
from sim.judge import Finding
from sim.masking import is_sensitive, mask, mask_text, may_hold_card_data
from sim.operations import Report, chosen_version, validate
from sim.operations.anatomy import masked_text
from sim.operations.validation import networks_against, verdict_on
from sim.paste.reading import Reading, of_message, read_text
from sim.spec import VERSIONS, Spec
from sim.tables import render
from sim.tables.argument import dialect_of, facts_of
from sim.tables.card_data import CardData, Cover, is_missing, shown_cell
from sim.tables.columns.lines import BYTES_MARK
from sim.tables.findings_table import FINDING_COLUMNS, FindingsTable
from sim.tables.tables import Table, View, columns_from

_LABEL = re.compile(r"DE([1-9][0-9]{0,2})")
LONGEST_PREFIX = 6
_BYTES_SHOWN = 22
# Work that takes more than a second or two: rows validated, bytes or messages read.
_LONG = {"row": 20_000, "B": 512 << 20, "message": 2_000_000}
# Columns whose texts are made here and contain no card data.
_SAFE = frozenset({"mti", "version", "network", "error", "stream", "time"})


def progress_bar(total: int | None, unit: str, enabled: bool | None) -> Any:
    """A tqdm bar over *total* units of work (None: unknown). It draws nothing if tqdm is not installed, if
    *enabled* is false, or if it is None and the work takes only a second or two."""
    nothing = SimpleNamespace(update=lambda done: None, close=lambda: None)
    if not (total is not None and total >= _LONG[unit] if enabled is None else enabled):
        return nothing
    # tqdm assumes a notebook wherever ipykernel is imported, even in a Jupyter server.
    shell = ipython.get_ipython() if (ipython := sys.modules.get("IPython")) else None
    try:
        tqdm = import_module("tqdm.auto" if hasattr(shell, "kernel") else "tqdm").tqdm
    except ImportError:
        return nothing
    return tqdm(total=total, unit=unit, unit_scale=unit == "B")


def label(number: int) -> str:
    """The column name of an element: DE4."""
    return f"DE{number}"


def number_of(name: object) -> int | None:
    """The element of the column *name*; None for another column."""
    match = _LABEL.fullmatch(name) if isinstance(name, str) else None
    number = int(match[1]) if match else 0
    return number if 2 <= number <= 128 else None


def _shown(name: object, cell: object, version: str, pan: object) -> object:
    """A masked cell of the column, row or level *name*. *version* and *pan* are those of its message; an
    unknown version is empty."""
    if name in _SAFE:
        return cell
    if isinstance(cell, str) and name == "text":
        return _shown_text(cell, version)
    if isinstance(cell, str) and (number := number_of(name)):
        return mask(number, cell, version, pan if isinstance(pan, str) else "")
    return shown_cell(cell)


def _shown_text(text: str, version: str) -> str:
    """A text that is not a message, masked; of binary data only the first bytes (MTI and bitmap) are
    shown."""
    if text.startswith(BYTES_MARK):
        # Bytes without an MTI and bitmap may begin with a card number.
        masked = BYTES_MARK + mask_text(text[len(BYTES_MARK) : 2 * _BYTES_SHOWN])
        return masked[:_BYTES_SHOWN] + "*" * len(text[_BYTES_SHOWN:])
    return masked_text(text, version or None)


def _strictest(number: int | None, versions: Sequence[str]) -> str:
    """The version that hides the most of an element."""
    versions_hiding = (version for version in versions if number and is_sensitive(number, version))
    return next(versions_hiding, versions[0])


@dataclass(frozen=True, slots=True)
class ColumnShown:
    """How the cells of column *name* are masked, for messages of *versions*. A part of a card number no
    longer than its first six digits, the IIN, is not card data."""

    name: str
    versions: tuple[str, ...]

    def __call__(self, text: str) -> str:
        if self.name == "DE2" and len(text) <= LONGEST_PREFIX:
            return text
        version = _strictest(number_of(self.name), self.versions)
        return str(_shown(self.name, text, version, ""))


def covered(name: str, texts: Any, versions: tuple[str, ...]) -> Any:
    """The column *name* of *texts*; one that masks itself if it may contain card data."""
    number = number_of(name)
    holds = name == "text" or (number and any(may_hold_card_data(number, version) for version in VERSIONS))
    return CardData(texts, Cover(frozenset({ColumnShown(name, versions or VERSIONS)}))) if holds else texts


class MessagesTable(Table):
    """Many messages, one per row, as `sim.read` describes them. Elements that a message does not have are
    missing."""

    _when_empty = ("error", "error_field", "error_offset", "text")

    @property
    def iso(self) -> MessagesView:
        """What belongs to all messages: `validate()`, `message(row)`."""
        return MessagesView(self)

    def __finalize__(self, other: Any, *args: Any, **options: Any) -> Self:
        """Keep what is known of the messages if tables are joined, by pandas' `concat` or `merge`."""
        super().__finalize__(other, *args, **options)  # type: ignore[misc]  # not in the stubs
        facts = [each for table in getattr(other, "input_objs", ()) if "spoken" in (each := facts_of(table))]
        if facts and not facts_of(self):
            self.attrs["iso"] = _joined(facts, {"file", "stream"} & set(map(str, self.columns)))
        return self

    def _masked_columns(self) -> Iterator[tuple[list[Any], list[Any]]]:
        plain, table_versions = pd.DataFrame(self), facts_of(self).get("versions") or VERSIONS
        versions, pans = self._cells("version"), self._cells("DE2")
        for at, name in enumerate(plain.columns):
            fallback = _strictest(number_of(name), table_versions)
            read_as = [version if version in VERSIONS else fallback for version in versions]
            cells = plain.iloc[:, at].tolist()
            yield cells, [_shown(name, *each) for each in zip(cells, read_as, pans, strict=True)]

    def _cells(self, name: str) -> list[Any]:
        """The cells of a column; empty texts if there is none."""
        plain = pd.DataFrame(self)
        if name not in plain.columns or plain.columns.nlevels > 1 or not plain.columns.is_unique:
            return [""] * len(plain)
        return list(plain[name].tolist())

    def _drawn(self, rows: Sequence[int | None], note: str = "") -> Grid:
        taken = [at for at in rows if at is not None]  # the others are not looked at
        places = iter(range(len(taken)))
        drawn = [None if at is None else next(places) for at in rows]
        return render.grid(self.take(taken).masked(), self.left_out(), drawn, note)

    def _title(self) -> str:
        read_as = facts_of(self).get("read_as", "")
        return f"read as {read_as}" if read_as else ""


def _joined(facts: Sequence[dict[str, Any]], named: Collection[str]) -> dict[str, Any]:
    """The metadata of a table joined of several; *named* are its columns that tell which source a row has."""
    spoken: list[dict[str, Any]] = [each["spoken"] for each in facts]
    # Without a name, a row may only be on an interface that all tables have.
    entries = [entry for each in spoken for entry in [*each.values()] or [None]]
    alike = all(entry == entries[0] for entry in entries)
    names = ("version", "network")
    joined: dict[str, Any] = {
        name: facts[0].get(name) for name in names if len({each.get(name) for each in facts}) == 1
    }
    joined["spoken"] = {where: each[where] for each in spoken for where in each} if named or alike else {}
    if not alike:
        joined["spoken"][""] = {}
    joined["versions"] = tuple(sorted({version for each in facts for version in each["versions"]}))
    joined["partial"] = any(each["partial"] for each in facts)
    return joined


class MessagesView(View):
    """Properties of all messages of a table, computed from the current rows."""

    @property
    def read_as(self) -> str:
        """How the messages were found and their format, in one line; empty for plain lines of text."""
        return str(self._facts.get("read_as", ""))

    def message(self, row: Any) -> Message:
        """The message in the row labeled *row*. Raises BuildError if the row has none, TypeError for a
        table that was read without some of its elements."""
        return self._message_of_cells(self._cells(row))

    def reading(self, row: Any) -> Reading:
        """The row labeled *row* as a Reading, as far as it can be read. Raises TypeError as `message`."""
        return self._read(self._cells(row))

    def validate(self, *, against: Iterable[str] = (), progress: bool | None = None) -> FindingsTable:
        """The findings on each message by the standard and by its own network, and by the networks *against*:
        a findings table with the message's `row` as first column. Every rule checks every message: some
        thousands per second. Raises TypeError as `message` does."""
        networks = networks_against(against)
        rows: list[tuple[object, Finding]] = []
        valid = True
        bar = progress_bar(len(self._table), "row", progress)
        try:
            for row, cells in zip(self._table.index.tolist(), self._rows(), strict=True):
                report = self._report(cells, networks)
                valid = valid and report.valid
                rows += [(row, finding) for finding in (report.all_findings if networks else report.findings)]
                bar.update(1)
        finally:
            bar.close()
        labels = pd.Series([row for row, _ in rows], dtype=self._table.index.dtype)
        findings = columns_from((finding for _, finding in rows), FINDING_COLUMNS)
        table = FindingsTable({"row": labels, **findings})
        table.attrs["iso"] = {"valid": valid}
        return table

    def _rows(self) -> Iterator[dict[str, Any]]:
        """The cells of each row by column, without missing ones."""
        columns = self._columns()
        for cells in zip(*(column.tolist() for column in columns.values()), strict=True):
            yield {name: cell for name, cell in zip(columns, cells, strict=True) if not is_missing(cell)}

    def _cells(self, row: Any) -> dict[str, Any]:
        columns, at = self._columns(), self._table.index.get_loc(row)
        if not isinstance(at, int):
            raise BuildError(None, None, "one row with that label", "a different number of rows")
        cells = {name: column.array[at] for name, column in columns.items()}
        # A cell displays itself masked; slicing gives its true text.
        texts = {name: cell[:] if isinstance(cell, str) else cell for name, cell in cells.items()}
        return {name: cell for name, cell in texts.items() if not is_missing(cell)}

    def _columns(self) -> dict[str, pd.Series[Any]]:
        if self._facts.get("partial"):
            raise TypeError("the table does not have all elements; read it without columns=")
        return {str(name): column for name, column in pd.DataFrame(self._table).items()}

    def _read(self, cells: dict[str, Any]) -> Reading:
        if "text" in cells:
            raw = str(cells["text"])
            version = str(cells.get("version") or self._facts.get("version") or chosen_version(raw, None))
            reading = read_text(raw, self._table_of(cells, version) or version)
        else:
            message = self._message_of_cells(cells)
            try:
                reading = read_text(build(message), message.dialect or message.version)
            except BuildError:
                reading = of_message(message)
        return replace(reading, network=self._facts.get("network"))

    def _message_of_cells(self, cells: dict[str, Any]) -> Message:
        if "text" in cells or "mti" not in cells:
            raise BuildError(None, None, "a message in the row", "a text that does not parse")
        fields = {number: cell for name, cell in cells.items() if (number := number_of(name))}
        mti = str(cells["mti"])
        read_as = str(cells.get("version") or chosen_version(mti, None))
        lines = self._of_source("empty_secondary", cells) or ()
        at = bisect_left(lines, cells.get("line", 0))
        empty = lines[at : at + 1] == [cells.get("line")]
        return Message(mti, dict(sorted(fields.items())), read_as, empty, self._table_of(cells, read_as))

    def _table_of(self, cells: dict[str, Any], version: str) -> Spec | None:
        """The element table of a row's message: that of its stream or file."""
        entry = self._of_source("spoken", cells)
        return dialect_of(entry, version) if entry else None

    def _of_source(self, name: str, cells: dict[str, Any]) -> Any:
        """What is known of a row's stream or file; without a name, of the only one."""
        entries, where = self._facts.get(name, {}), cells.get("stream") or cells.get("file")
        return entries.get(where or "", None if where else next(iter(entries.values()), None))

    def _report(self, cells: dict[str, Any], against: tuple[str, ...]) -> Report:
        if "text" in cells:
            return verdict_on(self._read(cells), against)
        message = self._message_of_cells(cells)
        return validate(message, network=self._facts.get("network"), against=against)

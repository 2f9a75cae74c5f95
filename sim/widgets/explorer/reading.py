"""From what is dropped, pasted or given to a table of messages."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import anywidget
import pandas as pd
import traitlets

from sim.tables.columns import read
from sim.tables.columns.table import MessagesTable
from sim.tables.matching import as_message
from sim.tables.render import without_formulas
from sim.widgets.statics import STATIC

FIRST = 2000  # rows that are read before the others
_LARGE = 100_000  # messages from which on the rest is read while the first can be looked at
_LARGE_FILE = 20_000_000  # bytes
_LONGEST_NAME = 1000


def first_rows(source: object, options: dict[str, Any]) -> MessagesTable:
    """The first rows of *source*, validated."""
    made: MessagesTable = next(iter(read(source, chunksize=FIRST, progress=False, **options)))
    return made


def is_large(source: object) -> bool:
    """Whether reading all of *source* takes a while, and the first rows of it can be read before."""
    if isinstance(source, Path):
        return source.stat().st_size > _LARGE_FILE
    return (
        isinstance(source, list) and len(source) > _LARGE and all(isinstance(one, str) for one in source[:10])
    )


def whole(source: Any, options: dict[str, Any]) -> MessagesTable:
    """All of *source*, validated; a table stays as it is."""
    if isinstance(source, MessagesTable):
        return source
    if isinstance(source, pd.DataFrame) and "mti" in source.columns and "line" in source.columns:
        return MessagesTable(source)
    if isinstance(source, list | tuple) and not all(isinstance(one, str | Path) for one in source):
        source = [one if isinstance(one, str) else as_message(one) for one in source]
    elif isinstance(source, pd.DataFrame) or hasattr(source, "fields"):
        source = [as_message(source)]
    made: MessagesTable = read(source, progress=False, **options)
    return made


def of_file(name: str, data: bytes, options: dict[str, Any]) -> MessagesTable:
    """A file that was dropped: its name says whether it is a capture or compressed, as for a path."""
    import tempfile

    suffix = "".join(Path(name).suffixes[-2:])
    if not suffix or suffix in (".txt", ".log"):
        return whole(io.BytesIO(data), options)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"dropped{suffix}"
        path.write_bytes(data)
        return whole(path, options)


def exported(table: pd.DataFrame, kind: str, masked: bool) -> bytes:
    """*table* as the bytes of a file: `csv` or `parquet`."""
    plain = (
        table.masked()
        if masked and isinstance(table, MessagesTable)
        else pd.DataFrame(table).copy(deep=False)
    )
    plain.attrs = {}
    held = io.BytesIO()
    if kind == "parquet":
        plain.to_parquet(held, index=False)
    else:
        without_formulas(plain).to_csv(held, index=False)
    return held.getvalue()


def as_path(source: object) -> object:
    """The path that a short text without line breaks names, where there is such a file; else *source*."""
    if (
        isinstance(source, str)
        and "\n" not in source
        and len(source) < _LONGEST_NAME
        and Path(source).is_file()
    ):
        return Path(source)
    return source


class FileDrop(anywidget.AnyWidget):
    """Takes files that are dropped or chosen, piece by piece, so that no message is too large for the server.
    `file` is the last one, (name, bytes); it stays in Python."""

    _esm = STATIC / "file_drop.js"
    _css = STATIC / "row_grid.css"

    words = traitlets.Unicode("Drop a log file here, or browse").tag(sync=True)
    busy = traitlets.Unicode("").tag(sync=True)
    file = traitlets.Tuple(allow_none=True, default_value=None)

    def __init__(self, **kwargs: Any) -> None:
        self._pieces: list[bytes] = []
        super().__init__(**kwargs)
        self.on_msg(self._take)

    def _take(self, widget: Any, content: dict[str, Any], buffers: list[Any]) -> None:
        if content.get("ask") != "piece" or not buffers:
            return
        if content.get("at") == 0:
            self._pieces = []
        self._pieces.append(bytes(buffers[0]))
        done = sum(map(len, self._pieces))
        if done < content.get("size", 0):
            self.send({"kind": "more", "at": done})
            return
        data, self._pieces = b"".join(self._pieces), []
        self.file = (str(content.get("name", "")), data)

    def __repr__(self) -> str:
        return "FileDrop()"

"""A drop zone for files, which also opens a file dialog."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anywidget
import traitlets

from sim.masking import mask_words
from sim.widgets.markup import STATIC


@contextmanager
def saved(name: str, data: bytes) -> Iterator[Path]:
    """A dropped file on disk, for as long as it is read."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / (Path(name).name or "dropped")
        path.write_bytes(data)
        yield path


class FileDrop(anywidget.AnyWidget):
    """Receives a file in pieces, so that no message exceeds the server's limit. `file` is the last one,
    (name, bytes), and stays in Python; `busy` is not empty while it is read."""

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
        name = str(content.get("name", ""))
        self.busy = f"{mask_words(name)}: reading …"
        self.file = (name, data)
        self.busy = ""

    def __repr__(self) -> str:
        return "FileDrop()"

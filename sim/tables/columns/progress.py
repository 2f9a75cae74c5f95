"""Progress bars on long work: tqdm's own, where it is installed."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, TypeVar

T = TypeVar("T")

# Less than this takes a second or two: rows judged, bytes or messages read.
_LONG_ROWS = 20_000
_LONG_BYTES = 512 << 20
_LONG_ITEMS = 2_000_000


class Bar:
    """A bar over *total* units of work (None: unknown); none is drawn where *wanted* is false, or None and
    the work short."""

    def __init__(self, total: int | None, unit: str, wanted: bool | None) -> None:
        self._bar = _bar(total, unit) if _shown(total, unit, wanted) else None

    def add(self, done: int) -> None:
        """So much more has been done."""
        if self._bar is not None:
            self._bar.update(done)

    def close(self) -> None:
        """The work is over."""
        if self._bar is not None:
            self._bar.close()


def counted(rows: Iterable[T], total: int, wanted: bool | None) -> Iterator[T]:
    """*rows* with a bar beside them."""
    bar = Bar(total, "row", wanted)
    try:
        for row in rows:
            yield row
            bar.add(1)
    finally:
        bar.close()


def _shown(total: int | None, unit: str, wanted: bool | None) -> bool:
    if wanted is not None:
        return wanted
    least = {"row": _LONG_ROWS, "B": _LONG_BYTES}.get(unit, _LONG_ITEMS)
    return total is not None and total >= least


def _bar(total: int | None, unit: str) -> Any:
    # tqdm takes a process for a notebook's where ipykernel is imported, as a Jupyter server has it, too.
    shell = ipython.get_ipython() if (ipython := sys.modules.get("IPython")) else None
    try:
        tqdm = import_module("tqdm.auto" if hasattr(shell, "kernel") else "tqdm").tqdm
    except ImportError:
        return None
    return tqdm(total=total, unit=unit, unit_scale=unit == "B")

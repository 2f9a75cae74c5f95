"""Widgets as a notebook makes them, without what nobody receives."""

from __future__ import annotations

import comm
import pytest
from ipywidgets import Widget  # type: ignore[import-untyped]
from support import MORE


def _open(widget: Widget) -> None:
    """Open *widget* without its state, which takes longer than all else and is sent to nobody here."""
    if widget.comm is None:
        widget.comm = comm.create_comm(target_name="jupyter.widget", data={})


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """As widgets are made with MORE=1, and in each notebook, their states are written out."""
    if not MORE:
        monkeypatch.setattr(Widget, "open", _open)

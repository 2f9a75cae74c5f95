"""What tests of formats share: a loaded format is forgotten after the test that loaded it."""

from __future__ import annotations

import pytest

from sim.codec.wire import catalogue


@pytest.fixture(autouse=True)
def forgotten_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Formats that a test loads are known in that test only."""
    monkeypatch.setattr(catalogue, "_LOADED", {})

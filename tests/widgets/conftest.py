"""A provider on the loopback, to which every variable points."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from llm.wire import Provider, provider

from sim.models.transport import calls


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """The stub, configured as all four providers; nothing was asked of it before."""
    calls.forget()
    with provider() as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        yield server

"""What holds for every test: repeatable examples, no settings from outside, no network."""

from __future__ import annotations

import os
import socket
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# The same examples on every run and machine, however slow.
settings.register_profile(
    "lab", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("lab")

_LOOPBACK = ("127.", "::1", "localhost")
_SETTINGS = ("SIM_", "ANTHROPIC_", "OPENAI_", "GOOGLE_", "GEMINI_", "OLLAMA_")


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test sees the defaults, whatever the developer's shell has set."""
    for name in os.environ:
        if name.startswith(_SETTINGS):
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that would leave this machine fails, and names where it was to go."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith(_LOOPBACK):
            raise AssertionError(f"a test wanted to reach {address}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)

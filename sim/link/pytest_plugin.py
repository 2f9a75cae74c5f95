"""The pytest plugin (entry point `pytest11`): the fixture `iso_host`. Loads nothing until it is used."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from sim.link.sync import Host


@pytest.fixture
def iso_host() -> Iterator[Host | str]:
    """A host of our own on the loopback address, closed after the test; or the address in `ISO8583_HOST`,
    where that is set. `host.rules = [...]` says how it answers, `host.seen` what it saw."""
    address = os.environ.get("ISO8583_HOST")
    if address:
        yield address
        return
    from sim.link.host import AsyncHost
    from sim.link.sync import Host

    with Host(AsyncHost()) as host:
        yield host

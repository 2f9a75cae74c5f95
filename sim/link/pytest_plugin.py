"""The pytest plugin (entry point `pytest11`): the fixture `iso_host`. Loads nothing until it is used."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from sim.link.ends import Host


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark."""
    text = "iso_host(**options): options of `sim.host` for the fixture `iso_host`"
    config.addinivalue_line("markers", text)


@pytest.fixture
def iso_host(request: pytest.FixtureRequest) -> Iterator[Host | str]:
    """A host on the loopback address, closed after the test, or the address in `ISO8583_HOST` if that is set.
    `host.rules = [...]` determines its responses, `host.seen` is its traffic. The mark
    `iso_host(format="mine.xml", framing="length-2")` sets the options of `sim.host`."""
    address = os.environ.get("ISO8583_HOST")
    if address:
        yield address
        return
    from sim.link import ends

    mark = request.node.get_closest_marker("iso_host")
    options = dict(mark.kwargs) if mark else {}
    with ends.host(ends.Host, options.pop("rules", None), **options) as host:
        yield host

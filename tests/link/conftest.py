"""Tests of connections are coroutines in an event loop whose time they control."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Coroutine, Iterator
from datetime import timedelta

import pytest

from sim.elements import dates
from tests.link.ends import AT, Clock, settled


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    """The test's event loop, and the matching time of day."""
    with Clock() as made:
        monkeypatch.setattr(time, "perf_counter", made.time)
        monkeypatch.setattr(time, "time", lambda: AT.timestamp() + made.passed)
        monkeypatch.setattr(dates, "now", lambda: AT + timedelta(seconds=made.passed))
        yield made


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    made = arguments.get("clock")
    with asyncio.Runner(loop_factory=(lambda: made) if isinstance(made, Clock) else None) as runner:
        runner.run(_to_its_end(pyfuncitem.obj(**arguments)))
    return True


async def _to_its_end(test: Coroutine[object, object, None]) -> None:
    await test
    await settled()

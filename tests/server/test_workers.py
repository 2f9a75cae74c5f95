"""The worker processes: one that dies is replaced, whatever happens to the others."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Collection
from contextlib import suppress
from typing import Any

import httpx
import psutil
import pytest
from support import ALL, long

from server import workers
from server.settings import Settings

PATIENCE = 60


def serving(running: Any, count: int, without: Collection[int] = ()) -> list[int]:
    """The ids of the worker processes once there are *count*, without *without*: a killed process may take
    a while to end."""
    for _ in range(1000):
        children = psutil.Process(running.process.pid).children()
        found = [child.pid for child in children if "spawn_main" in _command(child)]
        if len(found) == count and not {*found} & {*without}:
            return found
        with suppress(subprocess.TimeoutExpired):  # a look costs what the starting workers need
            running.process.wait(0.05)
    raise AssertionError(f"there are not {count} workers")


def _command(child: psutil.Process) -> str:
    """The command line of a process; empty for one that has just ended but is not yet reaped."""
    try:
        return " ".join(child.cmdline())
    except psutil.NoSuchProcess:  # a zombie's error is one of these
        return ""


def answers(running: Any) -> bool:
    """Whether a request is answered; one that a dying worker had accepted is sent again."""
    for _ in range(100):
        try:
            return httpx.get(running.url + "/health", timeout=PATIENCE).status_code == 200
        except httpx.TransportError:
            continue
    return False


@long
@pytest.mark.parametrize("kills", [2, 4] if ALL else [2])
def test_workers_that_die_young_are_replaced(start: Any, kills: int) -> None:
    """Each worker is killed just after its start: the service responds, and is complete again."""
    with start("--workers", "2") as running:
        killed: list[int] = []
        for _ in range(kills):
            killed.append(serving(running, 2, killed)[0])
            assert answers(running)
            os.kill(killed[-1], signal.SIGKILL)
            assert answers(running)
        assert len(serving(running, 2, killed)) == 2
        assert running.process.poll() is None
        assert running.stop() == 0
        assert running.err.read_text().count("worker ended with status -9") == kills


def test_all_workers_killed_at_once(start: Any) -> None:
    """If none is left, new ones start, and a waiting request is answered."""
    with start("--workers", "2") as running:
        assert answers(running)
        for victim in serving(running, 2):
            os.kill(victim, signal.SIGKILL)
        assert answers(running)
        assert running.stop() == 0


def test_pauses_grow_where_successors_die_young(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pause doubles for each replacement that dies young, up to a limit; one that lived long is
    replaced at once."""
    now = 100.0
    monkeypatch.setattr(workers, "monotonic", lambda: now)
    crew = workers.Crew(Settings(), None, served=True)  # type: ignore[arg-type]

    class Ended:
        exitcode = 1

    def wait_for(age: float) -> float:
        crew.due.clear()
        crew._succeed(workers.Worker(Ended(), None, now - age))  # type: ignore[arg-type]
        return crew.due[0] - now

    pauses = [wait_for(age=0.5) for _ in range(12)]
    assert pauses == sorted(pauses)
    assert pauses[1] == pytest.approx(2 * pauses[0])
    assert pauses[-1] == workers.LONGEST_PAUSE
    assert wait_for(age=3600) == 0
    assert wait_for(age=0.5) == pytest.approx(pauses[0])
    assert not crew.stopping


def test_stop_while_a_successor_is_due(start: Any) -> None:
    """The pause before a replacement does not delay a stop signal."""
    code = "import server.workers as w\nw.YOUNG = w.FIRST_PAUSE = w.LONGEST_PAUSE = 3600.0"
    with start("--workers", "2", code=code) as running:
        assert answers(running)
        for victim in serving(running, 2):
            os.kill(victim, signal.SIGKILL)
        serving(running, 0)
        assert running.stop() == 0

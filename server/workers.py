"""The processes that serve: this one, or several that share one listening socket.

Sanic's own runner and process manager are not used: a stop signal during startup is lost or makes them spin
forever (github.com/sanic-org/sanic/issues/2997), and the manager does not replace a killed worker.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import threading
from asyncio import AbstractEventLoop
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from multiprocessing.synchronize import Event
from time import monotonic
from typing import Any

from server import endpoints, logs
from server.app import create_app
from server.connection import Connection
from server.settings import BACKLOG, Settings

DRAIN = 15.0  # seconds that requests in progress may still take after a stop
YOUNG = 5.0  # seconds: a worker that dies younger may fail again and again
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 30.0  # seconds before a worker that died young is replaced
WATCH = 1.0  # seconds between two checks while a replacement is due
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)

log = logging.getLogger("server.error")


def serve_one(settings: Settings, sock: socket.socket, serving: Callable[[], None] = lambda: None) -> None:
    """Serve in this process until SIGTERM or SIGINT, then finish the requests in progress. *serving* is
    called once requests are accepted."""
    logs.set_up()
    os.environ["SANIC_IGNORE_PRODUCTION_WARNING"] = "true"  # no advice about developing on a terminal
    with suppress(KeyboardInterrupt), asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(settings, sock, serving))


def serve_many(settings: Settings, sock: socket.socket) -> int:
    """Serve in `settings.workers` processes until SIGTERM or SIGINT. Returns 1 if none could start."""
    logs.set_up()
    crew = Crew(settings, sock)
    for number in STOP_SIGNALS:
        signal.signal(number, crew.stop)
    for _ in range(settings.workers):
        crew.add()
    while crew.workers or (crew.due and not crew.stopping):
        crew.look_after()
    return crew.status


async def _serve(settings: Settings, sock: socket.socket, serving: Callable[[], None]) -> None:
    stop = asyncio.Event()
    with suppress(NotImplementedError):  # Windows: Ctrl-C cancels this task instead
        for number in STOP_SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
    app = create_app(settings)
    endpoints.prepare()
    app.prepare(single_process=True, motd=False)  # one server: no alt-svc header is needed
    paused = {"start_serving": False}  # no request before the routes are ready
    # Any: Sanic's class has no types of its own.
    server: Any = await app.create_server(
        sock=sock, protocol=Connection, backlog=BACKLOG, asyncio_server_kwargs=paused
    )
    await server.startup()
    await server.before_start()
    await server.start_serving()
    await server.after_start()
    serving()
    try:
        await stop.wait()
    finally:
        await server.before_stop()
        await _drain(server)
        await server.after_stop()


async def _drain(server: Any) -> None:
    """Accept no new connections; close each one when its request is answered, or after DRAIN seconds."""
    server.server.close()
    end = monotonic() + DRAIN
    while server.connections and monotonic() < end:
        for connection in tuple(server.connections):
            connection.close_if_idle()
        await asyncio.sleep(0.02)
    for connection in tuple(server.connections):
        connection.abort()


def _loop_factory() -> Callable[[], AbstractEventLoop] | None:
    try:
        from uvloop import new_event_loop
    except ImportError:  # not available on Windows
        return None
    return new_event_loop


@dataclass(slots=True, eq=False)
class Worker:
    """A worker process: when it started, and whether it has ever served."""

    process: SpawnProcess
    serving: Event
    born: float


@dataclass(slots=True)
class Crew:
    """The worker processes, and the schedule for replacing those that ended.

    A worker that lived long is replaced at once. After one that died young there is a pause, doubled each
    time, so that a worker that cannot run does not use up the processor; the others go on serving.
    """

    settings: Settings
    sock: socket.socket
    workers: list[Worker] = field(default_factory=list)
    due: list[float] = field(default_factory=list)  # when replacements are to start
    pause: float = FIRST_PAUSE
    served: bool = False  # some worker has ever served
    stopping: bool = False
    status: int = 0

    def add(self) -> None:
        """Start one more worker."""
        context = get_context("spawn")
        serving = context.Event()
        process = context.Process(target=_work, args=(self.settings, self.sock, serving), daemon=True)
        try:
            process.start()
        except (OSError, ValueError):  # a stop signal has closed the socket
            if self.stopping:
                return
            raise
        self.workers.append(Worker(process, serving, monotonic()))
        if self.stopping:  # a stop signal arrived while it started
            process.terminate()

    def stop(self, *_: Any) -> None:
        """Ask every worker to finish; also the signal handler."""
        self.stopping = True
        self.due.clear()
        self.sock.close()  # otherwise new clients would wait until the last worker is done
        for worker in tuple(self.workers):
            worker.process.terminate()

    def look_after(self) -> None:
        """Wait until a worker ends or a replacement is due, and handle it."""
        # Never wait long: a signal may arrive after this check of the clock.
        moment = min(WATCH, max(0.0, min(self.due) - monotonic())) if self.due else None
        wait([worker.process.sentinel for worker in self.workers], moment)
        for worker in [worker for worker in self.workers if worker.process.exitcode is not None]:
            self.workers.remove(worker)
            self.served = self.served or worker.serving.is_set()
            if not self.stopping:
                self._succeed(worker)
        now = monotonic()
        ready = sum(moment <= now for moment in self.due)
        self.due = [moment for moment in self.due if moment > now]
        for _ in range(ready):
            self.add()

    def _succeed(self, worker: Worker) -> None:
        """Log that *worker* ended unexpectedly, and schedule a replacement, or stop if no worker has ever
        served."""
        age = monotonic() - worker.born
        log.error("worker ended with status %s after %.0f s", worker.process.exitcode, age)
        if not self.served and not any(other.serving.is_set() for other in self.workers):
            self.status = 1
            self.stop()
            return
        self.pause = FIRST_PAUSE if age >= YOUNG else min(self.pause * 2, LONGEST_PAUSE)
        self.due.append(monotonic() + (0.0 if age >= YOUNG else self.pause))


def _work(settings: Settings, sock: socket.socket, serving: Event) -> None:
    if hasattr(os, "setpgrp"):  # so that Ctrl-C reaches only the parent, which passes it on once
        os.setpgrp()
    threading.Thread(target=_stop_with_parent, daemon=True).start()
    serve_one(settings, sock, serving.set)


def _stop_with_parent() -> None:
    if parent := parent_process():
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

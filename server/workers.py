"""The processes that serve: this one, or several that share one listening socket.

Sanic's own runner and manager of processes are not used: a stop signal that comes while they start is lost,
or makes them spin for ever.
"""

from __future__ import annotations

import asyncio
import gc
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
from time import monotonic
from typing import Any

from server import logs
from server.app import create_app
from server.settings import Settings

BACKLOG = 1024
DRAIN = 15.0  # seconds that what was begun before a stop may still take
EARLY = 5.0  # seconds: a worker that dies younger than this would only die again
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)

log = logging.getLogger("server.error")


def serve_one(settings: Settings, sock: socket.socket) -> None:
    """Serve in this process until SIGTERM or SIGINT; what was begun is finished first."""
    logs.set_up()
    os.environ["SANIC_IGNORE_PRODUCTION_WARNING"] = "true"  # no advice about developing on a terminal
    with suppress(KeyboardInterrupt), asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(settings, sock))


def serve_many(settings: Settings, sock: socket.socket) -> int:
    """Serve in `settings.workers` processes until SIGTERM or SIGINT. Returns 1 where they cannot start."""
    logs.set_up()
    crew = Crew(settings, sock)
    for number in STOP_SIGNALS:
        signal.signal(number, crew.stop)
    for _ in range(settings.workers):
        crew.add()
    while crew.born:
        crew.look_after()
    return crew.status


async def _serve(settings: Settings, sock: socket.socket) -> None:
    stop = asyncio.Event()
    with suppress(NotImplementedError):  # Windows: Ctrl-C cancels this task instead
        for number in STOP_SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
    app = create_app(settings)
    gc.freeze()  # tables and modules stay: the collector need not look through them again and again
    held = {"start_serving": False}  # no request before the routes are ready
    # Any: Sanic's class has no types of its own.
    server: Any = await app.create_server(sock=sock, backlog=BACKLOG, asyncio_server_kwargs=held)
    await server.startup()
    await server.before_start()
    await server.start_serving()
    await server.after_start()
    try:
        await stop.wait()
    finally:
        await server.before_stop()
        await _drain(server)
        await server.after_stop()


async def _drain(server: Any) -> None:
    """Take no new connection; close each as soon as its request is answered, or after DRAIN seconds."""
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
    except ImportError:  # Windows has none
        return None
    return new_event_loop


@dataclass(slots=True)
class Crew:
    """The worker processes and when each was born."""

    settings: Settings
    sock: socket.socket
    born: dict[SpawnProcess, float] = field(default_factory=dict)
    stopping: bool = False
    status: int = 0

    def add(self) -> None:
        """One more worker."""
        worker = get_context("spawn").Process(target=_work, args=(self.settings, self.sock), daemon=True)
        try:
            worker.start()
        except (OSError, ValueError):  # the signal came first, and closed the socket
            if self.stopping:
                return
            raise
        self.born[worker] = monotonic()
        if self.stopping:  # the signal came while it was being born
            worker.terminate()

    def stop(self, *_: Any) -> None:
        """Ask every worker to finish; also the handler of signals."""
        self.stopping = True
        self.sock.close()  # or new clients would wait for an answer until the last worker is done
        for worker in tuple(self.born):
            worker.terminate()

    def look_after(self) -> None:
        """Wait until a worker ends. Unless all shall stop, put another in its place."""
        wait([worker.sentinel for worker in self.born])
        for worker in [worker for worker in self.born if worker.exitcode is not None]:
            age = monotonic() - self.born.pop(worker)
            if self.stopping:
                continue
            log.error("worker ended with status %s after %.0f s", worker.exitcode, age)
            if age < EARLY:
                self.status = 1
                self.stop()
            else:
                self.add()


def _work(settings: Settings, sock: socket.socket) -> None:
    if hasattr(os, "setpgrp"):  # Ctrl-C reaches the parent alone, which passes it on once
        os.setpgrp()
    threading.Thread(target=_stop_with_parent, daemon=True).start()
    serve_one(settings, sock)


def _stop_with_parent() -> None:
    if parent := parent_process():
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

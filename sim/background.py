"""Coroutines called without `await`: they run in an event loop in a separate thread, one per kind of call.

A notebook's own loop may be running and must not block, so the caller waits for the other thread.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import suppress
from functools import cache
from typing import Any, Literal, TypeVar

T = TypeVar("T")
_LAST_WAIT = 2.0  # seconds
# Hosts and clients share one; language models, which an issuer's rule may call inside it, have another.
Thread = Literal["sim-link", "sim-llm"]


@cache
def _loop(thread: Thread) -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    worker = threading.Thread(target=loop.run_forever, name=thread, daemon=True)
    worker.start()
    atexit.register(_end, loop, worker)
    return loop


def _end(loop: asyncio.AbstractEventLoop, worker: threading.Thread) -> None:
    """Cancel pending tasks and stop the loop as the process ends."""
    if worker.is_alive():
        with suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(_ended(), loop).result(_LAST_WAIT)
        loop.call_soon_threadsafe(loop.stop)
        worker.join(_LAST_WAIT)
    if not loop.is_running():
        loop.close()


async def _ended() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


if hasattr(os, "register_at_fork"):  # a forked process does not inherit the thread and starts its own
    os.register_at_fork(after_in_child=_loop.cache_clear)


def start(call: Coroutine[Any, Any, T], thread: Thread = "sim-link") -> Future[T]:
    """Start *call* and return its future; cancelling that cancels the call."""
    return asyncio.run_coroutine_threadsafe(call, _loop(thread))


def run(call: Coroutine[Any, Any, T], thread: Thread = "sim-link") -> T:
    """The result of *call*. An interrupt cancels it. Raises RuntimeError in the loop's own thread, which
    would wait for itself."""
    if threading.current_thread().name == thread:
        call.close()
        raise RuntimeError("this would block the running event loop; use AsyncHost and AsyncClient there")
    future = start(call, thread)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise

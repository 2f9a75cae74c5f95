"""The event loop of hosts and clients that are used without `await`: one thread for all of them.

A notebook's own loop may be running, and must not wait: what is called here waits for the other thread.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


@cache
def loop() -> asyncio.AbstractEventLoop:
    """The loop, which runs."""
    made = asyncio.new_event_loop()
    threading.Thread(target=made.run_forever, name="sim-link", daemon=True).start()
    return made


if hasattr(os, "register_at_fork"):  # a forked process has no such thread: it makes one of its own
    os.register_at_fork(after_in_child=loop.cache_clear)


def start(call: Coroutine[Any, Any, T]) -> Future[T]:
    """*call*, under way. Cancelling the future cancels it."""
    return asyncio.run_coroutine_threadsafe(call, loop())


def run(call: Coroutine[Any, Any, T]) -> T:
    """The result of *call*. An interrupt cancels it. Raises RuntimeError in the thread of the loop itself,
    where it would wait for itself."""
    if threading.current_thread().name == "sim-link":
        call.close()
        raise RuntimeError(
            "this waits for the loop that it is called in: use AsyncHost and AsyncClient there"
        )
    future = start(call)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise

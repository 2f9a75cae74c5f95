"""Calls from code that is not asynchronous, also inside a notebook whose own loop is running.

All share one loop in a thread of its own, so that the limit on calls under way holds over all of them.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="sim-llm", daemon=True).start()
    return loop


def start(call: Coroutine[Any, Any, T]) -> Future[T]:
    """*call*, under way in the shared loop. Cancelling the future cancels it, request and all."""
    return asyncio.run_coroutine_threadsafe(call, _loop())


def run(call: Coroutine[Any, Any, T]) -> T:
    """The result of *call*. Interrupting the wait cancels it."""
    future = start(call)
    try:
        return future.result()
    except KeyboardInterrupt:
        future.cancel()
        raise

"""One long-running task at a time (a question to a language model, a message sent), run in a thread and
reported to the thread that started it.

A kernel handles the messages of its pages one by one, so waiting there would block Cancel. If an event loop
runs, the results are passed to it; otherwise the caller waits. JupyterLab may run cells and panels in two
threads, so results and cancellation share a lock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import aclosing, contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from datetime import datetime
from queue import SimpleQueue
from threading import RLock
from typing import Any, Generic, TypeVar

from sim import background
from sim.codec import Message
from sim.errors import IsoError
from sim.exchanges.plan import Plan
from sim.paste.reading import Reading

T = TypeVar("T")
Heard = Callable[[Any], None]


class ModelError(Exception):
    """The model cannot be asked, or its answer cannot be used. The text can be shown to the user."""


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The event loop of this thread, as in a kernel; None in a plain script."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


@dataclass(frozen=True, eq=False)
class Inquiry(Generic[T]):
    """A task. *put* runs in *thread* and may call its argument with partial results. In the thread that
    started the task, each of these goes to *heard*, and the outcome to one of *answered*, *failed* (a
    sentence for the user) and *cancelled*. *doing* describes the task while it runs, *what* names its failure
    if there is no better sentence."""

    doing: str
    put: Callable[[Heard], Coroutine[Any, Any, T]]
    answered: Callable[[T], None]
    failed: Callable[[str], None]
    heard: Heard = lambda _: None
    cancelled: Callable[[], None] = lambda: None
    what: str = "The model could not be asked"
    thread: background.Thread = "sim-llm"


class Asker:
    """Runs one task at a time. *busy* is called with its description, and with "" at its end. While the
    caller holds `lock`, no other thread reports anything."""

    def __init__(self, busy: Callable[[str], None]) -> None:
        self.lock = RLock()
        self._busy = busy
        self._question: Inquiry[Any] | None = None
        self._future: Future[Any] | None = None

    def ask(self, question: Inquiry[Any], *, wait: bool) -> Callable[[], None]:
        """Start *question*; a running one is canceled. Returns a function that waits for its end: call it
        without the lock, and immediately if *wait* is true, because nothing is reported otherwise."""
        calls = _Calls(None if wait else running_loop())
        with self.lock:
            self.cancel()
            work = question.put(lambda text: calls.put(lambda: self._hear(question, text)))
            future = background.start(work, question.thread)
            self._question, self._future = question, future
            self._busy(question.doing)
        future.add_done_callback(lambda done: calls.end(lambda: self._finish(question, done)))
        return lambda: self._serve(calls)

    def cancel(self) -> bool:
        """Cancel the running task and its request; False if there is none."""
        with self.lock:
            question, future = self._question, self._future
            if question is None or future is None:
                return False
            self._question = self._future = None
            future.cancel()
            try:
                question.cancelled()
            finally:
                self._busy("")
            return True

    def _serve(self, calls: _Calls) -> None:
        try:
            calls.serve()
        except BaseException:  # above all an interrupt of the kernel
            self.cancel()
            raise

    def _hear(self, question: Inquiry[Any], text: Any) -> None:
        with self.lock:
            if self._question is question:
                question.heard(text)

    def _finish(self, question: Inquiry[T], future: Future[T]) -> None:
        with self.lock:
            if self._question is not question:
                return
            if future.cancelled():
                self.cancel()
                return
            self._question = self._future = None
            try:
                error = future.exception()
                if error is None:
                    question.answered(future.result())
                elif isinstance(error, (ModelError, IsoError)):
                    question.failed(str(error))
                else:
                    question.failed(f"{question.what} ({type(error).__name__})")
                    raise error
            finally:
                self._busy("")


class _Calls:
    """Calls from one thread to another: to *loop*, or, without one, to the thread that serves them."""

    def __init__(self, loop: asyncio.AbstractEventLoop | None) -> None:
        self._loop = loop
        self._context = copy_context()  # output goes to the cell of the question
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()

    def put(self, call: Callable[[], None]) -> None:
        """Schedule *call*."""
        if self._loop is None:
            self._queue.put(call)
            return
        try:
            self._loop.call_soon_threadsafe(call, context=self._context)
        except RuntimeError:  # closed with its page; another may show the panel
            call()

    def end(self, call: Callable[[], None]) -> None:
        """Schedule *call* as the last one."""
        self.put(call)
        self._queue.put(None)

    def serve(self) -> None:
        """Make the calls until the last one; a loop makes its own."""
        if self._loop is None:
            for call in iter(self._queue.get, None):
                call()


class LanguageModel:
    """The provider and model of a panel: those given, or those configured. Requests are coroutines that run
    in a thread; canceling one ends the request."""

    def __init__(self, provider: str | None = None, model: str | None = None) -> None:
        self.provider = provider
        self.model = model

    def _chosen(self) -> tuple[str, str]:
        """The model, and the reason why there is none: one of the two is empty."""
        try:
            from sim.models import LlmError
            from sim.models.transport.providers import choose
        except ImportError:
            return "", "The language model packages are missing"
        try:
            return choose(self.provider, self.model)[0].source.removeprefix("llm:"), ""
        except LlmError as error:
            return "", str(error)

    def refusal(self) -> str:
        """Why no model can be asked; empty if one can."""
        return self._chosen()[1]

    def name(self) -> str:
        """The model as `provider/model`; empty if there is none."""
        return self._chosen()[0]

    async def plan(self, description: str, *, version: str | None, at: datetime | None) -> Plan:
        """The plan of *description*. Raises ModelError."""
        with self._asked() as how:
            from sim import models

            return await models.plan_async(description, version=version, at=at, **how)

    async def explain(
        self,
        subject: str | Message | Reading,
        *,
        version: str | None,
        network: str | None,
        heard: Callable[[str], None],
        ask: str = "",
        language: str = "en",
    ) -> str:
        """An explanation of *subject* by the model; *heard* gets the text so far after each sentence. Raises
        ModelError, and the errors of `explain` by rules."""
        text = ""
        with self._asked() as how:
            from sim import models

            how |= {"version": version, "network": network, "ask": ask, "language": language}
            async with aclosing(models.stream_explain(subject, **how)) as pieces:  # type: ignore[type-var]
                async for piece in pieces:
                    text += piece
                    heard(text)
        return text.strip()

    @contextmanager
    def _asked(self) -> Iterator[dict[str, Any]]:
        """The options that name the model. Raises ModelError if there is none, or if it fails inside."""
        if reason := self.refusal():
            raise ModelError(reason)
        from sim.models import LlmError

        try:
            yield {"provider": self.provider, "model": self.model}
        except (LlmError, ValueError) as error:
            raise ModelError(str(error)) from error

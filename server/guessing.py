"""A process of its own for what has to be guessed: one that takes too long is ended.

A regular expression holds the interpreter while it runs, so no time limit fires in the process that runs it.
One guess is made at a time; the others wait in turn, and the event loop serves on.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_json

from server import logs, written
from server.body import read_json
from server.errors import Problem, failure, problem, to_body
from server.records import ConvertRequest, ParseRequest
from server.settings import Settings

COMMAND = (sys.executable, "-m", "server.guessing")
_PATIENCE = 60.0  # seconds that the process may take to start
_SIZE = 4  # bytes of a frame's length
_READY = b"ready"
_FIRST = "0800 2020 0000 0000 0000 9900 0012 3456"  # bytes that have to be guessed
_WORK: dict[str, tuple[type[BaseModel], Callable[[Any], written.Answer | None]]] = {
    "/parse": (ParseRequest, written.parse),
    "/convert": (ConvertRequest, written.convert),
}


class Guesser:
    """The process as the server sees it. It is started by the first guess, and again after one that took too
    long."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._turn = asyncio.Lock()
        self._process: Process | None = None

    async def answer(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Status and body of the answer to the request *body* on *path*. Raises Problem 503 where that takes
        longer than SIM_GUESS_TIMEOUT."""
        async with self._turn:
            try:
                process = await self._started()
                async with asyncio.timeout(self._settings.guess_timeout):
                    _send(process, path.encode() + b"\n" + body)
                    status, _, made = (await _received(process)).partition(b"\n")
                return int(status), made
            except (TimeoutError, asyncio.IncompleteReadError, ConnectionError):
                await self._end()
                msg = "Identifying the format of this message took too long"
                raise problem(503, "guess_timeout", ["body", "message"], msg) from None
            except asyncio.CancelledError:  # nobody waits for it any more
                await self._end()
                raise

    async def close(self) -> None:
        """End the process, where there is one."""
        await self._end()

    async def _started(self) -> Process:
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                *COMMAND, self._settings.formats, stdin=PIPE, stdout=PIPE
            )
            async with asyncio.timeout(_PATIENCE):
                await _received(self._process)
        return self._process

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def _send(process: Process, data: bytes) -> None:
    if process.stdin is not None:
        process.stdin.write(len(data).to_bytes(_SIZE, "big") + data)


async def _received(process: Process) -> bytes:
    if process.stdout is None:
        return b""
    return await process.stdout.readexactly(int.from_bytes(await process.stdout.readexactly(_SIZE), "big"))


def work(path: str, body: bytes) -> tuple[int, bytes]:
    """Status and body of the answer to the request *body* on *path*, in this process."""
    record, answer = _WORK[path]
    try:
        return 200, to_json(answer(read_json(body, record)))
    except Problem as refused:
        return refused.status_code, to_body(refused.detail)
    except Exception as error:  # noqa: BLE001, as Sanic answers whatever is raised
        return 500, to_body(failure(path, error))


def main() -> None:
    """Answer one request after the other, until the server closes the line."""
    for number in (signal.SIGINT, signal.SIGTERM):  # the server says when to end
        signal.signal(number, signal.SIG_IGN)
    logs.set_up()
    Settings(formats=sys.argv[1]).load_formats()
    written.parse(ParseRequest(message=_FIRST))  # reads the tables that the first guess would wait for
    into, out = sys.stdin.buffer, sys.stdout.buffer
    answer = _READY
    while True:
        out.write(len(answer).to_bytes(_SIZE, "big") + answer)
        out.flush()
        head = into.read(_SIZE)
        if not head:
            return
        path, _, body = into.read(int.from_bytes(head, "big")).partition(b"\n")
        status, made = work(path.decode(), body)
        answer = b"%d\n%b" % (status, made)


if __name__ == "__main__":
    main()

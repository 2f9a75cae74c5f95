"""A separate process that identifies formats, so that a guess that takes too long can be killed.

A regular expression blocks the interpreter while it runs, so a time limit cannot fire in the same process.
Only one guess runs at a time; the others wait in turn, and the event loop goes on serving.
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
_FIRST = "0800 2020 0000 0000 0000 9900 0012 3456"  # bytes in a format to identify
_WORK: dict[str, tuple[type[BaseModel], Callable[[Any], written.Answer | None]]] = {
    "/parse": (ParseRequest, written.parse),
    "/convert": (ConvertRequest, written.convert),
}


class Guesser:
    """The server's handle of the process, which is started by the first guess, and again after a timeout."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._turn = asyncio.Lock()
        self._process: Process | None = None

    async def answer(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Status and body of the response to the request *body* on *path*. Raises Problem 503 if it takes
        longer than SIM_GUESS_TIMEOUT."""
        async with self._turn:
            try:
                process = await self._started()
                async with asyncio.timeout(self._settings.guess_timeout):
                    _send(process, path.encode() + b"\n" + body)
                    status, _, response = (await _received(process)).partition(b"\n")
                return int(status), response
            except (TimeoutError, asyncio.IncompleteReadError, ConnectionError):
                await self.close()
                msg = "Identifying the format of this message took too long"
                raise problem(503, "guess_timeout", ["body", "message"], msg) from None
            except asyncio.CancelledError:  # nobody waits for the result
                await self.close()
                raise

    async def _started(self) -> Process:
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                *COMMAND, self._settings.formats, stdin=PIPE, stdout=PIPE
            )
            async with asyncio.timeout(_PATIENCE):
                await _received(self._process)
        return self._process

    async def close(self) -> None:
        """End the process, if it is running."""
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
    """Status and body of the response to the request *body* on *path*, computed in this process."""
    record, answer = _WORK[path]
    try:
        return 200, to_json(answer(read_json(body, record)))
    except Problem as refused:
        return refused.status_code, to_body(refused.detail)
    except Exception as error:  # noqa: BLE001, as Sanic handles every exception
        return 500, to_body(failure(path, error))


def main() -> None:
    """Answer requests one by one, until the server closes the pipe."""
    for number in (signal.SIGINT, signal.SIGTERM):  # the server decides when to end
        signal.signal(number, signal.SIG_IGN)
    logs.set_up()
    Settings(formats=sys.argv[1]).load_formats()
    written.parse(ParseRequest(message=_FIRST))  # reads the tables that the first guess needs
    into, out = sys.stdin.buffer, sys.stdout.buffer
    answer = _READY
    while True:
        out.write(len(answer).to_bytes(_SIZE, "big") + answer)
        out.flush()
        head = into.read(_SIZE)
        if not head:
            return
        path, _, body = into.read(int.from_bytes(head, "big")).partition(b"\n")
        status, response = work(path.decode(), body)
        answer = b"%d\n%b" % (status, response)


if __name__ == "__main__":
    main()

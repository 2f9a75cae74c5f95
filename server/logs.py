"""What the server writes to its logs: one line per answer if asked for, and its own failures.

No message content, no query string and no text of an exception, which may quote a message.
"""

from __future__ import annotations

import logging
import re
import sys
import traceback
from time import perf_counter
from types import TracebackType
from typing import TypeAlias

from sanic.constants import HTTP_METHODS

_ExcInfo: TypeAlias = (
    tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
)
_DIGITS = re.compile(r"\d{5,}")

access = logging.getLogger("server.access")


class DiscreetFormatter(logging.Formatter):
    """Writes an exception as its type and frames, and no long run of digits: the libraries below log
    exceptions and URLs as they come."""

    def formatException(self, ei: _ExcInfo) -> str:  # noqa: N802 (logging's own name)
        kind = ei[0].__name__ if ei[0] else "no exception"
        return f"{kind}\n{''.join(traceback.format_tb(ei[2]))}".rstrip()

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging's own name)
        if not record.name.startswith("server."):  # ours quote nothing
            record.message = _DIGITS.sub("#", record.message)
        return super().formatMessage(record)


def set_up() -> None:
    """Warnings and failures to stderr, the access log to stdout."""
    failures = logging.StreamHandler(sys.stderr)
    failures.setFormatter(DiscreetFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[failures], force=True)
    answers = logging.StreamHandler(sys.stdout)
    answers.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    access.handlers = [answers]
    access.setLevel(logging.INFO)
    access.propagate = False


def write_access(method: str, route: str | None, status: int, size: int, begun: float | None) -> None:
    """Method, route, status, bytes and time of one answer, begun at *begun* (None: its request was refused
    before). A method or path that the server does not know is not written: a client may put anything there.
    """
    method, route = method if method in HTTP_METHODS else "-", route or "-"
    spent = f"{(perf_counter() - begun) * 1000:.1f} ms" if begun is not None else "-"
    access.info("%s %s %s %s bytes %s", method, route, status, size, spent)

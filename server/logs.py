"""The server's logs: one line per response if requested, and its own failures.

They contain no message content, no query strings and no exception texts, which may quote a message.
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
    """Formats an exception as its type and frames, without long runs of digits: libraries log exceptions
    and URLs unchanged."""

    def formatException(self, ei: _ExcInfo) -> str:  # noqa: N802 (logging's own name)
        kind = ei[0].__name__ if ei[0] else "no exception"
        return f"{kind}\n{''.join(traceback.format_tb(ei[2]))}".rstrip()

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging's own name)
        if not record.name.startswith("server."):  # ours quote nothing
            record.message = _DIGITS.sub("#", record.message)
        return super().formatMessage(record)


def set_up() -> None:
    """Send warnings and failures to stderr, and the access log to stdout."""
    failures = logging.StreamHandler(sys.stderr)
    failures.setFormatter(DiscreetFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[failures], force=True)
    answers = logging.StreamHandler(sys.stdout)
    answers.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    access.handlers = [answers]
    access.setLevel(logging.INFO)
    access.propagate = False


def write_access(method: str, route: str | None, status: int, size: int, start: float | None) -> None:
    """Log method, route, status, bytes and time of a response; *start* is when its request began (None:
    rejected before). An unknown method or path is not logged: a client may put anything there."""
    method, route = method if method in HTTP_METHODS else "-", route or "-"
    spent = f"{(perf_counter() - start) * 1000:.1f} ms" if start is not None else "-"
    access.info("%s %s %s %s bytes %s", method, route, status, size, spent)

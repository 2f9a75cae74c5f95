"""The command `iso8583`, called in this process."""

from __future__ import annotations

import io
import json
import sys

import pytest

from sim.cli import main


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    held = stream.buffer
    assert isinstance(held, io.BytesIO)
    return held.getvalue().decode()


class Run:
    """The output and exit status of a call."""

    def __init__(self, *argv: str, given: str | bytes | None = None) -> None:
        data = (given.encode() if isinstance(given, str) else given) or b""
        streams = [io.TextIOWrapper(io.BytesIO(held), encoding="utf-8") for held in (data, b"", b"")]
        before = sys.stdin, sys.stdout, sys.stderr
        sys.stdin, sys.stdout, sys.stderr = streams
        try:
            with pytest.raises(SystemExit) as ended:
                main(list(argv))
        finally:
            sys.stdin, sys.stdout, sys.stderr = before
        self.status = ended.value.code
        self.out, self.err = (_text(stream) for stream in streams[1:])

    @property
    def records(self) -> list[dict[str, object]]:
        """The printed JSON objects, one per line."""
        return [json.loads(line) for line in self.out.splitlines()]

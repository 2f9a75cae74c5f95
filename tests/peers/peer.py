"""A program of another toolkit that is asked a line and answers a line; messages as both sides write them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Timer
from types import TracebackType
from typing import Self

_ESCAPED = re.compile("%([0-9A-F]{2})")
_ODD = re.compile(r"[^!-$&-{}~ ]")


class PeerError(Exception):
    """What the peer could not do, in its own words."""


class Peer:
    """A running peer: `peer("unpack", "ISO87APackager", "30323030...")`."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._log = (folder / f"{Path(command[0]).name}.log").open("wb")
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            encoding="utf-8",
        )

    def __call__(self, *words: object) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\t".join(map(str, words)) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline().rstrip("\n")
        if answer.startswith("! ") or not (answer or self._process.poll() is None):
            raise PeerError(answer[2:] or "it ended")
        return answer

    def end_after(self, seconds: float) -> None:
        """Kill the peer when so much time has gone by."""
        timer = Timer(seconds, self._process.kill)
        timer.daemon = True
        timer.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.terminate()
        self._process.wait()
        self._log.close()


def line_of(values: Mapping[str, str | bytes]) -> str:
    """Values by path (`127.2`; 0 the MTI) as a peer reads them."""
    return "|".join(
        f"{path}:{value.hex().upper()}" if isinstance(value, bytes) else f"{path}={escaped(value)}"
        for path, value in values.items()
    )


def escaped(value: str) -> str:
    """*value* with what is not printable, and what divides, as `%41`."""
    return _ODD.sub(lambda odd: f"%{ord(odd[0]) & 0xFF:02X}", value)


def values_of(line: str) -> dict[str, str | bytes]:
    """The other way."""
    if line.startswith("! "):
        return {"!": line}
    found: dict[str, str | bytes] = {}
    for one in line.split("|"):
        path = re.match(r"[0-9A-Za-z.!]+", one)
        if path is None:
            continue
        said = one[path.end() + 1 :]
        if one[path.end() : path.end() + 1] == ":":
            found[path[0]] = bytes.fromhex(said)
        else:
            found[path[0]] = _ESCAPED.sub(lambda odd: chr(int(odd[1], 16)), said)
    return found

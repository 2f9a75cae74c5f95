"""Separates the hex dumps in a log of tcpdump, jPOS or Wireshark from other lines and from each other. It
reads line by line and keeps only one dump in memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# The first offset in a line, and the bytes after it; anything may come before.
_ROW = re.compile(
    r"(?<![0-9A-Za-z.])(?:0[xX])?([0-9A-Fa-f]{4,16})(?![0-9A-Fa-f])"
    r"([hH]?\]?(?: ?[:|\u2502]| -(?= ))?[ \t|\u2502]*)(?<=[^0-9A-Fa-f])((?:[0-9A-Fa-f]{2}[ \t]{0,2})+.*)"
)
_FIRST = re.compile(r"(?:[0-9A-Fa-f]{2}[ \t]{0,2}){4}")
# The star for repeated rows, and the final offset that ends a dump.
_ALIKE_OR_END = re.compile(r"[ \t]{0,16}(?:\*|[0-9A-Fa-f]{6,8})[ \t]*")
_MOST_LINE = 400
_MOST_ROWS = 4200


@dataclass(frozen=True, slots=True)
class LoggedDump:
    """One dump: the number of its first line, the shape of its offsets, and its rows, without what precedes
    them. The repr omits the rows, which may contain card numbers."""

    line: int
    shape: tuple[int, str]
    rows: tuple[str, ...]

    def __repr__(self) -> str:
        return f"LoggedDump(line {self.line}, {len(self.rows)} rows)"

    @property
    def text(self) -> str:
        """Its rows as one text, for `sightings`."""
        return "\n".join(self.rows)


def dumps_apart(
    lines: Iterable[tuple[int, str]], shape: tuple[int, str] | None = None
) -> Iterator[LoggedDump]:
    """Yield each dump in numbered *lines*. A dump starts at offset 0. In a stream with two directions, whose
    offsets continue, it starts after a row that is not full, or when the direction changes.

    Parameters
    ----------
    lines
        Numbers and texts.
    shape
        The number of digits in the offsets and the text after them: other rows are skipped. None accepts all.

    Examples
    --------
    >>> log = ["sent", "0000  30 38 30 30 82 20 00 00", "0008  00 00", "got", "0000  30 38 31 30 82 20 00 00"]
    >>> list(dumps_apart(enumerate(log, 1)))
    [LoggedDump(line 2, 2 rows), LoggedDump(line 5, 1 rows)]
    """
    run = _Run()
    for number, line in lines:
        match = _ROW.search(line, 0, _MOST_LINE)
        if match is None:
            run.mark(line)
        elif shape in (None, _shape(match)) and (done := run.add(number, line[: match.start()], match)):
            yield done
    if run.rows:
        yield run.dump()


def _shape(match: re.Match[str]) -> tuple[int, str]:
    return len(match[1]), match[2]


class _Run:
    """The rows of the current dump, and the last offset of each direction of a stream. Indentation
    distinguishes the directions; rows after a log's own text have only one."""

    def __init__(self) -> None:
        self.rows: list[str] = []
        self._line, self._shape = 0, (0, "")
        self._side, self._logged = "", False
        self._start = self._step = 0
        self._last: dict[str, int] = {}

    def dump(self) -> LoggedDump:
        """The dump read so far."""
        return LoggedDump(self._line, self._shape, tuple(self.rows))

    def mark(self, line: str) -> None:
        """Add a line without bytes if it is part of the dump; ignore any other."""
        if 0 < len(self.rows) < _MOST_ROWS and _ALIKE_OR_END.fullmatch(line, 0, _MOST_LINE):
            self.rows.append(line.strip())

    def add(self, line: int, front: str, match: re.Match[str]) -> LoggedDump | None:
        """Add a row that comes after *front*; return the dump that ends before it, if any."""
        at, done = int(match[1], 16), None
        side = "" if front.strip() else self._side if self._logged and match[1].strip("0") else front
        more = at - self._last.get(side, at)
        if (at == 0 and _FIRST.match(match[3])) or (more > 0 and not self._goes_on(side, more)):
            done = self.dump() if self.rows else None
            self.rows, self._line, self._shape = [], line, _shape(match)
            self._side, self._logged, self._start = side, bool(front.strip()), at
        elif more <= 0 or len(self.rows) >= _MOST_ROWS:
            return None
        else:
            self._step = self._step or more
        self._last[side] = at
        offset = f"{at - self._start:08x}" if self._start else match[1]
        self.rows.append(f"{offset}{match[2]}{match[3]}")
        return done

    def _goes_on(self, side: str, more: int) -> bool:
        """Whether a row *more* bytes after the last one of its direction belongs to the same dump."""
        return side == self._side and bool(self.rows) and more >= self._step

"""Many hex dumps in one text, as logs of tcpdump, jPOS and Wireshark have them: their rows told from other
lines, and one dump from the next. Lines come one by one, and no more than one dump is held."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# The first offset in a line, and bytes behind it; a log may write what it likes in front.
_ROW = re.compile(
    r"(?<![0-9A-Za-z.])(?:0[xX])?([0-9A-Fa-f]{4,16})(?![0-9A-Fa-f])"
    r"([hH]?\]?(?: ?[:|\u2502]| -(?= ))?[ \t|\u2502]*)(?<=[^0-9A-Fa-f])((?:[0-9A-Fa-f]{2}[ \t]{0,2})+.*)"
)
_FIRST = re.compile(r"(?:[0-9A-Fa-f]{2}[ \t]{0,2}){4}")
# What stands for rows as the one before, and what ends a dump: the offset behind it.
_ALIKE_OR_END = re.compile(r"[ \t]{0,16}(?:\*|[0-9A-Fa-f]{6,8})[ \t]*")
_MOST_LINE = 400
_MOST_ROWS = 4200


@dataclass(frozen=True, slots=True)
class LoggedDump:
    """One dump: the number of its first line, what its offsets look like, and its rows as text of their own,
    without what stands in front. The repr leaves the rows out: they hold card numbers."""

    line: int
    shape: tuple[int, str]
    rows: tuple[str, ...]

    def __repr__(self) -> str:
        return f"LoggedDump(line {self.line}, {len(self.rows)} rows)"

    @property
    def text(self) -> str:
        """Its rows, as `sightings` takes them."""
        return "\n".join(self.rows)


def dumps_apart(
    lines: Iterable[tuple[int, str]], shape: tuple[int, str] | None = None
) -> Iterator[LoggedDump]:
    """Each dump in numbered *lines*, which begins where its offset is 0; of the two directions of a stream,
    where offsets run on, behind a row that is not full and where the other direction comes in between.

    Parameters
    ----------
    lines
        Numbers and texts.
    shape
        How many digits the offsets have and what stands behind them: other rows are left out. None takes all.

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
    """The rows of the dump that is being read, and how far each direction of a stream has come. Directions
    are told apart by how far they stand in; behind what a log has written there is but one."""

    def __init__(self) -> None:
        self.rows: list[str] = []
        self._line, self._shape = 0, (0, "")
        self._side, self._logged = "", False
        self._start = self._step = 0
        self._last: dict[str, int] = {}

    def dump(self) -> LoggedDump:
        """What was read."""
        return LoggedDump(self._line, self._shape, tuple(self.rows))

    def mark(self, line: str) -> None:
        """Take a line without bytes that is of the dump all the same; any other line is none."""
        if 0 < len(self.rows) < _MOST_ROWS and _ALIKE_OR_END.fullmatch(line, 0, _MOST_LINE):
            self.rows.append(line.strip())

    def add(self, line: int, front: str, match: re.Match[str]) -> LoggedDump | None:
        """Take a row behind *front*; gives the dump that ends before it, if any."""
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
        """Whether a row *more* bytes behind the last one of its direction is of the same dump."""
        return side == self._side and bool(self.rows) and more >= self._step

"""Worksheets: a text with a row per element, and facts by name. Both are judged cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lessons.judging import RIGHT, Exercise, Verdict, cells
from sim.operations.drill import Fact, fact

_COLUMNS = ("start", "length", "value", "meaning")


class Row(NamedTuple):
    """What stands in a row; `meaning` is the fact that its last cell states, where one is asked for."""

    start: int
    length: int
    value: str
    meaning: Fact | None = None


def _fits(cell: str, row: Row, column: str) -> bool:
    return fact(getattr(row, column)).fits(cell)


def sheet(rows: Callable[[], Mapping[str, Row]], stronger: str = "") -> Exercise:
    """For a worksheet with the columns start, length, value and meaning; a row without words asks for no
    meaning."""

    def judge(answer: Any) -> Verdict:
        if not isinstance(answer, str) or "|" not in answer:
            return Verdict("fill in the worksheet: a row per element, its cells between vertical bars.")
        given, wrong, count = cells(answer), [], 0
        for name, row in rows().items():
            columns = _COLUMNS if row.meaning else _COLUMNS[:3]
            filled = [*given.get(name, []), *[""] * len(columns)]
            count += len(columns)
            wrong += [
                f"DE {name} {column}"
                for column, cell in zip(columns, filled, strict=False)
                if not _fits(cell, row, column)
            ]
        if not wrong:
            return RIGHT
        told = ", ".join(wrong[:4]) + (" and more" if len(wrong) > 4 else "")
        right = count - len(wrong)
        return Verdict(f"{right} of {count} cells are right. Look again at {told}.", right, count)

    return Exercise(judge, stronger)


def facts(right: Callable[[], Mapping[str, Fact]], stronger: str = "") -> Exercise:
    """For a `dict` of facts by name."""

    def judge(answer: Any) -> Verdict:
        if not isinstance(answer, dict):
            return Verdict("the answer is a `dict` of the names above with their values.")
        wanted = right()
        given = {str(name).strip().casefold(): value for name, value in answer.items()}
        wrong = [name for name, one in wanted.items() if not one.fits(given.get(name.casefold(), ...))]
        if not wrong:
            return RIGHT
        count = len(wanted) - len(wrong)
        told = f"{count} of {len(wanted)} are right. Look again at {', '.join(wrong)}."
        return Verdict(told, count, len(wanted))

    return Exercise(judge, stronger)

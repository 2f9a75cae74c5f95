"""Worksheets: a text with a row per element, and facts by name. Both are judged cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lessons.judging import Exercise, cells
from sim.operations.drill import same

_COLUMNS = ("start", "length", "value", "meaning")


class Row(NamedTuple):
    """What stands in a row: `meaning` are words that must occur, each with `|` between spellings of it."""

    start: int
    length: int
    value: str
    meaning: tuple[str, ...] = ()


def _fits(cell: str, row: Row, column: str) -> bool:
    if column != "meaning":
        return same(cell, getattr(row, column))
    said = cell.lower().replace(",", "")
    return all(any(one in said for one in words.split("|")) for words in row.meaning)


def sheet(rows: Callable[[], Mapping[str, Row]], stronger: str = "") -> Exercise:
    """For a worksheet with the columns start, length, value and meaning; a row without words asks for no
    meaning."""

    def judge(answer: Any) -> str:
        if not isinstance(answer, str) or "|" not in answer:
            return "fill in the worksheet: a row per element, its cells between vertical bars."
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
            return ""
        told = ", ".join(wrong[:4]) + (" and more" if len(wrong) > 4 else "")
        return f"{count - len(wrong)} of {count} cells are right. Look again at {told}."

    return Exercise(judge, stronger)


def facts(right: Callable[[], Mapping[str, tuple[object, ...]]], stronger: str = "") -> Exercise:
    """For a `dict` of facts; each may be said in several ways."""

    def judge(answer: Any) -> str:
        if not isinstance(answer, dict):
            return "the answer is a `dict` of the names above with their values."
        wanted = right()
        wrong = [
            name for name, ways in wanted.items() if not any(same(answer.get(name, ""), way) for way in ways)
        ]
        if not wrong:
            return ""
        return f"{len(wanted) - len(wrong)} of {len(wanted)} are right. Look again at {', '.join(wrong)}."

    return Exercise(judge, stronger)

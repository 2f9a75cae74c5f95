"""How an answer is judged: what counts as the same, and what a learner is told when it is not.

An exercise is a judge with a second, stronger hint. A judge takes an answer and gives a verdict: a hint, empty
when the answer is right, and how much of it is. Where the slip that was made can be recognised, the hint names it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import sim
from lessons import progress
from sim.errors import with_article
from sim.operations.drill import Fact, fact
from sim.operations.drill.facts import Element, Several, plain


class Verdict(NamedTuple):
    """What an answer deserves: a hint, empty when all of it is right, and how many of the facts that were asked
    for it has."""

    hint: str
    right: int = 0
    of: int = 1


RIGHT = Verdict("", 1)
Judge = Callable[[Any], Verdict]
# Takes a message; gives a hint, empty when the message is as it should be.
Wish = Callable[[sim.Message], str]


class Exercise(NamedTuple):
    """A judge, and what is said in addition from the second wrong answer on. Where the answer is a function,
    `cases` are the arguments it is called with, each with what should come out."""

    judge: Judge
    stronger: str = ""
    cases: Callable[[], list[tuple[tuple[Any, ...], Any]]] | None = None


_OPEN = ("", "...", "…")


def cells(answer: str) -> dict[str, list[str]]:
    """The rows of a worksheet by their first cell, without the heading; its cells stand between `|`."""
    rows = [[cell.strip() for cell in line.split("|")] for line in answer.splitlines() if "|" in line]
    return {row[0].upper().removeprefix("DE").strip(): row[1:] for row in rows if row[0].upper() != "DE"}


def untried(answer: object) -> bool:
    """Whether *answer* is still as it was printed: dots, or a worksheet of dots."""
    if isinstance(answer, str) and "|" in answer:
        return all(cell in _OPEN for row in cells(answer).values() for cell in row)
    if isinstance(answer, dict) and answer:
        return all(value is ... for value in answer.values())
    return answer is ...


class Lesson:
    """The exercises of one notebook, numbered from 1. Where it is `by_name`, every student has a paper of his or
    her own."""

    by_name = False

    def __init__(self, name: str, *exercises: Exercise) -> None:
        self.name = name
        self._exercises = exercises
        self._solved: set[int] = set()
        self._missed: Counter[int] = Counter()
        self._tried: Counter[int] = Counter()
        self._silent = False

    def __len__(self) -> int:
        return len(self._exercises)

    def seat(self, student: str) -> None:
        """Judge by the paper of *student*, where every student has another one."""

    def cases(self, number: int) -> list[tuple[tuple[Any, ...], Any]]:
        """The calls that judge exercise *number*, where its answer is a function; none for another one."""
        made = self._exercises[number - 1].cases
        return made() if made else []

    def __call__(self, number: int, answer: object) -> None:
        """Print the verdict on *answer* to exercise *number*, and after a right one the score so far."""
        self._tried[number] += not untried(answer)
        if self._silent:
            tried = self.judged(number, answer) is not None
            print(f"Exercise {number}: {'taken down' if tried else 'not tried yet'}.")
            return
        verdict = self.verdict(number, answer, attempt=self._missed[number] + 1)
        if verdict.startswith("right"):
            self._solved.add(number)
            progress.note(self.name, number)
            verdict += f" {len(self._solved)} of {len(self)}."
        elif verdict.startswith("not yet"):
            self._missed[number] += 1
        print(f"Exercise {number}: {verdict}")

    def verdict(self, number: int, answer: object, *, attempt: int = 1) -> str:
        """`not tried yet`, `right`, or `not yet` with a hint, from the second *attempt* on with a second
        one. Raises IndexError for an unknown number."""
        found = self.judged(number, answer)
        if found is None:
            return "not tried yet. Put your answer in place of the three dots."
        if not found.hint:
            return "right. Well done."
        stronger = self._exercises[number - 1].stronger if attempt > 1 and answer is not None else ""
        return " ".join(_sentence(part) for part in ("not yet.", found.hint, stronger) if part)

    def judged(self, number: int, answer: object) -> Verdict | None:
        """What *answer* to exercise *number* deserves; None where it was not tried. Raises IndexError for an
        unknown number."""
        if not 1 <= number <= len(self):
            raise IndexError(f"this notebook has exercises 1 to {len(self)}")
        if answer is None:
            return Verdict(
                "the answer is None: `print`, and functions that change something in place, return nothing."
            )
        if untried(answer):
            return None
        try:
            return self._exercises[number - 1].judge(answer)
        except (TypeError, ValueError, AttributeError, KeyError, IndexError):
            return Verdict(f"this exercise cannot use {kind(answer)}. Read the exercise again.")


def _sentence(words: str) -> str:
    return words if words.startswith("not yet") else words[:1].upper() + words[1:]


def kind(answer: object) -> str:
    """What *answer* is to Python, with its article: `an int`."""
    return "bytes" if isinstance(answer, bytes) else with_article(type(answer).__name__)


def equal(
    right: Callable[[], object], hint: str, stronger: str = "", slips: Mapping[object, str] | None = None
) -> Exercise:
    """For one fact, or a value, or several in order. *slips* are wrong values that are often given, each with
    the words that name the slip."""

    def judge(answer: Any) -> Verdict:
        wanted, given = fact(right()), plain(answer)
        if wanted.fits(given):
            return RIGHT
        slip = next(
            (words for one, words in (slips or {}).items() if one == given or wanted.like(one).fits(given)),
            "",
        )
        return Verdict(slip or _wrong_kind(given, wanted.value) or hint)

    return Exercise(judge, stronger)


_LOST_ZEROS = "the digits are right. Write them as a text, in quotes: a number loses its leading zeros."


def _lost_zeros(given: Any, wanted: object) -> bool:
    """Whether numbers were given that are right as texts."""
    are_lists = (
        isinstance(given, (list, tuple)) and isinstance(wanted, (list, tuple)) and len(given) == len(wanted)
    )
    return all(
        isinstance(text, str) and text.isdecimal() and isinstance(number, int) and int(text) == number
        for number, text in (zip(given, wanted, strict=True) if are_lists else [(given, wanted)])
    )


def _wrong_kind(given: Any, wanted: object) -> str:
    """What is wrong with the kind of the answer; empty where nothing is."""
    if _lost_zeros(given, wanted):
        return _LOST_ZEROS
    if isinstance(wanted, int) and isinstance(given, float):
        return "the answer is a whole number, without a decimal point."
    if isinstance(wanted, (list, tuple)):
        if not isinstance(given, (list, tuple)):
            return f"the answer is a list of {len(wanted)}, in order."
        return "" if len(given) == len(wanted) else f"{len(wanted)} are needed, in order."
    names = {str: "text", int: "whole number"}
    fits = isinstance(given, (str, int, bytes)) and not isinstance(given, bool)
    return "" if fits else f"the answer is a {names.get(type(wanted), 'value')}, not {kind(given)}."


def members(
    right: Callable[[], Iterable[Any]],
    hint: str,
    stronger: str = "",
    slips: Mapping[tuple[object, ...], str] | None = None,
    *,
    of: Fact | None = None,
) -> Exercise:
    """For an answer in which neither the order nor the kind of collection matters, of facts like *of*; without
    it, of elements."""

    def judge(answer: Any) -> Verdict:
        values, given = sorted(right(), key=str), plain(answer)
        wanted = Several(tuple(values), of or Element(0), ordered=False)
        if wanted.fits(given):
            return RIGHT
        if isinstance(given, list | set) and _lost_zeros(sorted(given, key=str), values):
            return Verdict(_LOST_ZEROS)
        if isinstance(given, bool | float | bytes | dict):
            raise TypeError
        if slip := next((words for one, words in (slips or {}).items() if wanted.like(one).fits(given)), ""):
            return Verdict(slip)
        extra, missing = wanted.differs(given)
        one = str(min(extra, key=str, default=""))
        told = f"{one} does not belong there. " if re.fullmatch(r"[0-9A-Z]{1,10}", one) else ""
        told += f"{missing} more belong{'s' * (missing == 1)} there. " if missing else ""
        return Verdict(told + hint[:1].upper() + hint[1:])

    return Exercise(judge, stronger)


def wants(*wishes: Wish, stronger: str = "") -> Exercise:
    """For a message in any form; the first of *wishes* that it does not meet gives its hint."""

    def judge(answer: Any) -> Verdict:
        table, faults = _table(answer)
        if faults:
            return Verdict(f"this text cannot be read as a message: {faults[0]}.")
        message = table.iso.to_message()
        hint = next((hint for wish in wishes if (hint := wish(message))), "")
        return Verdict(hint) if hint else RIGHT

    return Exercise(judge, stronger)


def _table(answer: Any) -> tuple[Any, list[str]]:
    """*answer* as a table of its elements, and what is wrong with it as a message. Blanks in front of a text and
    a line end are not its content; blanks behind it may be."""
    ways = [answer]
    if isinstance(answer, str):
        ways = [answer.lstrip().rstrip("\r\n\t"), answer.strip()]
    found = None
    for way in ways:
        table = sim.parse(way, format="text")
        faults = [str(one) for one in table["finding"].fillna("") if str(one)]
        if not faults:
            return table, []
        found = found or (table, faults)
    return found

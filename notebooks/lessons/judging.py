"""How an answer is judged: what counts as the same, and what a learner is told when it is not.

An exercise is a judge with a second, stronger hint. A judge takes an answer and gives a hint, empty when the
answer is right. Where the slip that was made can be recognised, the hint names the slip.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping, ValuesView
from itertools import islice
from typing import Any, NamedTuple

import sim
from lessons import progress
from sim.elements.words import with_article
from sim.operations.drill.answers import folded, same

Judge = Callable[[Any], str]
# Takes a message; gives a hint, empty when the message is as it should be.
Wish = Callable[[sim.Message], str]


class Exercise(NamedTuple):
    """A judge, and what is said in addition from the second wrong answer on. Where the answer is a function,
    `cases` are the arguments it is called with, each with what should come out."""

    judge: Judge
    stronger: str = ""
    cases: Callable[[], list[tuple[tuple[Any, ...], Any]]] | None = None


_OPEN = ("", "...", "…")
# A generator may have no end.
_MOST = 1000


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
    """The exercises of one notebook, numbered from 1."""

    def __init__(self, name: str, *exercises: Exercise) -> None:
        self.name = name
        self._exercises = exercises
        self._solved: set[int] = set()
        self._missed: Counter[int] = Counter()

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
        if not 1 <= number <= len(self):
            raise IndexError(f"this notebook has exercises 1 to {len(self)}")
        if answer is None:
            return "not yet. The answer is None: `print`, and what changes something in place, give nothing back."
        if untried(answer):
            return "not tried yet. Put your answer in place of the three dots."
        exercise = self._exercises[number - 1]
        try:
            hint = exercise.judge(answer)
        except (TypeError, ValueError, AttributeError, KeyError, IndexError):
            hint = f"this exercise cannot use {kind(answer)}. Read again what it asks for."
        if not hint:
            return "right. Well done."
        stronger = exercise.stronger if attempt > 1 else ""
        return " ".join(_sentence(part) for part in ("not yet.", hint, stronger) if part)


def _sentence(words: str) -> str:
    return words if words.startswith("not yet") else words[:1].upper() + words[1:]


def kind(answer: object) -> str:
    """What *answer* is to Python, with its article: `an int`."""
    return "bytes" if isinstance(answer, bytes) else with_article(type(answer).__name__)


def plain(answer: Any) -> Any:
    """*answer* without what pandas and numpy wrap around it: a number, a text, or a list, which what gives
    its items one by one (a generator, a range, the keys of a dict) is as well."""
    if hasattr(answer, "tolist"):
        answer = answer.tolist()
    if isinstance(answer, Iterator | range | KeysView | ValuesView):
        answer = list(islice(answer, _MOST))
    if isinstance(answer, list | tuple):
        return [plain(one) for one in answer]
    return str(answer) if isinstance(answer, str) else answer


def equal(
    right: Callable[[], object],
    hint: str,
    stronger: str = "",
    slips: Mapping[object, str] | None = None,
    *,
    exact: bool = False,
) -> Exercise:
    """For one value, or several in order. *slips* are wrong answers that are often given, each with the
    words that name the slip."""

    def judge(answer: Any) -> str:
        wanted, given = right(), plain(answer)
        if same(given, wanted, exact=exact):
            return ""
        slip = next((words for one, words in (slips or {}).items() if same(given, one, exact=exact)), "")
        return slip or _wrong_kind(given, wanted) or hint

    return Exercise(judge, stronger)


def _wrong_kind(given: Any, wanted: object) -> str:
    """What is wrong with the kind of the answer; empty where nothing is."""
    if isinstance(wanted, str) and isinstance(given, int) and wanted.isdecimal() and int(wanted) == given:
        return "the digits are right. Write them as a text, in quotes: a number loses its leading zeros."
    if isinstance(wanted, int) and isinstance(given, float):
        return "the answer is a whole number, without a decimal point."
    if isinstance(wanted, (list, tuple)):
        if not isinstance(given, (list, tuple)):
            return f"the answer is a list of {len(wanted)}, in order."
        return "" if len(given) == len(wanted) else f"{len(wanted)} are asked for, in order."
    names = {str: "text", int: "whole number"}
    fits = isinstance(given, (str, int)) and not isinstance(given, bool)
    return "" if fits else f"the answer is a {names.get(type(wanted), 'value')}, not {kind(given)}."


def members(
    right: Callable[[], Iterable[Any]],
    hint: str,
    stronger: str = "",
    slips: Mapping[tuple[object, ...], str] | None = None,
) -> Exercise:
    """For an answer in which neither the order nor the kind of collection matters."""

    def judge(answer: Any) -> str:
        given, wanted = _set(answer), _set(list(right()))
        if given == wanted:
            return ""
        for slip, words in (slips or {}).items():
            if given == _set(slip):
                return words
        extra, missing = given - wanted, wanted - given
        one = min(extra, default="")
        told = f"{one} does not belong there. " if re.fullmatch(r"[0-9A-Z]{1,10}", one) else ""
        told += f"{len(missing)} more belong{'s' * (len(missing) == 1)} there. " if missing else ""
        return told + hint[:1].upper() + hint[1:]

    return Exercise(judge, stronger)


def _set(answer: Any) -> set[str]:
    given = plain(answer)
    if isinstance(given, str):
        given = re.findall(r"\w+", given)
    if isinstance(given, (bool, float, bytes, dict)):
        raise TypeError
    return {folded(str(one)) for one in ([given] if isinstance(given, int) else given)}


def wants(*wishes: Wish, stronger: str = "") -> Exercise:
    """For a message in any form; the first of *wishes* that it does not meet gives its hint."""

    def judge(answer: Any) -> str:
        table = sim.parse(answer, format="text")
        faults = [str(one) for one in table["finding"].fillna("") if str(one)]
        if faults:
            return f"this text cannot be read as a message: {faults[0]}."
        message = table.iso.to_message()
        return next((hint for wish in wishes if (hint := wish(message))), "")

    return Exercise(judge, stronger)

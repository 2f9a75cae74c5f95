"""What people write for an answer, and whether it is right: labelled by hand, in answers.csv."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from support import check_module, together
from teaching import notes as course

import sim

NOTES = course.all_notes()
BY_HAND = course.namespace(NOTES["19_read_one_by_hand"])


def _labelled() -> list[tuple[str, str, str, bool]]:
    with (Path(__file__).parent / "answers.csv").open(encoding="utf-8", newline="") as file:
        return [(*list(row.values())[:3], row["label"] == "right") for row in csv.DictReader(file)]  # type: ignore[misc]


def _right(exercise: str, answer: object) -> bool:
    name, number = exercise.split()
    return bool(check_module().LESSONS[name].verdict(int(number), answer) == "right. Well done.")


def _worksheet(numbers: tuple[int, ...], which: str, column: str, cell: str) -> str:
    """All right but for one cell, that of the element *which*."""
    lines = BY_HAND["worksheet"](*numbers).splitlines()
    for at, line in enumerate(lines):
        cells = [one.strip() for one in line.split("|")]
        if cells[0] == which:
            cells[("number", "start", "length", "value", "meaning").index(column)] = cell
            lines[at] = " | ".join(cells)
    return "\n".join(lines)


@together("asked, fact, answer, right", _labelled)
def test_an_answer_is_judged_as_people_judge_it(asked: str, fact: str, answer: str, right: bool) -> None:
    """Other spellings, containers and units are right; other values and denials are wrong."""
    given = eval(answer)  # noqa: S307, the project's own data
    if fact.startswith("DE "):
        _, which, column = fact.split()
        numbers = (3, 4, 7, 11, 14) if asked.endswith("2") else (22, 41, 49)
        assert _right(asked, _worksheet(numbers, which, column, given)) is right
    elif fact:
        whole = BY_HAND["asked"] if asked.endswith("5") else BY_HAND["story"]
        assert _right(asked, whole | {fact: given}) is right
    else:
        assert _right(asked, given) is right


MESSAGES = {
    "generate 1 in 1993": (
        "generate 1",
        lambda: sim.generate(
            "financial",
            network="MASTERCARD",
            purpose="cash",
            amount_minor_units=6000,
            currency="EUR",
            version="1993",
        ),
        True,
    ),
    "generate 1, a purchase": (
        "generate 1",
        lambda: sim.generate("financial", network="MASTERCARD", amount_minor_units=6000, currency="EUR"),
        False,
    ),
    "start 1 in 2003": (
        "start 1",
        lambda: sim.generate(network="MASTERCARD", amount_minor_units=4000, currency="USD", version="2003"),
        True,
    ),
    "service_point 2, a refund": (
        "service_point 2",
        lambda: sim.generate("auth", network="MASTERCARD", purpose="refund", entry="ecommerce"),
        False,
    ),
    "service_point 2 in 1993": (
        "service_point 2",
        lambda: sim.generate("auth", network="MASTERCARD", entry="ecommerce", version="1993"),
        True,
    ),
    "life 3, which nobody can match": (
        "life 3",
        lambda: sim.Message("0400", {4: "000000007500", 49: "840", 90: "0100004242" + "0" * 32}),
        False,
    ),
    "life 3 in 1993": (
        "life 3",
        lambda: sim.reverse(
            sim.generate(
                network="AMEX", version="1993", stan="004242", amount_minor_units=7500, currency="USD"
            )
        ),
        True,
    ),
    "broken 1 behind a blank": ("broken 1", lambda: f" {_echo()}\n", True),
}


def _echo() -> str:
    check_module()
    from lessons.broken import ECHOES

    return ECHOES[0]


@pytest.mark.parametrize("case", MESSAGES)
def test_a_message_is_judged_by_what_was_asked(case: str) -> None:
    """In whatever version where none was asked for, and only where it does all that was asked."""
    exercise, make, right = MESSAGES[case]
    answer: Any = make()
    assert _right(exercise, answer) is right


def test_a_parser_that_takes_too_long_a_length_is_wrong() -> None:
    """The width of an element is checked even where the characters are there."""

    def careless(text: str) -> dict[int, str]:
        try:
            return dict(sim.codec.parse(text).fields)
        except sim.ParseError:
            if "12654321098765" in text:
                return {11: "123456"}
            raise

    assert not _right("parser 5", careless)

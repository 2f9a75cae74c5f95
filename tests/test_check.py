"""The output of `notebooks/check.py`: it ignores untouched exercises, and never fails on a strange answer."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas
import pytest
from lessons import progress
from support import check_module, some, together

import sim

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
ODD = (None, 0, -1, 3.5, "", "hello", [], [None], {}, {"mti": "0800"}, (1, "2"), object(), True, b"0800")


@pytest.fixture(name="check")
def _check() -> ModuleType:
    """The module as a notebook imports it."""
    return check_module()


@pytest.fixture(name="kept", autouse=True)
def _kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Store the solved exercises outside the notebooks."""
    monkeypatch.setattr(progress, "FILE", tmp_path / "progress.json")
    return progress.FILE


def lessons(check: ModuleType) -> dict[str, Any]:
    """All lessons of the module by name."""
    return dict(check.LESSONS)


def test_a_lesson_is_called_by_its_name(check: ModuleType) -> None:
    """`check.mti` is the lesson, not the file that contains it."""
    for name, lesson in lessons(check).items():
        assert getattr(check, name) is lesson


def test_untouched_exercises_are_not_judged(check: ModuleType) -> None:
    """An ellipsis is not a wrong answer, in any exercise."""
    for lesson in lessons(check).values():
        for number in range(1, len(lesson) + 1):
            assert lesson.verdict(number, ...).startswith("not tried yet.")


def test_every_lesson_has_at_least_three_exercises(check: ModuleType) -> None:
    """Every lesson has at least three exercises, as the notebooks say."""
    assert min(len(lesson) for lesson in lessons(check).values()) >= 3


@together("answer", some(ODD, 2))
def test_an_odd_answer_gets_a_hint(check: ModuleType, answer: object) -> None:
    """For any answer the learner reads a sentence, never a traceback."""
    for name, lesson in lessons(check).items():
        for number in range(1, len(lesson) + 1):
            verdict = lesson.verdict(number, answer)
            assert verdict.startswith("not yet. "), (name, number)
            assert verdict.endswith((".", "?")), (name, number)


def _elements(text: str) -> dict[int, str]:
    return dict(sim.codec.parse(text).fields)


SLIPS: list[tuple[int, Callable[..., Any], str]] = [
    (1, lambda digits: print(end=""), "it returned nothing"),
    (1, lambda digits: {2, 3}, "it returned a set, which has no order; return a list"),
    (1, lambda digits: count(), "it returned different numbers"),
    (2, lambda text, at, digits: (8, "123456"), "the value and the offset are in the wrong order"),
    (2, lambda text, at, digits: "123456", "it returned a str, not a value and an offset"),
    (2, lambda text, at, digits: (b"123456", 8), "the value is bytes: keep it a text"),
    (3, lambda text, at: text, "it raised TypeError (<lambda>() takes 2 positional"),
    (
        4,
        lambda text: {str(one): held for one, held in _elements(text).items()},
        "its keys are texts",
    ),
    (4, lambda text: {0: text[:4], **_elements(text)}, "it has the key 0, which the message"),
    (4, lambda text: {one: held for one, held in _elements(text).items() if one > 2}, "DE 2 is missing"),
    (4, lambda text: _elements(text) | {3: 0}, "DE 3 is an int: keep it a text"),
    (4, lambda text: pandas.Series(_elements(text)), "it returned a Series, not a dict"),
    (5, _elements, ""),
    (5, lambda text: {}[text], "it raised KeyError; it should raise ValueError"),
    (5, lambda text: None, "characters) it should raise ValueError but returned a value"),
]


@together("number, function, told", SLIPS)
def test_a_function_is_told_what_it_gave(
    check: ModuleType, number: int, function: Callable[..., Any], told: str
) -> None:
    """For the learner's own parser, the hint says what is wrong with its result, never what is right."""
    assert told in check.LESSONS["parser"].verdict(number, function)


@together(
    "lesson, number, answer, told",
    [
        ("mti", 1, 220, "a number loses its leading zeros"),
        ("mti", 2, [221, 230], "a number loses its leading zeros"),
        ("mti", 3, {401, 101, 421}, "a number loses its leading zeros"),
        ("validate", 2, "amount-without-currency", "checks whether there is a currency, not which one"),
        ("versions", 2, "ans..16", "the dots would mean *up to*"),
        ("versions", 2, "16", "the letters for the allowed characters"),
    ],
)
def test_a_usual_slip_is_named(
    check: ModuleType, lesson: str, number: int, answer: object, told: str
) -> None:
    """Numbers in place of texts, also in lists and sets; a name with a negation; the nearest of two slips."""
    assert told.casefold() in check.LESSONS[lesson].verdict(number, answer).casefold()


def test_the_verdict_is_printed_with_its_number_and_the_score(
    check: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """A lesson call prints one line and returns nothing; a right answer counts once."""
    assert check.mti(1, "0220") is None
    check.mti(3, ["0101", "0401", "0421"])
    check.mti(3, ["0101", "0401", "0421"])
    assert capsys.readouterr().out.splitlines() == [
        "Exercise 1: right. Well done. 1 of 3.",
        "Exercise 3: right. Well done. 2 of 3.",
        "Exercise 3: right. Well done. 2 of 3.",
    ]


def test_the_second_wrong_answer_gets_a_second_hint(
    check: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    """After the second wrong answer the first hint stays, and a stronger one follows."""
    check.prefixes(3, 25)
    check.prefixes(3, 25)
    first, second = capsys.readouterr().out.splitlines()
    assert second.startswith(first)
    assert len(second) > len(first)


def test_progress_shows_the_course(check: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    """Each lesson has a box per exercise, with the total solved; progress is kept between notebooks."""
    check.mti(1, "0220")
    check.card(3, "378282*****0005")
    capsys.readouterr()
    check.progress()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines if line.startswith(("mti", "card"))] == [
        ["mti", "x..", "1", "of", "3"],
        ["card", "..x", "1", "of", "3"],
    ]
    assert lines[-1].startswith("2 of ")


@pytest.mark.parametrize("content", ["", "[]", '{"mti": 3}', '{"mti": [99]}', "not JSON"])
def test_a_spoiled_file_of_progress_is_no_progress(
    check: ModuleType, kept: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    """A damaged progress file counts as no progress, and the course goes on."""
    kept.write_text(content, encoding="utf-8")
    check.progress()
    assert capsys.readouterr().out.splitlines()[-1].startswith("0 of ")
    check.mti(1, "0220")


def test_there_is_no_fourth_exercise(check: ModuleType) -> None:
    """A wrong exercise number is reported as the notebook's mistake."""
    with pytest.raises(IndexError, match="exercises 1 to 3"):
        check.mti(4, ...)


def test_a_hint_does_not_repeat_the_answer(check: ModuleType) -> None:
    """A hint never contains a card number from the answer."""
    verdict = check.start.verdict(1, "0100400000000000000016" + "4111111111111111")
    assert "4111111111111111" not in verdict
    assert verdict.startswith("not yet.")

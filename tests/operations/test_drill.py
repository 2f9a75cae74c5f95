"""The drill: questions that have an answer, the same for a seed, and what a streak of them leads to."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import together

import sim
from sim.codec import parse
from sim.errors import ChoiceError
from sim.operations.drill import LEVELS, TOPICS, drill, fact, question


@together("level", LEVELS)
@together("topic", TOPICS)
def test_every_question_has_an_answer_that_is_not_in_it(topic: str, level: int) -> None:
    """The answer as it is, as text and in lower case is right; nothing is not."""
    asked = {question(topic, level, seed, 1) for seed in range(40)}
    assert len(asked) > 3
    for one in asked:
        assert one.shown
        assert one.why
        assert one.right(one.answer)
        assert one.right(one.shown)
        assert one.right(one.shown.lower())
        # True is a way to say yes where that is asked.
        said = [True] if one.answer not in ("yes", "no") else []
        for wrong in ("", None, "hello", [], {}, object(), 3.25, "-1", *said):
            assert not one.right(wrong), (one, wrong)


@settings(max_examples=30)
@given(st.sampled_from(sorted(TOPICS)), st.sampled_from(LEVELS), st.integers(0, 10**9), st.integers(1, 99))
def test_a_seed_gives_the_same_questions(topic: str, level: int, seed: int, number: int) -> None:
    """On every run: a class can be given the same ones."""
    assert question(topic, level, seed, number) == question(topic, level, seed, number)


def test_a_class_is_asked_what_it_was_asked_before() -> None:
    """Next year and on another machine, too: the questions of a seed are kept word for word."""
    with (Path(__file__).parent / "drill.csv").open(encoding="utf-8", newline="") as file:
        kept = list(csv.DictReader(file))
    assert len(kept) == len(TOPICS) * len(LEVELS)
    for row in kept:
        one = question(row["topic"], int(row["level"]), "a class", 1)
        assert (one.text, one.shown, one.why) == (row["text"], row["shown"], row["why"])


def test_the_order_counts_where_it_is_asked_for() -> None:
    """Tags come in order; the elements of a bitmap need not."""
    tags = question("tlv", 1, 1, 1)
    assert not tags.right(tuple(reversed(tags.answer)))  # type: ignore[arg-type]
    bits = question("bitmap", 2, 1, 1)
    assert bits.right(set(bits.answer))  # type: ignore[arg-type]


@pytest.mark.parametrize("topic", ["mti", "bits"])
def test_the_names_of_what_is_asked_tell_which_is_which(topic: str) -> None:
    """In any order; two values under each other's name are two mistakes."""
    first, second = {"mti": ("repeat", "response"), "bits": ("byte", "bit")}[topic]
    for seed in range(20):
        one = question(topic, 3, seed, 1)
        here, there = one.answer
        for text in ("{0} {2}, {1} {3}", "{1}: {3}; {0}: {2}", "{1} = {3} and {0} = {2}"):
            assert one.right(text.format(first, second, here, there)), (one, text)
            assert here == there or not one.right(text.format(first, second, there, here)), (one, text)


def test_a_message_of_a_question_is_a_message() -> None:
    """What a level 3 question on lengths shows parses, and holds the answer."""
    for seed in range(20):
        one = question("lengths", 3, seed, 1)
        assert parse(one.text.splitlines()[0])[48] == one.answer


def test_five_in_a_row_offer_the_next_level() -> None:
    """And a wrong answer begins the streak anew."""
    practice = drill("bits", level=1, seed=3)
    for _ in range(5):
        practice(practice.question.answer)
    assert "try level 2" in practice.said
    assert (practice.streak, practice.right, practice.asked) == (5, 5, 5)
    practice("no idea")
    assert practice.streak == 0
    assert "try level" not in practice.said


def test_the_highest_level_leads_no_higher() -> None:
    """Nor is the next one offered before five in a row, or twice for the same five."""
    last = drill("bits", level=LEVELS[-1], seed=3)
    for _ in range(5):
        last(last.question.answer)
    assert "try level" not in last.said
    practice = drill("bits", level=2, seed=3)
    told = ["try level 3" in practice(practice.question.answer).said for _ in range(10)]
    assert told == [False, False, False, False, True] * 2


def test_questions_come_one_after_the_other() -> None:
    """The second is question 2 of the seed, whatever was answered to the first."""
    for answer in ("0110", "nonsense"):
        practice = drill("mti", level=2, seed=3)
        assert [practice.question, practice(answer).question, practice(answer).question] == [
            question("mti", 2, 3, number) for number in (1, 2, 3)
        ]


def test_what_was_missed_twice_is_to_be_read_again() -> None:
    """The verdict tells the right answer and why, and then the notebook."""
    practice = drill("mti", level=1, seed=3)
    first = practice.question
    practice("9999")
    assert first.shown in practice.said
    assert first.why in practice.said
    assert "Read again" not in practice.said
    assert "Read again: 01_mti.ipynb" in practice("9999").said
    assert practice.read_again == ("01_mti",)


def test_the_text_shows_verdict_and_question() -> None:
    """In a cell, without a widget."""
    practice = sim.drill("bitmap", level=2, seed="a class")
    shown = repr(practice)
    assert shown.splitlines()[0] == "bitmap, level 2, question 1"
    assert repr(practice("x")).startswith("Not quite: it is ")


def test_blanks_count_in_a_text() -> None:
    """Two words are not one, wherever a value is asked for as it stands."""
    one = next(made for seed in range(99) if " " in (made := question("lengths", 2, seed, 1)).answer)
    assert one.right(f"'{one.answer.lower()}'")
    assert not one.right(one.answer.replace(" ", ""))


def test_an_amount_is_the_same_with_fewer_zeros() -> None:
    """As people write it, with its currency or without; another number is another amount."""
    one = next(made for seed in range(99) if "(KWD)" in (made := question("amounts", 3, seed, 1)).text)
    number = float(one.answer)
    assert one.right(number)
    assert one.right(f"{one.answer} KWD")
    assert not one.right(number / 10)
    assert not one.right(f"{one.answer} EUR")


@pytest.mark.parametrize(("topic", "level"), [("bitmaps", 1), ("bitmap", 4), ("bitmap", 0)])
def test_an_unknown_topic_or_level_is_refused(topic: str, level: int) -> None:
    """With the ones that there are."""
    with pytest.raises(ChoiceError, match="expected"):
        sim.drill(topic, level=level)


@together(
    "typed, right, fits",
    [
        ("007", 7, True),
        ("٧", 7, False),
        (220, "0220", False),
        (b"0220", "0220", True),
        (True, 1, False),
        (["a", "1"], ("A", "1"), True),
        ("a b", "ab", False),
        (("0221", "0230"), ("0221", "0230"), True),
        ("yes", True, True),
    ],
)
def test_a_fact_is_of_the_kind_of_its_value(typed: object, right: object, fits: bool) -> None:
    """Kind and spelling make no difference where nothing is lost by them."""
    assert fact(right).fits(typed) is fits

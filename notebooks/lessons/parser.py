"""Notebook 21: a parser of one's own, tried on messages of the toolkit."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import sim
from lessons.judging import Exercise, Lesson, same
from lessons.traffic import NOON
from sim.codec import bitmap as bitmaps
from sim.codec import build
from sim.codec import parse as known
from sim.operations import generate
from sim.spec import spec

MANY = 100
Case = tuple[tuple[Any, ...], Any]  # the arguments, and what should come out; `ValueError` for an error


@cache
def messages() -> tuple[str, ...]:
    """A hundred messages of every network and kind that speak 1987."""
    found = []
    for number in range(MANY):
        network = sim.NETWORKS[number % len(sim.NETWORKS)]
        kind = ("auth", "financial", "echo", "reversal")[number // len(sim.NETWORKS) % 4]
        entry = ("manual", "chip", "stripe", "contactless")[number % 4]
        made = generate(kind, network=network, version="1987", entry=entry, stan=f"{number + 1:06}", at=NOON)
        found.append(build(made.message))
    return tuple(found)


def _calls(cases: Callable[[], list[Case]], hint: str, stronger: str) -> Exercise:
    """For a function: it is called with each case's arguments, and what it gives is compared."""

    def judge(answer: Any) -> str:
        if not callable(answer):
            return "the answer is a function: `answer = ` and its name, without brackets."
        for arguments, wanted in cases():
            shown = ", ".join(repr(one)[:24] for one in arguments)
            try:
                found = answer(*arguments)
            except ValueError as error:
                if wanted is not ValueError:
                    return f"for {shown} it raised ValueError ({str(error)[:40]}). {hint}"
                continue
            except Exception as error:  # noqa: BLE001, a learner's code may raise anything
                return f"for {shown} it raised {type(error).__name__}. {hint}"
            if wanted is ValueError:
                return f"for {shown} it should raise ValueError, and gave an answer. {hint}"
            plain = [(*one,) if isinstance(one, list) else one for one in (found, wanted)]
            if not (plain[0] == plain[1] or same(*plain)):
                return f"for {shown} it gives something other than `sim` does. {hint}"
        return ""

    return Exercise(judge, stronger, cases)


def _bitmaps() -> list[Case]:
    return [
        ((text[4:20],), list(bitmaps.numbers(text[4:20])))
        for text in messages()[:20]
        if text[4] in "01234567"
    ]


def _prefixed() -> list[Case]:
    return [
        (("0612345699", 0, 2), ("123456", 8)),
        (("005HELLO", 0, 3), ("HELLO", 8)),
        (("xx03ABCD", 2, 2), ("ABC", 7)),
        (("00", 0, 2), ("", 2)),
    ]


def _one() -> list[Case]:
    text = str(sim.build({0: "0800", 11: "123456", 32: "654321", 48: "HELLO"}))
    return [
        ((text, number, start), (value, end))
        for number, start, value, end in (
            (11, 20, "123456", 26),
            (32, 26, "654321", 34),
            (48, 34, "HELLO", 42),
        )
    ]


def _whole() -> list[Case]:
    return [((text,), dict(known(text).fields)) for text in messages()]


def _broken() -> list[Case]:
    text = messages()[0]
    wrong = (text[:-1], text + "0", text[:10], "", "0800" + "G" * 16, text[:20] + "99" + text[22:])
    return [*[((one,), ValueError) for one in wrong], *_whole()[:5]]


FORMATS = {number: (one.prefix, one.width) for number in range(2, 129) for one in [spec("1987")[number]]}

parser = Lesson(
    "parser",
    _calls(
        _bitmaps,
        "Bits count from 1.",
        '`bin(int(digits, 16))` loses zeros in front: use `f"{int(digits, 16):064b}"`.',
    ),
    _calls(
        _prefixed,
        "It gives the value and the place behind it.",
        "`int(text[at:at + digits])` is the length; the value begins behind it.",
    ),
    _calls(
        _one,
        "Look the element up in `FORMATS`: digits of prefix, and width.",
        "With prefix 0 the width is the length; else the prefix says it.",
    ),
    _calls(
        _whole,
        "It gives a dict of number and value.",
        "When bit 1 is set, read 32 digits, and leave 1 out of the numbers.",
    ),
    _calls(
        _broken,
        "Check every cut, and that nothing is left over.",
        "A slice beyond the end gives fewer characters and no error: compare its length.",
    ),
)

"""Notebook 21: a parser of one's own, tried on messages of the toolkit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import sim
from lessons.judging import RIGHT, Exercise, Lesson, Verdict, kind
from lessons.traffic import NOON
from sim.codec import bitmap as bitmaps
from sim.codec import build
from sim.codec import parse as known
from sim.operations import generate
from sim.operations.drill.facts import plain
from sim.spec import spec

MANY = 100
_MOST_SHOWN = 24
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

    def judge(answer: Any) -> Verdict:
        if not callable(answer):
            return Verdict("the answer is a function: `answer = ` and its name, without brackets.")
        for arguments, wanted in cases():
            told = _told(answer, arguments, wanted)
            if told:
                return Verdict(f"for {', '.join(map(_shown, arguments))} {told}. {hint}")
        return RIGHT

    return Exercise(judge, stronger, cases)


def _shown(argument: object) -> str:
    text = repr(argument)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…' ({len(text) - 2} characters)"


def _told(answer: Callable[..., Any], arguments: tuple[Any, ...], wanted: Any) -> str:
    """What is wrong with what *answer* does with *arguments*; empty where nothing is."""
    try:
        found = answer(*arguments)
        told = "" if wanted is ValueError else _otherwise(found, wanted)
    except Exception as error:  # noqa: BLE001, a learner's code may raise anything
        if wanted is not ValueError:
            return f"it raised {type(error).__name__} ({str(error)[:60]})"
        raised = isinstance(error, ValueError)
        return "" if raised else f"it raised {type(error).__name__}; it should raise ValueError"
    return "it should raise ValueError but returned a value" if wanted is ValueError else told


def _otherwise(found: Any, wanted: Any) -> str:
    """What *found* has otherwise than *wanted*, without the answer; empty where it has the same meaning."""
    if found is None:
        return "it returned nothing: a function returns the value after `return`, not what it prints"
    if isinstance(wanted, dict):
        return _other_elements(found, wanted)
    given, right = plain(found), plain(wanted)
    if given == right:
        return ""
    if isinstance(found, set | frozenset):
        return "it returned a set, which has no order; return a list"
    if isinstance(wanted, tuple):
        return _other_value(found, given, right)
    return (
        f"it returned {kind(found)}, not a list"
        if not isinstance(given, list)
        else "it returned different numbers"
    )


def _other_value(found: Any, given: Any, right: list[Any]) -> str:
    """The same of a value and the place behind it."""
    if not isinstance(given, list) or len(given) != len(right):
        return f"it returned {kind(found)}, not a value and an offset"
    if given[::-1] == right:
        return "the value and the offset are in the wrong order"
    return "the offset is wrong" if given[0] == right[0] else f"the value is {_no_text(given[0])}"


def _other_elements(found: Any, wanted: dict[int, str]) -> str:
    """The same of a message's elements."""
    if not isinstance(found, Mapping):
        return f"it returned {kind(found)}, not a dict"
    if any(isinstance(one, str) for one in found):
        return "its keys are texts; element numbers must be integers, 2 and not '2'"
    if more := [one for one in found if one not in wanted]:
        return f"it has the key {more[0]!r}, which the message does not contain"
    if missing := [number for number in wanted if number not in found]:
        return f"DE {missing[0]} is missing"
    other = next((number for number, text in wanted.items() if found[number] != text), None)
    return "" if other is None else f"DE {other} is {_no_text(found[other])}"


def _no_text(value: Any) -> str:
    """What a value is that is not the right text."""
    if isinstance(value, str):
        return "another text"
    return f"{kind(value)}: keep it a text; leading zeros count"


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
        (("0600123499", 0, 2), ("001234", 8)),
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
    # A digit more than DE 32 may have, and all of it is there.
    wide = str(sim.build({0: "0800", 11: "123456", 32: "65432109876", 48: "HELLO"}))
    wide = wide.replace("1165432109876", "12654321098765")
    return [*[((one,), ValueError) for one in (*wrong, wide)], *_whole()[:5]]


FORMATS = {number: (one.prefix, one.width) for number in range(2, 129) for one in [spec("1987")[number]]}

parser = Lesson(
    "parser",
    _calls(
        _bitmaps,
        "Bits count from 1.",
        '`bin(int(digits, 16))` loses leading zeros: use `f"{int(digits, 16):064b}"`.',
    ),
    _calls(
        _prefixed,
        "It returns the value and the offset after it.",
        "`int(text[at:at + digits])` is the length; the value starts after it.",
    ),
    _calls(
        _one,
        "Look up the element in `FORMATS`: number of length digits, and width.",
        "With 0 length digits, the width is the length; otherwise the prefix is.",
    ),
    _calls(
        _whole,
        "It returns a dict of number and value.",
        "If bit 1 is set, read 32 digits, and omit 1 from the numbers.",
    ),
    _calls(
        _broken,
        "Check every slice, and that nothing is left over.",
        "A slice beyond the end returns fewer characters without an error: compare its length.",
    ),
)

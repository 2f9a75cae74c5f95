"""What networks' formats ask of one element, and what was found where its value came before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from sim.codec import Message
from sim.elements import emv, tlv
from sim.judge import inside
from sim.judge.engine import codes_of
from sim.kept import Kept
from sim.masking import is_sensitive
from sim.masking.search import SHORTEST_PAN
from sim.spec import lookup, spec
from sim.spec.network_records import FormatRow
from sim.spec.networks import response_code

# What a format finds wrong with a value, None when nothing.
FormatCheck = Callable[[Message, int, str, FormatRow, str], str | None]
# What was found wrong, by the place of the question.
Answers = tuple[tuple[int, str], ...]

# A subelement may be a card verification code.
_PRIVATE = (48, *range(120, 128))
_SHOWN = 20
# Checks that cost more than remembering.
_DEAR = ("layout", "subelements", "places", "coded")
# Checks of nothing but the length of an element.
_OF_LENGTH = ("length", "multiple_of")


class Question:
    """Something a network's format asks of one element (0: the MTI). Networks ask much the same, so each
    question is there once, at its `place`. It looks at the value and the element `beside`, nothing else.
    `free`: what it finds depends on more than codes and lengths. `of_tags`: it has no answer where chip data
    can be read as plain tags."""

    __slots__ = ("_check", "_item", "_name", "beside", "dear", "fits", "free", "number", "of_tags", "place")

    def __init__(self, version: str, place: int, number: int, item: FormatRow, name: str) -> None:
        self.place, self.number = place, number
        self.free = bool(number) and number not in codes_of(version) and item.check not in _OF_LENGTH
        self.of_tags = item.check == "tlv"
        self.beside = item.beside
        # What surely has no answer: saves asking.
        self.fits = item.pattern.fullmatch if item.check == "regex" and item.pattern else None
        self.dear = item.check in _DEAR
        self._check, self._item, self._name = _CHECKS[item.check], item, name

    def ask(self, message: Message, value: str) -> str | None:
        """What is found wrong with *value*; None when nothing."""
        return self._check(message, self.number, value, self._item, self._name)


class Inquiry:
    """All free questions about one element, asked at once. What was found is kept where that takes long:
    terminals repeat what they say of themselves."""

    __slots__ = ("_beside", "_kept", "_questions", "number", "of_tags", "usual")

    def __init__(self, number: int, questions: Sequence[Question]) -> None:
        self.number = number
        self.of_tags = all(one.of_tags for one in questions)
        # What surely has no answer, where one pattern says so.
        self.usual = questions[0].fits if len(questions) == 1 else None
        self._questions = questions
        self._beside = tuple(sorted({one.beside for one in questions if one.beside}))
        self._kept = len(questions) > 1 or questions[0].dear

    def ask(self, message: Message, value: str) -> Answers:
        """What is found wrong with *value*."""
        if not self._kept:
            return self._ask(message, value)
        key: tuple[Any, ...] = self, len(value), hash(value)
        if self._beside:
            key += tuple(map(hash, map(message.fields.get, self._beside)))
        found = _ANSWERS.get(key)
        return _ANSWERS.keep(key, self._ask(message, value)) if found is None else found

    def _ask(self, message: Message, value: str) -> Answers:
        asked = ((one.place, one.ask(message, value)) for one in self._questions)
        return tuple((place, wrong) for place, wrong in asked if wrong is not None)


# By inquiry, length and hash of the value and hashes of what stands beside, by the process's own key: a value
# may hold card data, its hash does not.
_ANSWERS: Kept[tuple[Any, ...], Answers] = Kept(2048)


def _length(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    return None if item.min <= len(value) <= item.max else f"{len(value)} characters"


def _regex(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    if item.pattern is None or item.pattern.fullmatch(value):
        return None
    return _show(message, number, value)


def _multiple(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    return None if len(value) % item.multiple == 0 else f"{len(value)} characters"


def _values(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    part = value[slice(*item.at)] if item.at else value
    return None if part in item.values else _show(message, number, part)


def _tlv(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    chip = emv.read(value)  # remembered: the standard's rules have read it, too
    if chip.error is None and (chip.layout == "tags" or (item.wrapper and chip.layout == "dataset")):
        return None
    if item.wrapper and value[:2] == "01" and value[2:6].upper() == f"{len(value) // 2 - 3:04X}":
        value = value[6:]
    try:
        tlv.read(value, strict=False)
    except tlv.TlvError as error:
        return f"{error.found} where {error.expected} should be"
    return None


def _response_code(message: Message, number: int, value: str, item: FormatRow, name: str) -> str | None:
    if response_code(name, value) or lookup("response_code", value, version=message.version):
        return None
    return repr(value)


_CHECKS: dict[str, FormatCheck] = {
    "length": _length,
    "regex": _regex,
    "multiple_of": _multiple,
    "values": _values,
    "tlv": _tlv,
    "subelements": inside.chain,
    "subelement_sizes": inside.sizes,
    "layout": inside.layout,
    "places": inside.places,
    "coded": inside.coded,
    "agrees": inside.agrees,
    "needs": inside.needs,
    "subelement_needs": inside.subelement_needs,
    "response_code": _response_code,
}


def _show(message: Message, number: int, value: str) -> str:
    """A value in a finding: short coded ones as they are, never one that may hold card data."""
    shown = (
        len(value) <= _SHOWN
        and not _private(message.version, number)
        and sum(map(str.isdigit, value)) < SHORTEST_PAN
    )
    return repr(value) if shown else f"{len(value)} characters in another layout"


@cache
def _private(version: str, number: int) -> bool:
    """Whether nothing of the element may be shown, or nothing that could be read."""
    binary = number > 0 and spec(version)[number].binary
    return number in _PRIVATE or is_sensitive(number, version) or binary

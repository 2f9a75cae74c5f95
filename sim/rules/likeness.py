"""What the rules see of a message, apart from its values: messages alike in that get the same verdict.

Terminals send the same few kinds of messages all day, with other cards, amounts, numbers and times. Two
messages with equal likeness have equal hits of every rule of the standard and of every network, at places
that are equal, too: so a verdict can be kept and told again. A likeness holds no card number: of the card
only prefix and length.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any

from sim.codec import Message
from sim.elements.mti import is_network_management
from sim.elements.pan import account
from sim.rules.engine import CODED, Check, RuleText, Screen, plan_for
from sim.rules.networks import FormatCheck, format_rows
from sim.spec import spec
from sim.spec.luhn import luhn_ok
from sim.spec.networks import NETWORKS, Format

Values = Callable[[dict[int, str]], Any]

_CACHE_SIZE = 1024
_IIN_DIGITS = 6
_OF_LENGTH = ("length", "multiple_of")


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """How to look at messages of one version, MTI and set of elements.

    `card` is DE 2 where the card number stands there, 0 where tracks may have it, -1 without a card;
    `codes` and `sizes` take the values of coded elements and the lengths of variable ones; `zeros` is
    where the amount starts in DE 4, None without one. `free` are the standard's rules that read more than
    that, `patterns` and `formats` what networks ask of elements that are no codes: each must be asked about
    each message.
    """

    screen: Screen
    card: int
    codes: Values
    sizes: Values
    zeros: int | None
    free: tuple[tuple[RuleText, Check], ...]
    patterns: tuple[tuple[Callable[[str], object], int, FormatCheck, Format], ...]
    formats: tuple[tuple[FormatCheck, int, Format], ...]


@lru_cache(maxsize=_CACHE_SIZE)
def kind_of(version: str, mti: str, present: tuple[int, ...]) -> Kind | None:
    """The kind of such messages; None for one that no screen speaks for."""
    plan, elements = plan_for(version, mti, present), spec(version)
    if plan.screen is None:
        return None
    # Networks ask much the same: one question per element and what is asked of it. How long it may be is
    # none: `sizes` say that already.
    asked = {
        (number, *_question(item)): (check, number, item)
        for name in NETWORKS
        for item, check, numbers in format_rows(name, mti, version, present)
        for number in numbers
        if number and item.check not in _OF_LENGTH
    }
    return Kind(
        plan.screen,
        _card(mti, present),
        _taker([number for number in present if number in CODED]),
        _measure([number for number in present if not elements[number].fixed]),
        (4 if version == "2003" else 0) if 4 in present else None,
        tuple((item.text, item.check) for item in plan.others if item.free),
        tuple(
            (item.pattern.fullmatch, number, check, item)
            for check, number, item in asked.values()
            if item.check == "regex" and item.pattern
        ),
        tuple(row for row in asked.values() if row[2].check != "regex"),
    )


def _card(mti: str, present: tuple[int, ...]) -> int:
    if is_network_management(mti) or not {2, 35, 45}.intersection(present):
        return -1
    return 2 if 2 in present else 0


def _question(item: Format) -> tuple[Any, ...]:
    """What a format asks, whoever asks it."""
    numbers = (item.min, item.max, item.multiple, item.lead)
    return item.check, item.pattern, item.values, item.at, item.sizes, item.wrapper, *numbers


def _taker(numbers: list[int]) -> Values:
    return itemgetter(*numbers) if numbers else lambda fields: ()


def _measure(numbers: list[int]) -> Values:
    """What gives the lengths of some elements."""
    if len(numbers) == 1:
        (number,) = numbers
        return lambda fields: len(fields[number])
    taken = _taker(numbers)
    return lambda fields: tuple(map(len, taken(fields)))


def likeness(message: Message) -> tuple[Any, ...] | None:
    """What the rules see of *message*, to compare and to keep; None where its values are not clean, so
    that each has to be looked at."""
    fields = message.fields
    kind = kind_of(message.version, message.mti, tuple(fields))
    if kind is None or not kind.screen(message):
        return None
    said: tuple[Any, ...] = ()
    for text, check in kind.free:
        for hit in check(message):
            said += ((text, hit),)
    found: tuple[str | None, ...] = ()
    if kind.patterns:
        found = tuple(
            [
                None if fits(fields[number]) else check(message, number, fields[number], item, "")
                for fits, number, check, item in kind.patterns
            ]
        )
    if kind.formats:
        found += tuple(
            [check(message, number, fields[number], item, "") for check, number, item in kind.formats]
        )
    pan, field = "", kind.card
    if field >= 0 and not (field and (pan := fields[2])):
        field, pan = account(message)
    zeros = kind.zeros
    return (
        kind,
        message.empty_secondary,
        kind.codes(fields),
        kind.sizes(fields),
        field,
        pan[:_IIN_DIGITS],
        len(pan),
        bool(pan) and luhn_ok(pan),
        zeros is not None and not fields[4][zeros:].strip("0"),
        said,
        found,
    )

"""What the rules see of a message, apart from its values: messages alike in that get the same verdict.

Terminals send the same few kinds of messages all day, with other cards, amounts, numbers and times. Two
messages with equal likeness have equal hits of every rule of the standard and of every network, at places
that are equal, too: so a verdict can be kept and told again. A likeness holds no card number: of the card
only prefix and length.

It is read by a small function generated per kind of message, as messages themselves are (`sim.codec.plan`):
nothing but numbers of elements and widths enters generated source.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from sim.codec import Message
from sim.codec.plan import compiled
from sim.elements.mti import is_network_management
from sim.elements.pan import account
from sim.judge.engine import CODED, plan_for
from sim.judge.networks import FormatCheck, format_rows
from sim.spec import spec
from sim.spec.luhn import luhn_ok
from sim.spec.networks import NETWORKS, Format

Look = Callable[[Message], tuple[Any, ...] | None]

_CACHE_SIZE = 1024
_IIN_DIGITS = 6
_ACCOUNTS = frozenset({2, 35, 45})
_COMPOSITE = 4  # 2003: currency and minor unit in front of the amount
_OF_LENGTH = ("length", "multiple_of")


def likeness(message: Message) -> tuple[Any, ...] | None:
    """What the rules see of *message*, to compare and to keep; None where its values are not clean, so
    that each has to be looked at."""
    look = looker(message.version, message.mti, tuple(message.fields))
    return look(message) if look else None


@lru_cache(maxsize=_CACHE_SIZE)
def looker(version: str, mti: str, present: tuple[int, ...]) -> Look | None:
    """What reads the likeness of messages of *version* with this MTI and exactly the elements *present*;
    None for a kind that no screen speaks for."""
    plan, elements = plan_for(version, mti, present), spec(version)
    if plan.screen is None:
        return None
    names: dict[str, Any] = {"clean": plan.screen, "kind": object()}
    lines = ["def look(message):", "    if not clean(message):", "        return None"]
    lines.append("    fields = message.fields")
    seen = ["kind", "message.empty_secondary"]
    seen += [f"fields[{number}]" for number in present if number in CODED]
    seen += [f"len(fields[{number}])" for number in present if not elements[number].fixed]
    if 4 in present:
        digits = f"fields[4][{_COMPOSITE}:]" if version == "2003" else "fields[4]"
        seen.append(f"not {digits}.strip('0')")
    _look_at_card(mti, present, lines, seen, names)
    _ask_rules(plan.free, lines, seen, names)
    _ask_networks(_questions(version, mti, present), seen, names)
    made: Look = compiled("look", [*lines, f"    return ({', '.join(seen)})"], names)
    return made


def _look_at_card(
    mti: str, present: tuple[int, ...], lines: list[str], seen: list[str], names: dict[str, Any]
) -> None:
    """Where the card number stands, its prefix and length, and whether its check digit is right."""
    if is_network_management(mti) or not _ACCOUNTS.intersection(present):
        return
    names |= {"account": account, "luhn_ok": luhn_ok}
    if 2 in present:
        lines += ["    field, pan = 2, fields[2]", "    if not pan:", "        field, pan = account(message)"]
    else:
        lines.append("    field, pan = account(message)")
    seen += ["field", f"pan[:{_IIN_DIGITS}]", "len(pan)", "luhn_ok(pan)"]


def _ask_rules(rules: tuple[Any, ...], lines: list[str], seen: list[str], names: dict[str, Any]) -> None:
    """What the standard's rules say that read more than all this."""
    lines.append("    said = ()")
    for at, rule in enumerate(rules):
        names |= {f"t{at}": rule.text, f"c{at}": rule.check}
        lines += [f"    for hit in c{at}(message):", f"        said += ((t{at}, hit),)"]
    seen.append("said")


def _ask_networks(
    questions: list[tuple[FormatCheck, int, Format]], seen: list[str], names: dict[str, Any]
) -> None:
    """What networks find in elements that are no codes."""
    for at, (check, number, item) in enumerate(questions):
        names |= {f"k{at}": check, f"i{at}": item}
        asked = f"k{at}(message, {number}, fields[{number}], i{at}, '')"
        if item.check == "regex" and item.pattern:
            names[f"p{at}"] = item.pattern.fullmatch
            asked = f"None if p{at}(fields[{number}]) else {asked}"
        seen.append(asked)


def _questions(version: str, mti: str, present: tuple[int, ...]) -> list[tuple[FormatCheck, int, Format]]:
    """What networks ask of elements that are no codes. They ask much the same, so each question is there
    once. How long an element may be is none: the likeness has its length."""
    asked: dict[tuple[Any, ...], tuple[FormatCheck, int, Format]] = {}
    for name in NETWORKS:
        for item, check, numbers in format_rows(name, mti, version, present):
            sizes = (item.min, item.max, item.multiple, item.lead)
            question = (item.check, item.pattern, item.values, item.at, item.sizes, item.wrapper, *sizes)
            for number in numbers:
                if number and item.check not in _OF_LENGTH:
                    asked[number, *question] = (check, number, item)
    return list(asked.values())

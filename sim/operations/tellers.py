"""Who tells what of a message, and which sentences are remembered: those that follow from short codes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sim.codec import Message
from sim.kept import Kept
from sim.masking.search import SHORTEST_PAN
from sim.operations.own_parts import elements_told, say_own_parts
from sim.operations.story import TELLERS, Teller
from sim.spec import spec
from sim.spec.elements import codes_of

# What is told of, who tells, and the sentence where it is the same of all messages alike.
Part = tuple[str, Teller, str | None]


def tell(message: Message, name: str | None) -> dict[str, str]:
    """The sentences on *message* by what they tell of, as `outcome`; *name* is whose code lists apply."""
    told = {}
    for what, teller, sentence in _parts(message, name):
        if sentence is None:
            sentence = teller(message, name)
        if sentence:
            told[what] = sentence
    return told


def _subject(teller: Teller) -> str:
    """What a teller tells of: `outcome`."""
    return teller.__name__.removeprefix("say").removeprefix("_")


def tellers(present: tuple[int, ...], name: str | None) -> tuple[tuple[str, Teller], ...]:
    """Those who may have something to say of a message with the elements *present*, and of what."""
    return tuple((what, teller) for what, teller, _ in _chosen("", present, name).asked)


@dataclass(frozen=True, slots=True, eq=False)
class _Chosen:
    """Who is asked of a message, of what, and whether what they say follows from the `codes` alone."""

    asked: tuple[tuple[str, Teller, bool], ...]
    codes: tuple[int, ...]


@lru_cache(maxsize=512)
def _chosen(version: str, present: tuple[int, ...], name: str | None) -> _Chosen:
    """The tellers for messages with the elements *present*; none follows from codes where no *version* is
    named."""
    # What is shorter holds no card number.
    elements = [spec(version)[number] for number in codes_of(version)] if version else ()
    codes = {one.number for one in elements if one.width < SHORTEST_PAN}
    asked: list[tuple[str, Teller, bool]] = []
    read: set[int] = set()
    for teller, needs, reads in TELLERS:
        needed = elements_told(name or "") if teller is say_own_parts else needs
        if needed and needed.isdisjoint(present):
            continue
        there = None if reads is None else reads.intersection(present)
        coded = bool(version) and there is not None and there.issubset(codes)
        asked.append((_subject(teller), teller, coded))
        if coded and there:
            read |= there
    return _Chosen(tuple(asked), tuple(sorted(read)))


def _parts(message: Message, name: str | None) -> tuple[Part, ...]:
    """What is told of *message*, in its order."""
    fields, version = message.fields, message.version
    chosen = _chosen("" if message.dialect else version, tuple(fields), name)
    key = (chosen, version, message.mti, *map(fields.__getitem__, chosen.codes))
    if (known := _PARTS.get(key)) is None:
        known = tuple(
            (what, teller, teller(message, name) if coded else None) for what, teller, coded in chosen.asked
        )
        _PARTS.keep(key, known)
    return known


# By who is asked (version, elements, network), MTI and codes.
_PARTS: Kept[tuple[Any, ...], tuple[Part, ...]] = Kept(512)

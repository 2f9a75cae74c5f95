"""Rules as they are asked of one type of messages, and what they say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from sim.judge.finding import Hit, Severity
from sim.judge.parts import Part, Values, kept_by
from sim.judge.rules import Told
from sim.judge.words import RuleText
from sim.spec import Spec

_ERROR = Severity.ERROR


class Said(NamedTuple):
    """One hit: of which network ("" the standard), in which order it is told, the rule, and whether it is an
    error."""

    network: str
    order: int
    text: RuleText
    hit: Hit
    error: bool


def said(network: str, order: int, text: RuleText, hit: Hit) -> Said:
    """A hit of *text*, as loud as it says itself, or else as its rule is."""
    return Said(network, order, text, hit, (hit.severity or text.severity) is _ERROR)


Answer = tuple[Said, ...]


class Bound:
    """A rule of a type of messages: `check` takes the values of `parts`, `say` makes of what it told what is
    said. `needs` and `lacks` are bits, `looks` those on which hangs what is told, `key` what it is remembered
    by, None where it is asked each time. `entry` is what takes its parts, its check and what it says."""

    __slots__ = ("check", "entry", "key", "lacks", "looks", "needs", "parts", "say", "tag")

    def __init__(
        self,
        check: Callable[..., Any],
        say: Callable[[Any], Iterable[Said]],
        parts: Sequence[Part],
        table: Spec,
        needs: int = 0,
        lacks: int = 0,
        tag: str = "",
    ) -> None:
        self.check, self.say, self.parts, self.tag = check, say, tuple(parts), tag
        self.needs, self.lacks = needs, lacks
        looks, names = 0, set[Any]()
        kept = True
        for part in parts:
            self.needs |= part.needs
            looks |= part.looks
            if part.key is None:
                kept = False
            else:
                names.update(kept_by(name, table) for name in part.key)
        self.looks = looks | self.needs | lacks
        of: list[Any] = [part.name for part in parts]
        take: Any = of[0] if len(of) == 1 else None
        if len(of) > 1:
            take = itemgetter(*of)
        self.entry: tuple[Any, Callable[..., Any], Callable[[Any], Iterable[Said]]] = (take, check, say)
        self.key = frozenset(names) if kept else None

    def applies(self, mask: int) -> bool:
        """Whether to ask it where *mask* says what there is."""
        return self.needs & mask == self.needs and not self.lacks & mask

    def ask(self, values: Values) -> Iterable[Said]:
        """What it says of *values*."""
        told = self.check(*[values[part.name] for part in self.parts])
        return self.say(told) if told else ()


class Row(NamedTuple):
    """What is said of every message that has what `needs` names and nothing of `lacks`, where the condition
    `when`, one bit or none, holds."""

    needs: int
    lacks: int
    when: int
    said: Answer


def standard(text: RuleText, order: int) -> Callable[[Told], list[Said]]:
    """What makes of hits of a rule of the standard what is said."""

    def say(told: Any) -> list[Said]:
        hits = (told,) if isinstance(told, Hit) else told
        return [said("", order, text, hit) for hit in hits]

    return say

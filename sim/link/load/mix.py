"""What a load is made of: kinds of messages by weight, or messages that were once sent, with their timing."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import cycle
from typing import Any

from sim.codec import Message
from sim.codec.wire import Format
from sim.elements import mti as mtis
from sim.errors import ChoiceError, OptionError, shown
from sim.operations.asked import options_of
from sim.operations.building import TEXT, in_format
from sim.operations.generation import generate

USUAL = {"auth": 70, "financial": 20, "echo": 10}


@dataclass(frozen=True, slots=True)
class Sending:
    """One request of a load: when it is due, in seconds from the start (None: as soon as may be), and the
    message."""

    due: float | None
    kind: str
    message: Message


class Mix:
    """Kinds of messages by weight, such as `{"auth": 70, "refund": 20, "echo": 10}`: words that
    `sim.generate` takes; *pan* may be several cards, which are taken in turn. What follows what is drawn
    with *seed*; trace numbers count up. They are made as links of *format* have them."""

    def __init__(
        self,
        weights: Mapping[str, float] | None = None,
        *,
        network: str | None = None,
        version: str | None = None,
        amount_minor_units: int = 1000,
        pan: str | Iterable[str] | None = None,
        format: Format | str = TEXT,
        seed: int = 1,
        **options: Any,
    ) -> None:
        chosen: Any = weights or USUAL
        if not isinstance(chosen, Mapping) or not all(map(_weighs, chosen.values())):
            raise OptionError("mix", "kinds of messages with weights above 0", shown(str(chosen)))
        self.kinds, self.weights = tuple(chosen), tuple(chosen.values())
        usual = {"currency": "840", "purpose": "purchase", "entry": "manual", "at": None}
        asked = {"network": network, "version": version, "amount_minor_units": amount_minor_units}
        self._format = format
        given = {**usual, **asked, "format": format, **options}
        cards = list(pan) if isinstance(pan, Iterable) and not isinstance(pan, str) else [pan]
        if not cards:
            raise OptionError("pan", "a card number, or several", "none")
        # For each kind the options of each card.
        self._options = {
            kind: [_options_of(kind, given | {"pan": card}) for card in cards] for kind in self.kinds
        }
        # Only kinds that have something otherwise there are fitted message by message: that takes its time.
        made = {kind: generate(**options[0]).message for kind, options in self._options.items()}
        self._fitted = {kind for kind, one in made.items() if in_format(one, format)[0].fields != one.fields}
        self._seed = seed

    def __iter__(self) -> Iterator[Sending]:
        """Requests without end."""
        some = random.Random(self._seed)  # noqa: S311, no secret
        stan, of_kind = 0, {kind: cycle(options) for kind, options in self._options.items()}
        while True:
            for kind in some.choices(self.kinds, self.weights, k=64):
                stan = stan % 999_999 + 1
                message = generate(**next(of_kind[kind]) | {"stan": f"{stan:06}"}).message
                if kind in self._fitted:
                    message, _ = in_format(message, self._format)
                yield Sending(None, kind, message)


def _options_of(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return options_of(kind, stan="000001", **given)
    except ChoiceError as error:
        if error.option != "message_type":
            raise
        raise ChoiceError("mix", error.found, error.choices, error.nearest) from None


def _weighs(weight: object) -> bool:
    return isinstance(weight, int | float) and not isinstance(weight, bool) and 0 < weight < float("inf")


class Replay:
    """Requests that were once sent, each at its time from the first, *speed* times as fast. Answers and
    what has no answer are left out."""

    def __init__(self, messages: Iterable[tuple[float, Message]], speed: float = 1.0) -> None:
        if not speed > 0:
            raise OptionError("speed", "a number above 0", shown(speed))
        kept = [(at, one) for at, one in messages if mtis.response_mti(one.mti) is not None]
        if not kept:
            raise OptionError("replay", "messages that are answered", "none")
        first = kept[0][0]
        self.sendings: Sequence[Sending] = [
            Sending(max(0.0, at - first) / speed, one.mti, one) for at, one in kept
        ]

    def __iter__(self) -> Iterator[Sending]:
        return iter(self.sendings)


def sent_at(message: Message, before: float | None) -> float:
    """When *message* went out by its own DE 7 (MMDDhhmmss or hhmmss...), in seconds of its year; what has
    none, or one that is no time, went with the one before."""
    text = message.get(7)
    try:
        moment = datetime.strptime(f"2000{text[:10]}", "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return before or 0.0
    return moment.timestamp()

"""An exchange: the messages of a transaction, or of network management on a link, in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sim.codec import Message
from sim.codec.wire import Format
from sim.elements import mti as mtis
from sim.exchanges.amounts import Left, left
from sim.exchanges.matching import Pair, match
from sim.exchanges.roles import (
    ACKNOWLEDGEMENT,
    ANSWER,
    COMPLETION,
    INCREMENT,
    LATE,
    REPEAT,
    REVERSAL,
    Step,
    asking_role,
)
from sim.operations import building

# The fourth digit of an MTI says which side originated the exchange.
_ACQUIRERS = "01"
_NAMING = (REVERSAL, COMPLETION, INCREMENT)


@dataclass(frozen=True, slots=True, repr=False)
class Exchange:
    """Messages in order with their roles. `network` is the one whose code lists apply; of a generated
    exchange, `purpose` is the requested one and `notes` say what was assumed."""

    steps: tuple[Step, ...] = ()
    network: str | None = None
    purpose: str = ""
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        messages: Iterable[Message],
        times: Sequence[datetime] | None = None,
        *,
        network: str | None = None,
    ) -> Exchange:
        """The exchange that *messages* form, in the order they were seen in; matching assigns the roles.

        >>> from sim.codec import parse
        >>> asked = parse("08002020000000000000990000123456")
        >>> [step.role for step in Exchange.of([asked, asked.replace(mti="0810", de39="00")]).steps]
        ['request', 'answer']
        """
        in_order = list(messages)
        seconds = None if times is None else [moment.timestamp() for moment in times]
        pairs = match(in_order, seconds)
        exchange = cls(network=network)
        for at, (role, of) in enumerate(_roles(in_order, pairs)):
            exchange = exchange.plus(
                Step(role, in_order[at], None if times is None else times[at].astimezone(UTC), of)
            )
        return exchange

    def __repr__(self) -> str:
        return f"Exchange({', '.join(f'{step.message.mti} {step.role}' for step in self.steps)})"

    def __len__(self) -> int:
        return len(self.steps)

    def plus(self, *steps: Step) -> Exchange:
        """The exchange with *steps* appended."""
        return replace(self, steps=(*self.steps, *steps))

    def fitted(self, messages: Iterable[Message], notes: Iterable[str] = ()) -> Exchange:
        """The exchange with *messages* in place of its own, one for one, and *notes* added."""
        steps = (replace(step, message=message) for step, message in zip(self.steps, messages, strict=True))
        return replace(self, steps=tuple(steps), notes=(*self.notes, *notes))

    def in_format(self, format: Format | str) -> Exchange:
        """The exchange as links of *format* send it, with a note on each element that changes."""
        pairs = [building.in_format(step.message, format) for step in self.steps]
        notes = dict.fromkeys(note for _, notes in pairs for note in notes)
        return self.fitted([message for message, _ in pairs], notes)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages, in order."""
        return tuple(step.message for step in self.steps)

    @property
    def interface(self) -> str:
        """The interface of its messages, empty for the network's own or the plain standard."""
        return self.steps[0].message.spec.interface if self.steps else ""

    @property
    def left(self) -> Left:
        """The amounts held, charged and credited after it."""
        return left(self.steps, self.network)

    def upto(self, at: int) -> Exchange:
        """The exchange before step *at*."""
        return replace(self, steps=self.steps[:at])

    def direction(self, at: int) -> str:
        """`sent` or `received`: the direction of step *at*, seen from the sender of the first step."""
        return "sent" if self._side(at) == self._side(0) else "received"

    def _side(self, at: int) -> bool:
        mti = self.steps[at].message.mti
        return (mti[3:4] in _ACQUIRERS) != mtis.is_response(mti)

    def answer_to(self, at: int) -> Message | None:
        """The response to step *at* or a repeat of it, if it came in time; None otherwise."""
        return next((step.message for step in self.steps if step.role == ANSWER and step.of == at), None)


def _roles(held: Sequence[Message], pairs: Sequence[Pair]) -> list[tuple[str, int | None]]:
    """The role of each message, and the step that it refers to."""
    roles: list[tuple[str, int | None]] = [("", None)] * len(held)
    for pair in pairs:
        original = None if pair.original is None else pairs[pair.original]
        first = next(iter(pair.messages), None) if pair.request is None else pair.request
        if original is not None and pair.request is not None and held[pair.request].mti[1:2] != "4":
            while original.original is not None:  # follow-ups refer to the first request
                original = pairs[original.original]
        of = None if original is None else original.request
        for place in pair.messages:
            mti = held[place].mti
            if place == first and not mtis.is_response(mti):
                role = asking_role(held[place], None if of is None else held[of])
                roles[place] = role, of if role in _NAMING else None
            elif place == pair.answer:
                roles[place] = LATE if pair.state == "late" else ANSWER, pair.request
            elif mtis.is_response(mti):
                roles[place] = ANSWER, pair.request
            elif mti[2:3] in "5789":
                roles[place] = ACKNOWLEDGEMENT, pair.request
            else:
                roles[place] = REPEAT, pair.request
    return roles

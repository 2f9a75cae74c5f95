"""The amounts held, charged and credited after an exchange, in minor units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.codec import Message
from sim.codec.text import is_digits
from sim.elements.money import amount
from sim.exchanges.roles import ADVICE, COMPLETION, MOVING, REVERSAL, Step, is_credit
from sim.spec import is_particular, number_of
from sim.spec.networks import answer as code_of

HELD, CHARGED, CREDITED = "held", "charged", "credited"
# The states of a request that moves money.
ASKED, APPROVED, PARTLY, DECLINED, UNDONE, COMPLETED = (
    *("asked", "approved", "partly approved", "declined", "undone", "completed"),
)
_ACCEPTED = ("approved", "reversal", "administrative")  # kinds of response codes
_STAYS = slice(0, 12)  # DE 95 in 1987: the actual amount, which remains after the reversal


@dataclass(slots=True)
class Booking:
    """The money that a request moves: `way` is held, charged or credited, `asked` the requested amount,
    `stays` what remains of it, `state` the outcome. `undoing` is the step of a reversal not yet answered."""

    step: int
    way: str
    asked: int
    currency: str
    stays: int = 0
    state: str = ASKED
    undoing: int | None = None

    @property
    def unknown(self) -> bool:
        """Whether the remaining amount is unknown: the request or its reversal has no response."""
        return self.undoing is not None or self.state == ASKED


@dataclass(frozen=True, slots=True)
class Left:
    """The amounts that remain after an exchange, in minor units of `currency`; `unknown` is the amount that
    depends on a missing response."""

    currency: str
    held: int = 0
    charged: int = 0
    credited: int = 0
    unknown: int = 0


def left(steps: Sequence[Step], network: str | None) -> Left:
    """The amounts that remain after *steps*."""
    entries = bookings(steps, network)
    sums = {
        way: sum(entry.stays for entry in entries if entry.way == way and not entry.unknown)
        for way in (HELD, CHARGED, CREDITED)
    }
    unknown = sum(entry.stays or entry.asked for entry in entries if entry.unknown)
    return Left(next((entry.currency for entry in entries), ""), **sums, unknown=unknown)


def accepted(message: Message, network: str | None) -> bool:
    """Whether the response *message* accepts the request, by the code list of *network*."""
    code, version = message.get(39), message.version
    row = code_of(code, version, network)
    return (row is not None and row.kind in _ACCEPTED) or is_particular("managed", version, code)


def minor_units(message: Message) -> int:
    """DE 4 in minor units, 0 if there is none."""
    money = amount(message)
    return int(money[0]) if money and is_digits(money[0]) else 0


def bookings(steps: Sequence[Step], network: str | None, start: int = 0) -> list[Booking]:
    """The booking of each request among *steps*, from *start* on, that moves money, in their order."""
    by_step: dict[int, Booking] = {}
    for at, step in enumerate(steps[start:], start):
        if step.role in MOVING and step.message.mti[1] in "12":
            way = CREDITED if is_credit(step.message) else HELD if step.message.mti[1] == "1" else CHARGED
            money = amount(step.message)
            by_step[at] = Booking(at, way, minor_units(step.message), money[1] if money else "")
            if step.role in (ADVICE, COMPLETION) and step.message.mti[2] == "2":
                _decide(by_step, at, step, step.message, network)
        elif step.role == REVERSAL and step.of in by_step:
            by_step[step.of].undoing = at
        elif step.is_answer and step.of is not None:
            _answered(by_step, steps, step.of, step.message, network)
    return list(by_step.values())


def _answered(
    by_step: dict[int, Booking], steps: Sequence[Step], at: int, answer: Message, network: str | None
) -> None:
    """Apply the *answer* to step *at* to its booking."""
    step = steps[at]
    if step.role == REVERSAL and step.of in by_step:
        _undo(by_step[step.of], at, step.message, accepted(answer, network))
    elif at in by_step and by_step[at].state == ASKED:
        _decide(by_step, at, step, answer, network)


def _decide(by_step: dict[int, Booking], at: int, step: Step, decision: Message, network: str | None) -> None:
    booking = by_step[at]
    if 39 in decision and not accepted(decision, network):
        booking.state = DECLINED
        return
    partly = is_particular("partial", decision.version, decision.get(39))
    booking.state = PARTLY if partly else APPROVED
    booking.stays = minor_units(decision) if partly else booking.asked
    if step.role == COMPLETION:  # it replaces the authorized amounts
        for other in by_step.values():
            if other.way == HELD and other.step < at and other.state in (APPROVED, PARTLY):
                other.state, other.stays = COMPLETED, 0


def _undo(booking: Booking, at: int, reversal: Message, well: bool) -> None:
    """Apply a *reversal* to a booking; *well*: it was accepted."""
    if booking.undoing == at:
        booking.undoing = None
    if well:
        booking.stays = min(booking.stays or booking.asked, final_amount(reversal))
        booking.state = UNDONE if not booking.stays else PARTLY
    elif booking.state == ASKED:  # the other side has no such transaction
        booking.state = UNDONE


def final_amount(reversal: Message) -> int:
    """The amount that remains after *reversal*, in minor units; 0 for a full reversal."""
    if reversal.version == "1987":
        stays = reversal.get(95)[_STAYS]
        return int(stays) if is_digits(stays) else 0
    # The original amount comes first in its element, as DE 4 writes it; the same amount again is all of it.
    original = reversal.get(number_of("original-amount", reversal.version))
    return minor_units(reversal) if original and not original.startswith(reversal.get(4)) else 0


def standing(steps: Sequence[Step], network: str | None) -> list[Booking]:
    """The bookings that can still be reversed, approved or without a response, the latest last."""
    stands = (ASKED, APPROVED, PARTLY)
    return [
        booking for booking in bookings(steps, network) if booking.state in stands and booking.undoing is None
    ]


def authorized(steps: Sequence[Step], network: str | None) -> list[Booking]:
    """The authorizations held and not yet completed, the earliest first."""
    return [booking for booking in standing(steps, network) if booking.way == HELD and booking.stays]

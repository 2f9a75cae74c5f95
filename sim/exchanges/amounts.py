"""What an exchange leaves behind: what is held, charged and credited, in minor units."""

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
# What became of a request that moves money.
ASKED, APPROVED, PARTLY, DECLINED, UNDONE, COMPLETED = (
    *("asked", "approved", "partly approved", "declined", "undone", "completed"),
)
_ACCEPTED = ("approved", "reversal", "administrative")  # kinds of response codes
_STAYS = slice(0, 12)  # DE 95 of 1987: the amount that stays


@dataclass(slots=True)
class Booking:
    """What a request moves: `way` is held, charged or credited, `asked` what it asked for, `stays` what of it
    remains, `state` what became of it. `undoing` is the reversal that waits for its answer."""

    step: int
    way: str
    asked: int
    currency: str
    stays: int = 0
    state: str = ASKED
    undoing: int | None = None

    @property
    def unknown(self) -> bool:
        """Whether nobody knows what remains: the request or its reversal was not answered."""
        return self.undoing is not None or self.state == ASKED


@dataclass(frozen=True, slots=True)
class Left:
    """What remains after an exchange, in minor units of `currency`; `unknown` is what may or may not, as an
    answer is missing."""

    currency: str
    held: int = 0
    charged: int = 0
    credited: int = 0
    unknown: int = 0


def left(steps: Sequence[Step], network: str | None) -> Left:
    """What remains after *steps*."""
    held = bookings(steps, network)
    sums = {
        way: sum(one.stays for one in held if one.way == way and not one.unknown)
        for way in (HELD, CHARGED, CREDITED)
    }
    unknown = sum(one.stays or one.asked for one in held if one.unknown)
    return Left(next((one.currency for one in held), ""), **sums, unknown=unknown)


def accepted(message: Message, network: str | None) -> bool:
    """Whether answer *message* says yes, by the code list of *network*."""
    known = code_of(message.get(39), message.version, network)
    return known is not None and known.kind in _ACCEPTED


def minor_units(message: Message) -> int:
    """DE 4 in minor units, 0 where there is none."""
    found = amount(message)
    return int(found[0]) if found and is_digits(found[0]) else 0


def bookings(steps: Sequence[Step], network: str | None) -> list[Booking]:
    """What each request among *steps* moves, in their order."""
    found: dict[int, Booking] = {}
    for at, step in enumerate(steps):
        if step.role in MOVING and step.message.mti[1] in "12":
            found[at] = _booking(at, step.message)
            if step.role in (ADVICE, COMPLETION) and step.message.mti[2] == "2":
                _decide(found, at, step, step.message, network)
        elif step.role == REVERSAL and step.of in found:
            found[step.of].undoing = at
        elif step.is_answer and step.of is not None:
            _answered(found, steps, step.of, step.message, network)
    return list(found.values())


def _booking(at: int, message: Message) -> Booking:
    way = CREDITED if is_credit(message) else HELD if message.mti[1] == "1" else CHARGED
    found = amount(message)
    return Booking(at, way, minor_units(message), found[1] if found else "")


def _answered(
    found: dict[int, Booking], steps: Sequence[Step], at: int, answer: Message, network: str | None
) -> None:
    """Take in the *answer* to step *at*."""
    step = steps[at]
    if step.role == REVERSAL and step.of in found:
        _undo(found[step.of], at, step.message, accepted(answer, network))
    elif at in found and found[at].state == ASKED:
        _decide(found, at, step, answer, network)


def _decide(found: dict[int, Booking], at: int, step: Step, decision: Message, network: str | None) -> None:
    one = found[at]
    if 39 in decision and not accepted(decision, network):
        one.state = DECLINED
        return
    partly = is_particular("partial", decision.version, decision.get(39))
    one.state = PARTLY if partly else APPROVED
    one.stays = minor_units(decision) if partly else one.asked
    if step.role == COMPLETION:  # it takes the place of what was authorized
        for other in found.values():
            if other.way == HELD and other.step < at and other.state in (APPROVED, PARTLY):
                other.state, other.stays = COMPLETED, 0


def _undo(one: Booking, at: int, reversal: Message, well: bool) -> None:
    """What a *reversal* that was accepted, or was not, makes of a booking."""
    if one.undoing == at:
        one.undoing = None
    if well:
        one.stays = min(one.stays or one.asked, final_amount(reversal))
        one.state = UNDONE if not one.stays else PARTLY
    elif one.state == ASKED:  # the other side knows of nothing
        one.state = UNDONE


def final_amount(reversal: Message) -> int:
    """What *reversal* leaves of the amount, in minor units; 0 where it undoes all."""
    if reversal.version == "1987":
        stays = reversal.get(95)[_STAYS]
        return int(stays) if is_digits(stays) else 0
    original = number_of("original-amount", reversal.version)
    return minor_units(reversal) if original in reversal else 0


def standing(steps: Sequence[Step], network: str | None) -> list[Booking]:
    """What can still be undone: approved, or asked for without an answer, the latest last."""
    stands = (ASKED, APPROVED, PARTLY)
    return [one for one in bookings(steps, network) if one.state in stands and one.undoing is None]


def authorized(steps: Sequence[Step], network: str | None) -> list[Booking]:
    """The authorizations that are held and not completed yet, the first first."""
    return [one for one in standing(steps, network) if one.way == HELD and one.stays]

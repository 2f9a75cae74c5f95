"""A step of an exchange: a message and its role."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sim.codec import Message
from sim.codec.text import is_digits
from sim.elements import mti as mtis
from sim.spec import lookup, lookup_anywhere, role
from sim.spec.tables import read_toml

REQUEST, ANSWER, LATE, REPEAT = "request", "answer", "late answer", "repeat"
ADVICE, INCREMENT, COMPLETION, REVERSAL = "advice", "increment", "completion", "reversal"
ACKNOWLEDGEMENT = "acknowledgement"
ROLES = (REQUEST, ADVICE, INCREMENT, COMPLETION, REVERSAL, REPEAT, ANSWER, LATE, ACKNOWLEDGEMENT)
# The roles whose response decides about money.
MOVING = (REQUEST, ADVICE, INCREMENT, COMPLETION)
_AUTHORIZATION, _FINANCIAL, _REVERSAL = "1", "2", "4"  # message classes


@dataclass(frozen=True, slots=True)
class Step:
    """One message: its role, when it was sent (UTC, None if unknown), and `of`, the step (counted from 0)
    that it answers, repeats, acknowledges, reverses, completes or increases; None if it refers to no other
    step. `reason` is the reason for a reversal."""

    role: str
    message: Message
    at: datetime | None = None
    of: int | None = None
    reason: str = ""

    @property
    def is_answer(self) -> bool:
        """Whether it responds to an earlier step."""
        return self.role in (ANSWER, LATE)


def is_credit(message: Message) -> bool:
    """Whether the processing code of *message* credits the cardholder: a refund, an original credit.

    >>> is_credit(Message("0200", {3: "200000"})), is_credit(Message("0200", {3: "000000"}))
    (True, False)
    """
    kind = message.get(3)[:2]
    low, high = map(int, read_toml("link")["moves"]["credit"])
    return is_digits(kind) and low <= int(kind) <= high


def management(message: Message, network: str | None = None) -> str:
    """What a network management message is for: sign-on, sign-off, echo, key, cutover, other; empty if no
    code list has its code. It contains no card number that reveals a network, so if neither *network* nor the
    standard defines the code, the first network that does counts.

    >>> management(Message("0800", {70: "301"})), management(Message("1804", {24: "801"}, "1993"))
    ('echo', 'sign-on')
    """
    version, element = message.version, role("network-code", message.version)
    if element is None:
        return ""
    code = message.get(element.number)
    own_row = lookup(element.codes, code, version=version, network=network)
    row = own_row or lookup_anywhere(element.codes, code, version=version)
    return row.kind if row else ""


def asking_role(message: Message, original: Message | None) -> str:
    """The role of a *message*, neither response nor repeat, that refers to *original* (None: nothing).

    >>> asking_role(Message("0220", {}), Message("0100", {})), asking_role(Message("0100", {}), None)
    ('completion', 'request')
    """
    kind = message.mti[1:2]
    if kind == _REVERSAL:
        return REVERSAL
    if original is not None and original.mti[1:2] == _AUTHORIZATION and not is_credit(message):
        if kind == _FINANCIAL:
            return COMPLETION
        if kind == _AUTHORIZATION and not mtis.is_advice(message.mti):
            return INCREMENT
    return ADVICE if mtis.is_advice(message.mti) else REQUEST

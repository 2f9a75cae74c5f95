"""What a message is in its exchange."""

from __future__ import annotations

from sim.codec import Message
from sim.elements import mti as mtis

REQUEST, ANSWER, LATE, REPEAT = "request", "answer", "late answer", "repeat"
ADVICE, INCREMENT, COMPLETION, REVERSAL = "advice", "increment", "completion", "reversal"
ACKNOWLEDGEMENT = "acknowledgement"
ROLES = (REQUEST, ADVICE, INCREMENT, COMPLETION, REVERSAL, REPEAT, ANSWER, LATE, ACKNOWLEDGEMENT)
# Those whose answer decides about money.
MOVING = (REQUEST, ADVICE, INCREMENT, COMPLETION)
_AUTHORIZATION, _FINANCIAL, _REVERSAL = "1", "2", "4"  # message classes


def asking_role(message: Message, original: Message | None) -> str:
    """The role of a *message* that is no answer and no repeat, which names *original* (None: nothing).

    >>> asking_role(Message("0220", {}), Message("0100", {})), asking_role(Message("0100", {}), None)
    ('completion', 'request')
    """
    kind = message.mti[1:2]
    if kind == _REVERSAL:
        return REVERSAL
    if original is not None and original.mti[1:2] == _AUTHORIZATION:
        if kind == _FINANCIAL:
            return COMPLETION
        if kind == _AUTHORIZATION and not mtis.is_advice(message.mti):
            return INCREMENT
    return ADVICE if mtis.is_advice(message.mti) else REQUEST

"""Rules about codes that must fit the message class: function, reason and action codes since 1993,
answers, totals and network management codes."""

from __future__ import annotations

from collections.abc import Iterable

from sim.codec import Message
from sim.elements import mti
from sim.judge.conditions import answer_kind
from sim.judge.content import clean
from sim.judge.engine import always, each, rule
from sim.judge.finding import Hit, Severity
from sim.judge.layout import LATER, known_later

_NONE: tuple[Hit, ...] = ()
_TRANSACTIONS = "12"
_RESPONSES = "13"

# Which message classes the first digit of a code belongs to.
_REASON_CLASSES = {"1": "12", "2": "12", "3": "3", "4": "4", "5": "5", "6": "6", "7": "7", "8": "8"}
_ACTION_CLASSES = {"0": "12", **_REASON_CLASSES}
_CLASS_NAMES = {
    **{"1": "authorization", "2": "financial", "3": "file action", "4": "reversal or chargeback"},
    **{"5": "reconciliation", "6": "administrative", "7": "fee collection", "8": "network management"},
}
# Answers about the cardholder's means or secrets: they decline a transaction, and no reversal is one.
_ABOUT_THE_CARDHOLDER = frozenset(("51", "52", "53", "54", "55", "57", "61", "65", "75"))


def _range_of(message: Message) -> str:
    return f"{message.mti[1]}, of {_CLASS_NAMES[message.mti[1]]} messages"


@rule("function-class", 24, versions=LATER, classes="12345678")
def function_class(message: Message) -> Iterable[Hit]:
    """The first digit of a function code is the message class."""
    code = message.fields[24]
    if code[:1] == message.mti[1] or not clean(message, 24) or not known_later(message, 24):
        return _NONE
    return (Hit(24, f"a function code beginning with {_range_of(message)}", repr(code), 0, 1),)


@rule("reason-class", 25, versions=LATER, classes="12345678")
def reason_class(message: Message) -> Iterable[Hit]:
    """A message reason code is of the block of its message class."""
    code = message.fields[25]
    if not clean(message, 25) or code[0] not in _REASON_CLASSES or not known_later(message, 25):
        return _NONE
    if message.mti[1] not in _REASON_CLASSES[code[0]]:
        return (Hit(25, f"a reason for {_CLASS_NAMES[message.mti[1]]} messages", repr(code)),)
    # 1000 to 1499 say why an advice was sent instead of a request, 1500 to 1999 the contrary.
    if code[0] == "1" and message.mti[2] == ("0" if code < "1500" else "2"):
        other = (
            "a request instead of an advice" if message.mti[2] == "0" else "an advice instead of a request"
        )
        hint = "1000 to 1499 tell why an advice was sent and no request; 1500 to 1999 tell the contrary."
        return (Hit(25, f"a reason why this is {other}", repr(code), 0, None, "", hint, Severity.INFO),)
    return _NONE


@rule("action-class", 39, versions=LATER, classes="12345678", functions=_RESPONSES)
def action_class(message: Message) -> Iterable[Hit]:
    """The answer is of the range of its message class."""
    code = message.fields[39]
    if not clean(message, 39) or code[0] == "9" or not known_later(message, 39):
        return _NONE
    if message.mti[1] in _ACTION_CLASSES[code[0]]:
        return _NONE
    expected = "0 to 2" if message.mti[1] in _TRANSACTIONS else message.mti[1]
    return (Hit(39, f"an action code beginning with {expected}, or 9", repr(code), 0, 1),)


@rule("answer-in-request", 39, classes="128", functions="0", reads=())
def answer_in_request(message: Message) -> Iterable[Hit]:
    """A request asks; the answer is in the response. A completion (1987, 0202) carries one."""
    if message.mti[3] in "23":
        return _NONE
    return (Hit(39, "no answer in a request", "one"),)


@rule("reversal-answer", 39, versions=("1987",), classes="4", functions=_RESPONSES)
def reversal_answer(message: Message) -> Iterable[Hit]:
    """A reversal is not declined for reasons that concern the cardholder."""
    code = message.fields[39]
    return (Hit(39, "an answer to a reversal", repr(code)),) if code in _ABOUT_THE_CARDHOLDER else _NONE


@rule("blank-approval-code", 38, 39, classes=_TRANSACTIONS, functions=_RESPONSES)
def blank_approval_code(message: Message) -> Iterable[Hit]:
    """The approval code of an approval is not blank."""
    if message.fields[38].strip() or answer_kind(message) != "approved":
        return _NONE
    return (Hit(38, "an approval code, as the response approves", "blanks"),)


@rule("approval-code-in-decline", 38, 39, classes=_TRANSACTIONS, functions=_RESPONSES)
def approval_code_in_decline(message: Message) -> Iterable[Hit]:
    """A decline has no approval code."""
    if not message.fields[38].strip(" 0") or answer_kind(message) not in ("declined", "pick-up"):
        return _NONE
    return (Hit(38, "no approval code, as the response declines", "one"),)


_TOTALS = range(74, 90)


@each("totals-outside-reconciliation", *_TOTALS, versions=("1987", "1993"), classes="1234678", reads=())
@each("totals-outside-reconciliation", 74, 75, versions=("2003",), classes="1234678", reads=())
def totals_outside_reconciliation(message: Message, number: int) -> Iterable[Hit]:
    """Totals are for reconciliation. The first of them stands for all."""
    if any(earlier in message for earlier in range(74, number)):
        return _NONE
    return (Hit(number, "totals in reconciliation messages (x5xx) only", "one"),)


rule("network-code-elsewhere", 70, versions=("1987",), classes="12345", reads=())(
    always(Hit(70, "a network management code in x8xx messages only", "one"))
)


@rule("repeat", 0, functions="0246")
def repeat(message: Message) -> Iterable[Hit]:
    """The fourth digit of the MTI says that the message was sent before."""
    if not mti.is_repeat(message.mti):
        return _NONE
    return (Hit(0, "the first of its kind", "a repeat", 3, 1),)

"""Rules about the message as a whole: its MTI, which elements it has, which go together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from sim.codec import Message
from sim.elements import mti
from sim.judge.conditions import answer_kind, purpose_kind
from sim.judge.engine import always, rule
from sim.judge.finding import Hit, Severity
from sim.judge.layout import LATER
from sim.spec import lookup, number_of, version_of

_REQUEST_OR_ADVICE = "02"
_FINANCIAL = "12"
_TRANSACTIONS = "124"
_RESPONSES = "13"
# Transaction types that move money; an inquiry or a verification has no amount (DE 3, positions 1-2).
MOVE_MONEY = ("debit", "credit", "transfer", "payment")
_CHEQUE_CHECKS = ("03", "04")  # a guarantee or verification may come before the amount is known
_SINCE = {"5": ("1993", "2003"), "6": ("2003",), "7": ("2003",)}


@rule("mti-version", 0)
def mti_version(message: Message) -> Iterator[Hit]:
    """The first digit names the version the message is read as."""
    named = version_of(message.mti)
    if named is None:
        yield Hit(0, "a first digit 0 (1987), 1 (1993) or 2 (2003)", repr(message.mti[0]), 0, 1)
    elif named != message.version:
        yield Hit(
            0,
            f"ISO 8583:{message.version}, which this message is read as",
            f"{message.mti[0]}, the digit of ISO 8583:{named}",
            0,
            1,
        )


@rule("mti-function", 0)
def mti_function(message: Message) -> Iterator[Hit]:
    """The third digit is a function of the version."""
    digit = message.mti[2]
    if digit in "89":
        yield Hit(0, "a message function 0 to 7", f"{digit}, which is reserved", 2, 1)
    elif message.version not in _SINCE.get(digit, (message.version,)):
        yield Hit(
            0,
            f"a message function of ISO 8583:{message.version}",
            f"{digit}, known since {_SINCE[digit][0]}",
            2,
            1,
        )


def _reserved(message: Message, at: int, digits: str, expected: str) -> Iterator[Hit]:
    digit = message.mti[at]
    if digit in digits:
        yield Hit(0, expected, f"{digit}, which is reserved", at, 1)


rule("mti-class", 0)(partial(_reserved, at=1, digits="09", expected="a message class 1 to 8"))
rule("mti-origin", 0)(partial(_reserved, at=3, digits="6789", expected="an originator 0 to 5"))


@rule("mti-combination", 0, classes="12345678", functions="01234567")
def mti_combination(message: Message) -> Iterator[Hit]:
    """The digits together are a message type in use."""
    if message.version not in _SINCE.get(message.mti[2], (message.version,)):
        return  # the rule of the function digit says so
    known = lookup("message_types", message.mti[1:], version=message.version)
    if message.mti[3] < "6" and known is None:
        yield Hit(0, "a message type in use", message.mti)


rule("no-elements", missing=range(2, 129))(always(Hit(1, "at least one data element", "none")))
rule("missing-processing-code", versions=("1987",), classes=_TRANSACTIONS, missing=(3,))(
    always(Hit(3, "a processing code", "none"))
)
rule("missing-stan", versions=("1987",), classes=_TRANSACTIONS, missing=(11,))(
    always(Hit(11, "a systems trace audit number", "none"))
)
for _versions in (("1987",), LATER):
    _number = number_of("original", _versions[0])
    rule(
        "reversal-without-original",
        versions=_versions,
        classes="4",
        functions="024",
        missing=(_number,),
        any_mti=True,
    )(always(Hit(_number, "the original data elements, in a reversal", "none")))
rule("empty-secondary-bitmap", 1, reads=())(
    always(Hit(1, "an element above 64, as bit 1 is set", "none", 16, 16))
)
# It announces a third bitmap on some links and is read as 8 bytes here.
rule("tertiary-bitmap", 65, reads=())(always(Hit(65, "no DE 65", "one")))


@rule("missing-response-code", classes=_TRANSACTIONS, functions=_RESPONSES, missing=(39,))
def missing_response_code(message: Message) -> Iterable[Hit]:
    """A response says what the answer is."""
    return (Hit(39, f"the answer ({message.spec[39].name.lower()}) in a response", "none"),)


@rule(
    "missing-amount",
    3,
    versions=("1987",),
    classes=_FINANCIAL,
    functions=_REQUEST_OR_ADVICE,
    missing=(4,),
)
def missing_amount(message: Message) -> Iterator[Hit]:
    """A transaction that moves money says how much."""
    kind = lookup("transaction_type", message[3][:2], version=message.version)
    if kind and kind.kind in MOVE_MONEY and kind.code not in _CHEQUE_CHECKS:
        yield Hit(4, f"an amount, as the processing code says {kind.meaning}", "none")


@rule("amount-without-currency", 4, versions=("1987", "1993"), reads=(), missing=(49,))
def amount_without_currency(message: Message) -> Iterable[Hit]:
    """An amount has a currency; 2003 has it inside the amount. An answer need not repeat its request's."""
    severity = Severity.INFO if mti.is_response(message.mti) else None
    return (Hit(49, "the currency of the amount in DE 4", "none", severity=severity),)


@rule("approval-without-code", 39, classes=_FINANCIAL, functions=_RESPONSES, reads=(3, 39), missing=(38,))
def approval_without_code(message: Message) -> Iterator[Hit]:
    """An approval that moves money carries the issuer's approval code; an inquiry needs none."""
    if answer_kind(message) == "approved" and purpose_kind(message) != "inquiry":
        yield Hit(38, "the issuer's approval code, as the response approves", "none")


@rule("mac-position", 64, reads=())
def mac_position(message: Message) -> Iterator[Hit]:
    """The MAC is the last bit of the last bitmap."""
    if message.has_secondary:
        yield Hit(64, "the MAC in DE 128, as there is a secondary bitmap", "it in DE 64")


@rule("pin-without-entry-mode", 52, reads=(), missing=(22,))
def pin_without_entry_mode(message: Message) -> Iterator[Hit]:
    """A PIN block comes with the point of service that took the PIN."""
    if not mti.is_response(message.mti):
        yield Hit(22, "a point of service element, as there is a PIN block", "none")

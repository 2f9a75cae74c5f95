"""Rules about the message as a whole: its MTI, the elements present and missing, the codes that must fit its
class.

A requirement of the standard for every 1987 message is an error; further ones of 1993 and 2003 only warn,
since processors accept such messages anyway.
"""

from __future__ import annotations

from sim.elements import mti as message_types
from sim.judge.elements import LATER, clean, known_later
from sim.judge.finding import Hit, Severity
from sim.judge.parts import DE, EMPTY_SECONDARY, MTI, TABLE, Maybe, Stripe
from sim.judge.rules import Told, rule
from sim.spec import VERSIONS, Spec, lookup, version_of

_FINANCIAL = "12"
_RESPONSES = "13"
_SINCE = {"5": ("1993", "2003"), "6": ("2003",), "7": ("2003",)}
# The message classes for the first digit of a code.
_REASON_CLASSES = {"1": "12", "2": "12", "3": "3", "4": "4", "5": "5", "6": "6", "7": "7", "8": "8"}
_ACTION_CLASSES = {"0": "12", **_REASON_CLASSES}
_CLASS_NAMES = {
    **{"1": "authorization", "2": "financial", "3": "file action", "4": "reversal or chargeback"},
    **{"5": "reconciliation", "6": "administrative", "7": "fee collection", "8": "network management"},
}


# The type.


@rule("mti-version")
def mti_version(mti: str = MTI, table: Spec = TABLE) -> Told:
    """The first digit names the version the message is read as."""
    version = version_of(mti)
    if version is None:
        return Hit(0, "a first digit 0 (1987), 1 (1993) or 2 (2003)", repr(mti[0]), 0, 1)
    if version == table.version:
        return None
    expected = f"ISO 8583:{table.version}, the version this message is read as"
    return Hit(0, expected, f"{mti[0]}, the digit of ISO 8583:{version}", 0, 1)


@rule("mti-function")
def mti_function(mti: str = MTI, table: Spec = TABLE) -> Told:
    """The third digit is a function of the version."""
    digit = mti[2]
    if digit in "89":
        return Hit(0, "a message function 0 to 7", f"{digit}, which is reserved", 2, 1)
    if table.version in _SINCE.get(digit, VERSIONS):
        return None
    expected = f"a message function of ISO 8583:{table.version}"
    return Hit(0, expected, f"{digit}, defined only since {_SINCE[digit][0]}", 2, 1)


def _bind_digit(rule_id: str, at: int, reserved: str, expected: str) -> None:
    @rule(rule_id)
    def _(mti: str = MTI) -> Told:
        """The second digit is a message class, the fourth an originator."""
        return Hit(0, expected, f"{mti[at]}, which is reserved", at, 1) if mti[at] in reserved else None


_bind_digit("mti-class", 1, "09", "a message class 1 to 8")
_bind_digit("mti-origin", 3, "6789", "an originator 0 to 5")


@rule("mti-combination", classes="12345678", functions="01234567")
def mti_combination(mti: str = MTI, table: Spec = TABLE) -> Told:
    """The digits together are a message type in use."""
    if table.version not in _SINCE.get(mti[2], VERSIONS):
        return None  # the rule of the function digit says so
    entry = lookup("message_types", mti[1:], version=table.version)
    return Hit(0, "a message type in use", mti) if mti[3] < "6" and entry is None else None


@rule("repeat", functions="0246")
def repeat(mti: str = MTI) -> Told:
    """The fourth digit of the MTI marks a repeat."""
    return Hit(0, "an original message", "a repeat", 3, 1) if message_types.is_repeat(mti) else None


# Which elements there are: most of that is rows of `data/rules_presence.csv`.


@rule("empty-secondary-bitmap", needs=(EMPTY_SECONDARY,))
def empty_secondary() -> Told:
    """A secondary bitmap announces at least one element."""
    return Hit(1, "an element above 64, because bit 1 is set", "none", 16, 16)


@rule("card-in-network-message", classes="58", any_mti=False)
def card_in_network_message(numbered: bool = Maybe[2].numbered, stripe: Stripe = Maybe[35].stripe) -> Told:
    """A sign-on, echo test or key exchange is about the connection, and totals are about many cards, never
    about one. Networks that use DE 2 and 35 there send no card number or track in them."""
    if not numbered and not stripe.pan_size:
        return None
    return Hit(2 if numbered else 35, "no card data or amount in a message that concerns no card", "some")


# Codes and the message class.


@rule("function-class", versions=LATER, classes="12345678")
def function_class(code: str = DE[24], mti: str = MTI, table: Spec = TABLE) -> Told:
    """The first digit of a function code is the message class."""
    if code[:1] == mti[1] or not clean(code, 24, table) or not known_later(code, 24, table.version):
        return None
    return Hit(
        24, f"a function code beginning with {mti[1]}, of {_CLASS_NAMES[mti[1]]} messages", repr(code), 0, 1
    )


@rule("reason-class", versions=LATER, classes="12345678")
def reason_class(code: str = DE[25], mti: str = MTI, table: Spec = TABLE) -> Told:
    """A message reason code is in the block of its message class."""
    if not clean(code, 25, table) or code[0] not in _REASON_CLASSES:
        return None
    if not known_later(code, 25, table.version):
        return None
    if mti[1] not in _REASON_CLASSES[code[0]]:
        return Hit(25, f"a reason for {_CLASS_NAMES[mti[1]]} messages", repr(code))
    # 1000 to 1499 are reasons for an advice instead of a request, 1500 to 1999 for a request.
    if code[0] == "1" and mti[2] == ("0" if code < "1500" else "2"):
        other = "a request instead of an advice" if mti[2] == "0" else "an advice instead of a request"
        hint = "1000 to 1499 are reasons to send an advice, 1500 to 1999 to send a request."
        return Hit(25, f"a reason why this is {other}", repr(code), 0, None, "", hint, Severity.INFO)
    return None


@rule("action-class", versions=LATER, classes="12345678", functions=_RESPONSES)
def action_class(code: str = DE[39], mti: str = MTI, table: Spec = TABLE) -> Told:
    """An action code is in the range of its message class."""
    if not clean(code, 39, table) or code[0] == "9" or not known_later(code, 39, table.version):
        return None
    if mti[1] in _ACTION_CLASSES[code[0]]:
        return None
    expected = "0 to 2" if mti[1] in _FINANCIAL else mti[1]
    return Hit(39, f"an action code starting with {expected}, or 9", repr(code), 0, 1)

"""Rules about the message as a whole: its MTI, which elements it has and which it leaves out, the codes that
must fit its class.

What the standard demands of every message of 1987 is an error; what 1993 and 2003 demand beyond that warns,
since processors read such messages all the same.
"""

from __future__ import annotations

from typing import Unpack

from sim.elements import mti as message_types
from sim.elements.money import AdditionalAmount
from sim.errors import with_article
from sim.judge.elements import LATER, answer_kind, clean, known_later, purpose_kind
from sim.judge.finding import Hit, Severity
from sim.judge.parts import (
    ANY,
    DE,
    EMPTY_SECONDARY,
    MTI,
    NUMBER,
    SECONDARY,
    TABLE,
    VALUE,
    Maybe,
    Present,
    Stripe,
)
from sim.judge.rules import EVERY_DIGIT, Told, When, each, rule
from sim.spec import VERSIONS, Spec, is_particular, lookup, number_of, particular, version_of

_REQUEST_OR_ADVICE = "02"
_FINANCIAL = "12"
_TRANSACTIONS = "124"
_REQUESTS = "0"
_RESPONSES = "13"
# Transaction types that move money; an inquiry or a verification has no amount (DE 3, positions 1-2).
MOVE_MONEY = ("debit", "credit", "transfer", "payment")
_CHEQUE_CHECKS = ("03", "04")  # a guarantee or verification may come before the amount is known
_SINCE = {"5": ("1993", "2003"), "6": ("2003",), "7": ("2003",)}
# Where a card or an account can stand. DE 55 may hold it in one of two tags.
_ACCOUNTS = (2, 34, 35, 36, 45, 102, 103)
_TRACKS = (35, 36, 45)
# What a network management message has no use for, beside a card number: an amount, a PIN, chip data.
_OF_CARDS = (4, 52, 55)
# Which message classes the first digit of a code belongs to.
_REASON_CLASSES = {"1": "12", "2": "12", "3": "3", "4": "4", "5": "5", "6": "6", "7": "7", "8": "8"}
_ACTION_CLASSES = {"0": "12", **_REASON_CLASSES}
_CLASS_NAMES = {
    **{"1": "authorization", "2": "financial", "3": "file action", "4": "reversal or chargeback"},
    **{"5": "reconciliation", "6": "administrative", "7": "fee collection", "8": "network management"},
}
# Answers about the cardholder's means or secrets: they decline a transaction, and no reversal is one.
_ABOUT_THE_CARDHOLDER = frozenset(("51", "52", "53", "54", "55", "57", "61", "65", "75"))


# The type.


@rule("mti-version")
def mti_version(mti: str = MTI, table: Spec = TABLE) -> Told:
    """The first digit names the version the message is read as."""
    named = version_of(mti)
    if named is None:
        return Hit(0, "a first digit 0 (1987), 1 (1993) or 2 (2003)", repr(mti[0]), 0, 1)
    if named == table.version:
        return None
    expected = f"ISO 8583:{table.version}, the version this message is read as"
    return Hit(0, expected, f"{mti[0]}, the digit of ISO 8583:{named}", 0, 1)


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


@rule("mti-class")
def mti_class(mti: str = MTI) -> Told:
    """The second digit is a message class."""
    return _reserved(mti, 1, "09", "a message class 1 to 8")


@rule("mti-origin")
def mti_origin(mti: str = MTI) -> Told:
    """The fourth digit is an originator."""
    return _reserved(mti, 3, "6789", "an originator 0 to 5")


def _reserved(mti: str, at: int, digits: str, expected: str) -> Told:
    return Hit(0, expected, f"{mti[at]}, which is reserved", at, 1) if mti[at] in digits else None


@rule("mti-combination", classes="12345678", functions="01234567")
def mti_combination(mti: str = MTI, table: Spec = TABLE) -> Told:
    """The digits together are a message type in use."""
    if table.version not in _SINCE.get(mti[2], VERSIONS):
        return None  # the rule of the function digit says so
    known = lookup("message_types", mti[1:], version=table.version)
    return Hit(0, "a message type in use", mti) if mti[3] < "6" and known is None else None


@rule("repeat", functions="0246")
def repeat(mti: str = MTI) -> Told:
    """The fourth digit of the MTI says that the message was sent before."""
    return Hit(0, "an original message", "a repeat", 3, 1) if message_types.is_repeat(mti) else None


# Which elements there are.


def _says(rule_id: str, hit: Hit, **when: Unpack[When]) -> None:
    """Bind a rule that says *hit* of all messages that it is asked about."""
    rule(rule_id, **when)(lambda: hit)


_says("no-elements", Hit(1, "at least one data element", "none"), lacks=(ANY,))
_says(
    "missing-processing-code",
    Hit(3, "a processing code", "none"),
    versions=("1987",),
    classes=_TRANSACTIONS,
    lacks=(3,),
)
_says(
    "missing-stan",
    Hit(11, "a systems trace audit number", "none"),
    versions=("1987",),
    classes=_TRANSACTIONS,
    lacks=(11,),
)
for _version, _since in (("1987", ("1987",)), ("1993", LATER)):
    _number = number_of("original", _version)
    _says(
        "reversal-without-original",
        Hit(_number, "the original data elements, in a reversal", "none"),
        versions=_since,
        classes="4",
        functions="024",
        lacks=(_number,),
        any_mti=True,
    )
_says(
    "empty-secondary-bitmap",
    Hit(1, "an element above 64, because bit 1 is set", "none", 16, 16),
    needs=(EMPTY_SECONDARY,),
)
# It announces a third bitmap on some links and is read as 8 bytes here.
_says("tertiary-bitmap", Hit(65, "no DE 65", "one"), needs=(65,))
# The MAC is the last bit of the last bitmap.
_says(
    "mac-position",
    Hit(64, "the MAC in DE 128, because there is a secondary bitmap", "it in DE 64"),
    needs=(64, SECONDARY),
)


@rule("missing-response-code", classes=_TRANSACTIONS, functions=_RESPONSES, lacks=(39,))
def missing_response_code(table: Spec = TABLE) -> Told:
    """A response says what the answer is."""
    return Hit(39, f"a {table[39].name.lower()} in a response", "none")


@rule("missing-amount", versions=("1987",), classes=_FINANCIAL, functions=_REQUEST_OR_ADVICE, lacks=(4,))
def missing_amount(code: str = DE[3], table: Spec = TABLE) -> Told:
    """A transaction that moves money says how much."""
    kind = lookup("transaction_type", code[:2], version=table.version)
    if kind and kind.kind in MOVE_MONEY and kind.code not in _CHEQUE_CHECKS:
        return Hit(4, f"an amount for processing code {kind.meaning}", "none")
    return None


@rule("amount-without-currency", versions=("1987", "1993"), needs=(4,), lacks=(49,))
def amount_without_currency(mti: str = MTI) -> Told:
    """An amount has a currency; 2003 has it inside the amount. An answer need not repeat its request's."""
    severity = Severity.INFO if message_types.is_response(mti) else None
    return Hit(49, "the currency of the amount in DE 4", "none", severity=severity)


@rule("approval-without-code", classes=_FINANCIAL, functions=_RESPONSES, lacks=(38,))
def approval_without_code(answer: str = DE[39], code: str = Maybe[3], table: Spec = TABLE) -> Told:
    """An approval that moves money carries the issuer's approval code; an inquiry needs none."""
    if answer_kind(answer, table.version) != "approved" or purpose_kind(code, table.version) == "inquiry":
        return None
    return Hit(38, "the issuer's approval code, because the response is an approval", "none")


@rule("pin-without-entry-mode", needs=(52,), lacks=(22,))
def pin_without_entry_mode(mti: str = MTI) -> Told:
    """A PIN block comes with the point of service that took the PIN."""
    if message_types.is_response(mti):
        return None
    return Hit(22, "a point of service element, because there is a PIN block", "none")


# Elements that messages should have: rule, element, versions, message classes, functions.
_WANTED = (
    ("later-processing-code", 3, LATER, "12", _REQUEST_OR_ADVICE),
    ("later-stan", 11, LATER, "12348", "0123567"),  # a notification, as in a clearing file, is not answered
    ("later-time", 12, LATER, _TRANSACTIONS, _REQUEST_OR_ADVICE),
    ("later-reason-code", 25, LATER, "124", "2"),
    ("later-function-code", 24, LATER, "1248", _REQUEST_OR_ADVICE),
    ("file-update-incomplete", 91, ("1987",), "3", _REQUEST_OR_ADVICE),
    ("file-update-incomplete", 101, VERSIONS, "3", _REQUEST_OR_ADVICE),
    ("network-code-missing", 70, ("1987",), "8", EVERY_DIGIT),
    ("network-answer-missing", 39, VERSIONS, "8", _RESPONSES),
)


def _wanted(number: int = NUMBER, table: Spec = TABLE) -> Told:
    return Hit(number, with_article(table[number].name.lower()), "none")


for _id, _number, _versions, _classes, _functions in _WANTED:
    each(
        _id,
        _number,
        versions=_versions,
        classes=_classes,
        functions=_functions,
        needs=(ANY,),  # a message of nothing has a rule of its own
        lacks=(_number,),
    )(_wanted)


@rule("no-card-data", classes=_FINANCIAL, functions=_REQUESTS, lacks=_ACCOUNTS, any_mti=False)
def no_card_data(code: str = DE[3], accounts: bool = Maybe[55].accounts, table: Spec = TABLE) -> Told:
    """A request that moves money names a card or an account somewhere."""
    if accounts or purpose_kind(code, table.version) not in MOVE_MONEY:
        return None
    return Hit(2, "a card number, a track or an account somewhere in the message", "none")


# What verified card and cardholder is not sent back; a reversal refers to a transaction, and tracks and PIN
# blocks may not be kept.
for _number in (*_TRACKS, 52):
    _says(
        "secret-in-answer",
        Hit(_number, "no track and no PIN block in a response", "one"),
        classes=_FINANCIAL,
        functions=_RESPONSES,
        any_mti=False,
        needs=(_number,),
    )
for _number in _TRACKS:
    _says(
        "track-in-reversal",
        Hit(_number, "no track data in a reversal", "some"),
        classes="4",
        functions=_REQUEST_OR_ADVICE,
        any_mti=False,
        needs=(_number,),
    )
_says(
    "pin-in-reversal",
    Hit(52, "no PIN block in a reversal", "one"),
    classes="4",
    functions=_REQUEST_OR_ADVICE,
    needs=(52,),
)
_says(
    "pin-in-reversal",
    Hit(52, "no PIN block in an advice", "one"),
    classes=_FINANCIAL,
    functions="2",
    any_mti=False,
    needs=(52,),
)


@rule("card-in-network-message", classes="58", any_mti=False)
def card_in_network_message(
    numbered: bool = Maybe[2].numbered,
    stripe: Stripe = Maybe[35].stripe,
    amount: bool = Present[4],
    pin: bool = Present[52],
    chip: bool = Present[55],
) -> Told:
    """A sign-on, a test or a key exchange is about the line, totals about many cards: neither about one. What
    networks have in DE 2 and 35 there is no card number and no track."""
    found = [number for number, there in zip(_OF_CARDS, (amount, pin, chip), strict=True) if there]
    if numbered:
        found.insert(0, 2)
    elif stripe.pan_size:
        found.insert(0, 35)
    return [
        Hit(number, "no card data or amount in a message that concerns no card", "some")
        for number in found[:1]
    ]


# The first of the totals stands for all.
for _since, _totals in ((("1987", "1993"), range(74, 90)), (("2003",), range(74, 76))):
    for _number in _totals:
        _says(
            "totals-outside-reconciliation",
            Hit(_number, "totals in reconciliation messages (x5xx) only", "one"),
            versions=_since,
            classes="1234678",
            needs=(_number,),
            lacks=range(74, _number),
        )
# What a total comes with: its number its amount, its amount the net amount and the currency.
for _needs, _beside, _lacks in (
    *((_count, _count + 12, ()) for _count in range(74, 78)),
    *((_count + 12, _count, ()) for _count in range(74, 78)),
    *((88, _other, ()) for _other in (50, 97)),
    *((86, _other, (88,)) for _other in (50, 97)),
):
    _says(
        "total-incomplete",
        Hit(_beside, f"it with DE {_needs}", "none"),
        versions=("1987", "1993"),
        classes="5",
        functions=_REQUEST_OR_ADVICE,
        needs=(_needs,),
        lacks=(_beside, *_lacks),
    )
_says(
    "network-code-elsewhere",
    Hit(70, "a network management code in x8xx messages only", "one"),
    versions=("1987",),
    classes="12345",
    needs=(70,),
)


@each("rate-without-amount", 9, lacks=(5,), needs=(9,))
@each("rate-without-amount", 10, lacks=(6,), needs=(10,))
def rate_without_amount(number: int = NUMBER) -> Told:
    """A conversion rate comes with the amount it gave."""
    return Hit({9: 5, 10: 6}[number], f"the amount converted at the rate in DE {number}", "none")


@each(
    "currency-without-amount", 50, versions=("1987", "1993"), classes=_TRANSACTIONS, needs=(4,), lacks=(5, 29)
)
@each(
    "currency-without-amount", 51, versions=("1987", "1993"), classes=_TRANSACTIONS, needs=(4,), lacks=(6, 8)
)
def currency_without_amount(value: str = VALUE, number: int = NUMBER) -> Told:
    """A currency comes with the amount that is in it."""
    missing = {50: 5, 51: 6}[number]
    words = f"DE {number} is present, but DE {missing} is missing"
    return Hit(number, f"the amount (DE {missing}) in this currency", "none", said=words) if value else None


# Codes and the message class.


def _range_of(mti: str) -> str:
    return f"{mti[1]}, of {_CLASS_NAMES[mti[1]]} messages"


@rule("function-class", versions=LATER, classes="12345678")
def function_class(code: str = DE[24], mti: str = MTI, table: Spec = TABLE) -> Told:
    """The first digit of a function code is the message class."""
    if code[:1] == mti[1] or not clean(code, 24, table) or not known_later(code, 24, table.version):
        return None
    return Hit(24, f"a function code beginning with {_range_of(mti)}", repr(code), 0, 1)


@rule("reason-class", versions=LATER, classes="12345678")
def reason_class(code: str = DE[25], mti: str = MTI, table: Spec = TABLE) -> Told:
    """A message reason code is of the block of its message class."""
    if not clean(code, 25, table) or code[0] not in _REASON_CLASSES:
        return None
    if not known_later(code, 25, table.version):
        return None
    if mti[1] not in _REASON_CLASSES[code[0]]:
        return Hit(25, f"a reason for {_CLASS_NAMES[mti[1]]} messages", repr(code))
    # 1000 to 1499 say why an advice was sent instead of a request, 1500 to 1999 the contrary.
    if code[0] == "1" and mti[2] == ("0" if code < "1500" else "2"):
        other = "a request instead of an advice" if mti[2] == "0" else "an advice instead of a request"
        hint = "1000 to 1499 are reasons to send an advice, 1500 to 1999 to send a request."
        return Hit(25, f"a reason why this is {other}", repr(code), 0, None, "", hint, Severity.INFO)
    return None


@rule("action-class", versions=LATER, classes="12345678", functions=_RESPONSES)
def action_class(code: str = DE[39], mti: str = MTI, table: Spec = TABLE) -> Told:
    """The answer is of the range of its message class."""
    if not clean(code, 39, table) or code[0] == "9" or not known_later(code, 39, table.version):
        return None
    if mti[1] in _ACTION_CLASSES[code[0]]:
        return None
    expected = "0 to 2" if mti[1] in _FINANCIAL else mti[1]
    return Hit(39, f"an action code starting with {expected}, or 9", repr(code), 0, 1)


@rule("answer-in-request", classes="128", functions=_REQUESTS, needs=(39,))
def answer_in_request(mti: str = MTI) -> Told:
    """A request asks; the answer is in the response. A completion (1987, 0202) carries one."""
    # Links of 1993 and later give reasons here, as fuel networks do.
    severity = None if version_of(mti) == "1987" else Severity.INFO
    return None if mti[3] in "23" else Hit(39, "no response code in a request", "one", severity=severity)


@rule("approval-code-in-request", classes="1", functions=_REQUESTS, needs=(38,))
def approval_code_in_request(mti: str = MTI) -> Told:
    """The issuer gives the approval code in its answer. A completion (1987, 0102) and an advice carry one."""
    return None if mti[3] in "23" else Hit(38, "no approval code in a request", "one")


_says(
    "original-in-request",
    Hit(90, "no original data elements in an authorization request", "some"),
    versions=("1987",),
    classes="1",
    functions="0",
    needs=(90,),
)
_says(
    "advice-without-answer",
    Hit(39, "the decision, in an authorization advice", "none"),
    classes="1",
    functions="2",
    lacks=(39,),
    any_mti=False,
)


@rule("reversal-reason", versions=("1987",), classes="4", functions=_REQUEST_OR_ADVICE)
def reversal_reason(code: str = DE[39]) -> Told:
    """DE 39 of a reversal, where a network has it, is a reason to reverse, not to decline."""
    return Hit(39, "a reason for the reversal", repr(code)) if code in _ABOUT_THE_CARDHOLDER else None


@rule("reversal-answer", versions=("1987",), classes="4", functions=_RESPONSES)
def reversal_answer(code: str = DE[39]) -> Told:
    """A reversal is not declined for reasons that concern the cardholder."""
    return Hit(39, "a response code for a reversal", repr(code)) if code in _ABOUT_THE_CARDHOLDER else None


@rule("blank-approval-code", classes="124", functions="0123")
def blank_approval_code(
    code: str = DE[38], answer: str = Maybe[39], mti: str = MTI, table: Spec = TABLE
) -> Told:
    """An approval code is not blank, but where nothing was approved."""
    told = message_types.is_response(mti) or mti[1] != "4"
    if code.strip() or (told and answer_kind(answer, table.version) != "approved"):
        return None
    return Hit(38, "the approval code of the response, or no DE 38", "blanks")


@rule("approval-code-in-decline", classes=_FINANCIAL, functions="123")
def approval_code_in_decline(code: str = DE[38], answer: str = DE[39], table: Spec = TABLE) -> Told:
    """A decline has no approval code."""
    if not code.strip(" 0") or answer_kind(answer, table.version) not in ("declined", "pick-up"):
        return None
    return Hit(38, "no approval code, because the response is a decline", "one")


@rule("zero-approval-code", classes=_FINANCIAL, functions=_RESPONSES)
def zero_approval_code(
    code: str = DE[38], answer: str = DE[39], moves: bool | None = DE[4].moves, table: Spec = TABLE
) -> Told:
    """The approval code of an approval that moves money says more than nothing."""
    if not moves or not code or code.strip("0") or not is_particular("approved", table.version, answer):
        return None
    return Hit(38, "an approval code, because the response is an approval", "zeros")


@rule("advice-answer", versions=LATER, classes=_FINANCIAL, functions="3")
def advice_answer(code: str = DE[39], table: Spec = TABLE) -> Told:
    """The answer to an advice acknowledges it; what it reports was decided before."""
    if code[:1] == "9":
        return None
    wanted_codes = " or ".join(particular("acknowledged", table.version))
    return Hit(39, f"an acknowledgment ({wanted_codes}) of the advice", repr(code))


@rule("advice-answer", versions=LATER, classes=_FINANCIAL, functions="1")
def request_acknowledged(code: str = DE[39], table: Spec = TABLE) -> Told:
    """The answer to a request decides it; an acknowledgement says neither yes nor no."""
    if not is_particular("acknowledged", table.version, code):
        return None
    return Hit(39, "a decision on the request", f"{code!r}, which acknowledges an advice")


_ORIGINAL_AMOUNT = "57"


@rule("partial-without-amounts", versions=("1987",), classes=_FINANCIAL, functions=_RESPONSES, any_mti=True)
def partial_without_amounts(
    answer: str = DE[39], groups: tuple[AdditionalAmount, ...] = Maybe[54].groups, table: Spec = TABLE
) -> Told:
    """A partial approval says what was asked for, so that the terminal can see what is left to pay."""
    if not is_particular("partial", table.version, answer):
        return None
    if any(group.kind == _ORIGINAL_AMOUNT for group in groups):
        return None
    return Hit(54, f"the original amount (type {_ORIGINAL_AMOUNT}), because the approval is partial", "none")


@rule(
    "partial-without-amounts",
    versions=LATER,
    classes=_FINANCIAL,
    functions=_RESPONSES,
    lacks=(30,),
    any_mti=True,
)
def partial_without_original_amount(answer: str = DE[39], table: Spec = TABLE) -> Told:
    """The same since 1993, where the original amount has an element of its own."""
    if not is_particular("partial", table.version, answer):
        return None
    return Hit(30, "the original amount, because the approval is partial", "none")

"""Rules about what a message leaves out, or carries where it has no place: the card, the time, the answer.

Each is a warning or a remark. What the standard demands of every message of 1987 is in `structure`; what
1993 and 2003 demand beyond that is told here, since processors read such messages all the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from sim.codec import Message
from sim.elements import emv
from sim.elements.groups import read_additional_amounts
from sim.elements.words import with_article
from sim.judge.conditions import purpose_kind
from sim.judge.engine import ANY, always, each, rule
from sim.judge.finding import Hit
from sim.judge.layout import LATER
from sim.judge.structure import MOVE_MONEY
from sim.spec import VERSIONS, is_particular, number_of, particular
from sim.spec.layouts import layouts

_NONE: tuple[Hit, ...] = ()
_TRANSACTIONS = "12"
_REQUESTS = "0"
_REQUESTS_AND_ADVICES = "02"
_RESPONSES = "13"
# Where a card or an account can stand. DE 55 may hold it in one of two tags.
_ACCOUNTS = (2, 34, 35, 36, 45, 102, 103)
_ACCOUNT_TAGS = ("5A", "57")
_TRACKS = (35, 36, 45)
_PAN, _PIN_BLOCK = 2, 52
_TRACE = 11
_IDENTIFIED = "12348"  # totals and fees are also sent without a number of their own
_PAYS_CASH = ("01", "17")
# 6010 over the counter, 6011 cash machine, 6012 financial institution.
_CASH_MERCHANTS = ("6010", "6011", "6012")
_ORIGINAL_AMOUNT = "57"


def _missing(message: Message, number: int) -> Iterable[Hit]:
    if number in message or not message.fields:
        return _NONE  # a message of nothing has a rule of its own
    return (Hit(number, with_article(message.spec[number].name.lower()), "none"),)


# Elements that messages should have: rule, element, versions, message classes, functions.
_WANTED = (
    ("later-processing-code", 3, LATER, _TRANSACTIONS, _REQUESTS_AND_ADVICES),
    ("later-stan", 11, LATER, "12348", ANY),
    ("later-time", 12, LATER, "124", _REQUESTS_AND_ADVICES),
    ("later-function-code", 24, LATER, "1248", _REQUESTS_AND_ADVICES),
    ("network-code-missing", 70, ("1987",), "8", ANY),
    ("network-answer-missing", 39, VERSIONS, "8", _RESPONSES),
)
for _id, _number, _versions, _classes, _functions in _WANTED:
    rule(_id, versions=_versions, classes=_classes, functions=_functions)(partial(_missing, number=_number))


@rule(
    "no-card-data",
    3,
    classes=_TRANSACTIONS,
    functions=_REQUESTS,
    reads=(3, 55),
    tags=(),
    missing=_ACCOUNTS,
    any_mti=False,
)
def no_card_data(message: Message) -> Iterable[Hit]:
    """A request that moves money names a card or an account somewhere."""
    if purpose_kind(message) not in MOVE_MONEY:
        return _NONE
    if 55 in message and any(tag in emv.read(message[55]) for tag in _ACCOUNT_TAGS):
        return _NONE
    return (Hit(2, "a card number, a track or an account somewhere in the message", "none"),)


@each("empty-card-number", 2)
@each("empty-acquirer", 32)
def empty_number(message: Message, number: int) -> Iterable[Hit]:
    """A card number or an acquirer that is announced has digits."""
    expected = "a card number" if number == _PAN else "the acquirer's id"
    return _NONE if message[number] else (Hit(number, expected, "length 00", 0, 0),)


@each("empty-identification", 11, 41, 42, classes=_IDENTIFIED)
def empty_identification(message: Message, number: int) -> Iterable[Hit]:
    """A trace number is not zeros; a terminal and a merchant that are announced are not blanks."""
    value = message[number]
    if not value or value.strip(" 0" if number == _TRACE else " "):
        return _NONE
    return (Hit(number, "a number above zero" if number == _TRACE else "an id", "a filler"),)


@rule("secret-in-answer", classes=_TRANSACTIONS, functions=_RESPONSES, any_mti=False)
def secret_in_answer(message: Message) -> Iterable[Hit]:
    """What verified card and cardholder is not sent back."""
    expected, secrets = "no track and no PIN block in an answer", (*_TRACKS, _PIN_BLOCK)
    return tuple(Hit(number, expected, "one") for number in secrets if number in message)


@rule("track-in-reversal", classes="4", functions=_REQUESTS_AND_ADVICES, any_mti=False)
def track_in_reversal(message: Message) -> Iterable[Hit]:
    """A reversal refers to a transaction; the card is not read again, and tracks may not be kept."""
    return tuple(
        Hit(number, "no track data in a reversal", "some") for number in _TRACKS if number in message
    )


# What is undone was verified before, and the PIN block may not be kept.
rule("pin-in-reversal", 52, classes="4", functions=_REQUESTS_AND_ADVICES, reads=())(
    always(Hit(52, "no PIN block in a reversal", "one"))
)


@rule("original-not-identified", 90, versions=("1987",), classes="4", functions=_REQUESTS_AND_ADVICES)
@rule("original-not-identified", 56, versions=LATER, classes="4", functions=_REQUESTS_AND_ADVICES)
def original_not_identified(message: Message) -> Iterable[Hit]:
    """The original data elements are filled in, not zeros."""
    number = number_of("original", message.version)
    mti_and_stan = layouts(message.version, number)[0].cell.cells[:2]
    head = message[number][: sum(cell.most for cell in mti_and_stan)]
    if not head or head.strip("0"):
        return _NONE
    return (Hit(number, "MTI and STAN of the original", "zeros", 0, len(head)),)


@rule("nothing-given-back", 4, 95, versions=("1987",), classes="4", functions=_REQUESTS_AND_ADVICES)
def nothing_given_back(message: Message) -> Iterable[Hit]:
    """A partial reversal leaves less than the original amount."""
    if message[95][:12] != message[4] or not message[4].strip("0"):
        return _NONE
    return (Hit(95, "an amount below DE 4", "the same amount", 0, 12),)


@rule("partial-without-amounts", 39, classes=_TRANSACTIONS, functions=_RESPONSES, reads=(39, 54))
def partial_without_amounts(message: Message) -> Iterable[Hit]:
    """A partial approval says what was asked for, so that the terminal can see what is left to pay."""
    if not is_particular("partial", message.version, message[39]):
        return _NONE
    if original := number_of("original-amount", message.version):
        if original in message:
            return _NONE
        return (Hit(original, "the original amount, as only a part is approved", "none"),)
    groups = read_additional_amounts(message.get(54), message.version) or ()
    if any(group.kind == _ORIGINAL_AMOUNT for group in groups):
        return _NONE
    return (Hit(54, f"the original amount (type {_ORIGINAL_AMOUNT}), as only a part is approved", "none"),)


@rule("cash-merchant", 3, 18, versions=("1987",), classes=_TRANSACTIONS, functions=_REQUESTS)
@rule("cash-merchant", 3, 26, versions=LATER, classes=_TRANSACTIONS, functions=_REQUESTS)
def cash_merchant(message: Message) -> Iterable[Hit]:
    """Cash is paid out by cash machines and banks; shops give cash back with a purchase."""
    number = number_of("category", message.version)
    if message[3][:2] not in _PAYS_CASH or message[number] in _CASH_MERCHANTS:
        return _NONE
    return (Hit(number, "a category that pays out cash (6010 to 6012)", repr(message[number])),)


@rule("advice-answer", 39, versions=LATER, classes=_TRANSACTIONS, functions="3")
def advice_answer(message: Message) -> Iterable[Hit]:
    """The answer to an advice acknowledges it; what it reports was decided before."""
    if message[39][:1] == "9":
        return _NONE
    wanted = " or ".join(particular("acknowledged", message.version))
    return (Hit(39, f"an acknowledgement ({wanted}), as an advice is answered", repr(message[39])),)


@rule("advice-answer", 39, versions=LATER, classes=_TRANSACTIONS, functions="1")
def request_acknowledged(message: Message) -> Iterable[Hit]:
    """The answer to a request decides it; an acknowledgement says neither yes nor no."""
    if not is_particular("acknowledged", message.version, message[39]):
        return _NONE
    return (
        Hit(39, "a decision, as a request is answered", f"{message[39]!r}, which acknowledges an advice"),
    )

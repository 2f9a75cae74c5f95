"""What a description fixes is in the message; what it does not is noted, or refused."""

from __future__ import annotations

from typing import Any

import pytest
from llm.expected import NOW

from sim.operations import Generated
from sim.operations.llm.cards import clean
from sim.operations.llm.compose import compose
from sim.operations.llm.ground import check_intent, check_message, notes_of
from sim.operations.llm.intent import Intent

MONEY = {"network": "VISA", "amount": "5.00", "currency": "USD"}
DECLINED = MONEY | {"direction": "response", "outcome": "declined"}


def draft(text: str, given: dict[str, Any]) -> tuple[Generated | None, list[str]]:
    """The message of an intent, and what is wrong with it as the reading of *text*."""
    intent, cleaned = Intent(**({"kind": "auth"} | given)), clean(text)
    problems = check_intent(intent, cleaned)
    made, found = compose(intent, version="1987", now=NOW, source="llm:test/test")
    problems += found
    if made is not None:
        problems += check_message(made.message, made.network, intent, cleaned)
        made = Generated(made.message, made.network, made.source, (*notes_of(intent, cleaned), *made.notes))
    return made, problems


UNFAITHFUL: list[tuple[str, dict[str, Any]]] = [
    ("A Visa purchase of twelve euros fifty", {"network": "VISA"}),
    ("A Visa purchase of 12.50 euros", {"network": "VISA"}),
    ("A Visa purchase of 12.50 euros", {"network": "VISA", "amount": "12.50", "currency": "USD"}),
    ("A Visa purchase of 12.50 euros", {"network": "VISA", "amount": "12.50"}),
    ("visa purchase 12,50 eur", {"network": "VISA"}),
    ("A Visa purchase of twelve fifty euros", {"network": "VISA", "amount": "1250", "currency": "EUR"}),
    ("Purchase of $20 with a Visa", {"network": "VISA"}),
    ("Visa, 5 dollars, STAN 654321", MONEY | {"amount": "654321", "stan": "654321"}),
    ("Visa purchase of 5.00 USD, later 7.00 USD", MONEY),
    ("Visa purchase of -5.00 USD", MONEY),
    ("Visa purchase of 5.00 in currency 978", MONEY),
    ("Visa purchase of 5.00 USD on 2026-03-04", MONEY),
    ("Visa purchase of 5.00 USD on 2026-03-04", MONEY | {"date": "2026-03-05"}),
    ("Visa purchase of 5.00 USD on 4 March 2026", MONEY),
    ("Visa purchase of 5.00 USD", MONEY | {"date": "2020-01-01"}),
    ("Visa purchase of 5.00 USD at 14:30", MONEY),
    ("Visa purchase of 5.00 USD at 14:30", MONEY | {"time": "15:30"}),
    ("Visa purchase of 5.00 USD at 2:30 pm", MONEY | {"time": "02:30"}),
    ("Visa purchase of 5.00 USD", MONEY | {"time": "03:33"}),
    ("Visa purchase of 5.00 USD at 14:30", MONEY | {"time": "14:30", "utc_offset": "+09:00"}),
    ("Visa purchase of 5.00 USD, 14:30 UTC+2", MONEY | {"time": "14:30", "utc_offset": "+03:00"}),
    ("Visa expiring 12/29 pays 5.00 USD", MONEY),
    ("Visa expiring 12/29 pays 5.00 USD", MONEY | {"card_expiry": "2911"}),
    ("Visa pays 5.00 USD", MONEY | {"card_expiry": "3412"}),
    ("Contactless Visa purchase of 5.00 USD", MONEY),
    ("Contactless Visa purchase of 5.00 USD", MONEY | {"entry": "chip"}),
    ("Visa refund of 5.00 USD", MONEY | {"kind": "financial"}),
    ("Visa purchase of 5.00 USD", MONEY | {"kind": "financial", "purpose": "refund"}),
    ("Reversal of a Visa purchase of 5.00 USD", MONEY),
    ("Visa purchase of 5.00 USD", MONEY | {"kind": "reversal"}),
    ("Echo test", {"network": "VISA"}),
    ("An authorization response for a Visa purchase of 5.00 USD", MONEY),
    ("A financial request: Visa purchase of 5.00 USD", MONEY),
    ("A Visa purchase of 5.00 USD", DECLINED | {"response_code": "05"}),
    ("A Visa purchase of 5.00 USD declined with code 51", DECLINED | {"response_code": "05"}),
    ("A Visa purchase of 5.00 USD declined (RC 51)", DECLINED | {"response_code": "05"}),
    ("A Visa purchase of 5.00 USD declined, DE 39 = 51", DECLINED | {"response_code": "05"}),
    ("Visa, 5.00 USD, declined for insufficient funds", DECLINED | {"response_code": "43"}),
    ("A Visa purchase of 5.00 USD approved", DECLINED | {"response_code": "51"}),
    ("A Visa purchase of 5.00 USD not approved", MONEY | {"direction": "response", "outcome": "approved"}),
    ("Visa with last four digits 4242 pays 5.00 USD", MONEY),
    ("A purchase of 5.00 USD", MONEY | {"network": "AMEX"}),
    ("A Maestro purchase of 5.00 USD", {"amount": "5.00", "currency": "USD"}),
    ("A Visa purchase of 5.00 USD at Joe's Diner", MONEY),
    ('A Visa purchase of 5.00 USD, merchant "joe"', MONEY),
    ("Visa, 5.00 USD in Lyon, France", MONEY | {"merchant_city": "Lyon", "merchant_country": "US"}),
    ("A 1993 Visa purchase of 5.00 USD", MONEY),
    ("ISO 8583:2003 Visa purchase of 5.00 USD", MONEY),
    ("A Visa purchase of 5.00 USD", MONEY | {"version": "2003"}),
    ("0200 message: Visa purchase of 5.00 USD", MONEY),
    ("Visa, processing code 200000, 5.00 USD", MONEY),
    ("Visa, POS entry mode 051, 5.00 USD", MONEY),
    ("Test case 17: Visa purchase of 5.00 USD", MONEY),
    ("Visa purchase of 5.00 USD", MONEY | {"beside": ["Test case 17"]}),
    ("Reverse a Visa purchase of 5.00 USD sent on 2026-11-18", MONEY | {"kind": "reversal"}),
    (
        "Visa purchase of 50.00 USD with 20.00 USD cash back",
        MONEY | {"kind": "financial", "amount": "50.00", "purpose": "purchase"},
    ),
    (
        "Visa purchase of 50.00 USD with 20.00 USD cash back",
        MONEY | {"kind": "financial", "amount": "70.00", "purpose": "cashback", "cashback_amount": "50.00"},
    ),
    (
        "Visa purchase of 50.00 USD with 20.00 USD cash back",
        MONEY | {"kind": "financial", "amount": "20.00", "purpose": "cashback", "cashback_amount": "50.00"},
    ),
]


@pytest.mark.parametrize(("text", "given"), UNFAITHFUL, ids=[text for text, _ in UNFAITHFUL])
def test_a_reading_that_is_not_the_descriptions_is_refused(text: str, given: dict[str, Any]) -> None:
    """Left out, altered or made up: amount, currency, moment, card, kind, decision, place, any number."""
    assert draft(text, given)[1]


FAITHFUL: list[tuple[str, dict[str, Any]]] = [
    ("A Visa purchase of 5.00 USD", {}),
    ("Visa, 5.00 USD on 4 March 2026 at 2:30 pm", {"date": "2026-03-04", "time": "14:30"}),
    ("Visa, 5.00 USD on March 4th", {"date": "2026-03-04"}),
    ("Visa, 5.00 USD on 03/04/2026", {"date": "2026-04-03"}),
    ("Visa, 5.00 USD on 20.11.2026, 14:30", {"date": "2026-11-20", "time": "14:30"}),
    ("Visa, 5.00 USD yesterday at noon", {"date": "2026-11-19", "time": "12:00"}),
    ("Visa, 5.00 USD at 14:30:00+02:00", {"time": "14:30:00", "utc_offset": "+02:00"}),
    ("Visa, 5.00 USD, 3pm CET", {"time": "15:00", "utc_offset": "+01:00"}),
    ("Visa expiring in December 2029 pays 5.00 USD", {"card_expiry": "2912"}),
    ("Test case 17: Visa purchase of 5.00 USD", {"beside": ["Test case 17"]}),
    ("Visa purchase of 5.00 USD at Chip Shop", {"merchant_name": "Chip Shop"}),
    ("Visa, not contactless but swiped, 5.00 USD", {"entry": "stripe"}),
    ("The chip failed, so the Visa was swiped: 5.00 USD", {"entry": "stripe"}),
    ("Visa, POS entry mode 051, 5.00 USD", {"entry": "chip"}),
    ("A 0200 message: Visa purchase of 5.00 USD", {"kind": "financial"}),
    ("Visa, five dollars", {"amount": "5"}),
    ("Use 4111 1111 1111 1111 for 5.00 USD", {"test_card": "VISA #1"}),
    ("Void the Visa sale of 5.00 USD from 5 minutes ago", {"kind": "reversal"}),
    (
        "A declined Visa purchase of 5.00 USD, DE 39 = 51",
        {"direction": "response", "outcome": "declined", "response_code": "51"},
    ),
    (
        "Visa, 5.00 USD at Joe's Diner in New York, USA",
        {"merchant_name": "Joe's Diner", "merchant_city": "New York", "merchant_country": "US"},
    ),
    (
        "Visa refund, processing code 200000, 5.00 USD",
        {"kind": "financial", "purpose": "refund"},
    ),
]


@pytest.mark.parametrize(("text", "given"), FAITHFUL, ids=[text for text, _ in FAITHFUL])
def test_a_faithful_reading_is_built(text: str, given: dict[str, Any]) -> None:
    """Dates, times, words and names in the forms in which people write them."""
    made, problems = draft(text, MONEY | given)
    assert problems == []
    assert made is not None


def test_other_languages_are_built_too() -> None:
    """A description that is not English is held to its amounts, currencies, networks and numbers."""
    euros = {"network": "VISA", "amount": "1234.50", "currency": "EUR", "entry": "contactless"}
    assert draft("Visa-Zahlung über 1.234,50 Euro, kontaktlos", euros)[1] == []
    yen = {"network": "VISA", "amount": "500", "currency": "JPY"}
    assert draft("Visa 购买 500 日元", yen)[1] == []
    assert draft("Visa 购买 500 日元", yen | {"currency": "USD"})[1]


@pytest.mark.parametrize(
    ("text", "given", "note"),
    [
        ("A Visa pays 5.00", {"currency": "KWD"}, "Understood, though not named: currency KWD."),
        ("A Visa pays 5.00 USD", {"entry": "chip"}, "Understood, though not named: entry chip."),
        ("A Visa pays a hotel 5.00 USD", {"merchant_category": "7011"}, "not named: MCC 7011."),
        ("A Visa pays 5.00 USD", {"merchant_country": "DE"}, "not named: country DE."),
        ("A Visa pays 5.00 USD", {}, "No date or time was given: 20 November 2026, 10:15 is used."),
        ("A Visa, or Mastercard, pays 5.00 USD", {}, "The description names several networks: VISA is used."),
        ("Visa, 5.00 USD, 2 coffees", {"beside": ["2 coffees"]}, "concerns no element: 2 coffees."),
        (
            "A Visa pays 5.00 USD, declined at first, then approved",
            {"direction": "response", "outcome": "approved"},
            "tells an approval and a decline: approved is used.",
        ),
        (
            "An approved Visa purchase of 5.00 USD",
            {"direction": "response", "outcome": "approved"},
            "No approval code was given: ",
        ),
    ],
)
def test_what_was_assumed_is_noted(text: str, given: dict[str, Any], note: str) -> None:
    """What no word says, what is said in two ways, and what was left out."""
    made, problems = draft(text, MONEY | given)
    assert problems == []
    assert made is not None
    assert note in " ".join(made.notes)

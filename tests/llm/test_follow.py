"""What a description fixes is in the message; what it does not is noted, or refused."""

from __future__ import annotations

from typing import Any

import pytest
from llm.expected import NOW
from llm.quotes import quotes, said
from support import some, together

from sim.operations import Generated
from sim.operations.llm.drafting.draft import from_intent
from sim.operations.llm.drafting.follow import check
from sim.operations.llm.drafting.intent import Intent
from sim.operations.llm.drafting.marks import read
from sim.operations.llm.drafting.when import is_offset
from sim.operations.llm.guard import clean

MONEY = {"network": "VISA", "amount": "5.00", "currency": "USD"}
DECLINED = MONEY | {"direction": "response", "outcome": "declined"}


def draft(text: str, answer: dict[str, Any]) -> tuple[Generated | None, list[str]]:
    """The message of an answer, and what is wrong with it as the reading of *text*."""
    told = read(clean(text))
    return from_intent(Intent(**answer), told, version="1987", now=NOW, source="llm:test/test")


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
    ("Visa purchase of 87 USD", {"network": "VISA", "version": "1987", "currency": "USD"}),
    ("Visa purchase of 12 USD", {"network": "VISA", "time": "12:00", "currency": "USD"}),
    ("Visa purchase of 1.20 USD", {"network": "VISA", "date": "2026-01-20", "currency": "USD"}),
    ("Visa pays 1.20", {"network": "VISA", "date": "2026-01-20"}),
    ("Visa pays 5", {"network": "VISA", "time": "05:00"}),
    ("Visa pays 654321 USD", {"network": "VISA", "stan": "654321", "currency": "USD"}),
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


@together("text, given", UNFAITHFUL)
def test_a_reading_that_is_not_the_descriptions_is_refused(text: str, given: dict[str, Any]) -> None:
    """Left out, altered or made up: amount, currency, moment, card, kind, decision, place, any number. And
    whatever words of the description the model quotes for it."""
    for answer in some(quotes(text, given), 5):
        assert draft(text, answer)[1], answer


FAITHFUL: list[tuple[str, dict[str, Any]]] = [
    ("A Visa purchase of 5.00 USD", {}),
    ("Visa, 5.00 USD on 4 March 2026 at 2:30 pm", {"date": "2026-03-04", "time": "14:30"}),
    ("Visa, 5.00 USD on March 4th", {"date": "2026-03-04"}),
    ("Visa, 5.00 USD on 03/04/2026", {"date": "2026-04-03"}),
    ("Visa, 5.00 USD on 20.11.2026, 14:30", {"date": "2026-11-20", "time": "14:30"}),
    ("Visa, 5.00 USD yesterday at noon", {"date": "2026-11-19", "time": "12:00"}),
    ("Visa, 5.00 USD at 14:30:00+02:00", {"time": "14:30:00", "utc_offset": "+02:00"}),
    ("Visa, 5.00 USD at 14:30 UTC+2", {"time": "14:30", "utc_offset": "+02:00"}),
    ("Visa, 5.00 USD at 14:30, UTC+05:30", {"time": "14:30", "utc_offset": "+05:30"}),
    ("Visa, 5.00 USD at 14:30, UTC-3:30", {"time": "14:30", "utc_offset": "-03:30"}),
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


@together("text, given", FAITHFUL)
def test_a_faithful_reading_is_built(text: str, given: dict[str, Any]) -> None:
    """Dates, times, words and names in the forms in which people write them."""
    assert any(draft(text, answer)[1] == [] for answer in quotes(text, MONEY | given))


def test_other_languages_are_built_too() -> None:
    """A description that is not English is held to its amounts, currencies, networks and numbers."""
    euros = said(network=("VISA", "Visa"), amount=("1234.50", "1.234,50"), currency=("EUR", "Euro"),
                 entry=("contactless", "kontaktlos"))  # fmt: skip
    made, problems = draft("Visa-Zahlung über 1.234,50 Euro, kontaktlos", euros)
    assert problems == []
    assert made is not None
    assert "Understood from “kontaktlos”: entry contactless." in made.notes
    yen = said(network=("VISA", "Visa"), amount=("500", "500"), currency=("JPY", "日元"))
    assert draft("Visa 购买 500 日元", yen)[1] == []
    yen["currency"]["value"] = "USD"
    assert draft("Visa 购买 500 日元", yen)[1]


@together(
    "text, given, note",
    [
        ("A Visa pays 5.00 in Kuwait", {"currency": ("KWD", "Kuwait")}, "from “Kuwait”: currency KWD."),
        (
            "A Visa pays 5.00 USD at the dip reader",
            {"entry": ("chip", "dip reader")},
            "“dip reader”: entry chip",
        ),
        ("A Visa pays a hotel 5.00 USD", {"merchant_category": ("7011", "hotel")}, "“hotel”: MCC 7011."),
        ("A Visa pays 5.00 USD in Ulm", {"merchant_country": ("DE", "Ulm")}, "“Ulm”: country DE."),
        ("A Visa pays 5.00 USD last Friday", {"date": ("2026-11-13", "last Friday")}, ": date 2026-11-13."),
        ("A Visa pays 5.00 USD", {}, "No date or time was given: 20 November 2026, 10:15 is used."),
        ("A Visa, or Mastercard, pays 5.00 USD", {}, "names MASTERCARD and VISA: VISA is used."),
        ("Visa, 5.00 USD, 2 coffees", {"beside": ["2 coffees"]}, "concerns no element: 2 coffees."),
        (
            "A Visa pays 5.00 USD, declined at first, then approved",
            {"direction": ("response", "approved"), "outcome": ("approved", "approved")},
            "names approved and declined: approved is used.",
        ),
        (
            "A declined Visa purchase of 5.00 USD",
            {"direction": ("response", "declined"), "outcome": ("declined", "declined")},
            "No reason was given for the decline. Response code 05: do not honour.",
        ),
        (
            "An approved Visa purchase of 5.00 USD",
            {"direction": ("response", "approved"), "outcome": ("approved", "approved")},
            "No approval code was given: ",
        ),
    ],
)
def test_what_was_assumed_is_noted(text: str, given: dict[str, Any], note: str) -> None:
    """What words mean without naming it, what is said in two ways, and what was left out."""
    money = {"network": ("VISA", "Visa"), "amount": ("5.00", "5.00")}
    if "USD" in text:
        money["currency"] = ("USD", "USD")
    made, problems = draft(text, said(**money, **given))
    assert problems == []
    assert made is not None
    assert note in " ".join(made.notes)


@together(
    "text, values, wrong",
    [
        ("7 USD", "7", "8"),
        ("25,50 EUR", "25.50", "2550"),
        ("1.234.567 EUR", "1234567", "1.234"),
        ("1,234,567.89 USD", "1234567.89", "1234567"),
        ("12'500.00 CHF", "12500", "12.5"),
        ("twenty-five dollars", "25", "20"),
        ("one hundred and five dinars", "105", "100.05"),
        ("two thousand three hundred forty yen", "2340", "2000"),
        ("a hundred euros", "100", "1"),
        ("one million won", "1000000", "1"),
        ("2.5k EUR", "2500", "2.5"),
        ("1 250 000 KRW", "1250000", "250000"),
        ("twelve euros fifty", "12.50", "62"),
        ("twenty-five US dollars and fifty cents", "25.50", "75"),
        ("199 cents USD", "1.99", "199"),
        ("50 pence", "0.5", "50"),
        ("US$20", "20", "2"),
    ],
)
def test_amounts_are_read_as_people_write_them(text: str, values: str, wrong: str) -> None:
    """Marks that group or divide, blanks between thousands, multipliers, words, cents."""
    told = read(clean(text))
    for value, right in ((values, True), (wrong, False)):
        answers = [
            said(amount=(value, words["amount"]["words"])) for words in quotes(text, {"amount": value})
        ]
        fits = [one for one in answers if not _problems(one, told)]
        assert bool(fits) == right, value


def _problems(answer: dict[str, Any], told: Any) -> list[str]:
    held = check(Intent(**answer), told, NOW)
    return [text for text in held.problems if "amount" in text] or [
        one for one in told.figures if not held.covered(("amount",), one.start, one.end)
    ]


@together(
    "text, codes",
    [
        ("EUR 5", {"EUR"}), ("7.50 usd", {"USD"}), ("£3", {"GBP"}), ("12,50 euros", {"EUR"}),
        ("105 Bahraini dinars", {"BHD"}), ("¥500", {"JPY", "CNY"}), ("500 日元", {"JPY"}), ("US$20", {"USD"}),
        ("20 Canadian dollars", {"CAD"}), ("try 4 of all the top pens", set()),
        ("4 ABC, or 5 top shops", set()),
    ],
)  # fmt: skip
def test_currencies_are_read_as_people_write_them(text: str, codes: set[str]) -> None:
    """Codes before or behind, signs and names; a name that many currencies have means any of them."""
    assert currencies_in(text) == codes
    assert {"USD", "CAD", "AUD"} <= currencies_in("20 dollars")


def currencies_in(text: str) -> set[str]:
    """The codes that the words of *text* may mean."""
    return {code for one in read(clean(text)).marks if one.property == "currency" for code in one.values}


@pytest.mark.parametrize("words", ["", "local time", "at 14", "2 pm", "+02:30", "-02:00"])
def test_an_offset_that_no_word_names_is_none(words: str) -> None:
    """A model that makes one up is not believed."""
    assert not is_offset("+02:00", words, [])


@pytest.mark.parametrize("words", ["+2", "UTC+02", "GMT +0200", "+02:00"])
def test_an_offset_is_the_same_however_it_is_written(words: str) -> None:
    """With or without minutes and the zone that it is counted from."""
    assert is_offset("+02:00", words, [])

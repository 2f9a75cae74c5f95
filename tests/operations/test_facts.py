"""Facts, and what people write for them: labelled by hand, in facts.csv."""

from __future__ import annotations

import csv
import datetime
from decimal import Decimal
from pathlib import Path

import pytest
from lessons.answers import Amount, CurrencyName, Masked, Moment, Month, OneOf, Spelling, VersionName

from sim.operations.drill.facts import (
    Choice,
    Decimals,
    Digits,
    Element,
    Fact,
    Hex,
    NetworkName,
    Number,
    Several,
    Text,
    YesNo,
)

KINDS: dict[str, Fact] = {
    "purpose-purchase": Choice("purchase", "purpose"),
    "purpose-refund": Choice("refund", "purpose"),
    "amount-gbp": Amount(14775, "GBP", both=True),
    "amount-1250usd": Amount(125_000, "USD"),
    "amount-kwd": Amount(16_950, "KWD"),
    "month": Month("2912"),
    "moment": Moment("144454", "1124"),
    "yes": YesNo(True, "agrees"),
    "approved": YesNo(True, "approved"),
    "chip": Choice("chip", "entry"),
    "less": Choice("contactless", "entry"),
    "money": CurrencyName("GBP"),
    "currency-eur": CurrencyName("EUR"),
    "number": Number(22),
    "version": VersionName("2003"),
    "notation": Spelling("ans..25"),
    "text": Text("LINK TEST"),
    "exact": Text("011Link", exact=True),
    "masked": Masked("378282*****0005"),
    "bits4": Digits("0100"),
    "network": NetworkName("AMEX"),
    "arqc": OneOf((Choice("ARQC", "cryptogram"), Hex("80"))),
    "stan": Digits("023906", padded=True),
    "elements": Several((2, 3, 4), Element(0), ordered=False),
    "byte-bit": Several((5, 3), Number(0, ("bytes", "bits")), names=("byte", "bit")),
    "decimals-kwd": Decimals(Decimal("1041.475"), "KWD"),
    "pin": YesNo(True, "pin"),
    "no-pin": YesNo(False, "pin"),
    "tag9c": OneOf((Digits("00", padded=True), Hex("00"), Choice("purchase", "purpose"))),
}


@pytest.mark.parametrize("asked", KINDS)
def test_a_fact_is_read_as_people_write_it(asked: str) -> None:
    """Other spellings and units are right; other values, denials and what leaves it open are wrong."""
    with (Path(__file__).parent / "facts.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["asked"] == asked]
    assert {row["label"] for row in rows} == {"right", "wrong"}
    read = {row["answer"]: KINDS[asked].fits(eval(row["answer"])) for row in rows}  # noqa: S307
    assert read == {row["answer"]: row["label"] == "right" for row in rows}


def test_dates_of_python_are_read() -> None:
    """A month as a date of it, a moment as a time of day, with its day where there is one."""
    assert Month("2912").fits(datetime.date(2029, 12, 1))
    assert not Month("2912").fits(datetime.date(2029, 11, 1))
    sent = Moment("144454", "1124")
    assert sent.fits(datetime.time(14, 44))
    assert sent.fits(datetime.time(14, 44, 54))
    assert not sent.fits(datetime.time(14, 44, 55))
    assert sent.fits(datetime.datetime(2026, 11, 24, 14, 44, 54))  # noqa: DTZ001, as a learner writes it
    assert not sent.fits(datetime.datetime(2026, 11, 25, 14, 44, 54))  # noqa: DTZ001


def test_an_amount_of_python_is_read() -> None:
    """Whole, with a decimal point, exact; the smallest units only where they are taken."""
    assert Amount(14775, "GBP").fits(Decimal("147.75"))
    assert not Amount(14775, "GBP").fits(14775)
    assert Amount(14775, "GBP", units=True).fits(14775)
    assert not Amount(14775, "GBP", both=True).fits(147.75)
    assert Amount(14775, "GBP").answer == "147.75"


def test_a_number_may_have_any_size() -> None:
    """A slip of the keyboard, or of a power, is wrong, not an error."""
    for fact in (Number(32), Decimals(Decimal("12.50"))):
        assert fact.fits(fact.value)
        assert not fact.fits(10**5000)


def test_what_is_missing_and_what_does_not_belong_is_counted() -> None:
    """For the hint of an exercise, of a text as of a list."""
    wanted = Several((2, 3, 4), Element(0), ordered=False)
    assert wanted.differs([2, 3, 7]) == ([7], 1)
    assert wanted.differs("DE 2, DE 9") == (["9"], 2)
    assert wanted.differs(5) == ([5], 3)


@pytest.mark.parametrize(
    ("fact", "slip", "given"),
    [
        (Number(32), 16, "16 characters"),
        (Digits("0220"), "0221", "MTI 0221"),
        (Hex("82"), "41", b"A"),
        (NetworkName("VISA"), "JCB", "Jcb"),
        (Several(("0221", "0230"), Digits("")), ("0221", "0231"), "0221, 0231"),
    ],
)
def test_a_slip_is_a_fact_of_the_same_kind(fact: Fact, slip: object, given: object) -> None:
    """So that its hint comes however it is written."""
    assert fact.like(slip).fits(given)
    assert not fact.fits(given)

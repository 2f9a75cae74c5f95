"""The meaning of single values: MTI, PAN, dates, amounts."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import together

from sim.codec import Message
from sim.elements import dates, money, mti
from sim.elements.card import account, detect_network
from sim.elements.meaning import meaning
from sim.spec import VERSIONS, spec
from sim.spec.networks import check_digit, luhn_ok


@together(
    "request_mti, response_mti",
    [
        ("0100", "0110"),
        ("0101", "0110"),
        ("0200", "0210"),
        ("0220", "0230"),
        ("0221", "0230"),
        ("0322", "0332"),
        ("0323", "0332"),
        ("0401", "0410"),
        ("0421", "0430"),
        ("0520", "0530"),
        ("0522", "0532"),
        ("0804", "0814"),
        ("0805", "0814"),
        ("1604", "1614"),
        ("1200", "1210"),
        ("2100", "2110"),
        ("2362", "2372"),
        ("0110", None),
        ("0130", None),
        ("0140", None),
        ("0280", None),
        ("0106", None),
    ],
)
def test_response_mti(request_mti: str, response_mti: str | None) -> None:
    """A response has the next function and no repeat marker; responses get no response."""
    assert mti.response_mti(request_mti) == response_mti


@given(st.text(st.sampled_from("0123456789"), min_size=11, max_size=18))
def test_check_digit_makes_luhn_right_and_only_it(payload: str) -> None:
    """Exactly one of the ten possible last digits passes."""
    assert [digit for digit in "0123456789" if luhn_ok(payload + digit)] == [check_digit(payload)]


@together(
    "pattern, value, problem",
    [
        ("MMDD", "0229", None),
        ("MMDD", "0230", (2, 4, "day 30 of month 02")),
        ("MMDD", "0431", (2, 4, "day 31 of month 04")),
        ("MMDD", "1300", (0, 2, "month 13")),
        ("MMDD", "0000", (0, 2, "month 00")),
        ("YYMMDD", "280229", None),
        ("YYMMDD", "270229", (4, 6, "day 29 of month 02 in 2027")),
        ("CCYYMMDD", "21000229", (0, 4, "year 2100")),
        ("hhmmss", "235959", None),
        ("hhmmss", "240000", (0, 2, "hour 24")),
        ("hhmmss", "006000", (2, 4, "minute 60")),
        ("MMDDhhmmss", "1120101560", (8, 10, "second 60")),
        ("YYMM", "2900", (2, 4, "month 00")),
        ("CCYYMM", "202612", None),
    ],
)
def test_calendar(pattern: str, value: str, problem: tuple[int, int, str] | None) -> None:
    """Month lengths and leap years are checked, and the wrong part is named."""
    assert dates.problem(pattern, value) == problem


@given(st.datetimes(datetime(2000, 1, 1), datetime(2099, 12, 31)))  # noqa: DTZ001
def test_written_dates_are_dates(at: datetime) -> None:
    """Every date written in a pattern of the tables exists in the calendar."""
    patterns = {element.pattern for version in VERSIONS for element in spec(version).elements}
    for pattern in patterns - {""}:
        written = dates.write(pattern, at)
        assert len(written) == len(pattern)
        assert dates.problem(pattern, written) is None


@together(
    "message, said",
    [
        (Message("0100", {4: "000000012345", 49: "840"}), "123.45 USD"),
        (Message("0100", {4: "000000005000", 49: "392"}), "5,000 JPY"),
        (Message("0100", {4: "000000012345", 49: "414"}), "12.345 KWD"),
        (Message("0100", {4: "000001500000", 49: "704"}), "1,500,000 VND"),
        (Message("0100", {4: "000000099990", 49: "152"}), "99,990 CLP"),
        (Message("0100", {4: "000000000000", 49: "USD"}), "0.00 USD"),
        (Message("0100", {4: "000000000100"}), "100 minor units of an unstated currency"),
        (Message("0100", {4: "000000000100", 49: "000"}), "100 minor units of unknown currency 000"),
        (Message("0100", {4: "0000000001OO", 49: "840"}), "0000000001OO"),
        (Message("2100", {4: "3920000000005000"}, "2003"), "5,000 JPY"),
        (Message("2100", {}, "2003"), ""),
    ],
)
def test_amounts_have_the_decimals_of_their_currency(message: Message, said: str) -> None:
    """The currency determines how many of the twelve digits are decimals."""
    assert money.say(message) == said


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({2: "4111111111111111", 35: "5555555555554444=2912"}, (2, "4111111111111111")),
        ({35: "5555555555554444=29122010000"}, (35, "5555555555554444")),
        ({35: "5555555555554444D29122010000"}, (35, "5555555555554444")),
        ({45: "B378282246310005^DOE/JANE^2912201"}, (45, "378282246310005")),
        ({35: "HELLO"}, (0, "")),
        ({}, (0, "")),
    ],
)
def test_account_number_comes_from_de_2_then_the_tracks(
    fields: dict[int, str], found: tuple[int, str]
) -> None:
    """DE 2 takes precedence over track 2, track 2 over track 1."""
    assert account(Message("0100", fields)) == found


def test_network_management_has_no_card() -> None:
    """DE 2 of an 08xx message is a group id in one dialect, and identifies no network."""
    assert detect_network(Message("0800", {2: "4111111111111111"})) is None


@together(
    "message, number, said",
    [
        (
            Message("0100", {}),
            0,
            "ISO 8583:1987, authorization request, from the acquirer",
        ),
        (Message("0100", {2: "1", 70: "1"}), 1, "2 data elements: 2, 70"),
        (Message("0100", {2: "4111111111111111"}), 2, "Visa card 411111******1111, check digit correct"),
        (Message("0100", {2: "4111111111111112"}), 2, "Visa card 411111******1112, check digit wrong"),
        (
            Message("0100", {2: "6222040000030012"}),
            2,
            "UnionPay card 622204******0012, check digit wrong, which UnionPay allows",
        ),
        (Message("0100", {2: "541333000000"}), 2, "Mastercard card ************, wrong length: 12 digits"),
        (Message("0100", {2: "411111111111"}), 2, "Visa card ************, wrong length: 12 digits"),
        (
            Message("0100", {3: "011000"}),
            3,
            "01 cash withdrawal; from 10 savings, to 00 default",
        ),
        (Message("0100", {7: "1120101530"}), 7, "20 November, 10:15:30 UTC"),
        (Message("0100", {9: "69972522"}), 9, "9.972522"),
        (Message("0100", {14: "2912"}), 14, "December 2029"),
        (Message("0100", {18: "6011"}), 18, "Financial institutions, automated cash disbursements"),
        (Message("0100", {19: "250"}), 19, "France"),
        (Message("0100", {22: "051"}), 22, "05 chip, 1 terminal can accept PIN"),
        (Message("0100", {28: "D00000150", 49: "978"}), 28, "1.50 EUR debit"),
        (Message("0110", {39: "51"}), 39, "not sufficient funds"),
        (Message("0110", {39: "ZY"}), 39, "not in the list of response codes"),
        (Message("1110", {39: "116"}, "1993"), 39, "not sufficient funds"),
        (Message("0100", {49: "392"}), 49, "Yen (JPY)"),
        (Message("0800", {70: "301"}), 70, "echo test"),
        (Message("1804", {24: "831"}, "1993"), 24, "echo test"),
        (Message("0100", {41: "TERM0001"}), 41, ""),
    ],
)
def test_meanings(message: Message, number: int, said: str) -> None:
    """The meaning explains the value, and is empty if the value is self-explanatory."""
    assert meaning(message, number) == said


def test_meanings_follow_the_network_s_list() -> None:
    """A response code has the network's meaning if the network defines its own."""
    message = Message("0110", {39: "70"})
    assert meaning(message, 39, "VISA") == "PIN data required"
    assert meaning(message, 39, "MASTERCARD") != meaning(message, 39, "VISA")


def test_meanings_hide_card_data() -> None:
    """No meaning contains a card number, a track or chip values in clear."""
    pan = "4111111111111111"
    fields = {2: pan, 35: f"{pan}=29122010", 43: pan.ljust(40), 45: f"B{pan}^", 55: f"5A08{pan}"}
    message = Message("0100", fields)
    assert all(pan not in meaning(message, number) for number in fields)

"""Where a finding begins and ends, and what is just not one: the edges of rules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from rule_cases import auth

import sim
from sim.codec import Message
from sim.judge import Finding, run
from sim.operations.validation import validate


def told(rule: str, message: Message) -> list[Finding]:
    """What one rule says."""
    return [one for one in run(message) if one.rule == rule]


def words(findings: Iterable[Finding], message: Message) -> list[str]:
    """The characters that findings are about."""
    text = str(sim.build({0: message.mti, **message.fields}, version=message.version))
    return [text[one.start : one.end] for one in findings]


@pytest.mark.parametrize(
    ("rule", "message", "wrong"),
    [
        ("date", auth(de12="126130"), "61"),
        ("chip-tag-digits", auth(de22="051", de55="9A0326112A"), "A"),
        ("currency", auth(de49="276"), "276"),
        ("approval-code-length", auth(de27="9"), "9"),
        ("service-code", auth(de40="231"), "3"),
        ("pos-entry-mode", auth(de22="057"), "7"),
        ("track-1", auth(de45="B4111111111111111^DOE/JANE^2913201000000"), "13"),
        ("chip-results-agree", auth(de22="051", de55="95050000100000" + "9F3403410302"), "02"),
    ],
)
def test_a_finding_is_about_the_wrong_characters_alone(rule: str, message: Message, wrong: str) -> None:
    """Neither one fewer nor one more."""
    assert words(told(rule, message), message) == [wrong]


def test_a_value_of_foreign_characters_is_told_as_that_alone() -> None:
    """Nothing is said of a code with a character that its element cannot have."""
    assert {one.rule for one in run(auth(de40="2-1"))} == {"character-class"}


def test_a_chip_date_of_no_digits_is_no_day_apart() -> None:
    """A date that is none is not near another: the finding is a warning, not a remark."""
    (one,) = told("chip-message-date", auth(de12="120000", de13="1120", de22="051", de55="9A0326112A"))
    assert one.severity == "warning"


@pytest.mark.parametrize(
    ("day", "time", "found"),
    [
        ("1121", "032900", False),
        ("1121", "033100", True),
        ("1119", "233100", False),
        ("1119", "232900", True),
    ],
)
def test_the_local_time_is_that_of_a_zone_on_earth(day: str, time: str, found: bool) -> None:
    """To the minute, with an hour for the way: UTC+14 is the furthest east, UTC-12 the furthest west."""
    message = auth(de7="1120123000", de12=time, de13=day)
    assert bool(told("dates-apart", message)) == found


@pytest.mark.parametrize(("expiry", "found"), [("2611", False), ("2610", True)])
def test_a_card_expires_at_the_end_of_its_month(expiry: str, found: bool) -> None:
    """The month of the local date is the last."""
    message = auth("1993", de12="261120120000", de14=expiry)
    assert [one.field for one in told("card-expired", message)] == [14] * found


def test_the_net_of_1987_with_fees_is_agreed() -> None:
    """How fees count, links agree; without fees the net is the difference."""
    totals: dict[str, Any] = {f"de{number}": "0" * 16 for number in (86, 87, 89)}
    totals |= {"de88": "0000000000001000", "de97": "D0000000000000900", "de76": "0000000001"}
    plain = Message("0500", {}, "1987").replace(**totals)
    assert told("net-settlement", plain)
    assert not told("net-settlement", plain.replace(de82="000000000100"))


def test_a_reserved_function_that_a_network_uses_is_no_error() -> None:
    """Mastercard acknowledges with 0180; from anybody else that is an error."""
    fields = {2: "5555555555554444", 7: "1120123045", 11: "123456", 39: "00"}
    text = str(sim.build({0: "0180", **fields}))
    severities = {
        name: {
            one.severity.value for one in validate(text, network=name).findings if one.rule == "mti-function"
        }
        for name in ("MASTERCARD", "VISA")
    }
    assert severities == {"MASTERCARD": {"warning"}, "VISA": {"error"}}


def test_a_reference_names_its_day_whatever_the_mti() -> None:
    """Also in a message of 1987 whose MTI names another version."""
    message = auth(de7="1120123045", de11="123456", de37="632012123456")
    assert told("retrieval-reference-day", message)
    assert told("retrieval-reference-day", message.replace(mti="1100"))


@pytest.mark.parametrize("tail", ["US", "NY", "USA", " GB"])
def test_a_place_in_43_ends_in_a_country_or_a_region(tail: str) -> None:
    """Of two letters, of three, or a state; any of them will do."""
    assert not told("location-country", auth(de43="CORNER SHOP".ljust(40 - len(tail)) + tail))


@pytest.mark.parametrize("country", ["ON", "CA"])
def test_a_province_is_in_its_own_country(country: str) -> None:
    """A clock of Ontario is no clock of Greenwich, and a state is told by its letters."""
    place = "CORNER SHOP            TORONTO".ljust(37) + country.ljust(3)
    message = auth(de7="1120123045", de12="123045", de13="1120", de43=place)
    assert [one.expected for one in told("transmission-time-local", message)]


def test_a_part_that_does_not_fit_is_told_by_its_own_characters() -> None:
    """One sign of one amount, and nothing beside it."""
    message = auth(de54="0040840X000000000500")
    assert words(told("additional-amounts", message), message) == ["X"]


def test_a_network_shows_no_value_that_may_be_secret() -> None:
    """A card identifier is told by its length alone."""
    made = sim.generate("auth", network="AMEX", entry="ecommerce", at="2026-11-20T12:30:45").iso.to_message()
    report = validate(made.replace(de53="F1F2F3F4F5"), network="AMEX")
    (one,) = [one for one in report.findings if one.rule == "amex-card-identifier"]
    assert one.found == "another value of 10 characters"


def test_an_effective_date_that_is_none_says_nothing_of_the_card() -> None:
    """The date is told, and nothing is made of it."""
    assert [one.rule for one in run(auth("1993", de13="2613")) if one.field == 13] == ["date"]


def test_the_application_is_told_without_a_card() -> None:
    """Two messages without a card, of two applications: each is judged by its own network's layout."""
    data = "9F100706010A03A000008407{aid}9F26080102030405060708"
    visa, mastercard = (
        Message("0120", {3: "000000", 11: "123456", 55: data.format(aid=aid)}, "1987")
        for aid in ("A0000000031010", "A0000000041010")
    )
    assert [bool(told("chip-issuer-data", one)) for one in (visa, mastercard, visa)] == [False, True, False]


def test_a_text_that_ends_in_a_sound_message_was_cut() -> None:
    """Everything before the end is sound, so that nothing else is the cause."""
    text = str(sim.build({0: "0800", 7: "1120123045", 11: "123456", 70: "301"}))
    (one,) = validate(text[:-2]).findings
    assert one.hint.endswith("it was truncated.")
    text = str(sim.build({0: "0800", 7: "1120123045", 11: "123456", 70: "301", 120: "AB"}))
    (one,) = validate(text[:-5] + "003AB").findings
    assert one.hint.endswith("DE 120; it was truncated, or the length prefix is too high.")


@pytest.mark.parametrize(
    ("credit", "net", "found"),
    [(1001, "C0000000000000001", ""), (1001, "D0000000000000001", "'D'"), (1000, "D0000000000000000", "")],
)
def test_a_net_amount_has_the_sign_of_the_totals(credit: int, net: str, found: str) -> None:
    """From the first minor unit on; nothing has no sign."""
    totals: dict[str, Any] = {
        "de86": f"{credit:016}",
        "de87": "0" * 16,
        "de88": f"{1000:016}",
        "de89": "0" * 16,
    }
    message = Message("0500", {}, "1987").replace(**totals, de97=net, de74="0000000001", de76="0000000001")
    assert "".join(one.found for one in told("net-settlement", message)) == found


def test_a_number_of_a_tag_has_as_many_digits_as_its_format() -> None:
    """Three digits of a currency behind a zero; four are no currency."""
    assert not told("chip-tag-digits", auth(de22="051", de55="5F2A020840"))
    assert told("chip-tag-digits", auth(de22="051", de55="5F2A021840"))


def test_a_code_is_looked_up_in_the_lists_of_its_own_element() -> None:
    """59 is a condition that Visa lists for DE 25; it is no number of PIN characters."""
    assert not told("pos-condition", auth(de25="59"))
    assert told("pin-capture", auth(de26="59"))


@pytest.mark.parametrize(
    ("kind", "currency", "found"), [("40", "978", 1), ("40", "840", 0), ("58", "978", 0), ("58", "840", 1)]
)
def test_cash_back_has_the_currency_of_the_amount_and_a_converted_price_another(
    kind: str, currency: str, found: int
) -> None:
    """In euros or dollars, of a payment in dollars."""
    message = auth(de3="090000", de54=f"00{kind}{currency}D000000000500")
    assert len(told("cash-back-currency", message)) == found


def test_a_reference_of_the_next_day_is_near_without_a_local_date() -> None:
    """Only where no local date says which day it was."""
    message = auth(de7="1120233045", de11="123456", de37="632623123456", de12=None, de13=None)
    assert not told("retrieval-reference-day", message)
    assert told("retrieval-reference-day", message.replace(de12="183045", de13="1120"))


@pytest.mark.parametrize(
    ("rule", "field", "message"),
    [
        ("pin-block", 52, auth(de2="5105105105105100", de22="901", de52="041265FAEFAEFAEF")),
        ("merchant-category", 26, auth("1993", de26="0999")),
        ("merchant-category", 26, auth("2003", de26="0999")),
        ("chip-issuer-data", 55, auth(de2="4111111111111111", de22="051", de55="9F100705010A03A000FF")),
        ("card-expired", 14, auth("1993", de12="261120101530", de14="4712")),
        ("chip-results-agree", 55, auth(de22="051", de14="2912", de55="9A032611209505" + "0040000000")),
        ("chip-results-agree", 55, auth(de22="051", de55="95050000140000")),
        ("chip-results-agree", 55, auth(de22="051", de55="95050000000010")),
        ("chip-results-agree", 55, auth(de22="051", de55="82022C009F34031E0300")),
        ("tracks-agree", 45, auth(de35="4111111111111111=29122010", de45="B4111111111111111^A/B^2912101")),
        ("security-zeros", 53, auth(de2="4111111111111111", de22="901", de52="A1" * 8, de53="0" * 16)),
    ],
)
def test_what_is_wrong_is_found(rule: str, field: int, message: Message) -> None:
    """Each is wrong for one reason, which its rule reports."""
    assert [one.field for one in told(rule, message)] == [field]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("card-expired", auth("1993", de12="261120101530", de14="4611")),
        ("chip-results-agree", auth(de22="051", de14="2611", de55="9A032611209505" + "0040000000")),
        ("chip-results-agree", auth(de22="051", de55="95050000100000")),
        ("chip-results-agree", auth(de22="051", de55="95050000000080")),
        ("chip-results-agree", auth(de22="071", de55="82022C009F34031E0300")),
        ("tracks-agree", auth(de35="4111111111111111=29122010", de45="B4111111111111111^A/B^2912201")),
    ],
)
def test_a_near_miss_is_no_finding(rule: str, message: Message) -> None:
    """The same with one value that makes it right."""
    assert told(rule, message) == []

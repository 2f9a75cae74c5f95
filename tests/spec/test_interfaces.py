"""Interfaces apart from brands: right messages of many links, what each says, and how one is recognized."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import AT, requested

import sim
from sim.codec import Message, build
from sim.codec.wire import encode, interface_table, wire_format
from sim.codec.wire.catalogue import ready
from sim.errors import ChoiceError, SpecError
from sim.judge.finding import catalogue
from sim.operations import respond
from sim.operations.reading import read
from sim.operations.validation import validate
from sim.parts.layout import read as cut
from sim.parts.writing import replaced, write
from sim.spec import VERSIONS
from sim.spec.interfaces import described, interface, interfaces, told_by

VERSION = dict(zip("012", VERSIONS, strict=True))
VECTORS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "vectors" / "interfaces.jsonl").read_text().splitlines()
]
BY_ID = {one["id"]: one for one in VECTORS}


def message(row: dict[str, Any]) -> Message:
    """The message of a vector, as one that travels on its interface."""
    fields = {int(number): value for number, value in row["fields"].items()}
    table = interface_table(row["interface"], VERSION[row["mti"][0]])
    return Message(row["mti"], fields, table.version, dialect=table)


@pytest.mark.parametrize("row", VECTORS, ids=lambda row: row["id"])
def test_right_messages_are_right_on_their_interface(row: dict[str, Any]) -> None:
    """No error and no warning on a message that was published as one of the link."""
    report = validate(message(row))
    assert [(one.rule, one.message) for one in report.findings if one.severity != "info"] == []


@pytest.mark.parametrize("row", VECTORS, ids=lambda row: row["id"])
def test_written_and_read_again_by_the_format_of_its_interface(row: dict[str, Any]) -> None:
    """The format of an interface writes its messages, and says on which they travel."""
    sent, own = message(row), interface(row["interface"]).format
    made = wire_format(own or "ascii-binary")
    if row["id"] == "cardutil-issue5":
        pytest.skip("a record of a file in ASCII; the format of the interface is that of mainframes")
    again = read(encode(sent, made), format=made).whole()
    assert again.fields == sent.fields
    assert (again.spec.interface or "iso") == (row["interface"] if own else "iso")


@pytest.mark.parametrize(
    ("link", "options", "element", "at", "text", "rule"),
    [
        ("postilion", {}, 123, 6, "2", "pos-parts-agree"),  # a chip in DE 22, a stripe in position 7
        ("postilion", {}, 123, 0, "2", "pos-parts-agree"),
        ("nibss", {"entry": "manual"}, 123, 6, "5", "pos-parts-agree"),
        ("nibss", {}, 123, 13, "02", "pos-parts-agree"),  # a cash machine at a grocer's
        ("postilion", {}, 123, 5, "0", "absent-card-read"),
        ("nibss", {"entry": "stripe"}, 123, 4, "3", "absent-card-read"),
        ("postilion", {"entry": "moto"}, 123, 4, "0", "absent-card-read"),
        ("postilion", {"entry": "stripe", "pin": True}, 123, 11, "0", "pin-not-possible"),
        ("base24", {}, 63, 26, "1", "absent-card-read"),
        ("base24", {}, 63, 32, "2", "pos-parts-agree"),
        ("base24", {}, 41, 0, " " * 16, "empty-identification"),
        ("unionpay-pos", {}, 60, 0, "99", "pos-parts-agree"),
        ("unionpay-pos", {}, 60, 0, "25", "pos-parts-agree"),
        ("unionpay-pos", {}, 60, 0, "23", "pos-parts-agree"),  # a void, of a purchase in DE 3
    ],
)
def test_elements_of_an_interface_agree_with_the_others(
    link: str, options: dict[str, Any], element: int, at: int, text: str, rule: str
) -> None:
    """What an interface puts into its own elements does not contradict DE 3, 22 and 25; the same value in a
    message of the standard is nobody's."""
    made = sim.generate("financial", network="VISA", interface=link, at=AT, **options).iso.to_message()
    value = made[element]
    wrong = made.replace(**{f"de{element}": value[:at] + text + value[at + len(text) :]})
    rules = {(one.rule, one.field) for one in validate(wrong).findings if one.severity != "info"}
    assert rules == {(rule, element)}
    assert not [one for one in validate(made).findings if one.severity != "info"]


def test_a_header_of_its_own_says_the_interface() -> None:
    """UnionPay's header stands in front of its messages alone, whatever elements these have."""
    fields = {7: "1120101530", 11: "000001", 70: "301"}
    assert told_by("ascii-binary", "1987", fields, ("unionpay-switch",)) == "unionpay"
    assert told_by("ascii-binary", "1987", fields) is None


def test_network_management_without_a_card_is_guessed_by_its_elements() -> None:
    """No brand says that an EBCDIC sign-on is one of Mastercard's; DE 63 does."""
    row = BY_ID["mastercard-key-exchange"]
    assert read(encode(message(row), "ebcdic").hex()).interface == "mastercard"


def test_a_terminal_sale_is_guessed_by_its_elements() -> None:
    """BCD alone is any link's; an NII and no date of transmission are a terminal's."""
    bare = [one for one in VECTORS if one["interface"] == "nac" and one["mti"] == "0200"]
    for row in bare:
        assert read(encode(message(row), "bcd").hex()).interface == "nac", row["id"]


def listed(row: dict[str, Any]) -> str:
    """The elements of a vector by number, as a log has them."""
    lines = (f'  <field id="{number}" value="{value}"/>' for number, value in row["fields"].items())
    return "\n".join(("<isomsg>", f'  <field id="0" value="{row["mti"]}"/>', *lines, "</isomsg>"))


@pytest.mark.parametrize(
    ("vector", "link"),
    [
        ("nibss-sale", "nibss"),  # its hash
        ("postilion-switch-key", "postilion"),  # its point of service and DE 127
        ("postilion-sale", None),  # may be a terminal's of either
        ("unionpay-pos-c-sign-on", "unionpay-pos"),
        ("nac-planet-sale", "nac"),
        ("base24-prosa-0210", "base24"),
    ],
)
def test_named_elements_reveal_the_interface(vector: str, link: str | None) -> None:
    """What its private elements contain is an interface's own, in whatever notation they are."""
    assert read(listed(BY_ID[vector])).interface == link


def test_a_text_form_among_code_is_read_before_its_runs_of_hex_digits() -> None:
    """The hash and the chip data of a NIBSS message are hex digits, too."""
    text = encode(message(BY_ID["nibss-sale"]), "nibss").decode()
    found = read(f'  String sale = "{text}";')
    assert (found.interface, found.confidence) == ("nibss", "sure")


def test_a_reading_that_stops_reveals_no_interface_by_its_format() -> None:
    """Only signs do: a header of BASE24 remains one."""
    row = BY_ID["base24-prosa-0210"]
    text = encode(message(row), "base24").decode("latin-1")
    assert read(f'"ISO026000070{text[:-60]}"').interface == "base24"
    assert read(f'"{text[:150]}"').interface is None


def test_named_elements_are_judged_by_the_interface_that_is_asked() -> None:
    """DE 41 of 16 characters does not fit the standard, but fits BASE24."""
    row = {
        "mti": "0800",
        "fields": {"7": "1120101530", "11": "123456", "41": "S1XY8803        ", "70": "301"},
    }
    assert read(listed(row)).misfits
    assert not read(listed(row), interface="base24").misfits


def test_a_missing_element_is_the_interfaces_to_say() -> None:
    """The finding names the interface, not the brand of the card."""
    row = BY_ID["nac-swipe-vn"]
    told = validate(message(row | {"fields": {k: v for k, v in row["fields"].items() if k != "41"}}))
    found = [one for one in told.findings if one.rule == "required-element"]
    assert [(one.field, one.network) for one in found] == [(41, "nac")]


def test_the_standard_alone_asks_for_no_brands_elements() -> None:
    """`iso` leaves out what Visa requires."""
    made = sim.generate("auth", network="VISA", at="2026-11-20T12:30:45").iso.to_message()
    gone = sim.build({0: "0200", **{k: v for k, v in made.fields.items() if k not in (7, 18, 32)}})
    brand, alone = sim.validate(gone), sim.validate(gone, interface="iso")
    assert not brand.iso.valid
    assert "required-element" in set(brand.rule)
    assert "required-element" not in set(alone.rule)
    with pytest.raises(ChoiceError, match=r"nacc.*nac"):
        sim.validate(gone, interface="nacc")


def test_tokens_are_taken_apart_written_and_replaced() -> None:
    """BASE24's tokens, with the header that counts them."""
    row = BY_ID["base24-astef7-emv-0200"]
    table, value = interface_table("base24", "1987"), row["fields"]["63"]
    layout = next(one for one in table.parts if one.number == 63)
    found = cut(layout, value)
    assert [part.key for part in found.parts] == ["&", "C4", "04", "B2", "B3", "B4", "20"]
    assert found.fits
    tokens = {part.key: part.value for part in found.parts if part.key != "&"}
    assert write(layout, tokens) == value
    free = write(layout, {"XX": "ABCD", "R7": ""})
    assert free == "& 0000300036! XX00004 ABCD! R700000 "
    assert replaced(table, 63, free, 22, 26, "AB") == "& 0000300034! XX00002 AB! R700000 "
    shown = sim.explain(Message(row["mti"], {63: value}, dialect=table)).set_index("number").meaning[63]
    assert "terminal attendance: 0; " in shown


@given(st.dictionaries(st.text("RX79", min_size=2, max_size=2), st.text("AB 9", max_size=40), min_size=1))
def test_any_tokens_read_as_they_were_written(tokens: dict[str, str]) -> None:
    """Whatever their ids and data are."""
    layout = next(one for one in interface_table("base24", "1987").parts if one.number == 63)
    found = cut(layout, write(layout, tokens))
    assert found.fits
    assert {part.key: part.value for part in found.parts[1:]} == tokens


@pytest.mark.parametrize(
    ("number", "value", "expected"),
    [
        (63, "& 0000300042! Q100002 90! Q200002 09", "3 tokens with the header, 36 characters"),
        (63, "& 0000200022! Q100009 90", "9 characters of token Q1, as its length requires"),
        (63, "! Q100002 90", "& and 10 digits in front of the tokens"),
        (60, "BANK" * 5, "nothing after pseudo terminal identification"),
    ],
)
def test_what_does_not_fit_warns(number: int, value: str, expected: str) -> None:
    """Layouts of secondary sources warn: links differ."""
    row = BY_ID["base24-prosa-0210"]
    told = validate(message(row | {"fields": {**row["fields"], str(number): value}}))
    found = [one for one in told.findings if one.rule == "base24-layout"]
    assert [(one.severity, one.field, one.expected) for one in found] == [("warning", number, expected)]


def test_formats_and_interfaces_name_one_another() -> None:
    """Every interface has an element table, and rules that it goes without exist."""
    for name in interfaces():
        assert interface_table(name, interface(name).version or "1987").interface == name
        assert set(interface(name).without) <= set(catalogue()), name
    for name in ready():
        if own := wire_format(name).interface:
            assert own in interfaces()


@pytest.mark.parametrize(
    "table",
    [
        {"extends": "nac", "title": "x", "source": "y", "colour": "red"},
        {"title": "x", "source": "y", "network": "MOON"},
        {"title": "x", "source": "y", "presence": [{"mtis": ["0200"], "fields": [3], "must": "M"}]},
        {"title": "x", "source": "y", "elements": {"60": {"parts": "nowhere"}}},
    ],
)
def test_a_row_that_is_none_is_refused(table: dict[str, Any]) -> None:
    """An unknown column, network or list of parts."""
    with pytest.raises(SpecError):
        described(table, "mine")


def test_one_interface_extends_another() -> None:
    """Its own rows stand beside those of the other."""
    own = described(
        {
            "extends": "base24",
            "title": "Mine",
            "source": "me",
            "elements": {"62": {"name": "Till"}},
            "presence": [{"mtis": ["0200"], "fields": [62]}],
        },
        "mine",
    )
    assert own.elements["62"]["name"] == "Till"
    assert own.elements["41"]["format"] == "ans 16"
    assert {row.field for row in own.presence("0200")} >= {41, 62}
    assert own.format == "base24"


def test_a_header_says_the_interface() -> None:
    """What only messages of BASE24 have in front says so where no element does."""
    found = read("0043ISO0060000750800822000000000000004000000000000000205171002553038001")
    assert found.interface == "base24"


def test_the_data_dictionary_of_an_interface() -> None:
    """Names and formats are the link's own, and what its messages must have."""
    table = sim.fields(interface="nac").set_index("number")
    assert table.name[24] == "Network international identifier (NII)"
    assert "0200" in table.required_in[41]
    assert table.required_in[7] == ""
    assert sim.fields(interface="postilion").set_index("number").name[123] == "POS data code"
    assert sim.fields("1987", interface="ifsf").set_index("number").format[43] == "ans..99"


@pytest.mark.parametrize("link", sorted(interfaces()))
@pytest.mark.parametrize("network", [None, "VISA", "AMEX"])
def test_a_generated_message_has_the_version_of_its_interface(link: str, network: str | None) -> None:
    """Without a version, whatever the card: it is right on the interface that it is made for."""
    made = sim.generate("auth", network=network, interface=link, at=AT)
    found = sim.validate(made.iso.message, interface=link)
    assert not set(found["severity"]) & {"error", "warning"}


def test_verbs_about_a_message_take_its_interface() -> None:
    """A terminal's sale is converted and repaired as one, whatever card it is for."""
    sale = sim.generate("financial", network="VISA", interface="nac", at="2026-11-20T12:30:45")
    assert sim.convert(sale, "1993", interface="nac").iso.mti == "1200"
    assert sim.repair(sale, interface="nac").valid
    text = str(sim.build(sale))
    assert sim.repair(text, interface="nac").valid
    with pytest.raises(ChoiceError, match=r"nacc.*nac"):
        sim.convert(text, "1993", interface="nacc")


def test_a_character_behind_a_message_does_not_hide_it() -> None:
    """What reads to its end but for a character, behind a header that is known, is read before what chance
    fits into its end."""
    text = "ISO026000075" + build(message(next(one for one in VECTORS if one["id"] == "base24-astef7-0420")))
    for more, confidence in (("", "sure"), ("0", "unsure"), ("\x03", "sure")):
        found = read(text + more)
        assert (found.interface, found.mti, found.framing[0][:6], found.confidence) == (
            ("base24", "0420", "BASE24", confidence)
        )


def test_an_answer_goes_by_the_moment_that_is_asked_for() -> None:
    """Where a host says date and time they are those of the answer's own moment: of an exchange its step's,
    else the one that is named or that the request was made for."""
    at = "2026-11-20T12:30:45+00:00"
    request = sim.generate("financial", network="VISA", interface="nac", at=at)
    assert sim.respond(request).iso[12] == "123045"
    answer = sim.respond(request, at="2026-12-24T18:00:00+00:00").iso
    assert (answer[12], answer[13], answer[37][:5]) == ("180000", "1224", "63581")
    made = sim.exchange("purchase", network="VISA", interface="nac", at=at)
    assert [one.iso[12] for one in made.iso.messages[1:]] == ["123046"]


def test_an_amount_without_a_currency_agrees_with_the_chip() -> None:
    """On a link without DE 49 the chip alone says the currency: that is no contradiction."""
    made = sim.generate("auth", network="VISA", interface="nac", entry="chip", at="2026-11-20T12:30:45")
    assert "which matches the message" in sim.explain(made).iso.summary


@pytest.mark.parametrize(
    "name", ["base24", "elavon", "ifsf", "nac", "nibss", "postilion", "smartvista", "unionpay-pos"]
)
def test_what_is_made_on_an_interface_is_right_there(name: str) -> None:
    """Every kind of message, and its answer, has what its interface asks for and nothing foreign."""
    for kind in (
        "auth",
        "financial",
        "advice",
        "financial_advice",
        "reversal",
        "echo",
        "sign_on",
        "key_exchange",
        "settlement",
    ):
        for entry in ("chip", "manual"):
            made = requested(kind, network="VISA", interface=name, entry=entry, at=AT)
            for one in (made, respond(made).message):
                found = [one for one in validate(one, network="VISA").findings if one.severity != "info"]
                assert found == [], (kind, entry)


def test_a_settlement_of_a_terminal_says_so() -> None:
    """DE 3 of a terminal's totals is 92 or, after an upload of the batch, 96."""
    made = sim.generate("reconciliation", interface="nac", at=AT).iso.to_message()
    for code, expected in (("000000", ["transaction-type"]), ("960000", [])):
        found = validate(made.replace(de3=code)).findings
        assert [one.rule for one in found if one.severity != "info"] == expected


@pytest.mark.parametrize(("total", "count"), [("0" * 15, 0), ("000000000001000", 1), ("001" + "0" * 12, 1)])
def test_a_total_of_a_terminal_has_a_count(total: str, count: int) -> None:
    """Each of the totals in DE 63 has a count and an amount, or neither."""
    made = sim.generate("reconciliation", interface="nac", at=AT).iso.to_message()
    message = made.replace(de63=made[63][:15] + total + made[63][30:])
    rules = [one.rule for one in validate(message).findings if one.severity != "info"]
    assert rules == ["total-without-number"] * count

"""What explain says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import AT, PARSED, together

from sim.codec import Message, ParseError, build
from sim.operations import explain, field_values, generate, respond, reverse, strip_line_ending

SAID = [json.loads(line) for line in Path(__file__).with_name("said.jsonl").read_text("utf-8").splitlines()]


def message_of(row: dict[str, Any]) -> Message:
    """The message of a row: made, answered or reversed, and changed; or of its elements alone."""
    if "make" not in row:
        fields = {int(number): value for number, value in row["fields"].items()}
        return Message(row["mti"], fields, row.get("version", "1987"))
    made = generate(at=AT, **row["make"]).message
    made = respond(made, row["code"]).message if "code" in row else made
    made = reverse(made).message if row.get("reverse") else made
    changed = {f"de{number}": value for number, value in row.get("set", {}).items()}
    return made.replace(mti=row.get("mti", made.mti), **changed)


@together("row", SAID, label=lambda row: row["why"])
def test_what_is_said_of_a_message(row: dict[str, Any]) -> None:
    """The sentences of a row stand in the summary, and those that it must lack do not."""
    summary = explain(message_of(row), network=row.get("network")).summary
    assert [said for said in row["says"] if said not in summary] == []
    assert [said for said in row.get("lacks", ()) if said in summary] == []


@together(
    "currency, amount, said",
    [
        ("392", 5000, "5,000 JPY"),
        ("414", 12345, "12.345 KWD"),
        ("152", 99990, "99,990 CLP"),
        ("704", 1500000, "1,500,000 VND"),
        ("840", 1, "0.01 USD"),
    ],
)
@together("version", ["1987", "1993", "2003"])
def test_amounts_are_right_in_every_currency(version: str, currency: str, amount: int, said: str) -> None:
    """The amount has the currency's own decimals, in each version's way of carrying it."""
    made = generate("auth", amount_minor_units=amount, currency=currency, at=AT, version=version)
    assert f" for {said}." in explain(made.raw).summary


@pytest.mark.parametrize("mti", ["0800", "0810", "0820", "0110", "0210", "0430"])
def test_codes_of_no_list_are_told_in_whole_sentences(mti: str) -> None:
    """No word stands twice, no article before another, whatever a list lacks."""
    for code in ("000", "999", "005"):
        fields = {2: "1" * 16, 3: f"{code}000", 11: "123456", 22: code, 25: code[:2], 39: code[:2], 70: code}
        said = explain(Message(mti, fields)).summary
        assert not re.search(r"\b(an?) (an?|the|of)\b|\b([a-z]+) \3\b|  |\(\)|None", said), said


def test_no_summary_holds_card_data() -> None:
    """Neither PAN, track, PIN block nor chip data of any vector stands in its summary."""
    for row in PARSED:
        summary = explain(row["message"], version=row["version"]).summary
        for number in ("2", "34", "35", "45", "52", "55"):
            value = row["fields"].get(number, "")
            assert len(value) < 12 or value not in summary


@given(
    st.text(st.sampled_from("0123456789"), min_size=4, max_size=4),
    st.dictionaries(st.integers(2, 128), st.text(max_size=40), max_size=10),
    st.sampled_from(["1987", "1993", "2003"]),
)
def test_any_message_is_explained(mti: str, fields: dict[int, str], version: str) -> None:
    """Whatever stands in the elements, explain answers; it never fails on a value."""
    from sim.spec import spec

    fitted = {}
    for number, value in fields.items():
        element = spec(version)[number]
        fitted[number] = value[: element.width].ljust(element.width if element.fixed else 0, "7")
    explanation = explain(Message(mti, fitted, version))
    assert explanation.summary.startswith("This is a")


def test_a_broken_text_is_a_parse_error() -> None:
    """Explain refuses a text that is no message, with field and offset."""
    with pytest.raises(ParseError) as caught:
        explain("01007024")
    assert (caught.value.field, caught.value.offset) == (1, 4)


@pytest.mark.parametrize("ending", ["\n", "\r", "\r\n"])
def test_one_line_ending_is_dropped(ending: str) -> None:
    """A line ending after the message is dropped, other trailing characters are data."""
    raw = build(generate("echo", at=AT).message)
    assert strip_line_ending(raw + ending) == raw
    assert strip_line_ending(raw + ending + " ") == raw + ending + " "
    assert strip_line_ending(raw + "\n\n") == raw + "\n"
    assert explain(raw + ending).mti == "0800"


def test_field_values_are_ascending_with_binary_in_upper_case() -> None:
    """The elements are listed by number with their names; hex digits in upper case."""
    message = Message("0100", {52: "0123456789abcdef", 3: "000000"})
    assert field_values(message) == [
        {"number": 3, "name": "Processing code", "value": "000000"},
        {"number": 52, "name": "PIN data", "value": "0123456789ABCDEF"},
    ]


def test_field_values_have_the_names_of_the_network() -> None:
    """What the standard leaves open is named as in the tables: by the card's network, or the one given."""
    message = Message("0100", {2: "4111111111111111", 60: "0500001"})
    assert field_values(message)[1]["name"] == "Additional point of service information"
    assert field_values(message, "MASTERCARD")[1]["name"] == "Advice reason"
    assert field_values(Message("0100", {60: "0500001"}))[0]["name"] == "Reserved for private use"


def test_no_value_that_is_not_hex_digits_is_put_in_upper_case() -> None:
    """What a log prints in place of a PIN block stays as it is."""
    assert field_values(Message("0100", {52: "null"}))[0]["value"] == "null"


def test_chip_data_are_called_that_in_every_version() -> None:
    """1987 reserves DE 55, and every network has chip data there."""
    for version in ("1987", "1993", "2003"):
        chip = generate(entry="chip", version=version, at=AT).message
        name = next(element["name"] for element in field_values(chip) if element["number"] == 55)
        assert "Reserved" not in str(name)

"""Converting between the versions: what comes out is valid, and each element of the original is spoken of."""

from __future__ import annotations

import json
from datetime import datetime
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from combined import combinations
from hypothesis import given
from hypothesis import strategies as st
from support import some, together

from sim.codec import Message, build, parse
from sim.elements import pos
from sim.errors import BuildError, ParseError, SpecError
from sim.operations import NETWORKS, VERSIONS, convert, generate, respond, reverse, validate
from sim.operations.conversion import ACTIONS, STEPS, Converted
from sim.operations.conversion.draft import path, rules
from sim.operations.generation import native_version
from sim.spec import lookup, spec
from sim.spec.tables import read_csv

AT = datetime(2026, 11, 20, 12, 30, 45)  # noqa: DTZ001 (local time, of no zone)
WAYS = [(one, other) for one, other in product(VERSIONS, VERSIONS) if one != other]


@cache
def generated(version: str) -> tuple[Message, ...]:
    """What generate makes of every kind, with every purpose and entry for two networks and with each of them
    for the others, with answers and reversals, where it is valid."""
    made = []
    every = [(network, *one) for network in NETWORKS for one in combinations(network, version)]
    for network, kind, purpose, entry in every:
        usual = purpose == "purchase" or entry == "manual"
        if not (usual or network in NETWORKS[:2]):
            continue
        options = {"network": network, "purpose": purpose, "entry": entry}
        try:
            first = generate(kind, version=version, at=AT, **options)
        except BuildError:
            continue
        made.append(first.message)
        if purpose == "purchase" and entry == "chip":
            for more in (respond, reverse):
                try:
                    made.append(more(first.message).message)
                except BuildError:
                    continue
    return tuple(message for message in made if validate(message).valid)


def check(source: Message, to: str, made: Converted | None = None) -> tuple[Message, Converted]:
    """What holds of every conversion, *made* where it was made before; gives the new message, and the
    conversion of it back."""
    made = convert(source, to, at=AT) if made is None else made
    way_back = convert(made.message, source.version, at=AT)
    back = way_back.message
    came_back = {number for number, value in source.fields.items() if back.get(number, "-") == value}
    came_back |= {0} if back.mti == source.mti else set()
    assert [note.number for note in made.notes] == [0, *sorted(source.fields)]
    for note in made.notes:
        assert note.action in ACTIONS
        assert note.note[-1:] == "."
        assert set(note.to) <= {0, *made.message.fields}
        assert (note.action == "lost") == (not note.to)
        honest = note.number in came_back or note.action == "lost" or "does not restore it" in note.note
        assert honest, (note, source, made.message)
    # Nothing came from nowhere.
    assert {number for note in made.notes for number in note.to} >= set(made.message.fields)
    assert made.lossless == (came_back == {0, *source.fields} and back.fields.keys() == source.fields.keys())
    assert made.message.version == to
    assert parse(build(made.message), to) == made.message
    return made.message, way_back


def test_what_the_way_back_adds_is_told() -> None:
    """A network that asks for elements which the original has not gets them on the way back."""
    source = generate("auth", network="UNIONPAY", at=AT).message.replace(de33=None, de100=None)
    made = convert(source, "1993", at=AT)
    check(source, "1993", made)
    assert not made.lossless
    assert "converting back fills in DE 33, DE 100, which" in made.notes[0].note


@pytest.mark.parametrize(("version", "to"), WAYS)
def test_every_generated_message(version: str, to: str) -> None:
    """What was valid is valid in the other version, for all kinds, networks, purposes and entries; and so it
    is after the way back."""
    messages = generated(version)
    assert len(messages) > 200
    for message in some(messages, 20):
        made, way_back = check(message, to)
        assert validate(made).errors == []
        assert validate(check(made, version, way_back)[0]).errors == []


@st.composite
def any_message(draw: st.DrawFn, version: str) -> Message:
    """A message of *version* with any values that can be written, right or wrong."""
    fields = {}
    for number in draw(st.lists(st.integers(2, 128), unique=True, max_size=12)):
        element = spec(version)[number]
        alphabet = {"n": "0123456789", "b": "0123456789ABCDEF", "x+n": "CD0123456789"}.get(element.content)
        text = st.text(alphabet or "aZ09 \\CD/", max_size=min(element.width, 60))
        value = draw(text)
        if element.fixed:
            value = (value + draw(st.sampled_from("0 9A")) * element.width)[: element.width]
        fields[number] = value + "0" * (len(value) % 2) if element.binary else value
    digits = draw(st.text("0123456789", min_size=3, max_size=3))
    return Message(str(VERSIONS.index(version)) + digits, dict(sorted(fields.items())), version)


@pytest.mark.parametrize(("version", "to"), WAYS)
@given(data=st.data())
def test_any_message(version: str, to: str, data: Any) -> None:
    """Whatever stands in the elements: each is spoken of, and none is lost without a word."""
    check(data.draw(any_message(version)), to)


def message(version: str = "1987", mti: str = "", **values: str) -> Message:
    """A message with these elements."""
    fields = {int(name.removeprefix("de")): value for name, value in values.items()}
    return Message(mti or {"1987": "0100", "1993": "1100", "2003": "2100"}[version], fields, version)


CASES = [
    json.loads(line) for line in Path(__file__).with_name("converted.jsonl").read_text("utf-8").splitlines()
]


@together("row", CASES)
def test_elements(row: dict[str, Any]) -> None:
    """Each kind of change, by an example: what the elements become, null where nothing."""
    values = {f"de{number}": value for number, value in row["fields"].items()}
    source = message(row["version"], row.get("mti", ""), **values)
    made, _ = check(source, row["to"])
    assert {number: made.fields.get(int(number)) for number in row["becomes"]} == row["becomes"]


@pytest.mark.parametrize(
    ("version", "mti", "to", "wanted"),
    [
        ("1987", "0100", "1993", "1100"),
        ("1987", "0800", "2003", "2804"),
        ("1993", "1804", "1987", "0800"),
        ("1987", "0202", "1993", "1220"),
        ("2003", "2420", "1987", "0420"),
        ("1987", "0302", "1993", "1304"),
    ],
)
def test_message_types(version: str, mti: str, to: str, wanted: str) -> None:
    """The first digit says the version, and message types that one version lacks become those nearest."""
    assert check(message(version, mti), to)[0].mti == wanted


@pytest.mark.parametrize(
    ("at", "year"),
    [(datetime(2027, 1, 1, 0, 5), "26"), (datetime(2026, 12, 30, 23, 55), "26")],  # noqa: DTZ001
)
def test_the_turn_of_a_year(at: datetime, year: str) -> None:
    """A message of the last day of a year gets that year, whether it is read before midnight or after."""
    made = convert(message(de12="235959", de13="1231"), "1993", at=at)
    assert made.message[12] == f"{year}1231235959"
    assert "a year is added, the nearest to" in made.notes[-1].note


@pytest.mark.parametrize("to", ["1993", "2003"])
@pytest.mark.parametrize("settled", ["000000000000", "000000002750"], ids=["unsaid", "said"])
def test_a_partial_reversal_has_the_billing_of_what_remains(to: str, settled: str) -> None:
    """The amounts in other currencies follow DE 4 at their rates, there and back."""
    made = reverse(
        generate("auth", network="VISA", amount_minor_units=10000).message, final_amount_minor_units=2500
    )
    asked = made.message.replace(
        de5="000000011000", de9="61100000", de50="978", de6="000000012000", de10="61200000", de51="978"
    )
    asked = asked.replace(de95=asked[95][:12] + settled + asked[95][24:])
    later = convert(asked, to)
    assert [later.message[number][-12:] for number in (4, 5, 6)] == [
        "000000002500",
        "000000002750",
        "000000003000",
    ]
    assert "converted-amount" not in [one.rule for one in validate(later.message).findings]
    back = convert(later.message, "1987").message
    assert [back[number] for number in (4, 5, 6)] == [asked[number] for number in (4, 5, 6)]


def test_the_same_version_changes_nothing() -> None:
    """A message converted to its own version is itself, every element kept."""
    source = generate("auth", at=AT).message
    made = convert(source, "1987")
    assert made.message == source
    assert made.lossless
    assert {note.action for note in made.notes} == {"kept"}


def test_text_and_errors() -> None:
    """Text is read as its MTI or *version* says; what is no message raises, as parse does."""
    raw = generate("echo", at=AT).raw
    assert convert(raw + "\n", "1993").message.mti == "1804"
    assert convert(raw, "1993", version="1987").message.mti == "1804"
    with pytest.raises(ParseError):
        convert("0100", "1993")
    with pytest.raises(SpecError):
        convert(raw, "1997")
    with pytest.raises(SpecError, match="found 16 characters"):
        convert(raw, "4111111111111111")


def test_the_rows() -> None:
    """Every way of changing that a row names exists; each element of a version is in a row that says what
    becomes of it; every code is one of its version's list."""
    for older, newer in path("1987", "2003"):
        for version, to in ((older, newer), (newer, older)):
            assert {rule.how for rule in rules(version, to)} <= set(STEPS)
            told = {number for rule in rules(version, to) for number in rule.sources}
            assert told >= set(range(2, 129))
    for row in read_csv("conversion/codes"):
        if row["list"] in ("response", "action"):
            for version, value in ((row["older"], row["old"]), (row["newer"], row["new"])):
                assert value == "*" or lookup("response_code", value, version=version), row
    assert all(row["source"] for row in (*read_csv("conversion/codes"), *read_csv("conversion/elements")))


def test_a_way_of_entry_that_has_no_place_is_named() -> None:
    """2003 has no value for contactless in DE 22: it reads as chip, and the note says so."""
    tapped = generate("auth", entry="contactless", version="1987", at=AT).message
    made = convert(tapped, "2003", at=AT)
    (note,) = (one for one in made.notes if one.number == 22)
    assert "2003 cannot express contactless; it uses chip" in note.note
    assert pos.kind_of(made.message[22], made.message.version) == "chip"


@pytest.mark.parametrize("to", ["1993", "2003"])
def test_the_reason_of_a_reversal_stays_a_reason(to: str) -> None:
    """17 (customer cancellation) is 4000 in DE 25, not an approval in DE 39; back it is 17 again."""
    undone = generate("reversal", network="MASTERCARD", at=AT).message
    assert undone[39] == "17"
    made = convert(undone, to, at=AT).message
    assert (made.get(25), 39 in made) == ("4000", False)
    assert convert(made, "1987", at=AT).message[39] == "17"


def test_nothing_is_said_of_the_terminal_that_the_bits_do_not_say() -> None:
    """DE 22 of 2003 has no PIN capability: on the way back it is unknown (0), not missing (2)."""
    read = generate("auth", entry="chip", at=AT).message
    back = convert(convert(read, "2003", at=AT).message, "1987", at=AT).message
    assert (read[22], back[22]) == ("051", "050")


def test_a_state_tells_its_country() -> None:
    """Mastercard's DE 43 has the state in place of the country; 1993 wants both."""
    place = f"{'CORNER SHOP':<22} {'NEW YORK':<13} NY "
    paid = generate("auth", network="MASTERCARD", at=AT).message.replace(de43=place)
    assert convert(paid, "1993", at=AT).message[43].endswith("NY 840")


MANAGED = (("MASTERCARD", "831", "270"), ("MASTERCARD", "801", "061"), ("JCB", "831", "301"))
BARE = {"1993": {11: "000042", 12: "261120101530"}, "2003": {11: "000000000042", 12: "20261120101530"}}


@together("network, code, own", MANAGED)
@together("version, mti", [("1993", "1804"), ("2003", "2804")])
def test_network_management_down_is_as_the_network_has_it(
    version: str, mti: str, network: str, code: str, own: str
) -> None:
    """Its own code, the elements that it asks for and the moment of sending; the message is valid there, and
    nothing of an authorization is put into it."""
    made = convert(Message(mti, {**BARE[version], 24: code}, version), "1987", network=network, at=AT)
    assert made.message[70] == own
    assert 33 in made.message
    assert 48 not in made.message
    assert made.message[7] == f"{AT:%m%d%H%M%S}"
    report = validate(made.message, network=network)
    assert report.valid
    needed = [
        one.field for one in report.findings if one.rule == "required-element" and one.network == network
    ]
    assert needed in ([], [96]), "a security code is nobody's to make up"
    assert convert(made.message, version, at=AT).message[24] == code
    assert any(own in one.note for one in made.notes if one.number == 24)


def test_what_a_network_asks_for_and_nobody_knows_is_told() -> None:
    """A function code without a counterpart leaves DE 70 empty: the note says that the network wants it."""
    asked = Message("1804", {**BARE["1993"], 24: "803"}, "1993")
    made = convert(asked, "1987", network="JCB", at=AT)
    notes = {one.number: one for one in made.notes}
    assert notes[0].note.endswith("JCB also requires DE 70 in 1987, but the message does not contain it.")
    assert (notes[24].action, notes[24].note) == ("lost", "1987 has no network management code for 803.")
    assert "requires" not in convert(asked, "1987", at=AT).notes[0].note


def test_an_electronic_order_stays_one_where_no_condition_code_says_so() -> None:
    """Mastercard has no DE 25: entry mode 81 says it, there and back; the place keeps Mastercard's layout."""
    source = generate("auth", network="MASTERCARD", entry="ecommerce", at=AT).message
    there = convert(source, "1993", at=AT)
    back = convert(there.message, "1987", at=AT)
    assert there.message[22][3:6] == "050"
    assert {number: back.message.get(number) for number in (22, 25, 43)} == {
        22: "812",
        25: "",
        43: source[43],
    }
    assert "81 contains the same as DE 25" in next(note.note for note in back.notes if note.number == 22)


@pytest.mark.parametrize(("place", "condition"), [("S", "59"), ("9", "01")])
def test_american_express_s_own_presence_is_not_read_as_present(place: str, condition: str) -> None:
    """An electronic order and a recurring payment have codes of their own in its DE 22."""
    source = generate("auth", network="AMEX", entry="ecommerce", version=None, at=AT).message
    message = source.replace(de22=source[22][:4] + place + source[22][5:])
    assert convert(message, "1987", at=AT).message[25] == condition


def test_whatever_a_round_trip_changes_is_said() -> None:
    """Each element that does not come back the same has a note that says so, for every network and kind."""
    silent = ("kept", "moved")
    for network, kind, entry in product(
        NETWORKS, ("auth", "advice", "reversal"), ("chip", "ecommerce", "stored")
    ):
        version = native_version(network, None)
        message = generate(kind, network=network, entry=entry, version=None, at=AT).message
        for to in set(VERSIONS) - {version}:
            there = convert(message, to, network=network, at=AT)
            back = convert(there.message, version, network=network, at=AT)
            notes = {note.number: note for note in there.notes}
            for number in message.fields:
                if message.get(number) != back.message.get(number):
                    note = notes[number]
                    assert note.action not in silent or "does not restore it" in note.note, (network, note)

"""`sim.read(..., validate=True)` counts the errors that validating each message finds, and its parts agree
with the scalar rules."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import AT, VECTORS, generated, some

import sim
from sim.codec import Message, ParseError, build, parse
from sim.elements.card import read_track_2
from sim.judge import CARD, DE, Hit, Severity, catalogue, rule, run
from sim.judge.engine import MEMORY
from sim.judge.parts import Card, Values
from sim.judge.rules import RULES, Check
from sim.operations import NETWORKS, chosen_version, generate, strip_line_ending, validate
from sim.spec import spec
from sim.spec.networks import luhn_ok, test_cards
from sim.tables.columns import cards, check
from sim.tables.columns.check import ALIKE, weights
from sim.tables.columns.cut import few

RAWS = [row["message"] for row in VECTORS] + [build(message) for _, _, message in generated()]
TEST_CARDS = [card.pan for name in NETWORKS for card in test_cards(name)]
CHARS = "0123456789ABCDF =^x"
DIGITS = "0123456789"


def counts(raws: list[str], version: str | None, network: str | None) -> list[int]:
    """The number of errors of each text, validated one by one."""
    found = []
    for raw in map(strip_line_ending, raws):
        report = validate(raw, against=NETWORKS[:1], network=network, version=chosen_version(raw, version))
        assert report.valid == (not report.errors)
        found.append(len(report.errors))
    return found


def assert_counted(raws: list[str], **options: Any) -> None:
    """`errors` and `valid` match the validation of each text."""
    table = sim.read(raws, format="text", validate=True, **options)
    wanted = counts(raws, options.get("version"), options.get("network"))
    assert table["errors"].tolist() == wanted
    assert table["valid"].tolist() == [count == 0 for count in wanted]


def test_vectors_and_generated_messages() -> None:
    """A few or many of a type have the errors that the rules find."""
    assert_counted(RAWS)
    assert_counted([raw for raw in some(RAWS, 3) for _ in range(17)])


@st.composite
def changed(draw: st.DrawFn) -> list[str]:
    """A valid message with one or more characters of an element changed, in many copies of a group: the
    framing is valid, the content is not."""
    raw = draw(st.sampled_from(RAWS))
    made = [raw] * 20
    for _ in range(draw(st.integers(1, 20))):
        copy = raw
        for _ in range(draw(st.integers(1, 3))):
            at = draw(st.integers(min(20, len(raw)), len(raw)))
            copy = copy[:at] + draw(st.sampled_from(CHARS)) + copy[at + 1 :]
        made.append(copy)
    return made


@given(changed(), st.sampled_from([None, None, "1987", "1993", "2003"]), st.sampled_from([None, *NETWORKS]))
def test_wrong_content(raws: list[str], version: str | None, network: str | None) -> None:
    """Whatever is changed, the number of errors is what the rules find."""
    assert_counted(raws, version=version, network=network)


@st.composite
def filled(draw: st.DrawFn) -> list[str]:
    """Messages of one layout whose elements have valid and invalid values that rules check."""
    mti = draw(
        st.sampled_from(["0100", "0110", "0200", "0210", "0400", "0800", "0620", "0101", "0180", "0900"])
    )
    values = {
        2: st.sampled_from([*TEST_CARDS, "4111111111111112", "9999999999999995", "41111", ""]),
        3: st.sampled_from(["000000", "300000", "990000", "09xx00"]),
        4: st.sampled_from(["000000001000", "00000000100x"]),
        7: st.sampled_from(["1120101530", "0230101530", "1120251530"]),
        13: st.sampled_from(["1120", "0229", "0230", "1301"]),
        22: st.sampled_from(["051", "000", "999"]),
        35: st.sampled_from(
            [f"{TEST_CARDS[0]}=29122010000012345678", f"{TEST_CARDS[9]}D2912201", "12=", "x"]
        ),
        48: st.sampled_from(["T42070103210", "garbage", "42070103210", ""]),
        49: st.sampled_from(["840", "999", "000", "USD"]),
        54: st.sampled_from(["0040840D000000001000", "0040840X000000001000", "00", ""]),
        55: st.sampled_from(["9F2701809C0100", "9F2702809C0100", "71049F180100", "7103FF", "xx", "", "9F27"]),
        60: st.sampled_from(["0", "x", "0123456789012345"]),
    }
    chosen = draw(st.sets(st.sampled_from(sorted(values)), max_size=8))
    made = []
    for _ in range(20):
        made.append(build(Message(mti, {number: draw(values[number]) for number in sorted(chosen)})))
    return made


@given(filled(), st.sampled_from([None, *NETWORKS]))
def test_elements_the_rules_look_at(raws: list[str], network: str | None) -> None:
    """In groups with valid and invalid values, each message has its own errors."""
    assert_counted(raws, network=network)


def test_leap_days() -> None:
    """29 February is valid only in leap years, if a year is given."""
    raws = [build(Message("1100", {12: f"{year:02}0229101530"}, "1993")) for year in range(40)]
    assert_counted(raws)


CHIPS = [
    "9F2701809C01009F260801AB01AB01AB01AB",
    "9f2701809c01009f260801ab01ab01ab01ab",  # lower case
    "71049F1801009C01009F1003060A0B",
    "7103FF01009C01009F1003060A0B",  # no tags in the template
    "0100079C01009F270180",  # a dataset, and one of another length
    "0103079C01009F270180",
    "C1C7D5E200010000",  # a network's own layout, and two tags
    "C102D5E2",
    "9C01009C0100",  # twice the same
    "9F0206000000001000820200009F100706010A03A00000",
    "9F02",
]


@given(
    st.lists(
        st.sampled_from(CHIPS).flatmap(
            lambda chip: st.tuples(st.just(chip), st.integers(0, len(chip) - 1), st.sampled_from("0159ABcFx"))
        ),
        min_size=1,
        max_size=30,
    ),
    st.sampled_from(["051", "011"]),
)
def test_chip_data_alike(changes: list[tuple[str, int, str]], entry: str) -> None:
    """Chip data of the same layout is read together; if a digit changes the layout, each message still has
    its own errors."""
    chips = [one for chip in {chip for chip, _, _ in changes} for one in [chip] * 25]
    chips += [chip[:at] + digit + chip[at + 1 :] for chip, at, digit in changes]
    messages = [Message("0200", {3: "000000", 4: f"{1000:012}", 22: entry, 55: chip}) for chip in chips]
    assert_counted([build(message) for message in messages], version="1987", network="VISA")


def test_few_messages_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only one of many equal messages is validated."""
    judged: list[str] = []
    count = check.count_errors

    def counted(message: Message, network: str | None) -> int:
        judged.append(message.mti)
        return count(message, network)

    monkeypatch.setattr(check, "count_errors", counted)
    some = generate("auth", network="VISA", entry="chip", at=AT).message
    raws = [build(some.replace(de11=f"{at:06}", de37=f"{at:012}", de4=f"{at + 1:012}")) for at in range(2000)]
    assert sim.read(raws, validate=True)["valid"].all()
    assert len(judged) == 1


def _odd(stan: str = DE[11]) -> Hit | None:
    return Hit(11, "an even number", "an odd one") if int(stan) % 2 else None


def _apart(stan: str = DE[11], reference: str = DE[37]) -> Hit | None:
    return Hit(11, "the end of DE 37", "another") if reference[-1] != stan[-1] else None


def _card(card: Card = CARD) -> Hit | None:
    return Hit(2, "a card of four", "another") if card.prefix[0] != "4" else None


def _nothing(moves: bool | None = DE[4].moves) -> Hit | None:
    return None if moves else Hit(4, "an amount", "none")


def _amount(amount: int | None = DE[4].amount) -> Hit | None:
    return None if amount else Hit(4, "an amount", "none")


@pytest.mark.parametrize("asked", [_odd, _apart, _card, _nothing, _amount])
def test_a_rule_is_asked_about_what_it_reads(monkeypatch: pytest.MonkeyPatch, asked: Check) -> None:
    """A new error rule is counted row by row as the rules count it, without validating each row, whether
    its input repeats or not."""
    judged = []
    count = check.count_errors

    def counted(message: Message, network: str | None) -> int:
        judged.append(message.mti)
        return count(message, network)

    some = generate("auth", network="VISA", at=AT).message
    messages = [
        some.replace(
            de2=TEST_CARDS[at % 3 * -1], de4=f"{at % 4 * 100:012}", de11=f"{at:06}", de37=f"{at % 7:012}"
        )
        for at in range(400)
    ]
    try:
        rule("date")(asked)
        MEMORY.clear()
        wanted = [count(message, None) for message in messages]
        monkeypatch.setattr(check, "count_errors", counted)
        table = sim.read([build(message) for message in messages], validate=True)
        assert table["errors"].tolist() == wanted
        assert len(set(wanted)) > 1
        assert len(judged) < len(messages) / 10
    finally:
        RULES.pop()
        MEMORY.clear()


def test_only_rules_that_are_errors_make_errors() -> None:
    """No finding is more severe than its rule, so counting errors uses only error rules."""
    known = catalogue()
    for raw in RAWS:
        try:
            message = parse(strip_line_ending(raw), chosen_version(raw, None))
        except ParseError:
            continue
        for one in run(message):
            assert not one.is_error or known[one.rule].severity is Severity.ERROR


BOUND = [
    (spec(version), bound)
    for version, mti in (("1987", "0200"), ("1993", "1200"), ("2003", "2200"))
    for bound in MEMORY.types[version, None, mti].of_errors
    if any(part.inside in ALIKE for part in bound.parts)
]


@given(st.data())
def test_values_that_are_alike(data: st.DataObject) -> None:
    """A rule gives the same result for a value and for the simplified form that represents it."""
    table, bound = data.draw(st.sampled_from(BOUND))
    part = next(part for part in bound.parts if part.inside in ALIKE)
    (number,) = part.sources
    element = table[number]
    near = {
        35: st.sampled_from([f"{TEST_CARDS[0]}=29122010000012345678", "59123456789=84029122010", "12==x"]),
        55: st.sampled_from(CHIPS),
    }.get(number, st.text(CHARS, min_size=len(element.pattern), max_size=len(element.pattern) or 9))
    value = data.draw(near)
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, max(len(value) - 1, 0)))
        value = value[:at] + data.draw(st.sampled_from(CHARS + "é")) + value[at + 1 :]
    column = few(2, {0: value})
    alike = replace(column, data=ALIKE[part.inside](column, element)).text(0)
    told = []
    for text in (value, alike):
        values = Values({number: text})
        values.mti, values.table = "0200", table
        told.append(weights(bound, bound.check(*[values[one.name] for one in bound.parts])))
    assert told[0] == told[1]


def _cells(texts: list[str]) -> tuple[Any, Any]:
    data = np.frombuffer("".join(texts).encode(), np.uint8)
    return data, np.arange(len(texts), dtype=np.int64) * len(texts[0])


@given(
    st.integers(1, 19).flatmap(
        lambda size: st.lists(st.text(DIGITS, min_size=size, max_size=size), min_size=1)
    )
)
def test_luhn(pans: list[str]) -> None:
    """The check digits of a column match those of its numbers."""
    data, starts = _cells(pans)
    assert cards.luhn(data, starts, len(pans[0])).tolist() == [luhn_ok(pan) for pan in pans]


@given(
    st.integers(1, 37).flatmap(
        lambda size: st.lists(st.text("0123456789==D^", min_size=size, max_size=size), min_size=1)
    )
)
def test_tracks(values: list[str]) -> None:
    """Certain track 2 data is recognized, with its separator at the end of the card number."""
    data, starts = _cells(values)
    good, at = cards.tracks(data, starts, len(values[0]))
    for value, sure, end in zip(values, good.tolist(), at.tolist(), strict=True):
        read = read_track_2(value)
        assert not sure or (read is not None and read.pan == value[:end])


def test_all_findings() -> None:
    """`.iso.validate()` gives the findings of validating each message, with its row."""
    raws = [raw for raw in RAWS[:200] if "\n" not in raw]
    table = sim.read(io.StringIO("\n".join(raws)))
    found = table.iso.validate()
    for row, line in zip(table.index, table["line"], strict=True):
        raw = raws[line - 1]
        report = validate(raw, against=NETWORKS[:1], version=chosen_version(raw, None))
        mine = found[found["row"] == row]
        assert mine["message"].tolist() == [one.message for one in report.findings]
        assert mine["hint"].tolist() == [one.hint for one in report.findings]


def test_findings_follow_the_rows() -> None:
    """A changed cell and a filtered table are validated as they are now."""
    table = sim.read(RAWS[:5])
    table.loc[0, "DE4"] = "x"
    found = table[table.index == 0].iso.validate()
    assert found["field"].tolist() == [4]
    assert not found.iso.valid
    with pytest.raises(TypeError, match="columns="):
        sim.read(RAWS[:5], columns=[4]).iso.validate()

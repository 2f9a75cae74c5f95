"""Rules of layout and agreement: for each, a message with that one fault and one that comes near it."""

from __future__ import annotations

from typing import Any

import pytest
from rule_cases import BASES, CASES, IDS, auth, changed, sound, undo
from support import VECTORS, together, vector_id

from sim.codec import Message, ParseError, build, parse, spans
from sim.judge import run
from sim.operations import respond


def test_every_rule_has_a_case() -> None:
    """No rule is without a message that breaks it."""
    assert {case["rule"] for case in CASES} == set(IDS)


@together("case", CASES, lambda case: f"{case['rule']} {case['message']}")
def test_one_fault_is_one_finding_at_its_place(case: dict[str, Any]) -> None:
    """A message with one fault has one finding, located at it; the near miss does not have it. Both are
    messages that can be written and read again."""
    message, near = changed(*case["message"]), changed(*case["near"])
    (finding,) = run(message)
    start = None if case["at"] is None else spans(message)[case["field"]][1] + case["at"]
    assert (finding.rule, finding.field, finding.start) == (case["rule"], case["field"], start)
    assert case.get("severity") in (None, finding.severity)
    assert case["rule"] not in {one.rule for one in run(near)}
    for one in (message, near):
        assert parse(build(one), one.version).fields == one.fields


@pytest.mark.parametrize("version", ["1987", "1993", "2003"])
def test_the_messages_of_the_cases_are_sound(version: str) -> None:
    """What the cases start from has no finding, so that each of them has one fault; nor has an approval."""
    assert [base for base in BASES if run(sound(base, version))] == []
    assert run(respond(sound("auth", version)).message) == []


@pytest.mark.parametrize("mti", ["0800", "0810", "0820"])
def test_network_management_is_asked_nothing_about_cards(mti: str) -> None:
    """What looks like card data in x8xx messages is a network's own."""
    fields = {
        2: "123456",
        7: "1120101530",
        11: "000001",
        14: "2001",
        22: "051",
        35: "DATA",
        39: "00",
        70: "301",
    }
    if mti == "0800":
        del fields[39]  # a request has no answer, which is no matter of cards
    rules = {one.rule for one in run(Message(mti, fields))}
    assert rules <= {"track-2"}  # the element itself is no track, whatever the message


@pytest.mark.parametrize(
    ("rule", "values"), [("date", {"de13": "1340"}), ("character-class", {"de7": "11201015XX"})]
)
def test_a_wrong_date_is_compared_to_nothing(rule: str, values: dict[str, str]) -> None:
    """A date that is wrong by itself is reported once."""
    assert [one.rule for one in run(auth(**values))] == [rule]


def test_the_nearer_century_counts() -> None:
    """An expiry in 2001 is after a local date in 1999, not 98 years before it."""
    changes = {"de7": "1120151530", "de12": "991120101530", "de14": "0101", "de37": "932415123456"}
    message = auth("1993", **changes)
    assert run(message) == []


def test_an_original_without_date_is_accepted() -> None:
    """Zeros say that the original's date is not known."""
    assert run(undo(de90=f"0100123456{'0' * 10}{'123456':0>11}{'0' * 11}")) == []


@together("row", [row for row in VECTORS if row["expect_valid"]], vector_id)
def test_good_vectors_get_no_error_and_few_warnings(row: dict[str, str]) -> None:
    """Messages known to be good get no error; the one warning is a partial reversal above its original."""
    try:
        found = [one for one in run(parse(row["message"], row["version"])) if one.rule in IDS]
    except ParseError:
        pytest.fail("a good message parses")
    assert {one.rule for one in found if one.severity != "info"} <= {"partial-exceeds-original"}

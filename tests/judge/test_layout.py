"""Rules inside single elements: whatever stands in one, they report what is wrong, once."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_cases import IDS, auth, stripe, undo
from support import fewer, generated, some

from sim.codec import Message
from sim.judge import catalogue, run
from sim.spec import VERSIONS, spec


@pytest.mark.parametrize(
    ("number", "value"),
    [
        (3, "A10000"),
        (22, "0X1"),
        (25, "\x00\x01"),
        (37, "\x00" * 12),
        (43, "\x00" * 40),
        (54, "\x00" * 19),
        (18, "54é1"),
    ],
)
def test_a_wrong_character_is_reported_once(number: int, value: str) -> None:
    """Where the character class speaks, the layout rules keep silent."""
    assert [one.rule for one in run(auth(**{f"de{number}": value}))] == ["character-class"]


@pytest.mark.parametrize("number", [35, 36, 45, 54])
def test_one_character_is_singular(number: int) -> None:
    """A finding on the length of a value of one character does not say `1 characters`."""
    messages = [one.message for one in run(auth(**{f"de{number}": "1"})) if one.field == number]
    assert any("found 1 character" in message for message in messages)
    assert not any("1 characters" in message for message in messages)


# Characters that look like digits, letters or signs to some functions of the language.
STRANGE = "²٣３A=D^\\ Cx~\x00é"


@settings(max_examples=fewer(300))
@given(st.data())
def test_no_value_makes_a_rule_raise(data: st.DataObject) -> None:
    """Whatever stands in an element, the rules report and do not raise."""
    version = data.draw(st.sampled_from(VERSIONS))
    message = data.draw(st.sampled_from([auth, undo, stripe]))(version)
    number = data.draw(st.integers(2, 128))
    element = spec(version)[number]
    size = element.width if element.fixed else data.draw(st.integers(0, min(element.width, 90)))
    value = data.draw(st.text("0123456789" + STRANGE, min_size=size, max_size=size))
    changed = message.replace(**{f"de{number}": value})
    assert all(one.rule in catalogue() for one in run(changed))


def test_an_empty_element_has_no_layout() -> None:
    """An element of length 0 is not judged by its layout, but told to be empty."""
    assert {one.rule for one in run(auth(de54="", de45="", de36=""))} == {"empty-element"}
    empty = [one for one in run(auth(de2="", de32="", de48="")) if one.rule.startswith("empty-")]
    wanted = {2: "a card number", 32: "the acquirer's ID", 48: "a value, or no element"}
    assert {one.field: one.expected for one in empty} == wanted


def test_rules_of_one_version_ask_no_other() -> None:
    """A 1993 message read as 1987 is told that, not that its function code is unknown."""
    message = Message("1100", {3: "000000", 11: "123456", 24: "100", 25: "33"})
    assert [one.rule for one in run(message)] == ["mti-version"]


def test_every_rule_has_its_words() -> None:
    """Each row has a known severity, a source and a hint that says more than what is checked."""
    for rule_id in IDS:
        words = catalogue()[rule_id]
        assert words.source
        assert words.checks
        assert len(words.hint) > 40
        assert words.hint.endswith(".")


def test_findings_show_no_card_data() -> None:
    """Track, PAN and PIN block stand in no sentence."""
    track = "4111111111111111=29133010000000000000"
    message = stripe(
        de35=track, de45="B4111111111111111^DOE/JANE^2913101000000", de52="241234FFFFFFFFFF", de14=None
    )
    found = run(message)
    assert {one.rule for one in found} >= {"track-2-expiry", "track-2-service", "track-1", "pin-block"}
    for one in found:
        text = one.message + one.found + one.expected
        assert not any(secret in text for secret in ("4111", "2913", "DOE", "1234FF"))


def test_what_generate_makes_has_no_error() -> None:
    """No rule of this catalogue makes a generated message invalid."""
    for label, _, message in some(generated(), 3):
        wrong = [one for one in run(message) if one.rule in IDS and one.is_error]
        assert wrong == [], label


@pytest.mark.parametrize("version", VERSIONS)
def test_every_element_has_a_class_of_characters(version: str) -> None:
    """A control character fits in no element; a track has a rule for its layout instead."""
    for element in spec(version).elements[1:]:
        found = run(Message("0100", {element.number: "\x01"}, version))
        told = {one.rule for one in found if one.field == element.number}
        assert {"character-class", "track-2", "chip-data"} & told, element.number


def test_a_partial_approval_is_compared_with_what_was_requested() -> None:
    """Of the amounts in DE 54, only that of type 57 in the currency of DE 4 is above it."""
    partly = {"mti": "0110", "de38": "A12345", "de39": "10"}
    for kind, currency, wrong in (("57", "840", True), ("57", "978", False), ("02", "840", False)):
        groups = f"00{kind}{currency}C000000000500"
        found = [one.rule for one in run(auth(**partly, de54=groups)) if one.field == 54]
        assert ("partial-exceeds-original" in found) is wrong
        assert ("partial-without-amounts" in found) is (kind != "57")

"""Repair: what it mends reads or is valid, nothing of a card is touched unasked, and all of it is told."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import each, some

import sim
from sim.codec import build, parse
from sim.operations import cases, generate, repair, validate

PAN = "4111111111111111"
REQUEST = generate("financial", network="VISA", stan="000007").raw
every_fault = cache(cases)


def named(case: sim.operations.Broken) -> str:
    """A readable name."""
    return f"{case.fault}-{case.network}-{case.version}"


# What no edit can know: which message it was.
LOST = {
    *("empty", "cut-in-mti", "cut-in-bitmap", "cut-in-half", "bitmap-no-hex", "second-bitmap-no-hex"),
    *(
        "mti-letter",
        "mti-other-digits",
        "version-unknown",
        "version-later",
        "version-earlier",
        "nothing-inside",
    ),
    *("class-reserved", "class-zero", "function-reserved", "function-known-later", "origin-reserved"),
}


@each(lambda: some(every_fault(), 8), named)
def test_a_broken_message_is_mended_or_what_is_left_is_said(case: sim.operations.Broken) -> None:
    """Each fault of the collection: valid afterwards, as an independent check says, or the error is told."""
    done = repair(case.raw, version=case.version, network=case.network)
    if done.valid:
        assert validate(done.text, version=done.version, network=case.network).valid
    else:
        assert done.left
        assert case.fault in LOST
    for edit in done.edits:
        assert edit.action
        assert edit.why
        assert PAN not in f"{edit.before}{edit.after}{edit.why}"


@pytest.mark.parametrize(
    ("number", "value", "mended"),
    [(11, " 12345", "012345"), (11, "12-34-56", "123456"), (32, " 12345 ", "12345")],
)
def test_a_value_is_written_otherwise_and_nothing_else(number: int, value: str, mended: str) -> None:
    """Blanks and dashes among digits: a safe edit of that element; a fixed one keeps its width."""
    sent = generate("auth", network="VISA").message
    done = repair(sent.replace(**{f"de{number}": value}))
    assert [(edit.field, edit.action, edit.safe) for edit in done.edits] == [(number, "rewritten", True)]
    assert done.valid
    assert done.message == sent.replace(**{f"de{number}": mended})


@each(lambda: some(every_fault(), 8), named)
def test_safe_edits_touch_no_card_no_amount_and_no_currency(case: sim.operations.Broken) -> None:
    """Where the text reads before and after, those elements stand as they stood."""
    done = repair(case.raw, version=case.version, network=case.network, unsafe=False)
    assert done.safe
    before = validate(case.raw, version=case.version, network=case.network).message
    if before is None or done.message is None:
        return
    for number in (2, 4, 5, 6, 14, 35, 45, 49, 50, 51, 52, 54, 55, 95):
        assert done.message.get(number) == before.get(number)


def test_a_sound_message_is_left_alone() -> None:
    """No edit, the same text."""
    done = repair(REQUEST)
    assert (done.edits, done.text, done.valid) == ((), REQUEST, True)


@pytest.mark.parametrize(
    ("broken", "action"),
    [
        (f'"{REQUEST}"', "stripped"),
        (f"{len(REQUEST):04}{REQUEST}", "stripped"),
        (f"6000010000{REQUEST}", "stripped"),
        (REQUEST[:30] + "\n" + REQUEST[30:], "stripped"),
        (REQUEST.encode("cp500").hex(), "decoded"),
        (f"{REQUEST}\x03", "stripped"),
    ],
)
def test_what_stands_around_a_message_is_safe_to_take_away(broken: str, action: str) -> None:
    """Quotes, lengths, TPDU, line breaks, EBCDIC in hexadecimal: the message itself comes out."""
    done = repair(broken, unsafe=False)
    assert (done.text, done.safe, done.edits[0].action) == (REQUEST, True, action)


def test_a_wrong_length_is_set_right() -> None:
    """The prefix that makes all elements behind it read."""
    right = parse(REQUEST)
    done = repair(REQUEST.replace(f"16{PAN}", f"14{PAN}", 1))
    assert done.message == right
    assert [(edit.field, edit.action, edit.safe) for edit in done.edits] == [(2, "length changed", False)]


def test_the_check_digit_of_a_card_is_never_mended_as_safe() -> None:
    """It is told as unsafe, and left alone where only safe edits are wanted."""
    broken = REQUEST.replace(PAN, f"{PAN[:-1]}2")
    assert repair(broken, unsafe=False).message == parse(broken)
    done = repair(broken)
    assert [(edit.field, edit.safe, edit.rule) for edit in done.edits] == [(2, False, "luhn")]
    assert done.text == REQUEST


@given(
    at=st.integers(0, len(REQUEST) - 1),
    char=st.sampled_from("0A 9z\x00é"),
    kind=st.sampled_from(["lost", "added", "other"]),
)
def test_repair_never_raises_and_never_makes_it_worse(at: int, char: str, kind: str) -> None:
    """Whatever one character does: it is mended, or there are no more errors than before."""
    change = {"lost": "", "added": char + REQUEST[at], "other": char}[kind]
    broken = REQUEST[:at] + change + REQUEST[at + 1 :]
    before = validate(broken)
    done = repair(broken)
    assert done.valid or len(done.left) <= max(1, len(before.errors))
    if done.message is not None:
        assert build(done.message) == done.text


def test_the_face_gives_a_table() -> None:
    """A row per edit, the message mended as a message table, nothing of the card in sight."""
    broken = REQUEST.replace(PAN, f"{PAN[:-1]}2")
    edits = sim.repair(broken)
    assert edits[["field", "rule", "safe"]].to_numpy().tolist() == [[2, "luhn", False]]
    assert (edits.valid, edits.left, str(edits.raw)) == (True, [], REQUEST)
    assert sim.validate(edits.message).iso.valid
    assert PAN[:-1] not in edits.to_string() + edits._repr_html_() + repr(edits)
    nothing = sim.repair(sim.parse(REQUEST))
    assert "Nothing to mend" in repr(nothing) + nothing._repr_html_()
    lost = sim.repair("hello")
    assert (lost.valid, bool(lost.left)) == (False, True)
    with pytest.raises(ValueError, match="cannot be read"):
        _ = lost.message

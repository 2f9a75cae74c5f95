"""The anatomy and the diff without a browser: traits, edits, what is sent and what is shown instead."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support import AT, VECTORS

from sim.codec import Message, build
from sim.operations import generate, respond
from sim.widgets import MessageAnatomy, MessageDiff

PAN = "4111111111111111"
GOOD, RESPONSE = (next(r["message"] for r in VECTORS if r["id"] == name) for name in ("m0001", "m0002"))


class Recorder(MessageAnatomy):
    """An anatomy that remembers what it sends beside its state."""

    def send(self, content: Any, buffers: Any = None) -> None:
        """Keep it."""
        self.__dict__.setdefault("sent", []).append(content)


def ask(anatomy: MessageAnatomy, **content: Any) -> None:
    """Say to Python what the browser would say."""
    anatomy._handle_custom_msg(content, [])


def test_the_view_follows_the_message() -> None:
    """Setting `message` draws anew; what was pinned stays pinned only where it still is."""
    anatomy = MessageAnatomy(GOOD)
    anatomy.pinned = 38
    assert anatomy.view["mti"] == "0100"
    anatomy.message = RESPONSE + "\n"
    assert anatomy.message == RESPONSE
    assert anatomy.view["mti"] == "0110"
    assert anatomy.pinned == 38
    anatomy.marked = [0, 4]
    anatomy.message = GOOD
    assert (anatomy.pinned, anatomy.marked) == (None, None)
    anatomy.version = "1993"
    assert anatomy.view["version"] == "1993"


def test_state_never_holds_card_data() -> None:
    """What may be saved with a notebook is masked, whatever the eye shows; card data is sent in passing,
    and only when asked for while unmasked."""
    anatomy = Recorder(GOOD)
    ask(anatomy, ask="clear")
    assert "sent" not in anatomy.__dict__
    anatomy.masked = False
    assert anatomy.sent[0]["view"]["text"] == GOOD
    state = {key: value for key, value in anatomy.get_state().items() if key not in ("_esm", "_css")}
    assert PAN not in str(state)
    assert "message" not in state
    ask(anatomy, ask="clear")
    assert len(anatomy.sent) == 2
    anatomy.message = RESPONSE
    assert anatomy.sent[2]["view"]["text"] == RESPONSE


def test_repr_and_fallbacks_are_stable_and_masked() -> None:
    """No address, no card number; text and HTML beside the widget for where none runs."""
    first, second = MessageAnatomy(GOOD), MessageAnatomy(GOOD)
    assert repr(first) == "MessageAnatomy(0100, 1987, VISA: 17 data elements in 149 characters, valid)"
    bundle, other = first._repr_mimebundle_()[0], second._repr_mimebundle_()[0]
    for kind in ("text/plain", "text/html"):
        assert bundle[kind] == other[kind]
        assert PAN not in bundle[kind]
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_a_click_adds_drops_and_brings_back() -> None:
    """An element is added with a sample, dropped, and added again with the value it had; undo goes back."""
    anatomy = MessageAnatomy(GOOD, editable=True)
    assert len(anatomy.view["cells"]) == 128
    ask(anatomy, ask="toggle", number=70)
    assert anatomy.message.endswith("826000")
    ask(anatomy, ask="toggle", number=70)
    assert anatomy.message == GOOD
    ask(anatomy, ask="toggle", number=4)
    assert "000000012345" not in anatomy.message
    ask(anatomy, ask="toggle", number=4)
    assert anatomy.message == GOOD
    assert anatomy.can_undo
    for _ in range(4):
        ask(anatomy, ask="undo")
    assert anatomy.message == GOOD
    assert not anatomy.can_undo


@pytest.mark.parametrize(
    ("number", "value", "told"),
    [(4, "12", "DE 4: expected n 12"), (0, "01x0", "MTI"), (0, "1100", "DE 32"), (1, "00", "message")],
)
def test_a_refused_edit_says_why_and_changes_nothing(number: int, value: str, told: str) -> None:
    """The reason names the element; the message stays; the next edit that works clears it."""
    anatomy = MessageAnatomy(GOOD, editable=True)
    ask(anatomy, ask="set", number=number, value=value)
    assert anatomy.message == GOOD
    assert anatomy.problem["number"] == number
    assert anatomy.problem["text"].startswith(told)
    assert not anatomy.can_undo
    assert anatomy.set_value(4, "000000000001")
    assert anatomy.problem == {}


def test_what_may_not_be_edited_stays() -> None:
    """Without `editable` a request to edit is ignored; a broken message says what is wrong with it."""
    anatomy = MessageAnatomy(GOOD)
    ask(anatomy, ask="toggle", number=4)
    ask(anatomy, ask="set", number=4, value="000000000001")
    assert anatomy.message == GOOD
    broken = MessageAnatomy(GOOD[:50], editable=True)
    assert not broken.toggle(4)
    assert "DE 4" in broken.problem["text"]


def test_differences_are_found_and_signed() -> None:
    """Changed, added and removed; a change that masking hides is told; the bitmap is left out."""
    other = build(Message("0110", {2: "4111110000001111", 11: "840921", 39: "00"}))
    first = build(Message("0110", {2: "4111111111111111", 11: "840920", 70: "301"}))
    rows = {row["number"]: row for row in MessageDiff(first, other).rows if not row["depth"]}
    assert {number: row["kind"] for number, row in rows.items()} == {
        2: "changed",
        11: "changed",
        39: "added",
        70: "removed",
    }
    assert rows[2]["said"] == "the masked part differs"
    assert (rows[11]["a"], rows[11]["b"]) == ("840920", "840921")
    assert PAN not in json.dumps(list(rows.values()))
    assert MessageDiff(first, first).rows == []


def test_a_diff_follows_its_sides() -> None:
    """Setting one side's message marks both anew; repr and fallbacks are stable."""
    diff = MessageDiff(GOOD, RESPONSE)
    assert sum(not row["depth"] for row in diff.rows) == 8
    assert diff.left.compared["39"] == "added"
    plain = diff._repr_mimebundle_()["text/plain"]
    assert "8 elements differ" in plain
    assert PAN not in str(diff._repr_mimebundle_())
    diff.right.message = GOOD
    assert diff.rows == []
    assert diff.left.compared == {}
    assert repr(diff).endswith("The messages have the same elements with the same values)")


def test_a_diff_tells_what_changed_inside() -> None:
    """Of chip data each tag that differs, with its meaning, of the MTI its digit; what is equal is there,
    too, to be asked for."""
    one = generate("auth", network="VISA", entry="chip", at=AT)
    two = generate("auth", network="VISA", entry="contactless", at=AT, amount_minor_units=2500)
    diff = MessageDiff(one.raw, two.raw)
    inside = {row["label"]: row for row in diff.rows if row["number"] == 55 and row["depth"]}
    assert inside["9F02"]["meaning_b"].startswith("25.00") or "2500" in inside["9F02"]["b"]
    assert inside["9F02"]["kind"] == "changed"
    assert "9F37" not in inside or inside["9F37"]["a"] != inside["9F37"]["b"]
    entry = next(row for row in diff.rows if row["number"] == 22 and not row["depth"])
    assert "chip" in entry["meaning_a"]
    assert "contactless" in entry["meaning_b"]
    mti = MessageDiff(one.raw, respond(one.message).raw).rows[:2]
    assert [(row["number"], row["depth"]) for row in mti] == [(0, 0), (0, 1)]
    assert "response" in mti[1]["meaning_b"]
    numbers = [row["number"] for row in diff.listing.rows if not row["depth"]]
    assert numbers == sorted({0, *one.message.fields, *two.message.fields})


def test_tags_that_only_one_message_has_stand_where_they_belong() -> None:
    """A tag that came is added, one that went is removed, one that comes twice is compared with its like."""
    made = [build(Message("0100", {55: chip})) for chip in ("9A032601019C0100", "9A032601025F3401019C0100")]
    rows = [row for row in MessageDiff(*made).rows if row["depth"]]
    assert [(row["label"], row["kind"]) for row in rows] == [("9A", "changed"), ("5F34", "added")]
    back = [row for row in MessageDiff(*reversed(made)).rows if row["depth"]]
    assert [(row["label"], row["kind"]) for row in back] == [("9A", "changed"), ("5F34", "removed")]


def test_a_diff_hides_card_data_inside() -> None:
    """Neither the card number in chip data nor the track shows in what is sent to the browser."""
    one, two = (
        generate("auth", network="VISA", entry="chip", pan=pan, at=AT) for pan in (PAN, "4012888888881881")
    )
    state = str(MessageDiff(one.raw, two.raw).listing.get_state())
    assert PAN not in state
    assert "4012888888881881" not in state

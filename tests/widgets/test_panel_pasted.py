"""Pastes in the panels: a dump is shown as its message, and a button puts the message there."""

from __future__ import annotations

import re

import pytest
from support import AT

from sim.codec import parse
from sim.codec.wire import encode
from sim.operations import explain, generate
from sim.widgets import ExplainPanel, MessageAnatomy, ValidatePanel
from sim.widgets.model import view
from tests.spellings import SPELLINGS

RAW = generate("financial", network="VISA", stan="000042").raw
BODY = encode(parse(RAW), "bcd")
FRAMED = (len(BODY) + 5).to_bytes(2, "big") + bytes.fromhex("6000030000") + BODY


@pytest.mark.parametrize(
    "name", ["hex", "spaced", "xxd", "hexdump -C", "wireshark", "java", "base64", "log around"]
)
def test_a_pasted_dump_is_its_message(name: str) -> None:
    """Summary and anatomy are those of the message; what was recognised is said."""
    panel = ExplainPanel()
    panel.input.text.value = SPELLINGS[name](FRAMED)
    assert panel.summary == explain(RAW).summary
    assert panel.views.anatomy.message == RAW
    assert "2-byte length" in panel.input.recognised.said
    assert "TPDU 6000030000" in panel.input.recognised.said


def test_the_button_mends_a_framed_dump() -> None:
    """A click puts the message itself into the box."""
    panel = ValidatePanel(FRAMED.hex())
    assert panel.report is not None
    assert panel.report.message is not None
    assert panel.input.recognised.button.description == "Read without the TPDU"
    panel.input.recognised.button.click()
    assert panel.message == RAW
    assert panel.input.recognised.said == ""


_TYPED = "08002020000000000000990000123456"


@pytest.mark.parametrize(
    ("broken", "offer", "version"),
    [
        ("6000010000" + _TYPED, "Read without the TPDU", None),
        (f'"{_TYPED}"', "Read without what is around it", None),
        ("ISO012345678" + _TYPED, "Read without the header", None),
        (generate("auth", version="1993", at=AT).raw, "Read as 1993", "1987"),
        (_TYPED[:10] + "\n" + _TYPED[10:], "Join the lines", None),
        (_TYPED[:-1], "Repair", None),
    ],
)
def test_every_cause_named_is_undone_by_the_button(broken: str, offer: str, version: str | None) -> None:
    """The hint's cause has a button, in a panel and in the anatomy: a click makes the message read."""
    panel = ValidatePanel(broken, version=version)
    button = panel.input.recognised.button
    if not panel.input.recognised.said:
        assert (panel.report is not None and panel.report.message, button.description) == (None, offer)
    button.click()
    assert panel.report is not None
    assert panel.report.message is not None
    anatomy = MessageAnatomy(broken, version=version)
    if anatomy.view["fault"]:
        assert anatomy.view["fault"]["offer"] == offer
        assert anatomy.mend()
        assert anatomy.notice
    assert anatomy.view["fault"] is None


def test_what_no_edit_mends_is_said() -> None:
    """The anatomy says so where nothing helps; without a bitmap there is nothing to offer."""
    anatomy = MessageAnatomy("0800F")
    assert anatomy.view["fault"]["offer"] == ""
    assert not anatomy.mend()
    assert anatomy.problem["text"].startswith("No small edit")


def test_a_text_form_is_left_alone() -> None:
    """Nothing is offered for what needs no guess, nor for what is no message."""
    for text in (RAW, "", "hello", RAW[:-3]):
        panel = ExplainPanel(text)
        assert panel.input.recognised.said == ""
        assert panel.input.raw == text


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_anatomy_of_a_paste_that_was_not_read_hides_its_card(spelling: str) -> None:
    """No digit of the card number between the first six and the last four shows, as text or as bytes."""
    pan = "4539148803436467"
    data = generate(network="VISA", pan=pan, entry="stripe", at=AT).raw.encode()
    shown = re.sub(r"[^0-9a-z]+", "", view(SPELLINGS[spelling](data))["text"].lower())
    hidden = pan[6:-4]
    assert hidden not in shown
    assert hidden.encode().hex() not in shown

"""Pastes in the panels: a dump is shown as its message, and a button puts the message there."""

from __future__ import annotations

import re

import pytest
from support import AT

from sim.codec import parse
from sim.codec.wire import encode
from sim.operations import explain, generate
from sim.widgets import ExplainPanel, ValidatePanel
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

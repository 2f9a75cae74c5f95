"""Pastes in the panels: a dump is shown as its message, and a button puts the message there."""

from __future__ import annotations

import pytest

from sim.codec import parse
from sim.codec.wire import encode
from sim.operations import explain, generate
from sim.widgets import ExplainPanel, ValidatePanel
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

"""Pastes in the panels: a dump is shown as its message, and a button puts the message there."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import AT, together

from sim.codec import parse
from sim.codec.wire import encode
from sim.codec.wire.dialects import load_format
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
    panel.message = f"{len(BODY):04x}{BODY.hex()}"
    assert panel.input.recognised.button.description == "Read without the length"
    panel.input.recognised.button.click()
    assert panel.message == RAW
    assert panel.input.recognised.said == ""


_TYPED = "08002020000000000000990000123456"


@pytest.mark.parametrize(
    ("broken", "offer", "version"),
    [
        ("6000010000" + _TYPED, "Read without the TPDU", None),
        (f'"{_TYPED}"', "Read without the surrounding text", None),
        ("ISO012345678" + _TYPED, "Read without the header", None),
        (generate("auth", version="1993", at=AT).raw, "Read as 1993", "1987"),
        (_TYPED[:10] + "\n" + _TYPED[10:], "Join the lines", None),
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


def test_repairs_are_offered_once() -> None:
    """A button repairs what has no cause that is known; not in the panel that lists repairs itself."""
    broken = RAW.replace("164111", "154111", 1)
    assert ValidatePanel(broken).input.recognised.button.description == ""
    panel, anatomy = ExplainPanel(broken), MessageAnatomy(broken)
    assert panel.input.recognised.button.description == anatomy.view["fault"]["offer"] == "Repair"
    panel.input.recognised.button.click()
    assert panel.message == RAW
    assert anatomy.mend()
    assert anatomy.view["fault"] is None


def test_buttons_take_the_message_of_a_paste() -> None:
    """Reply, reverse, break and copy: those of the message in a dump are those of its text; Back brings the
    dump again."""
    plain = ValidatePanel(RAW)
    for paste in (FRAMED.hex(" "), f"12:30:45 rx {RAW}", f"{RAW}\n{RAW}"):
        for button in ("reply_button", "reverse_button", "break_button"):
            panel = ExplainPanel(paste)
            assert json.loads(panel.actions.copy.text("json")) == json.loads(plain.actions.copy.text("json"))
            getattr(panel.actions, button).click()
            getattr(plain.actions, button).click()
            assert (panel.message, panel.actions.problem) == (plain.message, "")
            panel.actions.back_button.click()
            assert panel.message == paste
            plain.message = RAW


def test_the_first_of_several_messages_is_said_to_be_that() -> None:
    """As text, in hex and in a log: a panel says how many there are, and an anatomy shows the first."""
    texts = [RAW, generate("echo", stan="000043").raw]
    for lines in (texts, [text.encode().hex() for text in texts], [f"12:30:45 rx {text}" for text in texts]):
        paste = "\n".join(lines)
        panel = ValidatePanel(paste)
        assert "The first of 2 messages: use sim.read for all of them." in panel.input.recognised._said.value
        assert panel.report.valid
        assert MessageAnatomy(paste).view["text"] == MessageAnatomy(RAW).view["text"]


def test_what_no_edit_mends_is_said() -> None:
    """The anatomy says so where nothing helps; without a bitmap there is nothing to offer."""
    anatomy = MessageAnatomy("0800F")
    assert anatomy.view["fault"]["offer"] == ""
    assert not anatomy.mend()
    cut = MessageAnatomy(RAW[:-4])
    assert not cut.mend()
    assert "end missing" in cut.problem["text"]
    assert cut.message == RAW[:-4]
    assert anatomy.problem["text"].startswith("No repair")


def test_a_text_form_is_left_alone() -> None:
    """Nothing is offered for what needs no guess, nor for what is no message."""
    for text in (RAW, "", "hello", RAW[:-3]):
        panel = ExplainPanel(text)
        assert panel.input.recognised.said == ""
        assert panel.input.raw == text


@together("spelling", SPELLINGS)
def test_the_anatomy_of_a_paste_that_was_not_read_hides_its_card(spelling: str) -> None:
    """No digit of the card number between the first six and the last four shows, as text or as bytes."""
    pan = "4539148803436467"
    data = generate(network="VISA", pan=pan, entry="stripe", at=AT).raw.encode()
    shown = re.sub(r"[^0-9a-z]+", "", view(SPELLINGS[spelling](data))["text"].lower())
    hidden = pan[6:-4]
    assert hidden not in shown
    assert hidden.encode().hex() not in shown


_OWN = """
extends = "bcd"
title = "My bank"
source = "our own"
[elements.42]
format = "ans 12"
"""


def _of_a_dialect(folder: Path) -> bytes:
    """A message whose DE 42 has 12 characters, framed as FRAMED is, where a format says so."""
    path = folder / "mybank.toml"
    path.write_text(_OWN, encoding="utf-8")
    made = load_format(path)
    message = replace(parse(RAW).replace(de42="MERCHANT1234"), dialect=made.layout("1987").dialect)
    body = encode(message, made)
    return (len(body) + 5).to_bytes(2, "big") + bytes.fromhex("6000030000") + body


def test_the_button_unframes_a_dump_of_a_dialect(tmp_path: Path) -> None:
    """Its text does not say how it is read, so the message's own bytes stay in the box."""
    framed = _of_a_dialect(tmp_path)
    panel = ExplainPanel(framed.hex(" "))
    assert panel.input.recognised.button.description == "Read without the TPDU"
    summary = panel.summary
    panel.input.recognised.button.click()
    assert panel.message == framed[7:].hex().upper()
    assert panel.summary == summary
    assert panel.input.recognised.button.layout.display == "none"


def test_an_edit_in_the_anatomy_of_a_dialect_goes_into_the_bytes(tmp_path: Path) -> None:
    """The box has the bytes with the new value, as they were pasted and read as before; undone, those before
    it."""
    framed = _of_a_dialect(tmp_path)
    panel = ExplainPanel(framed.hex())
    anatomy = panel.views.anatomy
    assert anatomy.set_value(11, "777777")
    assert not panel.problem
    assert panel.message == framed.hex().replace("000042", "777777")
    anatomy.undo()
    assert panel.message == framed.hex()
    assert "My bank" in panel.input.recognised.said


_KEPT = (
    *("hex", "HEX", "spaced", "xxd", "hexdump -C", "tcpdump -X", "wireshark", "jpos", "logged dump"),
    *("java", "signed", "base64", "log around"),
)


@together("name", _KEPT)
def test_an_edit_stays_in_the_writing_of_the_paste(name: str) -> None:
    """A dump with its offsets and gutter, a literal, a line of a log: after an edit the box has the same with
    the new bytes, framing and lengths too; undone, what was pasted."""
    panel = ExplainPanel(SPELLINGS[name](FRAMED))
    pasted, anatomy = panel.message, panel.views.anatomy
    longer = parse(RAW).replace(de11="777777", de48="SOMETHING MORE")
    body = encode(longer, "bcd")
    changed = (len(body) + 5).to_bytes(2, "big") + FRAMED[2:7] + body
    assert anatomy.set_value(11, "777777")
    assert anatomy.set_value(48, "SOMETHING MORE")
    assert panel.message.split() == SPELLINGS[name](changed).split()
    assert anatomy.notice == ""
    anatomy.undo()
    anatomy.undo()
    assert panel.message == pasted


def test_an_edit_that_cannot_stay_in_the_writing_of_the_paste_says_so() -> None:
    """The box has the bytes in hex then, framing and all, and the anatomy says it."""
    panel = ExplainPanel(SPELLINGS["octal"](FRAMED))
    anatomy = panel.views.anatomy
    assert anatomy.set_value(11, "777777")
    assert panel.message == FRAMED.hex().upper().replace("000042", "777777")
    assert anatomy.notice.endswith("in hex.")


NAMED = {
    **{"0": "0200", "2": "4111111111111111", "3": "000000", "4": "000000001000", "11": "000123"},
    **{"12": "260903123045", "41": "12345678", "42": "000000000012345", "49": "840"},
}
MISFIT = "DE 12 at line 7, column 9: expected n 6, found 12 characters, as 1993 has it (n 12)"


@pytest.mark.parametrize("make", [ExplainPanel, ValidatePanel])
def test_elements_that_fit_no_text_form_are_shown_as_they_came(make: Any) -> None:
    """Every value is the one that was pasted, the misfit is told at its element, and no fault is invented."""
    panel = make()
    panel.message = json.dumps(NAMED, indent=1)
    view = panel.views.anatomy.view
    shown = {one["number"]: one["value"] for one in view["elements"]}
    assert shown[12] == NAMED["12"]
    assert (shown[1], shown[41], shown[49]) == ("7030000000C08000", "12345678", "840")
    assert [one["sentence"] for one in view["findings"]] == [MISFIT]
    assert (view["valid"], view["fault"]) == (False, None)
    if isinstance(panel, ExplainPanel):
        assert panel.problem == MISFIT
        assert "10.00 USD" in panel.summary
    else:
        assert [one.message for one in panel.report.findings] == [MISFIT]


def test_an_edit_makes_elements_fit() -> None:
    """The anatomy of what has no text form is edited as any other; then it has one."""
    anatomy = MessageAnatomy(json.dumps(NAMED), editable=True)
    assert not anatomy.view["valid"]
    assert anatomy.set_value(12, "123045"), anatomy.problem
    assert parse(anatomy.message)[12] == "123045"
    assert anatomy.view["findings"] == [] or "DE 12" not in anatomy.view["findings"][0]["sentence"]
    anatomy.undo()
    assert {one["number"]: one["value"] for one in anatomy.view["elements"]}[12] == NAMED["12"]

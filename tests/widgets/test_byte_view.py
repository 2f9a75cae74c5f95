"""The byte view: what it shows and hides, and that bytes, message and history follow each other."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import VECTORS, together, vector_id

from sim.codec import BuildError, Message, ParseError, build, parse
from sim.codec.wire import encode
from sim.operations.reading import parse_any
from sim.operations.rewriting import pasted, with_data, with_message
from sim.parts.writing import replaced
from sim.widgets import MessageAnatomy, anatomy_html, anatomy_text
from sim.widgets.anatomy import History
from sim.widgets.model import parts, view
from sim.widgets.panels.explain import ExplainPanel
from sim.widgets.panels.validate import ValidatePanel
from tests.wire_samples import samples

PAN = "4111111111111111"
SALE = Message(
    "0200",
    {2: PAN, 3: "000000", 4: "000000012345", 7: "1120101530", 11: "146739", 22: "051", 35: PAN + "=2912201"}
    | {41: "TERM0001", 42: "MERCHANT1234567", 49: "840", 55: "9F2701809A032611209C0100"},
)
PARSED = [row for row in VECTORS if row["expect_parse"]]


def framed(message: Message = SALE, name: str = "bcd") -> bytes:
    """The message behind a TPDU and a length of two bytes."""
    body = bytes.fromhex("6000030000") + encode(message, name)
    return len(body).to_bytes(2, "big") + body


def ask(anatomy: MessageAnatomy, **content: Any) -> None:
    """Say to Python what the browser would say."""
    anatomy._handle_custom_msg(content, [])


def span_of(anatomy: MessageAnatomy, number: int) -> dict[str, Any]:
    """Where an element stands in the bytes."""
    found: dict[str, Any] = next(
        one for one in anatomy.view["bytes"]["spans"] if one["number"] == number and one["kind"] != "unread"
    )
    return found


@pytest.mark.parametrize("name", ["bcd", "ebcdic", "ascii-binary"])
def test_every_byte_has_its_place_and_card_data_is_hidden(name: str) -> None:
    """The spans are all bytes in order; digits of the card number and track data are dots, in hex and in the
    characters beside it; what is shown is what stands there."""
    data = framed(name=name)
    anatomy = MessageAnatomy(data.hex(" "))
    seen = anatomy.view["bytes"]
    edges = [(one["start"], one["end"]) for one in seen["spans"]]
    assert edges[0][0] == 0
    assert edges[-1][1] == len(data)
    assert all(one[1] == other[0] for one, other in pairwise(edges))
    pairs = [seen["hex"][at : at + 2] for at in range(0, 2 * len(data), 2)]
    assert all(pair in (f"{byte:02X}", "••") for pair, byte in zip(pairs, data, strict=True))
    for number in (2, 35):
        assert "••" in pairs[span_of(anatomy, number)["start"] : span_of(anatomy, number)["end"]]
    assert "••" not in pairs[span_of(anatomy, 41)["start"] :]
    for drawn in (json.dumps(anatomy.get_state()["view"]), anatomy_html(data), anatomy_text(data)):
        assert PAN not in drawn.replace(" ", "")
        assert encode(SALE, name)[12:40].hex().upper() not in drawn.replace(" ", "")


def test_of_many_bytes_the_first_are_shown() -> None:
    """In text and on a page; the number of the others is stated."""
    data = framed(SALE.replace(de48="X" * 999, de63="Y" * 999))
    for drawn, shown in ((anatomy_text(data), 512), (anatomy_html(data), 1024)):
        assert f"and {len(data) - shown} more bytes" in drawn


def test_without_the_mask_every_byte_is_shown() -> None:
    """What the eye asks for has all bytes, and travels as a passing message alone."""
    sent: list[Any] = []
    anatomy = MessageAnatomy(framed())
    anatomy.send = lambda content, buffers=None: sent.append(content)  # type: ignore[method-assign]
    anatomy.masked = False
    assert sent[0]["view"]["bytes"]["hex"] == framed().hex().upper()
    assert "••" in anatomy.view["bytes"]["hex"]


def test_a_message_edited_is_written_into_its_bytes() -> None:
    """A longer value moves what follows; the length in front says so; the TPDU stays."""
    anatomy = MessageAnatomy(framed(), editable=True)
    assert anatomy.set_value(55, "9F2701809A03261120")
    changed = SALE.replace(de55="9F2701809A03261120")
    assert anatomy.held is not None
    assert anatomy.held.data == framed(changed)
    assert not anatomy.set_value(4, "00000001234X")
    assert "packed" in anatomy.problem["text"] or "DE 4" in anatomy.problem["text"]
    assert anatomy.held.data == framed(changed)


def test_bytes_edited_are_read_anew() -> None:
    """Two digits of the amount; what can no longer be read is refused with its place."""
    anatomy = MessageAnatomy(framed(), editable=True)
    at = span_of(anatomy, 4)["end"] - 1
    ask(anatomy, ask="bytes", at=at, end=at + 1, value="99")
    assert parse(anatomy.message, "1987")[4] == "000000012399"
    ask(anatomy, ask="bytes", at=at, end=at + 1, value="9A")
    assert anatomy.problem["bytes"] == at
    assert "byte" in anatomy.problem["text"]
    ask(anatomy, ask="bytes", at=at, end=at + 1, value="9")
    assert "hex digits" in anatomy.problem["text"]
    assert parse(anatomy.message, "1987")[4] == "000000012399"


def test_nothing_is_edited_while_the_switch_is_off() -> None:
    """No request of a browser changes a message that is only shown."""
    anatomy = MessageAnatomy(framed())
    before = anatomy.message
    for content in (
        {"ask": "bytes", "at": 30, "end": 31, "value": "00"},
        {"ask": "part", "number": 3, "at": 0, "end": 2, "value": "01"},
        {"ask": "undo"},
    ):
        ask(anatomy, **content)
    assert anatomy.message == before


def test_undo_and_redo_bring_message_and_bytes_back() -> None:
    """Also what came from outside; an edit after an undo is the end of what could be brought back."""
    anatomy = MessageAnatomy(framed(), editable=True)
    first = anatomy.held
    anatomy.toggle(49)
    assert anatomy.notice == "DE 49 Currency code, transaction is removed."
    second = anatomy.held
    ask(anatomy, ask="undo")
    assert (anatomy.held, anatomy.can_redo, anatomy.notice) == (first, True, "")
    ask(anatomy, ask="redo")
    assert (anatomy.held, anatomy.can_redo) == (second, False)
    ask(anatomy, ask="undo")
    anatomy.set_value(11, "000001")
    assert (anatomy.can_undo, anatomy.can_redo) == (True, False)
    anatomy.message = build(SALE)
    anatomy.undo()
    assert parse(anatomy.message, "1987")[11] == "000001"


def test_parts_are_edited_and_lengths_follow() -> None:
    """A chip data tag of another length, a sub-field; a part that does not fit is refused."""
    anatomy = MessageAnatomy(build(SALE), editable=True)
    tag = next(
        one
        for element in anatomy.view["elements"]
        if element["number"] == 55
        for one in [*element["children"], element]
        if one.get("label") == "9F27"
    )
    start = next(one["value_start"] for one in anatomy.view["elements"] if one["number"] == 55)
    ask(
        anatomy,
        ask="part",
        number=55,
        at=tag["start"] - start,
        end=tag["end"] - start,
        value="8081",
    )
    assert parse(anatomy.message, "1987")[55] == "9F270280819A032611209C0100"
    assert anatomy.set_part(0, 2, 3, "1")
    assert anatomy.message.startswith("0210")
    assert anatomy.set_part(3, 0, 2, "01")
    assert parse(anatomy.message, "1987")[3] == "010000"
    assert not anatomy.set_part(3, 0, 2, "0")
    assert not anatomy.set_part(55, 6, 10, "8")
    assert parse(anatomy.message, "1987")[55] == "9F270280819A032611209C0100"


@together("row", PARSED, vector_id)
def test_a_part_put_in_its_own_place_changes_nothing(row: dict[str, Any]) -> None:
    """For every part of every element of every vector."""
    try:
        message = parse(row["message"], row["version"])
    except ParseError:  # a message of another version, for the rules
        return
    for number, value in message.fields.items():
        for part in parts(message, number, value, row.get("network")):
            there = value[part.start : part.end]
            made = replaced(message.spec, number, value, part.start, part.end, there, row.get("network"))
            assert made.upper() == value.upper()


def test_a_part_outside_of_its_element_is_refused() -> None:
    """Places are what a browser says."""
    with pytest.raises(BuildError):
        replaced(SALE.spec, 3, SALE[3], 4, 9, "00")


def test_bytes_of_every_format_and_framing_follow() -> None:
    """Writing the same message back gives the same bytes and places, whatever stands around it."""
    followed = 0
    for sample in samples(60, seed=12):
        held = pasted(sample.paste)
        if held is None or held.error:
            continue
        again = with_message(held, parse(held.text, held.version))
        assert (again.data, again.spans) == (held.data, held.spans), sample.made
        followed += 1
    assert followed > 55


def test_another_paste_takes_the_place_of_the_message() -> None:
    """Read in any notation, with its bytes, or as text without."""
    anatomy = MessageAnatomy(build(SALE))
    anatomy.read(framed().hex(" "))
    assert anatomy.view["bytes"]["size"] == len(framed())
    anatomy.read(build(SALE.replace(de11="000777")))
    assert (anatomy.view["bytes"], parse(anatomy.message, "1987")[11]) == (None, "000777")


def test_a_cut_dump_is_shown_as_far_as_it_reads() -> None:
    """What was not read is hidden, and the fault says at which byte; with the missing byte it is whole."""
    whole = framed()
    anatomy = MessageAnatomy(whole[:60].hex())
    fault = anatomy.view["fault"]
    assert "byte" in fault["sentence"]
    assert anatomy.view["bytes"]["error"] == fault["sentence"]
    assert anatomy.held is not None
    assert with_data(anatomy.held, whole).text == build(SALE)
    changed = with_data(anatomy.held, whole[:33] + b"\x99" + whole[34:61])
    assert (changed.data[33], len(changed.data), bool(changed.error)) == (0x99, 61, True)
    assert changed.message != anatomy.held.message
    assert anatomy.view["bytes"]["hex"].endswith("••")


@pytest.mark.parametrize(("format", "per_byte"), [("ascii", 1), ("bcd", 2)])
def test_the_bytes_of_an_mti_have_its_digits(format: str, per_byte: int) -> None:
    """A byte of ASCII has one of them, packed digits two, as the link between text and bytes needs it."""
    spans = view(encode(SALE, format).hex())["bytes"]["spans"]
    assert [span["chars"] for span in spans if span["number"] == 0] == [per_byte]


@pytest.mark.parametrize("make", [ExplainPanel, ValidatePanel])
def test_a_panel_shows_the_bytes_and_takes_edits(make: Any) -> None:
    """A paste has its bytes beside the message; an edit of the anatomy is the panel's message."""
    panel = make()
    panel.message = framed().hex()
    anatomy = panel.views.anatomy
    assert anatomy.view["bytes"]["size"] == len(framed())
    anatomy.editable = True
    assert anatomy.set_value(11, "000777")
    assert parse_any(panel.message).message[11] == "000777"
    assert anatomy.view["bytes"]["size"] == len(framed())
    anatomy.undo()
    assert panel.message == framed().hex()
    panel.message = build(SALE.replace(de11="000001"))
    assert anatomy.view["bytes"] is None


def test_typing_is_one_step_back() -> None:
    """Keys pressed in a panel's box are not undone one by one."""
    panel = ExplainPanel(build(SALE))
    anatomy = panel.views.anatomy
    anatomy.editable = True
    assert anatomy.set_value(11, "000777")
    before = anatomy.message
    for size in (1, 2, 3):
        panel.message = before + "9" * size
    anatomy.undo()
    assert anatomy.message == before


@given(st.lists(st.sampled_from(["put", "undo", "redo"]), max_size=30))
def test_a_history_goes_back_the_way_it_came(acts: list[str]) -> None:
    """Undo and redo walk over what was put, and what an edit cut off is gone."""
    history, line, at = History(0), [0], 0
    for count, act in enumerate(acts, 1):
        if act == "put":
            history.put(count)
            line = [*line[: at + 1], count]
            at += 1
        elif act == "undo":
            history.undo()
            at = max(at - 1, 0)
        else:
            history.redo()
            at = min(at + 1, len(line) - 1)
        assert history.now == line[at]
        assert bool(history.undoable) == (at > 0)
        assert bool(history.redoable) == (at < len(line) - 1)

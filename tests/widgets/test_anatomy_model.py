"""The view of a message as plain data: whole, masked, and the same in every projection."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import PARSED, VECTORS, each, generated, some, vector_id

from sim.codec import BuildError, Message, build
from sim.parts import chip_data
from sim.spec import VERSIONS, spec
from sim.spec.networks import detect
from sim.widgets import anatomy_html, anatomy_text
from sim.widgets.anatomy import sample, set_value
from sim.widgets.model import say_format, view

PAN = "4111111111111111"
TRACK = PAN + "=29122010000012345678"
GOOD = next(row["message"] for row in VECTORS if row["id"] == "m0001")
CHIP = next(row["message"] for row in VECTORS if row["id"] == "m0006")
ECHO = "08002020000000000000990000123456"


def whole(data: dict[str, Any]) -> str:
    """The text that the segments are."""
    at = 0
    for segment in data["segments"]:
        assert segment["start"] == at
        assert segment["end"] - segment["start"] == len(segment["text"])
        at = segment["end"]
    return "".join(segment["text"] for segment in data["segments"])


def secrets(row: dict[str, Any]) -> list[str]:
    """The card data of a vector that no masked view may hold."""
    fields = row["fields"]
    found = [fields[number] for number in ("35", "36", "45", "52") if len(fields.get(number, "")) > 8]
    if len(fields.get("2", "")) >= 13 and detect(fields["2"]) and row["message"][1:2] != "8":
        found.append(fields["2"])
    chip = chip_data.read(fields.get("55", ""))
    return found + [value for value in (chip.value("5A"), chip.value("57")) if len(value) > 8]


@each(lambda: some(product(VECTORS, (True, False)), 3), lambda case: vector_id(case[0]))
def test_segments_are_the_whole_text(case: tuple[dict[str, Any], bool]) -> None:
    """Sound or broken, the segments cover the text in order and without gaps; elements point into it; the
    view is plain data."""
    row, masked = case
    data = view(row["message"], row["version"], masked=masked)
    assert json.loads(json.dumps(data)) == data
    assert whole(data) == data["text"]
    assert len(data["text"]) == len(row["message"]) == data["length"]
    if not masked:
        assert data["text"] == row["message"]
    for element in data["elements"]:
        assert data["text"][element["value_start"] : element["end"]] == element["value"]
        assert data["text"][element["start"] : element["value_start"]] == element["prefix"]


@each(lambda: some(PARSED, 3), vector_id)
def test_a_masked_view_holds_no_card_data(row: dict[str, Any]) -> None:
    """Neither the view nor its HTML or text holds PAN, tracks, PIN block or the chip's copies of them."""
    data = view(row["message"], row["version"])
    drawn = json.dumps(data) + anatomy_html(row["message"], row["version"])
    drawn += anatomy_text(row["message"], row["version"]).replace("\n", "")
    for secret in secrets(row):
        assert secret not in drawn
        assert secret in row["message"]


@given(st.sampled_from(PARSED), st.data())
def test_breaking_a_message_does_not_show_its_card(row: dict[str, Any], data: st.DataObject) -> None:
    """Cut anywhere, or with one character lost, doubled or changed, the segments still are the whole text, or
    the message that is read in it; and the card number does not come out in one of the pieces."""
    raw = row["message"]
    at = data.draw(st.integers(0, len(raw) - 1))
    change = data.draw(st.sampled_from(["cut", "lost", "doubled", "changed"]))
    broken = {
        "cut": raw[:at],
        "lost": raw[:at] + raw[at + 1 :],
        "doubled": raw[: at + 1] + raw[at:],
        "changed": raw[:at] + "x" + raw[at + 1 :],
    }[change]
    seen = view(broken, row["version"])
    plain = whole(view(broken, row["version"], masked=False))
    assert len(whole(seen)) == len(plain)
    assert plain == broken or seen["bytes"]
    drawn = json.dumps(seen)
    for secret in secrets(row):
        assert secret not in drawn or secret not in broken


@given(st.text(max_size=200), st.sampled_from([None, *VERSIONS]))
def test_any_text_has_a_view(raw: str, version: str | None) -> None:
    """Whatever was pasted, there is a view that can be sent, with a fault that lies in the text."""
    data = view(raw, version)
    json.dumps(data).encode("utf-8")
    assert len(whole(data)) == data["length"]
    if data["fault"]:
        assert 0 <= data["fault"]["start"] <= data["length"]
        assert data["fault"]["hint"]
    assert "<style>" in anatomy_html(raw, version)
    assert anatomy_text(raw, version)


@pytest.mark.parametrize("prefix", ["", "0", "02", "ISO", "600003", "01007"])
def test_a_card_read_into_other_elements_stays_hidden(prefix: str) -> None:
    """With DE 2 dropped from the bitmap, or with characters in front, the number would be spread over other
    elements; put together again it is still masked."""
    shifted = build(Message("0100", {3: "000000", 4: "000000012345", 11: "123456"}))
    raw = prefix + shifted[:20] + "16" + PAN + shifted[20:]
    assert PAN not in whole(view(raw, "1987"))
    assert PAN not in json.dumps(view(raw, "1987"))


def test_a_lone_surrogate_can_be_sent() -> None:
    """Half a character of UTF-16 cannot be written as UTF-8; it stands as U+FFFD, and offsets hold."""
    data = view("0800\ud800")
    json.dumps(data, ensure_ascii=False).encode("utf-8")
    assert data["text"] == "0800\ufffd"


def test_a_broken_message_says_what_was_read_and_what_not() -> None:
    """Elements before the fault are read, the faulty one and the rest say so, in table and bitmap alike."""
    data = view(GOOD[:98] + "99" + GOOD[100:])
    states = {element["number"]: element["state"] for element in data["elements"]}
    assert (states[25], states[32], states[-1]) == ("read", "fault", "unread")
    assert 37 not in states
    named = {element["number"]: element["name"] for element in data["elements"]}
    assert (named[0], named[-1]) == ("Message type indicator", "left unread")
    told = {one["number"]: (one["severity"], len(one["findings"])) for one in data["elements"]}
    assert {number: one for number, one in told.items() if one[1]} == {32: ("error", 1)}
    assert [one["number"] for one in data["elements"] if one["hidden"]] == [2]
    assert {one["number"] for one in data["elements"] if one["about"]} == set(states) - {-1}
    cells = {cell["number"]: cell["state"] for cell in data["cells"]}
    assert (cells[25], cells[32], cells[37], cells[5]) == ("read", "fault", "unread", "")
    assert data["fault"] == {
        "number": 32,
        "start": 98,
        "end": 100,
        "sentence": "DE 32 at offset 98: expected a length prefix of 2 digits, at most 11, found '99'",
        "hint": data["fault"]["hint"],
        "offer": "Repair",
    }


def test_what_is_left_over_has_a_place_of_its_own() -> None:
    """Characters behind the last element are unread, and the fault is where they begin."""
    data = view(ECHO + "XY")
    assert data["elements"][-1]["number"] == -1
    assert data["elements"][-1]["value"] == "XY"
    assert data["elements"][-1]["severity"] == "error"
    assert data["fault"]["start"] == len(ECHO)


def test_an_element_that_is_missing_altogether_is_an_empty_fault() -> None:
    """Where the text ends right before an element, the fault has a place but no characters."""
    data = view(ECHO[:-6])
    assert data["segments"][-1] == {"start": 26, "end": 26, "text": "", "kind": "fault", "number": 11}


def test_parts_are_slices_with_names() -> None:
    """Sub-fields and tags: the value of each is what stands at its place."""
    data = view(CHIP)
    by_number = {element["number"]: element for element in data["elements"]}
    assert [child["name"] for child in by_number[3]["children"]] == [
        "transaction type",
        "from account",
        "to account",
    ]
    assert [child["value"] for child in by_number[7]["children"]] == ["11", "20", "10", "15", "30"]
    tags = {child["label"]: child for child in by_number[55]["children"]}
    assert tags["9F27"]["meaning"].startswith("ARQC")
    assert data["text"][tags["9F27"]["start"] : tags["9F27"]["end"]] == "80"


def test_parts_exist_for_everything_generate_makes() -> None:
    """In every version, parts lie inside their element and carry what stands there."""
    seen = set()
    for label, _, message in some(generated(), 4):
        data = view(message)
        for element in data["elements"]:
            for child in element["children"]:
                assert element["value_start"] <= child["start"] <= child["end"] <= element["end"], label
                seen.add((message.version, element["number"]))
    assert {("1987", 22), ("1987", 55), ("1987", 90), ("1993", 22), ("2003", 22), ("2003", 4)} <= seen


@pytest.mark.parametrize("version", VERSIONS)
def test_every_format_can_be_said(version: str) -> None:
    """No element of a version has a format without words."""
    assert all(say_format(element) for element in spec(version).elements)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_sample_fits_its_element(version: str) -> None:
    """What a click on the bitmap adds can be built, whatever the element."""
    bare = Message({"1987": "0100", "1993": "1100", "2003": "2100"}[version], {}, version)
    for number in range(2, 129):
        added = build(set_value(bare, number, sample(version, number)))
        assert str(number) in str([e["number"] for e in view(added, version)["elements"]])


def test_a_message_and_a_table_are_accepted_without_pandas() -> None:
    """A Message brings its version; anything with an `.iso.message` counts as a message table."""

    class Facts:
        message, version = "11" + ECHO[2:], "1987"

    class Table:
        iso = Facts()

    assert view(Message("0100", {11: "123456"}, "1993"))["version"] == "1993"
    assert view(Table())["version"] == "1987"
    with pytest.raises(TypeError, match="not int"):
        view(7)
    with pytest.raises(BuildError):
        view(Message("0100", {11: "1"}))


def test_the_model_needs_neither_pandas_nor_widgets() -> None:
    """Where only the core can be had, the plain and the HTML view still work."""
    code = (
        "import sys; from sim.widgets import anatomy_html, anatomy_text; import sim.widgets.model;"
        "print(*{'pandas', 'ipywidgets', 'anywidget'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == ""


def test_what_is_wrong_with_an_element_stands_in_its_row() -> None:
    """On the page as in the panel, with its sign."""
    wrong = anatomy_html(GOOD.replace("164111111111111111", "164111111111111112", 1))
    assert wrong.count("✖ DE 2: the check digit is wrong") == 1


def test_html_is_the_same_every_time_and_hostile_text_stays_text() -> None:
    """No ids, no dates; hover rules by number; markup in a value is escaped."""
    first = anatomy_html(GOOD)
    assert first == anatomy_html(GOOD)
    assert ':has([data-n="4"]:hover) [data-n="4"]' in first
    assert " id=" not in first
    hostile = build(Message("0100", {43: "<script>alert(1)</script>".ljust(40)}))
    assert "<script" not in anatomy_html(hostile)
    assert "&lt;script&gt;" in anatomy_html(hostile)


def test_the_plain_text_has_ruler_marks_and_meanings() -> None:
    """Offsets above, the text, element numbers below, `'` under a length prefix."""
    lines = anatomy_text("0100" + "4020000000000000" + "16" + PAN + "123456").splitlines()
    assert lines[0].startswith("0100 authorization request, ISO 8583:1987, VISA, 44 characters")
    assert lines[2].split() == ["0", "10", "20", "30", "40"]
    assert lines[3] == "    0  01004020000000000000" + "16411111******1111" + "123456"
    assert lines[4].split() == ["MTI", "bitmap", "''2", "11"]
    assert "^" in anatomy_text(GOOD[:80])

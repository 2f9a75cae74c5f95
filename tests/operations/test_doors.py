"""What was read is the same at every door: tables, findings, shell, assistant, many messages."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from support import AT

import sim
from sim import mcp
from sim.codec import Message, build
from sim.codec import parse as parse_text
from sim.codec.wire import encode
from sim.errors import WireError
from sim.operations import explain, generate, read
from tests.called import Run
from tests.guess_score import MADE, rows
from tests.guess_score import paste as pasted

# A switch that keeps date and time in element 12, under an MTI of 1987.
NAMED = {
    **{"0": "0200", "2": "4111111111111111", "3": "000000", "4": "000000001000", "11": "000123"},
    **{"12": "260903123045", "41": "12345678", "42": "000000000012345", "49": "840"},
}
PASTE = json.dumps(NAMED, indent=1)
MISFIT = "DE 12 at line 7, column 9: expected n 6, found 12 characters, as 1993 has it (n 12)"
RAW = generate("auth", network="VISA", at=AT).raw
LINE = f"2026-11-20 10:15:30 INFO recv {RAW}"
# Each is one way to paste the same message.
ALIKE = [
    *(f" {RAW}", f"\t{RAW}", f"{RAW}\r\n", f'"{RAW}"', f"'{RAW}'", f"0616{RAW}", LINE, f"started\n{LINE}\n"),
    RAW.encode().hex(" "),
]


def values(table: Any) -> dict[str, str]:
    """The elements of a message table, by number."""
    return {
        str(number): value
        for number, value in zip(table["number"], table["value"], strict=True)
        if number > 1
    }


def test_elements_that_fit_no_text_form_are_the_same_in_tables() -> None:
    """Every value as it came, the misfit at its place, nothing said of the value that misfits."""
    wanted = {key: value for key, value in NAMED.items() if key != "0"}
    for table in (sim.parse(PASTE), sim.explain(PASTE)):
        assert values(table) == wanted
        row = table.set_index("number").loc[12]
        assert (row["finding"], row["meaning"]) == (MISFIT, "")
        assert (table["finding"] != "").sum() == 1
        assert table["start"].isna().all()
        assert table.iso.mti == "0200"
        with pytest.raises(sim.BuildError, match="DE 12"):
            table.iso.message  # noqa: B018
    assert sim.parse(sim.parse(PASTE))["value"].tolist() == sim.parse(PASTE)["value"].tolist()
    summary = sim.explain(PASTE).iso.summary
    assert "USD 10.00" in summary or "10.00 USD" in summary
    assert summary.endswith("Omitted, because it does not fit: DE 12: expected n 6, found 12 characters.")
    assert explain(read(PASTE)).summary.endswith(f"Omitted, because it does not fit: {MISFIT}.")


def test_elements_that_fit_no_text_form_are_the_same_in_findings_and_guesses() -> None:
    """Validate finds the misfit and nothing invented; the guess and the reading of many have the values."""
    report = sim.validate(PASTE)
    assert report["message"].tolist() == [MISFIT]
    assert not report.iso.valid
    guessed = sim.guess(PASTE)
    assert guessed.loc[0, ["mti", "elements", "confidence"]].tolist() == ["0200", 8, "likely"]
    assert "DE 12: expected n 6" in guessed.loc[0, "reasons"]


def test_elements_that_fit_no_text_form_in_the_shell() -> None:
    """The shell shows what the tables show."""
    done = Run("parse", PASTE, "--json")
    record = done.records[0]
    assert done.status == 1
    assert record["finding"]["message"] == MISFIT
    shown = {one["number"]: one["value"] for one in record["elements"]}
    assert (shown[12], shown[41], shown[49]) == (NAMED["12"], NAMED["41"], NAMED["49"])
    assert shown[1] == "7030000000C08000"
    done = Run("explain", PASTE, "--json")
    record = done.records[0]
    assert MISFIT in record["summary"]
    done = Run("validate", PASTE, "--json")
    record = done.records[0]
    assert (done.status, [one["message"] for one in record["findings"]]) == (1, [MISFIT])
    done = Run("guess", PASTE, "--json")
    record = done.records[0]
    assert (record["mti"], record["confidence"]) == ("0200", "likely")


def test_elements_that_fit_no_text_form_for_an_assistant() -> None:
    """Its tools say what the shell says."""
    record = mcp.tools["parse"](message=PASTE)
    assert record["findings"][0]["message"] == MISFIT
    assert {one["number"]: one["value"] for one in record["elements"]}[12] == NAMED["12"]
    assert MISFIT in mcp.tools["explain"](message=PASTE)["summary"]
    assert [one["message"] for one in mcp.tools["validate"](message=PASTE)["findings"]] == [MISFIT]


@pytest.mark.parametrize("paste", ALIKE)
def test_pastes_that_are_alike_are_read_alike(paste: str) -> None:
    """What copying puts around a message changes nothing of what is read."""
    message = read(paste).message
    assert message == parse_text(RAW)
    assert sim.parse(paste).iso.message == RAW
    assert sim.validate(paste)["rule"].tolist() == sim.validate(RAW)["rule"].tolist()
    assert sim.explain(paste).iso.summary == sim.explain(RAW).iso.summary
    done = Run("parse", paste, "--json")
    record = done.records[0]
    assert (done.status, [one["number"] for one in record["elements"]]) == (0, [0, 1, *message.fields])


def test_lines_of_a_log_are_read_as_the_log_is() -> None:
    """A list of lines has the messages that a file with these lines has; one message an item stays so."""
    lines = ["2026-11-20 10:15:29 INFO started", *[LINE] * 3, "2026-11-20 10:15:31 INFO done"]
    table = sim.read(lines)
    assert table["mti"].tolist() == ["0100"] * 3
    assert table["line"].tolist() == [2, 3, 4]
    assert sim.read([RAW, RAW[:-1]])["mti"].tolist() == ["0100", "0100"]
    assert (
        sim.read([json.dumps({"0": "0800", "11": "000001", "70": "301"})] * 2)["mti"].tolist() == ["0800"] * 2
    )


def test_a_named_format_is_obeyed() -> None:
    """It reads strictly first; what it cannot read is its own error, at its byte."""
    message = Message("0800", {3: "990000", 11: "123456", 41: "TERM0001"})
    for form in ("bcd", "ebcdic", "ascii-binary"):
        data = encode(message, form)
        assert read(data, format=form).message == message
        assert sim.parse(data, format=form).iso.message == build(message)
        cut = read(data[:-3], format=form)
        assert isinstance(cut.error, WireError)
        assert (cut.error.field, cut.confidence, cut.text) == (41, "unsure", None)
        assert cut.message is not None
        assert cut.message.fields == {3: "990000", 11: "123456"}
        assert "DE 41 at byte" in sim.validate(data[:-3], format=form)["message"].iloc[0]
    nothing = read("no digits", format="bcd")
    assert isinstance(nothing.error, WireError)
    assert (nothing.message, nothing.confidence) == (None, "none")


def test_a_text_is_parsed_once() -> None:
    """Whoever needs the message has it from the reading; text is built of it, and not parsed again."""
    asked: list[str] = []

    def seen(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code is parse_text.__code__:
            asked.append(frame.f_locals["raw"])

    for verb in (sim.parse, sim.explain, sim.validate):
        del asked[:]
        sys.setprofile(seen)
        try:
            verb(RAW)
        finally:
            sys.setprofile(None)
        assert asked == [RAW]


@pytest.mark.parametrize(
    ("named", "misfit"),
    [
        ({"0": "1200", "11": "123456", "12": "260903"}, "n 12, found 6 characters, as 1987 has it (n 6)"),
        ({"0": "1210", "11": "123456", "39": "00"}, "n 3, found 2 characters, as 1987 has it (an 2)"),
        (
            {"0": "0200", "11": "123456", "41": "TERMINAL01234567"},
            "ans 8, found 16 characters, as 2003 has it",
        ),
    ],
)
def test_a_named_value_is_never_changed_silently(named: dict[str, str], misfit: str) -> None:
    """What is as long as another version or format has it is kept and told; only what lost zeros or blanks
    is filled up, and that is told, too."""
    found = read(json.dumps(named))
    assert found.message is not None
    assert {str(number): value for number, value in found.message.fields.items()} == {
        key: value for key, value in named.items() if key != "0"
    }
    assert [misfit in str(one) for one in found.misfits] == [True]
    assert (found.text, found.confidence) == (None, "likely")
    filled = read(json.dumps({"0": "0200", "3": "0", "11": "7", "41": "TILL"}))
    assert filled.text is not None
    assert any("DE 11 was printed without its leading zeros" in one for one in filled.reasons)
    assert any("blanks that printing dropped are put back: DE 41" in one for one in filled.reasons)


def test_findings_stand_in_the_units_of_what_was_given() -> None:
    """Byte and row of a dump, line and column of a log, byte of bytes, offset of the text form."""
    bad = parse_text(RAW).replace(de7="1399101530")
    data, text = encode(bad, "bcd"), build(bad)
    at = data.index(bytes.fromhex("1399101530"))
    row = 16 * (at // 16)
    dump = "\n".join(f"{start:04x}  {data[start : start + 16].hex(' ')}" for start in range(0, len(data), 16))
    log = f"started\nhost-7 recv {text}\n"
    column = log.splitlines()[1].index("1399101530") + 1
    for paste, place in (
        (dump, f"byte {at} (row {row:04x})"),
        (log, f"line 2, column {column}"),
        (data, f"byte {at}"),
        (text, f"offset {text.index('1399101530')}"),
    ):
        report = sim.validate(paste)
        assert f"DE 7 at {place}: expected MMDDhhmmss" in report["message"].tolist()[0]
    assert log[int(sim.validate(log)["start"].iloc[0]) :].startswith("13")
    cut = sim.parse(dump[: dump.rindex("\n")])
    assert f"(row {16 * (len(data) // 16 - 1):04x})" in cut["finding"].iloc[-1]


def test_many_messages_that_fit_no_text_form() -> None:
    """The columns have the values as they came, and the verdict finds the misfit."""
    table = sim.read([json.dumps(NAMED)] * 2, validate=True)
    for number, value in NAMED.items():
        if number != "0":
            assert [cell[:] for cell in table[f"DE{number}"]] == [value, value]
    assert table["valid"].tolist() == [False, False]


@pytest.mark.parametrize("row", rows(MADE))
def test_what_is_read_no_further_says_why(row: dict[str, Any]) -> None:
    """Whatever format is named for it: it is read to its end, or a misfit is told, in its table, too."""
    found = read(pasted(row), format="bcd")
    assert found.complete or found.error is not None
    table = sim.parse(pasted(row), format="bcd")
    assert (table["finding"] != "").any() == bool(found.misfits)
    assert sim.parse(table)["value"].tolist() == table["value"].tolist()

"""Text of messages, responses, suites and arguments on its way to a terminal, a file or a program: control
characters are escaped, card numbers masked."""

from __future__ import annotations

import ast
import os
import pty
import re
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest
from called import Run

import sim
from sim.codec import Message, build
from sim.link.rules import Rule
from sim.tables.render import without_formulas

PAN = "4539578763621486"
EVIL = "\x1b]0;pwned\x07\x1b[2J\x9b31m\u202eevil\u2067\u200e"
RAW = build(
    Message(
        "0100",
        {
            2: "4111111111111111",
            3: "000000",
            4: "000000001000",
            7: "1120093000",
            11: "123456",
            43: EVIL.ljust(40, "X"),
        },
        "1987",
    )
)
# C0 but line ends, DEL, C1, what turns the direction of writing.
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
SUITE = f"""
title = {EVIL!r}
[[cases]]
name = "one\\u0000\\u001b]0;x\\u0007 {PAN}"
about = "\\u0000\\u202e {PAN}"
[[cases.steps]]
type = "echo"
expect.39 = "\\u001b[2J"
""".replace(repr(EVIL), '"\\u001b]0;pwned\\u0007\\u0000\\u009b\\u202e"')

VERBS = {
    "parse": ["parse", RAW],
    "parse --json": ["parse", "--json", RAW],
    "explain": ["explain", RAW],
    "explain --json": ["explain", "--json", RAW],
    "validate": ["validate", RAW],
    "validate --fix --json": ["validate", "--fix", "--json", RAW],
    "guess": ["guess", RAW],
    "guess --json": ["guess", "--json", RAW],
    "diff": ["diff", RAW, RAW.replace("evil", "good")],
    "diff --json": ["diff", "--json", RAW, RAW.replace("evil", "good")],
    "mask --json": ["mask", "--json", RAW],
    "respond --json": ["respond", "--json", RAW],
    "reverse --json": ["reverse", "--json", RAW],
    "convert --json": ["convert", "--to", "1993", "--json", RAW],
    "convert --notes": ["convert", "--to", "1993", "--json", "--notes", RAW],
    "break": ["break", RAW],
    "break --json": ["break", "-x", "month-13", "--json", RAW],
    "build": ["build", "0800", f"11={EVIL}"],
    "generate": ["generate", EVIL],
    "generate --json": ["generate", "--merchant", EVIL, "--json"],
    "search": ["search", EVIL],
    "fields": ["fields", "--version", EVIL],
    "fields, an argument too many": ["fields", EVIL],
    "codes": ["codes", EVIL],
    "rules": ["rules", EVIL],
    "formats": ["formats", f"--{EVIL}"],
    "an unknown verb": [EVIL],
    "send": ["send", EVIL, RAW],
    "suite": ["suite", EVIL.replace("\x07", "")],
    "load": ["load", EVIL],
    "host": ["host", "--format", EVIL],
    "--version": ["parse", "--version", EVIL, RAW],
}
# What these print is for the next program: a pipe gets it to the character.
WHOLE = {
    "mask": ["mask", RAW],
    "reverse": ["reverse", RAW],
    "convert": ["convert", "--to", "1987", RAW],
    "break": ["break", "-x", "month-13", RAW],
}


@pytest.mark.parametrize("argv", VERBS.values(), ids=VERBS)
def test_a_verb_prints_no_control_character(argv: list[str]) -> None:
    """Whatever a message or an argument contains, neither stream has control characters."""
    run = Run(*argv)
    assert not CONTROL.search(run.out + run.err)


@pytest.mark.parametrize("argv", WHOLE.values(), ids=WHOLE)
def test_a_message_for_the_next_program_is_shown_on_a_terminal_as_what_it_is(argv: list[str]) -> None:
    """A pipe gets the message unchanged; a terminal gets escapes."""
    assert EVIL in Run(*argv).out
    seen = _on_a_terminal(argv)
    assert "\\x1b]0;pwned\\x07" in seen
    # The colours are the command's own.
    assert not CONTROL.search(re.sub("\x1b\\[[0-9;]*m|\r\n", "", seen))


def _on_a_terminal(argv: list[str]) -> str:
    """What the command writes to its own terminal."""
    child, end = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-m", "sim.cli", *argv])  # noqa: S606
    seen = b""
    while True:
        try:
            piece = os.read(end, 65536)
        except OSError:  # what Linux says at the end
            break
        if not piece:
            break
        seen += piece
    os.close(end)
    os.waitpid(child, 0)
    return seen.decode("utf-8")


def test_tables_as_text_hold_no_control_character() -> None:
    """`repr` and `to_string` of tables, columns and rows contain no control characters."""
    table, many = sim.parse(RAW), sim.read([RAW])
    for text in (
        repr(table),
        table.to_string(),
        repr(table["value"]),
        table["value"].to_string(),
        repr(table.iloc[7]),
        repr(table.set_index("value")),
        table.set_index("value").to_string(),
        repr(many),
        many.to_string(),
        repr(many["DE43"]),
        sim.validate(RAW).to_string(),
        sim.diff(RAW, RAW.replace("evil", "good")).to_string(),
    ):
        assert not CONTROL.search(text)


def test_the_results_of_a_suite_are_files_that_others_read(tmp_path: Path) -> None:
    """JUnit output is XML, the report has no control characters, an exported module compiles, and none of
    them contains the card number in a case's name."""
    suite = tmp_path / "evil.toml"
    suite.write_text(SUITE, encoding="utf-8")
    junit, report, module = tmp_path / "j.xml", tmp_path / "r.html", tmp_path / "test_evil.py"
    run = Run("suite", str(suite), "--junit", str(junit), "--report", str(report))
    assert run.status == 1
    assert not CONTROL.search(run.out + run.err)
    assert ElementTree.parse(junit).getroot()[0].get("failures") == "1"  # noqa: S314, our own
    assert not CONTROL.search(report.read_text(encoding="utf-8"))
    sim.export_suite(suite, module)
    tree = ast.parse(module.read_text(encoding="utf-8"))
    assert not CONTROL.search(module.read_text(encoding="utf-8"))
    named = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert PAN not in named[0].name + str(ast.get_docstring(named[0]))
    for text in (run.out, junit.read_text(encoding="utf-8"), report.read_text(encoding="utf-8")):
        assert PAN not in text


MISPLACED: dict[str, Callable[[], object]] = {
    "an option of generate": lambda: sim.generate(**{PAN: 1}),  # type: ignore[arg-type]
    "an option of load": lambda: sim.load("127.0.0.1:1", **{PAN: 1}),
    "what a format extends": lambda: sim.load_format({"extends": PAN}),
    "the name of a format": lambda: sim.load_format({"extends": "bcd"}, name=PAN),
    "the host of a client": lambda: sim.client(f"{PAN}:80"),
    "the address of a host": lambda: sim.host(address=PAN),
    "a network": lambda: sim.generate(network=PAN),  # type: ignore[arg-type]
    "a code list": lambda: sim.codes(PAN),
}


@pytest.mark.parametrize("call", MISPLACED.values(), ids=MISPLACED)
def test_a_card_number_in_a_wrong_place_is_not_quoted_back(call: Callable[[], object]) -> None:
    """An error describes the value without quoting it."""
    with pytest.raises(sim.IsoError) as wrong:
        call()
    assert PAN not in str(wrong.value) + repr(wrong.value)


def test_a_card_number_in_a_name_is_not_shown() -> None:
    """A card number in the name of a rule or a format is masked."""
    assert PAN not in repr(Rule(name=f"for {PAN}"))
    sim.load_format({"extends": "bcd", "title": f"for {PAN}", "source": PAN, "note": PAN}, name="titled")
    for text in (repr(sim.formats()), sim.formats().to_string(), Run("formats", "--json").out):
        assert PAN not in text
    assert PAN not in Run("formats", PAN).err
    assert PAN not in Run(PAN).err
    assert PAN not in Run("parse", f"--{PAN}").err


def test_an_exported_table_holds_no_formula(tmp_path: Path) -> None:
    """`to_csv` and --out put an apostrophe before a cell that a spreadsheet would compute; it is read back
    unchanged."""
    raw = build(Message("0100", {3: "000000", 11: "123456", 43: '=HYPERLINK("x")'.ljust(40)}, "1987"))
    log, out = tmp_path / "x.log", tmp_path / "x.csv"
    log.write_text(raw + "\n", encoding="utf-8")
    assert Run("read", str(log), "--out", str(out)).status == 0
    sim.read(log).to_csv(tmp_path / "y.csv", index=False)
    for path in (out, tmp_path / "y.csv"):
        assert pd.read_csv(path, dtype=str)["DE43"][0].startswith("'=HYPERLINK")
        assert sim.read(path)["DE43"][0] == '=HYPERLINK("x")'.ljust(40)
    assert "'=HYPERLINK" in sim.parse(raw).to_csv()


def test_a_cell_that_is_no_unicode_is_exported_beside_a_formula() -> None:
    """Half of a surrogate pair, which pandas' own texts cannot hold."""
    table = pd.DataFrame({"at": [0, 1]})
    table["value"] = pd.Series(["\ud800", "=1+1"], dtype=object)
    assert without_formulas(table)["value"].tolist() == ["\ud800", "'=1+1"]

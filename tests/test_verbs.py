"""The table of verbs: each public function is a command, a tool and a word of the magic, or has a reason
why not."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from called import Run

import sim
from server import records
from sim import magic
from sim.cli.group import CALLED, NO_COMMANDS, commands, main
from sim.mcp import NO_TOOLS, tools
from sim.verbs import MESSAGES, OF_A_MODEL, elsewhere, names, verb

ROOT = Path(__file__).parents[1]


def test_a_verb_is_everywhere() -> None:
    """Every public function is a command and a tool, or is listed with the reason why not."""
    as_commands = {CALLED.get(name, name.replace("-", "_")) for name in commands()}
    assert {*names()} - as_commands == {*NO_COMMANDS}
    as_tools = {"build" if name == "build_message" else name for name in tools}
    assert {*names()} - as_tools == {*NO_TOOLS}
    assert all([*NO_COMMANDS.values(), *NO_TOOLS.values()])


@pytest.mark.parametrize("name", names())
def test_the_table_says_what_the_function_does(name: str) -> None:
    """The signature read from the source is the one that Python sees, and each option has a description."""
    seen = inspect.signature(getattr(sim, name)).parameters
    options = {one.name: one for one in verb(name).options}
    plain = {key for key, one in seen.items() if one.kind is not one.VAR_KEYWORD}
    assert plain <= {*options}
    for key in plain:
        told = options[key]
        assert (told.default, told.required) == (
            (told.default, True)
            if seen[key].default is inspect.Parameter.empty
            else (seen[key].default, False)
        )
        assert told.about, key
    assert verb(name).summary.endswith(".")


@pytest.mark.parametrize("name", [name for name in commands() if name not in ("serve", "lab", "mcp")])
def test_help_is_said_as_in_a_shell(name: str) -> None:
    """The help of a command contains no Python terms, and describes every option."""
    said = " ".join(Run(name, "--help").out.split())
    assert not re.search(r"\bNone\b|`sim\.|tzinfo|datetime|\*\w+\*|DataFrame|SSLContext|Raises", said), said
    for found in re.finditer(r"(--[a-z-]+) (?:[A-Z]+ )?(?=-)", said):
        raise AssertionError(f"{found[1]} has no words")


def test_options_of_a_message_are_those_of_its_verb() -> None:
    """The command and the tool have the function's options, with the same names."""
    for name in ("parse", "explain", "validate", "mask", "respond", "reverse", "repair", "generate"):
        wanted = {one.name for one in verb(name).options if one.name not in (*MESSAGES, "message_type")}
        said = Run(name, "--help").out
        assert all(f"--{one.replace('_', '-')}" in said for one in wanted), name
        taken = {*inspect.signature(tools[name]).parameters} | {"llm", *OF_A_MODEL}
        assert wanted <= taken, name
        assert name not in magic._VERBS or wanted <= {*magic._OPTIONS}, name


# What takes a network and no interface, and why.
NO_INTERFACE = {"cases": "each case is a text, judged as a network's message; break_message breaks any other"}


def test_what_takes_a_network_takes_an_interface() -> None:
    """Everything that accepts a network accepts an interface: in Python, in a shell, for an assistant,
    over HTTP."""
    options = {name: {one.name for one in verb(name).options} for name in names()}
    told = {name for name, some in options.items() if "network" in some} - {*NO_INTERFACE}
    assert told <= {name for name, some in options.items() if "interface" in some}
    for name in told - {*NO_COMMANDS}:
        command = next((word for word, one in CALLED.items() if one == name), name)
        assert "--interface" in Run(command, "--help").out, name
    for name in told & {*tools}:
        assert "interface" in inspect.signature(tools[name]).parameters, name
    contract = ("GenerateRequest", "ExplainRequest", "ValidateRequest")
    asked = [one for one in vars(records).values() if "network" in getattr(one, "model_fields", ())]
    for record in asked:
        named = record.__name__
        assert named in contract or not named.endswith("Request") or "interface" in record.model_fields, named


@pytest.mark.parametrize("record", [records.GenerateRequest, records.ParseRequest, records.ConvertRequest])
def test_the_service_says_what_the_verb_says(record: Any) -> None:
    """A field of a request has the default of its verb's option, and its description unless JSON has
    another."""
    about = verb(record.__name__.removesuffix("Request").lower())
    options = {one.name: one for one in about.options if one.name in record.model_fields}
    fields = {name: record.model_fields[name] for name in options if name not in MESSAGES}
    assert {name: field.default for name, field in fields.items()} == {
        name: options[name].default for name in fields
    }
    same = [name for name, field in fields.items() if field.description == elsewhere(options[name].about)]
    assert len(same) >= 2


def test_the_shell_needs_neither_docstrings_nor_pandas() -> None:
    """`python -OO` has the same help; a simple verb imports no pandas."""
    code = (
        "import sys; from sim.cli import main\n"
        "try: main(['generate', '--help'])\n"
        "except SystemExit: print('pandas' in sys.modules)"
    )
    texts = [
        subprocess.run(
            [sys.executable, *flags, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
        ).stdout
        for flags in ([], ["-OO"])
    ]
    assert texts[0] == texts[1]
    assert texts[0].endswith("False\n")
    assert "The amount in the smallest unit" in texts[0]


@pytest.mark.parametrize(
    ("closed", "argv", "status"),
    [("stdin", [], 2), ("stdout", ["08002020000000000000990000123456"], 0), ("stdin", ["-"], 2)],
)
def test_a_closed_stream_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, closed: str, argv: list[str], status: int
) -> None:
    """If the caller has closed standard input or output, a message says so, without a traceback."""
    monkeypatch.setattr(sys, closed, None)
    with pytest.raises(SystemExit) as ended:
        main(["parse", *argv])
    assert ended.value.code == status


def test_a_format_of_a_file_is_taken_by_every_verb(tmp_path: Path) -> None:
    """--format and --to accept a file, of ours or of another toolkit."""
    own = tmp_path / "my host.toml"
    own.write_text('extends = "bcd"\ntitle = "Mine"\n[elements.41]\nformat = "ans 16"\n', encoding="utf-8")
    jpos = tmp_path / "bcd.xml"
    jpos.write_text(str(sim.export_format("bcd", "jpos")), encoding="utf-8")
    for path in map(str, (own, jpos)):
        packed = Run("generate", "auth", "--to", path).out.strip()
        for verb_name in ("parse", "explain", "validate", "guess", "respond", "reverse", "break"):
            run = Run(verb_name, "--format", path, packed)
            assert run.status == 0, (verb_name, path, run.err)
        text = Run("convert", "--to", "text", "--format", path, packed).out
        assert text.startswith("0100")
        assert Run("build", "0800", "3=990000", "11=123456", "--to", path).status == 0
        assert "isopackager" in Run("export-format", path, "--to", "jpos").out
    assert Run("parse", "--format", str(tmp_path / "none.xml"), "00").status == 2
    left = Run("export-format", str(own), "--to", "moov").err
    assert left.startswith("left out of the moov specification: DE 28, ")

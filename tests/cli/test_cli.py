"""The command `iso8583`: each verb as a command, with exit status, pipes and JSON, and no card data."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pandas as pd
import pytest
from called import Run

import sim
from sim.cli.group import iso8583
from sim.cli.options import _rejoin
from sim.cli.shown import prose, table
from sim.codec import parse
from sim.codec.wire import encode
from sim.operations import generate, parse_any

PAN = "4111111111111111"
REQUEST = generate("financial", network="VISA", stan="000007").raw
HEX = "0100 4000 0000 0000 0000 1241 1111 1111 1111 11".replace(" ", "")


def test_a_pipe_of_generated_messages_is_valid() -> None:
    """generate | validate gives as many verdicts as messages, with consecutive STANs."""
    made = Run("generate", "financial", "--network", "visa", "--count", "3", "--stan", "999998")
    assert [parse(line).get(11) for line in made.out.splitlines()] == ["999998", "999999", "000001"]
    assert parse(Run("generate", "echo", "--stan", "42").out.strip()).get(11) == "000042"
    assert [len(one["message"]) for one in Run("mask", "--json", given=made.out).records] == [
        len(line) for line in made.out.splitlines()
    ]
    judged = Run("validate", "--json", given=made.out)
    assert [one["valid"] for one in judged.records] == [True, True, True]
    assert judged.status == 0


def test_generate_makes_what_a_format_has() -> None:
    """--format generates its elements in text form, --to also in its bytes; elements that it does not have
    are reported."""
    assert "TERM0001        " in Run("generate", "auth", "--format", "base24").out
    made = Run("generate", "auth", "--to", "visa-base1")
    assert made.err.startswith("DE 60 is left out: visa-base1 has")
    assert parse_any(made.out, format="visa-base1").message[11] == "123456"
    assert Run("generate", "auth", "--to", "amex", "--json").records[0]["mti"] == "1100"


def test_options_of_generate_are_those_of_the_face() -> None:
    """Each parameter of `sim.generate` is an option; its help is the docstring's text, worded for a shell."""
    told = Run("generate", "--help").out
    assert "--amount-minor-units, --amount INTEGER" in told
    assert "the first line says what it was" in " ".join(Run("parse", "--help").out.split())
    assert "The amount in the smallest unit of --currency" in (words := " ".join(told.split()))
    assert "DISCOVER, JCB or UNIONPAY, in any letter case" in words
    assert "Default: the card's, or VISA without --pan." in words
    assert "--instalments INTEGER Number of installments, 2 to 99." in words
    assert not re.search(r"None|sim\.|tzinfo|\*", words)
    assert "found '12.50'" in Run("generate", "--amount", "12.50").err
    made = Run("generate", "refund", "--currency", "eur", "--amount", "2500", "--json").records[0]
    assert parse(str(made["message"])).get(4) == "000000002500"
    assert parse(str(made["message"])).get(49) == "978"


def test_what_a_payment_carries_is_an_option() -> None:
    """generate --pin sends a PIN block (DE 52); without it there is none."""
    pin, plain = Run("generate", "--network", "visa", "--pin"), Run("generate", "--network", "visa")
    assert parse(pin.out.strip("\n")).get(52)
    assert parse(plain.out.strip("\n")).get(52) == ""


def test_a_message_is_shown_without_its_card() -> None:
    """parse, explain, validate, guess, diff and mask show no card number on either stream, for text and
    bytes."""
    bcd = encode(parse(REQUEST), "bcd").hex()
    for verb in ("parse", "explain", "validate", "guess", "mask"):
        for one in (REQUEST, bcd, REQUEST[:60], f"2026-11-20 INFO {REQUEST}"):
            for extra in ((), ("--json",)) if verb != "mask" else ((),):
                run = Run(verb, *extra, one)
                assert PAN not in run.out + run.err, (verb, one)
                assert "Traceback" not in run.err
    other = REQUEST.replace(PAN, "4012888888881881")
    run = Run("diff", REQUEST, other)
    assert (run.status, "401288******1881" in run.out) == (1, True)
    assert PAN not in run.out + run.err


def test_mask_says_that_there_is_no_card_data() -> None:
    """Bytes without card data are printed unchanged, and standard error says so."""
    dump = "0000  08 00 20 20 00 00 00 00  00 00 99 00 00 12 34 56   ..  ..........4V"
    run = Run("mask", dump)
    assert (run.out.rstrip("\n"), "no card data" in run.err) == (dump, True)
    assert Run("mask", REQUEST).err == ""


def test_parse_gives_the_elements_for_a_program() -> None:
    """--json has the values of the message table, at the same positions."""
    record = Run("parse", "--json", REQUEST).records[0]
    table = sim.parse(REQUEST)
    elements = record["elements"]
    assert isinstance(elements, list)
    assert [one["number"] for one in elements] == table["number"].tolist()
    assert [(one["start"], one["end"]) for one in elements] == list(
        zip(table["start"], table["end"], strict=True)
    )
    assert (record["mti"], record["version"], record["network"], record["finding"]) == (
        "0200",
        "1987",
        "VISA",
        None,
    )


def test_messages_come_from_arguments_files_and_pipes_alike(tmp_path: Path) -> None:
    """Commands about one message, two or many take --file, standard input without anything, and - for it."""
    day = tmp_path / "day.log"
    day.write_text(f"{REQUEST}\n{REQUEST}\n", encoding="utf-8")
    for verb in ("read", "match", "validate", "diff"):
        by_file = Run(verb, "--file", str(day))
        assert by_file.out, verb
        for args in ((), ("-",)):
            piped = Run(verb, *args, given=day.read_text(encoding="utf-8"))
            assert (piped.out, piped.status) == (by_file.out, by_file.status), verb
    assert Run("read", str(day)).out == Run("read", "-f", str(day)).out
    assert "use only one" in Run("read", str(day), "-f", str(day)).err
    one = tmp_path / "one.txt"
    one.write_text(REQUEST, encoding="utf-8")
    assert Run("diff", "--file", str(one), REQUEST).status == 0
    assert "two messages, not 1" in Run("diff", "--file", str(one)).err


def test_the_exit_status_tells() -> None:
    """0 is success, 1 a problem with the message, 2 wrong usage."""
    broken = REQUEST.replace("164111111111111111", "164111111111111112", 1)
    assert Run("validate", REQUEST).status == 0
    assert Run("validate", broken).status == 1
    assert Run("parse", REQUEST[:50]).status == 1
    assert Run("explain", REQUEST[:50]).status == 1
    assert Run("diff", REQUEST, REQUEST).status == 0
    for wrong in (
        ["validate", "--version", "1988", REQUEST],
        ["nosuch"],
        ["convert", REQUEST],
        ["parse", "--nosuch"],
    ):
        run = Run(*wrong)
        assert (run.status, run.out) == (2, "")
        assert run.err
    assert "did you mean" in Run("validate", "--network", "VISSA", REQUEST).err


def test_match_pairs_the_messages_of_a_log(tmp_path: Path) -> None:
    """A file, a pipe and JSON have the same transactions, by the lines that `read` gives their messages,
    without card data; an empty log says so."""
    response = sim.respond(REQUEST).iso.message
    log = tmp_path / "day.log"
    log.write_text(f"{REQUEST}\n{response}\n", encoding="utf-8")
    (record,) = Run("match", "--json", str(log)).records
    assert (record["state"], record["stan"]) == ("answered", "000007")
    assert (record["request"], record["answer"]) == (1, 2)
    (record,) = Run("match", "--json", f"{tmp_path}/*.log").records
    assert record["answer"] == f"{log}:2"
    shown = Run("match", "-", given=log.read_text(encoding="utf-8"))
    assert (shown.status, PAN in shown.out) == (0, False)
    assert shown.out == Run("match", str(log)).out
    assert "answered" in shown.out
    assert Run("match", "-", given="").err == "No transactions.\n"


def test_a_table_without_rows_says_so() -> None:
    """Standard error has a sentence; a pipe and JSON get nothing."""
    for argv, sentence in (
        (("repair", REQUEST), "Nothing to repair.\n"),
        (("fields", "--find", "nosuch"), "No row contains 'nosuch'.\n"),
        (("fields", "--find", "4111-1111-1111-1111"), "No row contains '4111-11**-****-1111'.\n"),
    ):
        run = Run(*argv)
        assert (run.status, run.out, run.err) == (0, "", sentence)
        assert Run(*argv, "--json").out == ""


def test_nothing_given_is_said() -> None:
    """An empty pipe gives an error, not a traceback."""
    run = Run("parse", given="\n")
    assert run.status == 2
    assert "no message" in run.err


def test_the_name_of_a_file_is_not_a_message(tmp_path: Path) -> None:
    """A file named in place of a message is not read as one: the error says how to give it."""
    log = tmp_path / "day.log"
    log.write_text(REQUEST, encoding="utf-8")
    for verb in ("validate", "explain", "parse"):
        run = Run(verb, str(log))
        assert (run.status, run.out) == (2, "")
        told = "day.log is a file: give its content, with --file or through a pipe"
        assert told in " ".join(run.err.split())
        assert Run(verb, "--file", str(log)).status == 0
    for name in ("nosuch.log", "./nosuch", "../logs/day"):
        run = Run("mask", name)
        assert (run.status, run.out) == (2, "")
        assert f"{name} is no message, and no such file exists: give its" in " ".join(run.err.split())
    assert Run("parse", f"host.log:{REQUEST}").status == 0, "a name before a message"


def test_bytes_come_through_a_pipe() -> None:
    """Raw bytes, not only their hex digits, are recognized in a pipe."""
    for encoding in ("utf-8-sig", "utf-16"):
        assert Run("validate", given=REQUEST.encode(encoding)).status == 0, encoding
    raw = encode(
        parse(REQUEST), "ascii_binary" if "ascii_binary" in sim.formats()["name"].tolist() else "bcd"
    )
    run = Run("parse", "--json", given=raw)
    assert (run.status, run.records[0]["mti"]) == (0, "0200")


def test_a_dump_of_several_lines_is_one_message() -> None:
    """Only lines that begin like the text form are separate messages."""
    data = encode(parse(REQUEST), "bcd")
    dump = "\n".join(f"{at:08x}  {data[at : at + 16].hex(' ')}" for at in range(0, len(data), 16))
    assert [one["mti"] for one in Run("parse", "--json", given=dump).records] == ["0200"]


def test_what_a_shell_has_split_is_put_together_or_refused() -> None:
    """Pieces of a hex dump are joined; pieces of text are rejected, because they have lost blanks, which
    are data."""
    assert _rejoin(("0800", "2020", "0000")) == ("0800 2020 0000",)
    run = Run("parse", *REQUEST.split())
    assert run.status == 2
    assert "quote" in run.err


def test_messages_are_built_converted_answered_reversed_and_broken() -> None:
    """Commands that make a message print it in clear, for the next program."""
    assert Run("build", "0800", "3=990000", "11=123456").out.strip() == "08002020000000000000990000123456"
    assert Run("build", "0800", given='{"3": "990000", "11": "123456"}').out.strip().endswith("990000123456")
    lower = Run("build", "0100", "52=00112233aabbccdd", "--to", "bcd")
    assert lower.err.strip() == "DE 52 is written with its hex digits in upper case."
    assert Run("build", "0800", "3").status == 2
    assert Run("build", "0800", "3=9").status == 1
    assert parse(Run("respond", REQUEST, "--code", "51").out.strip()).get(39) == "51"
    assert parse(Run("reverse", REQUEST).out.strip()).mti == "0400"
    made = Run("generate", "--network", "VISA", "--at", "2026-11-20", "--to", "visa-base1").out.strip()
    answered = Run("respond", made, "--to", "visa-base1")
    assert (answered.out[:4], answered.status) == ("0110", 0)
    assert "DE 62 is left out: visa-base1" in answered.err
    newer = Run("convert", "--to", "1993", "--notes", REQUEST)
    assert newer.out.startswith("1200")
    assert "reformatted" in newer.err
    packed = Run("convert", "--to", "bcd", REQUEST).out.strip()
    assert Run("convert", "--to", "text", packed).out.rstrip("\n") == REQUEST
    faults = [str(one["fault"]) for one in Run("break", "--json", REQUEST).records]
    assert faults
    bad = Run("break", "--fault", "cut-in-mti", REQUEST).out.rstrip("\n")
    assert Run("validate", given=bad).status == 1


def test_a_log_becomes_a_table(tmp_path: Path) -> None:
    """read prints CSV or writes Parquet by file name; card data is masked unless requested."""
    log = tmp_path / "log.txt"
    log.write_text("\n".join([REQUEST] * 5 + ["rubbish"]), encoding="utf-8")
    run = Run("read", str(log))
    assert run.status == 0
    assert PAN not in run.out
    assert len(run.out.splitlines()) == 7
    records = Run("read", str(log), "--json").records
    assert [one["mti"] for one in records[:5]] == ["0200"] * 5
    assert PAN not in str(records)
    out = tmp_path / "log.parquet"
    assert Run("read", str(log), "--out", str(out), "--clear").status == 0
    assert len(pd.read_parquet(out)) == 6
    assert Run("read", str(log), "--out", "log.doc").status == 2
    assert Run("read", str(tmp_path / "none.txt")).status == 2


def test_tables_of_reference_are_listed() -> None:
    """fields, codes, rules and formats print their tables; --find selects rows."""
    assert "Systems trace audit number" in Run("fields").out
    assert "bcd" in Run("formats").out
    found = Run("rules", "--find", "luhn", "--json").records
    assert found
    assert all("luhn" in json.dumps(one).casefold() for one in found)
    assert Run("codes", "nosuch").status in (1, 2)


def test_sentences_end_their_lines_between_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal, lines break between words at its width; a pipe gets one line."""
    said = "It would fit if one character had been lost in DE 4 or near it; look there. " * 2
    prose(said.strip(), "    ")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    piped = capsys.readouterr().out.rstrip("\n")
    prose(said.strip(), "    ")
    shown = capsys.readouterr().out.splitlines()
    assert piped == f"    {said.strip()}"
    assert len(shown) > 1
    assert all(line.startswith("    ") and len(line) <= 40 for line in shown)
    assert " ".join(" ".join(shown).split()) == said.strip()


def test_a_wide_column_goes_on_beneath(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal a row wraps over a few lines, between words; names of rules stay whole."""
    rows = [("required-element", "one two " * 40, "7")]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    table(("rule", "checks", "field"), rows)
    shown = capsys.readouterr().out.splitlines()
    assert shown[1] == "required-element  one two one two  7"
    assert shown[3].endswith("…")
    assert len(shown) == 4


def test_search_looks_in_all_tables() -> None:
    """Search accepts words and a kind; the status shows that nothing was found; the error for an unknown
    kind lists the valid ones."""
    found = Run("search", "terminal", "id", "--kind", "element", "--json").records
    assert "DE 41" in {str(one["key"]) for one in found}
    assert "DE 41" in Run("search", "DE 41").out
    assert "ebcdic" in Run("formats").out  # what each has for text
    assert Run("search", "nosuchword").err.startswith("Nothing contains all")
    assert "response_code" in Run("codes").out
    assert "build 0800 3=990000" in Run("build", "3=990000").err
    assert (Run("search", "nosuchword").status, Run("search", "pin", "-k", "elment").status) == (1, 2)


def test_no_language_model_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says how to configure one, without a traceback."""
    for name in [
        name for name in os.environ if name.startswith(("ANTHROPIC", "OPENAI", "GOOGLE", "GEMINI", "OLLAMA"))
    ]:
        monkeypatch.delenv(name)
    run = Run("explain", "--llm", REQUEST)
    assert (run.status, run.out) == (2, "")
    assert run.err.startswith("error: No LLM provider is configured")
    run = Run("generate", "--description", "a purchase", "--provider", "openai")
    assert (run.status, run.out) == (2, "")
    assert run.err.startswith("error: OpenAI is not configured")


def test_a_description_needs_no_language_model() -> None:
    """Rules read the description, and one line reports what they do not understand."""
    run = Run("generate", "--description", "Visa purchase of 25 EUR")
    assert (run.status, run.out[:4]) == (0, "0100")
    run = Run("generate", "--description", "a frobnicated purchase of 5 EUR")
    assert (run.status, run.out) == (1, "")
    assert run.err.startswith("error: Not understood: frobnicated. Leave out")
    assert run.err.count("\n") == 1


def test_help_names_every_verb() -> None:
    """Each verb has a line and its own help, without an exception."""
    told = Run("--help").out
    for name in iso8583.list_commands(None):  # type: ignore[arg-type]  # it needs none
        assert f"\n  {name} " in told
        # These hand their arguments on to another program.
        assert name in ("serve", "lab") or Run(name, "--help").status == 0
    assert Run("--version").out.strip().endswith(sim.__version__)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """click's completion script exists for each shell, and offers the verbs."""
    monkeypatch.setenv("_ISO8583_COMPLETE", f"{shell}_source")
    done = subprocess.run([sys.executable, "-m", "sim.cli"], capture_output=True, text=True)
    assert "iso8583" in done.stdout


def test_a_plain_verb_starts_without_pandas() -> None:
    """parse, validate and generate load no table library, no service, no panels."""
    heavy = "pandas numpy pyarrow sanic pydantic ipywidgets"
    code = f"""
import sys
from sim.cli import main
for argv in (["parse", {REQUEST!r}], ["validate", {REQUEST!r}], ["generate"]):
    try: main(argv)
    except SystemExit: pass
print([name for name in {heavy.split()!r} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_message_is_mended() -> None:
    """validate --fix prints the message, and the proposals on stderr; an unknown original value stays."""
    broken = REQUEST.replace("06123456", "05123456", 1)
    done = Run("validate", "--fix", broken)
    assert (done.status, done.out.rstrip("\n")) == (1, REQUEST)
    assert "Likely: DE 32 length changed (05 → 06). " in done.err
    assert Run("validate", "--fix", "--sure", broken).out.rstrip("\n") == broken
    wrong = REQUEST.replace(PAN, f"{PAN[:-1]}2")
    done = Run("validate", "--fix", wrong)
    assert (done.status, done.out.rstrip("\n")) == (1, wrong)
    assert "Unknown: DE 2 character wrong. " in done.err
    assert PAN[:-1] not in done.err
    assert Run("validate", "--fix", "--json", f'"{REQUEST}"').records[0]["valid"] is True


def test_jupyterlab_asks_nothing_of_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """No extension catalog, no update check; the caller's options come last and so take precedence."""
    pytest.importorskip("jupyterlab")
    called: list[str] = []
    monkeypatch.setattr("os.execv", lambda _, argv: called.extend(argv))
    Run("lab", "--no-browser", "--LabApp.extension_manager=pypi")
    assert called[1:3] == ["-m", "jupyterlab"]
    assert called[-2:] == ["--no-browser", "--LabApp.extension_manager=pypi"]
    assert "--LabApp.extension_manager=readonly" in called
    assert any("NeverCheckForUpdate" in option for option in called)


def test_an_unknown_verb_is_told_with_the_nearest() -> None:
    """A misspelled verb gets a suggestion; a word that resembles none is only reported as unknown."""
    for said, words in (
        ("pars", "No such command 'pars'. Did you mean 'parse'?"),
        ("plot", "sim.plot"),
        ("xyzzy", "'xyzzy'.\n"),
    ):
        called = Run(said)
        assert called.status == 2
        assert words in called.err


def test_ctrl_c_ends_a_command_as_a_shell_expects(monkeypatch: pytest.MonkeyPatch) -> None:
    """128 and the number of the signal, without a traceback."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(click, "echo", interrupted)
    ended = Run("parse", REQUEST)
    assert (ended.status, ended.err.strip()) == (130, "")


def test_what_is_learned_is_written_into_no_folder(tmp_path: Path) -> None:
    """A folder in place of a file is a wrong call, before anything is read."""
    ended = Run("learn", "-", "--out", str(tmp_path), given=REQUEST)
    assert (ended.status, "is a directory" in ended.err) == (2, True)

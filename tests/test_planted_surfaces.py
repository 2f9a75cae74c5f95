"""Card data planted in pastes must not appear on the command line, with an assistant, on connections or in
files."""

from __future__ import annotations

import io
import json
import logging
import socket
import traceback
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from surfaces import PAN, SPELLINGS, TRACK_2, _shown, _state, dump, leaks
from test_planted import everywhere

import sim
from sim import operations
from sim.cli import main
from sim.codec import build
from sim.codec.wire import encode
from sim.mcp import tools
from sim.operations.copying import FORMS
from sim.widgets import LogExplorer, anatomy_html
from sim.widgets.copying import CopyMenu
from sim.widgets.panels.lab import Lab

_PIN = "DEADBEEFCAFE4711"
_MESSAGE = everywhere("1987", "with blanks")
_RAW = build(_MESSAGE)
_GOOD = build(operations.generate("financial", network="VISA", pan=PAN).message)
# The spellings of a paste: whole, broken, no message at all.
PLANTS = {
    "text": _RAW,
    "cut": _RAW[: len(_RAW) // 2],
    "hex": _RAW.encode().hex(),
    "EBCDIC hex in pairs": _RAW.encode("cp037").hex(" "),
    "packed, in a framed dump": dump(b"\x00\x99" + encode(_MESSAGE, "nac")),
    "line of a log": f"2024-01-02 03:04:05,678 INFO sent {_GOOD} pan={PAN}",
    "track 2": TRACK_2,
    "packed track 2": TRACK_2.replace("=", "D") + "F",
    "EBCDIC of a card": SPELLINGS["hex of EBCDIC"],
    "digit by digit": SPELLINGS["digit by digit"],
}
# Those that differ most; each surface is asked about some, all of them together about every one.
BROKEN = ("cut", "line of a log", "track 2", "packed track 2", "EBCDIC of a card")
READ = ("cut", "packed, in a framed dump", "digit by digit", "packed track 2")
TOLD = ("text", "EBCDIC hex in pairs", "packed track 2", "EBCDIC of a card")
Shown = Iterator[tuple[str, str]]


def found_in(shown: Shown) -> list[tuple[str, list[str]]]:
    """The surfaces that show card data or a PIN block, with the data."""
    return [
        (name, held)
        for name, text in shown
        if (held := leaks(text) + [_PIN] * (_PIN in "".join(filter(str.isalnum, text)).upper()))
    ]


def called(*argv: str) -> tuple[str, str]:
    """The output of a command: standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit):
        main(list(argv))
    return out.getvalue(), err.getvalue()


def without_message(text: str) -> str:
    """A JSON result without the requested message."""
    return json.dumps({key: value for key, value in json.loads(text).items() if key != "message"})


def tried(name: str, work: Callable[[], Any]) -> Shown:
    """The displays of a table and the texts of its accessor, or of the error instead."""
    try:
        made = work()
    except (ValueError, TypeError, OSError) as error:
        yield f"{name}: error", "".join(traceback.format_exception_only(error)) + repr(error)
        return
    yield name, _shown(made) + str(made)
    if hasattr(made, "masked"):
        yield f"{name}: exported", made.masked().to_csv() + str(made.attrs)
    told = getattr(made, "iso", None)
    yield f"{name}: notes", f"{told!r}{getattr(told, 'notes', '')}"
    for form in ("to_html", "to_json", "to_python"):
        if name in ("repair", "break", "convert") and hasattr(told, form):
            yield f"{name}: {form}", str(getattr(told, form)())


@pytest.mark.parametrize("plant", BROKEN)
def test_the_command_line_shows_no_card(plant: str, tmp_path: Path) -> None:
    """Neither standard output nor standard error shows card data, except for the message that a verb
    makes."""
    paste = PLANTS[plant]
    log = tmp_path / "log.txt"
    log.write_text(f"{paste}\n{paste}\n", encoding="utf-8")

    def shown() -> Shown:
        for verb in ("parse", "explain", "validate", "guess", "mask"):
            yield verb, "".join(called(verb, paste))
        for verb in ("parse", "validate"):
            yield f"{verb} as JSON", "".join(called(verb, paste, "--json"))
            yield f"{verb} of a format", "".join(called(verb, paste, "--format", "bcd"))
        yield "diff", "".join(called("diff", paste, _GOOD))
        yield "read", "".join(called("read", str(log)))
        yield "read of a name", "".join(called("read", PAN))
        yield "faults", "".join(called("break", paste))
        for argv in (
            ["validate", "--fix"],
            ["break", "-x", "month-13"],
            ["convert", "--to", "1993", "--notes"],
        ):
            yield " ".join(argv), called(*argv, paste)[1]
        yield "proposals", without_message(called("validate", "--fix", "--json", paste)[0])

    assert found_in(shown()) == []


@pytest.mark.parametrize("plant", READ)
def test_an_assistant_is_shown_no_card(plant: str) -> None:
    """Every tool of the MCP server masks card data unless `clear` is requested."""
    paste = PLANTS[plant]

    def shown() -> Shown:
        for name in ("parse", "explain", "validate", "repair", "guess", "mask", "respond", "reverse"):
            yield name, json.dumps(tools[name](message=paste))
        yield "diff", json.dumps(tools["diff"](a=paste, b=_GOOD))
        yield "break", json.dumps(tools["break_message"](message=paste, fault="month-13"))
        yield "convert", json.dumps([tools["convert"](message=paste, to=to) for to in ("1993", "bcd")])
        yield "build", json.dumps(tools["build_message"](mti="0200", fields={"2": PAN, "3": paste}))
        for name in ("pan", "stan", "at", "network", "entry", "merchant"):
            yield f"generate {name}", json.dumps(tools["generate"](**{name: paste}))
        for name, option in (("codes", "name"), ("search", "text"), ("export_format", "format")):
            yield name, json.dumps(tools[name](**{option: paste}))

    assert found_in(shown()) == []


@pytest.mark.parametrize("plant", TOLD)
def test_what_tables_and_records_tell_holds_no_card(plant: str) -> None:
    """Guesses, edits, notes, pairs, dialects' readings, and the reprs of the objects behind them contain
    no card data."""
    paste = PLANTS[plant]

    def shown() -> Shown:
        yield from tried("guess", lambda: sim.guess(paste))
        yield from tried("repair", lambda: sim.repair(paste))
        yield from tried("convert", lambda: sim.convert(paste, "2003"))
        yield from tried("break", lambda: sim.break_message(paste, "month-13"))
        yield from tried("match", lambda: sim.match([paste, _GOOD]))
        yield from tried("read of a format", lambda: sim.read([paste], format="bcd"))
        yield from tried("a guess", lambda: operations.guess(paste))
        yield from tried("a reading", lambda: operations.parse_any(paste))
        yield from tried("a repair", lambda: operations.repair(paste).proposals)
        yield "page", anatomy_html(paste)
        menu = CopyMenu(message=paste)
        yield from ((f"copy as {form}", menu.text(form)) for form in (*FORMS, "html"))

    assert found_in(shown()) == []


@pytest.mark.parametrize("plant", ["hex"])
def test_widgets_save_no_card(plant: str) -> None:
    """The log explorer, its exports and filter results, and the history of a lab save no card data."""
    paste = PLANTS[plant]

    def shown() -> Shown:
        explorer = LogExplorer([paste, _RAW, _GOOD])
        explorer.query = "-DE99"
        yield (
            "explorer",
            "".join(_state(explorer, set())) + repr(explorer) + str(explorer._repr_mimebundle_()),
        )
        yield "exported", explorer.export("csv").decode() + str(explorer.grid._page(0, 3))
        lab = Lab(paste)
        lab.explain.message = _GOOD
        lab.history.compare()
        yield "lab", "".join(_state(lab, set())) + repr(lab.history)

    assert found_in(shown()) == []


def told(work: Callable[[], Any]) -> str:
    """The error that *work* raises."""
    with pytest.raises((ValueError, TypeError, OSError)) as caught:
        work()
    return f"{caught.value}{caught.value!r}{getattr(caught.value, 'found', '')}"


@pytest.mark.parametrize("word", [PAN, TRACK_2, SPELLINGS["hex of EBCDIC"]], ids=["PAN", "track", "EBCDIC"])
def test_no_argument_is_quoted_that_is_a_card(word: str, tmp_path: Path) -> None:
    """An error does not repeat a card number in the wrong argument, file name or file."""
    dialect, suite = tmp_path / "own.toml", tmp_path / "suite.toml"

    def loaded(text: str) -> str:
        dialect.write_text(text, encoding="utf-8")
        return told(lambda: sim.load_format(dialect))

    def run(text: str) -> str:
        suite.write_text(f'[[cases]]\nname = "{word}"\n{text}\n', encoding="utf-8")
        return told(lambda: sim.run_suite(suite))

    def shown() -> Shown:
        for name in ("format", "version", "network"):
            yield name, told(lambda name=name: sim.parse(_GOOD, **{name: word}))  # type: ignore[misc]
        yield "framing", told(lambda: sim.host(framing=word))
        yield "address", told(lambda: sim.client(word))
        yield "export", told(lambda: sim.export_format(word))
        yield "dialect's base", loaded(f'extends = "{word}"')
        yield "dialect's row", loaded(f'extends = "bcd"\n"{word}" = 3')
        yield "dialect's element", loaded(f'extends = "bcd"\n[elements.41]\nformat = "{word}"')
        yield "case", run("steps = []")
        yield "step", run(f'steps = [{{ do = "{word}" }}]')
        yield "row of a step", run(f'steps = [{{ "{word}" = "1" }}]')
        yield "amount", run(f'steps = [{{ do = "send", amount = "{word}x" }}]')

    assert found_in(shown()) == []


@pytest.mark.parametrize("format", ["ascii", "nac"])
def test_the_ends_of_a_line_show_no_card(format: str, caplog: pytest.LogCaptureFixture) -> None:
    """Traffic tables, reprs and logs of a host and its client show no card data, for valid messages and
    other bytes."""
    caplog.set_level(logging.DEBUG)
    wrong = [PAN.encode(), bytes.fromhex(PAN), PAN.encode("cp037"), encode(_MESSAGE, "ascii")[:200]]
    with sim.host(format=format, framing="length-2") as host:
        with sim.client(host, format=format, framing="length-2") as client:
            done = client.send(_GOOD)
            sent = client.traffic
        for data in wrong:
            with socket.create_connection(("127.0.0.1", host.port)) as line:
                line.sendall(len(data).to_bytes(2, "big") + data + data)
                line.shutdown(socket.SHUT_WR)
                while line.recv(4096):
                    pass
        seen = host.traffic
        reprs = repr(host) + repr(list(host.seen)) + repr(done) + repr(done.answer) + repr(client)

    def shown() -> Shown:
        yield from tried("the client's", lambda: sent)
        yield from tried("the host's", lambda: seen)
        yield "reprs", reprs
        yield "log", caplog.text

    assert len(seen) > len(wrong)
    assert found_in(shown()) == []


def test_results_of_suites_and_loads_hold_no_card(tmp_path: Path) -> None:
    """The table, the JUnit file, the page and the command show no card data, even if every expectation
    fails."""
    suite, junit, page = (tmp_path / name for name in ("suite.toml", "junit.xml", "page.html"))
    suite.write_text(
        f"""[[cases]]
name = "buy {PAN}"
about = "with {SPELLINGS["with blanks"]}"
steps = [
  {{ do = "send", set = {{ 2 = "{PAN}", 35 = "{TRACK_2}" }}, expect = {{ 2 = "{PAN}", 41 = "{PAN}" }} }},
  {{ do = "send", raw = "{_RAW}", note = "{TRACK_2}", expect = {{ 39 = "05", 60 = "{PAN}" }} }},
  {{ do = "send", raw = "{_RAW[:90]}" }},
  {{ do = "repeat", expect = {{ 63 = "{TRACK_2}" }} }},
]
""",
        encoding="utf-8",
    )

    def shown() -> Shown:
        yield from tried("suite", lambda: sim.run_suite(suite, junit=junit, report=page))
        yield "JUnit", junit.read_text(encoding="utf-8")
        yield "page", page.read_text(encoding="utf-8")
        yield "command", "".join(called("suite", str(suite)))
        with sim.host() as host:
            yield from tried("load", lambda: sim.load(host, replay=[_GOOD], count=2, seconds=2.0))
            yield from tried("checked", lambda: sim.load(host, count=1, check=lambda one: one.request[2]))

    assert found_in(shown()) == []

"""host, send and suite on the command line, over real sockets; hosts run in their own processes."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import pytest
from called import Run

from sim.link import Line
from sim.operations import generate, respond

REQUEST = generate("financial", network="VISA", stan="000007").raw
PAN = "4111111111111111"


def iso8583(*argv: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """A call of the command, in this process."""
    run = Run(*argv, given=given)
    return subprocess.CompletedProcess(argv, int(run.status or 0), run.out, run.err)


def apart(*argv: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """A call of the command in a separate process."""
    return subprocess.run(
        [sys.executable, "-m", "sim.cli", *argv], input=given, capture_output=True, text=True, timeout=120
    )


@contextmanager
def host(*argv: str, end: signal.Signals = signal.SIGINT) -> Iterator[tuple[str, list[str]]]:
    """A host in a separate process: its address, and, after it has ended, its printed lines."""
    lines: list[str] = []
    process = subprocess.Popen(
        [sys.executable, "-m", "sim.cli", "host", "--port", "0", *argv],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr
        said = process.stderr.readline()
        found = re.search(r"Listening on (\S+?)\. ", said)
        assert found, said
        yield found[1], lines
    finally:
        process.send_signal(end)
        out, err = process.communicate(timeout=120)
        lines += out.splitlines()
    assert "Traceback" not in err
    assert process.returncode == 0


def test_two_commands_talk(tmp_path: Path) -> None:
    """A host declines what its rules name; both commands print what happened, without card numbers."""
    rules = tmp_path / "rules.csv"
    rules.write_text("card,code\n4111*,51\n", encoding="utf-8")
    with host("--rules", str(rules), "--json") as (address, lines):
        sent = apart("send", address, "--json", REQUEST)
        assert sent.returncode == 0, sent.stderr
        record = json.loads(sent.stdout)
        assert (record["status"], record["code"]) == ("answered", "51")
        many = apart("send", address, given=f"{REQUEST}\n{REQUEST}\n")
        assert many.stdout.count("0210, insufficient funds (51)") == 2
    seen = [json.loads(line) for line in lines]
    assert [one["mti"] for one in seen if one.get("mti")][:2] == ["0200", "0210"]
    assert PAN not in sent.stdout + many.stdout + "".join(lines)


@contextmanager
def saying(*frames: bytes) -> Iterator[str]:
    """The address of a host that sends one of *frames* on each connection after it has received something,
    and closes it; further connections receive nothing."""
    held = []

    def serve() -> None:
        for frame in frames:
            heard, _ = listening.accept()
            with heard:
                heard.recv(4096)
                heard.sendall(frame)
        held.append(listening.accept())

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve)
        thread.start()
        yield "{}:{}".format(*listening.getsockname())
        thread.join()
        held[0][0].close()


def test_what_came_instead_of_an_answer_is_told() -> None:
    """For a response with another STAN, and for bytes that are not a message, the outcome and what arrived
    are printed; then a host that does not respond in time."""
    line = Line.of()
    other = respond(generate("financial", network="VISA", stan="000008").message).message
    requests = [generate("financial", network="VISA", stan=f"{stan:06}").raw for stan in (7, 8, 9)]
    with saying(line.encode(other), b"\x00\x10" + bytes(16)) as address:
        sent = iso8583("send", address, "--no-reversal", given="\n".join(requests[:2]))
        late = iso8583("send", address, "--timeout", "0.1", "--no-reversal", requests[2])
    assert (sent.returncode, late.returncode) == (1, 1)
    lines = (sent.stdout + late.stdout).splitlines()
    assert [line.split(":")[0].split(" (")[0] for line in lines] == [
        "✖ 0200 000007 lost",
        "  received instead",
        "✖ 0200 000008 lost",
        "  received instead",
        "✖ 0200 000009 timed out",
    ]
    assert [line.partition(":")[2][:6] for line in lines if line.startswith("  ")] == [" 0210 ", " 18 by"]


def test_a_script_ends_a_host_as_ctrl_c_does() -> None:
    """SIGTERM, as sent by service managers and containers, closes the connections, and this is reported."""
    with host(end=signal.SIGTERM) as (address, lines):
        assert iso8583("send", address, REQUEST).returncode == 0
    assert "stopped" in lines[-1]


def test_a_host_may_be_ended_as_soon_as_it_says_that_it_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits for the message may act before the next statement runs."""
    written = click.echo

    def echo(words: str, **how: Any) -> None:
        written(words, **how)
        if words.startswith("Listening"):
            raise KeyboardInterrupt

    monkeypatch.setattr(click, "echo", echo)
    before = signal.getsignal(signal.SIGTERM)
    try:
        ended = iso8583("host", "--port", "0")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert ended.returncode == 0
    assert ended.stderr.splitlines()[-1].startswith("Messages and events seen: ")


def test_formats_and_framing_go_by_name() -> None:
    """Packed digits after two bytes of length; an empty account has insufficient funds."""
    how = ["--format", "bcd", "--framing", "length-2"]
    with host(*how, "--opening", "0") as (address, lines):
        sent = iso8583("send", address, *how, REQUEST)
        assert "insufficient funds (51)" in sent.stdout
    assert any("0210" in line for line in lines)


def test_a_suite_runs_and_is_written_down(tmp_path: Path) -> None:
    """Against its own host: exit status, JUnit XML, a page, a pytest module."""
    junit, page, module = (str(tmp_path / name) for name in ("junit.xml", "report.html", "test_suite.py"))
    suite = "case,type,expect.39\nalive,echo,00\n"
    path = tmp_path / "suite.csv"
    path.write_text(suite, encoding="utf-8")
    done = apart("suite", str(path), "--junit", junit, "--report", page)
    assert (done.returncode, "1 of 1 steps passed" in done.stdout) == (0, True), done.stderr
    assert "<testsuite" in Path(junit).read_text(encoding="utf-8")
    assert "<html" in Path(page).read_text(encoding="utf-8")
    path.write_text(suite + "poor,auth,51\n", encoding="utf-8")
    failed = iso8583("suite", str(path), "--json")
    assert failed.returncode == 1
    assert [json.loads(line)["result"] for line in failed.stdout.splitlines()] == ["passed", "failed"]
    assert "DE 39: expected 51, found 00" in iso8583("suite", str(path)).stdout
    assert iso8583("suite", str(path), "--export", module).returncode == 0
    assert "def test_" in Path(module).read_text(encoding="utf-8")


def test_a_host_plays_the_other_side_of_a_suite(tmp_path: Path) -> None:
    """A host in another process takes rules, network, format, framing and keys from the suite, and meets its
    expectations."""
    path = tmp_path / "suite.toml"
    path.write_text(
        'network = "VISA"\nformat = "bcd"\nframing = ["length-2", "tpdu"]\n'
        '[keys]\nmac = "0123456789ABCDEFFEDCBA9876543210"\n[[rules]]\namount = "666"\ncode = "05"\n'
        '[[cases]]\nname = "declined"\n[[cases.steps]]\n'
        'amount = 666\nexpect.code = "05"\nexpect.64 = "present"\n',
        encoding="utf-8",
    )
    with host("--suite", str(path)) as (address, _):
        done = iso8583("suite", str(path), address)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "use only one of them" in iso8583("host", "--suite", "VISA", "--rules", str(path)).stderr


def test_a_load_is_measured() -> None:
    """The requested number and types are sent; a weight that is not a number is an error."""
    with host() as (address, _):
        done = iso8583("load", address, "--count", "50", "--mix", "auth=9", "--mix", "echo", "--json")
        record = json.loads(done.stdout)
        assert (done.returncode, record["sent"], record["answered"]) == (0, 50, 50), done.stderr
        assert record["p50_ms"] <= record["p99_ms"] <= record["p100_ms"]
        assert "50 sent, 50 answered" in iso8583("load", address, "--count", "50").stdout
    assert "found 'auth=x'" in iso8583("load", "127.0.0.1:1", "--mix", "auth=x").stderr


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["send", "127.0.0.1:1", REQUEST], "refused; is the host running on this port?"),
        (["send", "nonsense", REQUEST], "expected"),
        (["suite", "NOSUCH"], "found 'NOSUCH'"),
        (["suite", "nosuch.toml"], "No such file"),
        (["host", "--format", "bdc"], "found 'bdc'"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(argv: list[str], said: str) -> None:
    """An error is a sentence and an exit status, without a traceback."""
    done = iso8583(*argv)
    assert done.returncode in (1, 2)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_both_commands_take_keys(tmp_path: Path) -> None:
    """The client's messages have a MAC with the key in the file, which the host accepts."""
    keys = tmp_path / "keys.toml"
    keys.write_text('mac = "2A2A1C1C4C4C68687070A4A4C2C2E0E0"\n', encoding="utf-8")
    with host("--keys", str(keys)) as (address, _):
        said = json.loads(iso8583("send", address, "--keys", str(keys), "--json", REQUEST).stdout)
    assert (said["code"], said["note"]) == ("00", "")

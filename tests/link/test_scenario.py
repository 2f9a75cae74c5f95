"""Suites: read, run against hosts, reported, exported."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support import long, some, together

import sim
from sim.errors import OptionError
from sim.link import AsyncHost, Line, LinkError
from sim.link.rules import rules_of
from sim.link.scenario.report import as_html, as_junit, as_pytest
from sim.link.scenario.run import Done, play
from sim.link.scenario.suite import Suite, ready_suites, suite_of
from sim.link.testing import check_case
from sim.operations import NETWORKS
from tests.link.ends import message

ROOT = Path(__file__).parents[2]
_MANY = 25


def run(suite: Suite | str, **options: object) -> Done:
    """The suite, run against our own host."""
    return asyncio.run(play(suite_of(suite), **options))  # type: ignore[arg-type]


def wrong(done: Done) -> list[str]:
    """The differences from the expectations."""
    return [f"{one.case} {one.number}: {text}" for one in done.results for text in one.wrong]


@pytest.mark.parametrize("network", some(NETWORKS, 1))
def test_our_own_host_passes_the_ready_suite(network: str) -> None:
    """Each network has at least 25 cases, and all of them pass."""
    done = run(network)
    assert wrong(done) == []
    assert len(done.suite.cases) >= _MANY
    assert {one.case for one in done.results} == {case.name for case in done.suite.cases}


@pytest.mark.parametrize(("network", "name"), [("VISA", "visa"), ("MASTERCARD", "mastercard")])
def test_the_ready_suite_passes_in_the_networks_own_format(network: str, name: str) -> None:
    """The same cases pass in the network's own format."""
    assert wrong(run(network, line=Line.of(name))) == []


def test_a_suite_fails_where_the_host_is_otherwise() -> None:
    """Against a host without the suite's rules, the cases that need them fail, with the difference."""

    async def against() -> Done:
        async with AsyncHost() as host:
            suite = suite_of(
                'network = "VISA"\n[[cases]]\nname = "no"\nsteps = [{ expect = { code = "05", 38 = "absent", '
                '4 = "~9+", 37 = "same", mti = "0210", within = 0 } }]\n'
            )
            return await play(suite, ("127.0.0.1", host.port))

    done = asyncio.run(against())
    assert not done.passed
    (result,) = done.results
    assert [text.partition(":")[0] for text in result.wrong] == ["code", "DE 38", "DE 4", "mti", "within"]
    assert result.wrong[0] == "code: expected 05, found 00"


def test_a_spreadsheet_is_a_suite() -> None:
    """One row per step; an empty case continues the one above; `set.N` and `expect.N` are columns."""
    text = (
        "case,about,network,do,type,amount,set.41,expect.39,expect.41\n"
        "buy,A purchase.,VISA,send,auth,1200,TERM0009,00,same\n"
        ",,,reverse,,,,00,\n"
        "alive,,,,echo,,,00,\n"
    )
    suite = suite_of(text)
    assert [(case.name, len(case.steps)) for case in suite.cases] == [("buy", 2), ("alive", 1)]
    done = run(suite)
    assert wrong(done) == []
    assert [one.received for one in done.results] == ["0110 00", "0410 00", "0810 00"]


def test_raw_messages_waits_and_repeats_are_steps() -> None:
    """A raw message is sent unchanged, and its repeat gets the same response."""
    from sim.codec import build

    suite = suite_of(
        '[[cases]]\nname = "raw"\n'
        f'steps = [{{ raw = "{build(message())}" }}, {{ do = "wait", seconds = 0 }}, '
        '{ do = "repeat", expect = { 38 = "000001" } }]\n'
    )
    done = run(suite)
    assert wrong(done) == []
    assert [one.sent for one in done.results] == ["0100 000001", "", "0101 000001"]


@together(
    "text, said",
    [
        ("[[cases]]\nname = 'a'\nsteps = []\n", "case 'a': expected at least one step"),
        ("[[cases]]\nname = 'a'\nsteps = [{ sent = 'x' }]\n", "case 'a', step 1: expected"),
        (
            "[[cases]]\nname = 'a'\nsteps = [{ do = 'sendd' }]\n",
            "case 'a', step 1, do: .*did you mean 'send'",
        ),
        ("[[cases]]\nname = 'a'\nsteps = [{ expect = { 500 = 'x' } }]\n", "step 1: expected expect. and an"),
        ("[[cases]]\nname = 'a'\nsteps = [{ expect = { cod = 'x' } }]\n", "did you mean 'expect.code'"),
        ("[[cases]]\nname = 'a'\nsteps = [{ timeout = -1 }]\n", "step 1, timeout: expected seconds"),
        ("[[cases]]\nname = 'a'\nsteps = [{}]\n[[cases]]\nname = 'a'\nsteps = [{}]\n", "two named 'a'"),
        ("network = 'VISSA'\ncases = []\n", "network: expected .*did you mean 'VISA'"),
        ("extends = 'VIZA'\ncases = []\n", "extends: expected"),
        ("what = 1\n[x]\n", "suite: expected"),
        ("cases = 5\n", "suite, cases: expected a list of tables, found a value of type int"),
        ("framing = 5\ncases = []\n", "framing: expected a name or a list of names, found a value of type"),
        ("cases = []\n[defaults]\ncolour = 'x'\n", "defaults: expected"),
        ("[[cases]]\nname = 'a'\nrows = []\nsteps = [{}]\n", "case 'a', rows: expected a list of tables"),
        ("[[cases]]\nname = 'a'\nsteps = [{ then = 'reversed' }]\n", "case 'a', then: expected"),
        ("[[cases]]\nname = 'a'\nsteps = [{ then = 'clearing' }]\n", "case 'a', then: expected"),
        ("not toml at all\nreally", "suite: expected a TOML file"),
    ],
)
def test_a_suite_that_cannot_be_read_is_told(text: str, said: str) -> None:
    """The error gives the case, the step, and what is allowed."""
    with pytest.raises(OptionError, match=said):
        suite_of(text)


def test_a_step_that_cannot_be_made_fails_and_the_case_goes_on() -> None:
    """A repeat without an original, an unknown type of network management, an unknown card entry."""
    suite = suite_of(
        '[[cases]]\nname = "a"\nsteps = [{ do = "repeat" }, { manage = "dance" }, { entry = "nose" }, {}]\n'
    )
    done = run(suite)
    assert [one.passed for one in done.results] == [False, False, False, True]
    assert "entry: expected" in done.results[2].wrong[0]


def test_junit_counts_what_failed() -> None:
    """One test case per case, a failure if a step failed, and the messages as output."""
    suite = suite_of(
        '[[cases]]\nname = "good"\nsteps = [{}]\n'
        '[[cases]]\nname = "bad <&>"\nsteps = [{ expect = { 39 = "51" } }]\n'
    )
    root = ElementTree.fromstring(as_junit(run(suite)))  # noqa: S314, our own
    (made,) = root.findall("testsuite")
    assert (made.get("tests"), made.get("failures")) == ("2", "1")
    assert [one.get("name") for one in made.findall("testcase")] == ["good", "bad <&>"]
    assert (
        made.findall("testcase")[1].find("failure").get("message") == "step 1: DE 39: expected 51, found 00"
    )  # type: ignore[union-attr]


def test_the_page_is_whole_and_hides_cards() -> None:
    """The page loads nothing, has the diagrams of every case that sent something, and shows no card
    number."""
    page = as_html(run("VISA"))
    sections = page.split("<section")[1:]
    assert len(sections) == len(suite_of("VISA").cases)
    assert all("<svg" in section for section in sections)
    assert not re.search(r"<script|src=|https?://", page)
    assert "4111111111111111" not in page
    assert "✖ timed out" in page
    assert "0400 reversal request" in page
    assert "32 of 32 cases passed" in page


def test_markup_in_a_suite_stays_text() -> None:
    """Markup in the names of cases is escaped."""
    suite = suite_of('[[cases]]\nname = "<script>alert(1)</script>"\nabout = "<b>"\nsteps = [{}]\n')
    assert "<script" not in as_html(run(suite))


def test_a_card_number_in_a_case_is_not_written_into_a_module() -> None:
    """The exported module has the masked name of the case, and can find the case by it."""
    whole = suite_of('[[cases]]\nname = "for 4539578763621486"\nsteps = [{}]\n')
    module = as_pytest(whole, "VISA")
    assert "4539578763621486" not in module
    name = re.search(r"check_case\(SUITE, '(.*)', iso_host\)", module)
    assert name is not None
    assert whole.case(name[1]) is whole.cases[0]


@long
def test_an_exported_suite_is_a_pytest_module(tmp_path: Path) -> None:
    """The module has one test per case; they pass against our host, in a separate pytest with the
    package's plugin."""
    own = (
        '[[cases]]\nname = "alive"\nsteps = [{ type = "echo" }]\n[[cases]]\nname = "Buy: it!"\nsteps = [{}]\n'
    )
    (tmp_path / "mine.toml").write_text(own, encoding="utf-8")
    module = as_pytest(suite_of(own), "mine.toml")
    assert "def test_buy_it(iso_host)" in module
    (tmp_path / "test_mine.py").write_text(module, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "sim.link.pytest_plugin", str(tmp_path)]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", "--rootdir", str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "tests" / "offline")))},
    )
    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_the_fixture_is_an_entry_point_of_the_package() -> None:
    """pytest finds `iso_host` if the package is installed."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (name,) = table["project"]["entry-points"]["pytest11"].values()
    assert hasattr(import_module(name), "iso_host")


def test_cases_of_alike_names_are_tests_of_their_own() -> None:
    """Names that differ only in signs become different functions."""
    case = "[[cases]]\nname = '{}'\nsteps = [{{}}]\n"
    module = as_pytest(suite_of(case.format("a b") + case.format("a-b")), "mine.toml")
    assert re.findall(r"def (\w+)", module) == ["test_a_b", "test_a_b_"]


def test_a_suite_against_nobody_is_an_error() -> None:
    """If no host listens, the suite does not run."""
    with pytest.raises(LinkError, match="is the host running on this port"):
        sim.run_suite("JCB", "127.0.0.1:1")


def test_every_ready_suite_is_exported_and_a_failing_case_tells(tmp_path: Path) -> None:
    """Each built-in suite exports one test per case; a failing case raises its differences."""
    from sim.link import Host

    for network in ready_suites():
        module = as_pytest(suite_of(network), network)
        assert module.count("\ndef test_") == len(suite_of(network).cases)
        compile(module, network, "exec")
    file = tmp_path / "poor.toml"
    file.write_text('[[cases]]\nname = "a"\nsteps = [{ expect = { 39 = "51" } }]\n', encoding="utf-8")
    with Host(AsyncHost()) as host:
        check_case("VISA", "reversal after a timeout", host)
        with pytest.raises(AssertionError, match="DE 39: expected 51, found 00"):
            check_case(file, "a", host.address)


@together("given", ["", "\0", "a\0.toml", "\ud800.toml", "mine/" * 1000 + ".toml", "x" * 5000])
@together("read", [suite_of, rules_of, sim.load_format, sim.read])
def test_what_is_no_name_of_a_file_is_an_error_of_the_argument(
    read: Callable[[str], object], given: str
) -> None:
    """An impossible file name is rejected with the argument's name, wherever a file is expected. Where
    messages are accepted, a long text without a file extension counts as one."""
    if read is sim.read and given == "x" * 5000:
        assert len(sim.read(given)) == 1
        return
    with pytest.raises(OptionError, match="expected the name of a file"):
        read(given)


@pytest.mark.parametrize("read", [suite_of, rules_of])
def test_a_file_that_is_no_text_is_told_so(read: Callable[[Path], object], tmp_path: Path) -> None:
    """A file that is not UTF-8 is an error of the argument, not of a codec."""
    path = tmp_path / "mine.toml"
    path.write_bytes(b"title = '\xff'\n")
    with pytest.raises(OptionError, match="expected UTF-8 text, found other bytes"):
        read(path)

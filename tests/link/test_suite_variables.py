"""What a tester can write in a suite: variables, rows, sessions, selected cases, formats in files."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from support import together

import sim
from sim.errors import OptionError
from sim.link import AsyncHost, Host, rules_of
from sim.link.scenario.report import run_suite
from sim.link.scenario.run import Done, play
from sim.link.scenario.suite import Suite, suite_of
from sim.link.testing import check_case
from tests.link.ends import AT, Clock, until

KEY = "0123456789ABCDEFFEDCBA9876543210"


def run(text: str | Suite | Path, host: AsyncHost | None = None, **options: object) -> tuple[Done, AsyncHost]:
    """The suite, run against *host* or one of ours; and that host."""

    async def against() -> tuple[Done, AsyncHost]:
        suite = suite_of(text)
        own = host or AsyncHost(rules=suite.rules)
        async with own:
            return await play(suite, ("127.0.0.1", own.port)), own

    return asyncio.run(against())


def requests(host: AsyncHost) -> list[sim.Message]:
    """The messages received by *host*."""
    return [seen for one in host.traffic if one.kind == "request" and (seen := host.traffic.message(one))]


def test_a_completion_carries_what_its_approval_said() -> None:
    """Variables for the approval code, the reference and the STAN of an earlier step, in elements and
    options; the time of the step; either kind of brackets."""
    done, host = run(
        """
        [[cases]]
        name = "pre-authorization, completion"
        [[cases.steps]]
        type = "auth"
        amount = "2500"
        set.37 = "612345000001"
        [[cases.steps]]
        type = "advice"
        amount = "${1.4}"
        stan = "${stan}"
        set = { 38 = "${1.38}", 37 = "{{ 1.37 }}", 7 = "{{now}}", 48 = "STEP ${1.11}" }
        expect = { 38 = "${1.38}", 39 = "00" }
        """
    )
    assert [one.wrong for one in done.results] == [(), ()]
    first, second = requests(host)
    approval = done.results[0].exchange.answer[38]  # type: ignore[index,union-attr]
    assert approval.strip()
    assert (second[38], second[37], second[4]) == (approval, "612345000001", "000000002500")
    assert second[7] == f"{AT:%m%d%H%M%S}"
    assert second[48] == f"STEP {first[11]}"


@together(
    "step, said",
    [
        (
            "set = { 48 = '${today}' }",
            r"case 'a', step 1, set.48: expected a variable: .*found '\$\{today\}'",
        ),
        ("set = { 48 = 'at {{now}}' }", "step 1, set.48: expected a variable: .*now"),
        ("set = { 48 = '${1.38}' }", "step 1, set.48: expected a variable"),
        ("amount = '${amount}'", "step 1, amount: expected a variable"),
        ("expect = { 38 = '{{approval}}' }", "step 1, 38: expected a variable"),
    ],
)
def test_a_variable_that_nothing_gives_a_value_is_an_error(step: str, said: str) -> None:
    """When the suite is read, the error names the variable and its step; it is never sent."""
    with pytest.raises(OptionError, match=said):
        suite_of(f"[[cases]]\nname = 'a'\nsteps = [{{ {step} }}]\n")


def test_a_variable_without_a_value_fails_its_step() -> None:
    """The authorization was declined, so there is no approval code for the completion, and nothing is
    sent."""
    done, host = run(
        """
        [[rules]]
        code = "05"
        [[cases]]
        name = "a"
        steps = [{ expect.39 = "05" }, { type = "advice", set = { 38 = "${1.38}" } }]
        """
    )
    assert [one.passed for one in done.results] == [True, False]
    assert done.results[1].wrong == ("DE 38: expected a value of step 1, for ${1.38}, found none",)
    assert len(requests(host)) == 1


def test_what_is_expected_of_element_39_is_all_that_is_expected_of_it() -> None:
    """A decline expected by DE 39 passes, as one expected by its code does."""
    rules = "[[rules]]\ncode = '51'\n"
    for expected in ("expect.39 = '51'", "expect.code = '51'", "expect.39 = '~5.'"):
        done, _ = run(f"{rules}[[cases]]\nname = 'a'\nsteps = [{{ {expected} }}]\n")
        assert done.passed, expected
    done, _ = run(f"{rules}[[cases]]\nname = 'a'\nsteps = [{{}}]\n")
    assert done.results[0].wrong == ("code: expected 00, found 51",)


def test_a_table_of_rows_gives_a_case_each(tmp_path: Path) -> None:
    """Rows in the suite or in a CSV file next to it: their cells appear in names, options and
    expectations."""
    (tmp_path / "amounts.csv").write_text("amount,code\n1000,00\n9900,51\n", encoding="utf-8")
    (tmp_path / "a.toml").write_text(
        """
        [[rules]]
        amount = "5000.."
        code = "51"
        [[cases]]
        name = "${amount} gives ${code}"
        rows = "amounts.csv"
        steps = [{ amount = "${amount}", expect.39 = "${code}" }]
        [[cases]]
        name = "numbered"
        rows = [{ purpose = "purchase" }, { purpose = "cash" }]
        steps = [{ purpose = "${purpose}" }]
        """,
        encoding="utf-8",
    )
    done, _ = run(tmp_path / "a.toml")
    names = ["1000 gives 00", "9900 gives 51", "numbered 1", "numbered 2"]
    assert [one.case for one in done.results] == names
    assert done.passed


def test_a_session_is_one_connection_for_all_cases() -> None:
    """Sign-on before all cases, sign-off after them, and no other sign-on in between."""
    suite = suite_of(
        """
        [session]
        before = [{ manage = "sign-on" }]
        after = [{ manage = "sign-off" }]
        [[cases]]
        name = "one"
        steps = [{}]
        [[cases]]
        name = "two"
        steps = [{}, { do = "repeat" }]
        """
    )
    done, host = run(suite, AsyncHost(sign_on=True))
    assert done.passed, [one.wrong for one in done.results]
    assert host.traffic.counts["connected"] == 1
    assert [one.mti for one in requests(host)] == ["0800", "0100", "0100", "0101", "0800"]
    assert [case.name for case, _ in done.cases()] == ["before all cases", "one", "two", "after all cases"]
    assert [len(done.seen[name]) for name in ("one", "two")] == [2, 4]
    assert not run(suite_of("[[cases]]\nname = 'a'\nsteps = [{}]\n"), AsyncHost(sign_on=True))[0].passed


def test_cases_are_chosen_by_name_or_tag() -> None:
    """Only the selected ones of three cases run; a word that is neither name nor tag is an error."""
    suite = (
        "[[cases]]\nname = 'one'\ntags = ['smoke']\nsteps = [{}]\n[[cases]]\nname = 'two'\nsteps = [{}]\n"
        "[[cases]]\nname = 'three'\ntags = ['smoke', 'slow']\nsteps = [{ type = 'echo' }]\n"
    )
    for words, cases in (
        ("smoke", ["one", "three"]),
        (["two"], ["two"]),
        (["two", "slow"], ["two", "three"]),
    ):
        assert list(sim.run_suite(suite, cases=words)["case"]) == cases
    with pytest.raises(OptionError, match="found 'smoky'; did you mean 'smoke'"):
        sim.run_suite(suite, cases="smoky")


def test_a_suite_has_keys_for_macs_and_pins(tmp_path: Path) -> None:
    """Requests get a MAC and a PIN block under the suite's keys, from a table or a file next to it; the
    host on the other side verifies both. Without a key there is no PIN."""
    key, pan = "0123456789ABCDEFFEDCBA9876543210", "4111111111111111"
    keys = f'mac = "{key}"\npin = "{key}"\npins = {{ "{pan}" = "1234" }}\n'
    steps = f'pan = "{pan}"\ntype = "financial"\npurpose = "cash"\n'
    cases = (
        f'[[cases]]\nname = "right"\n[[cases.steps]]\n{steps}pin = "1234"\n'
        f'[[cases]]\nname = "wrong"\n[[cases.steps]]\n{steps}pin = "4321"\nexpect.39 = "55"\n'
    )
    (tmp_path / "keys.toml").write_text(keys, encoding="utf-8")
    (tmp_path / "a.toml").write_text('keys = "keys.toml"\n' + cases, encoding="utf-8")
    for suite in (f"[keys]\n{keys}{cases}", tmp_path / "a.toml"):
        table = sim.run_suite(suite)
        assert list(table["result"]) == ["passed", "passed"], list(table["wrong"])
        assert "1234" not in table.to_string()
    done, host = run(suite_of(f"[keys]\n{keys}{cases}"))
    assert all(64 in one or 128 in one for one in requests(host))
    assert done.suite.keys
    done, _ = run(cases)
    assert done.results[0].wrong == ("DE 52: expected a PIN key in the suite's keys, found none",)


def test_no_case_shows_a_card_number_in_an_error() -> None:
    """The error shows no card number, neither in the unknown name nor in the suggested one."""
    pan = "4539148803436467"
    suite = f"[[cases]]\nname = '{pan}'\nsteps = [{{}}]\n"
    with pytest.raises(OptionError) as error:
        sim.run_suite(suite, cases=f"{pan}1")
    assert "453914******6467" in str(error.value)
    assert pan not in str(error.value)


def test_a_suite_names_a_format_of_a_file(tmp_path: Path) -> None:
    """A jPOS packager next to the suite: host and client use only this format."""
    (tmp_path / "switch.xml").write_text(sim.export_format("bcd", "jpos"), encoding="utf-8")
    (tmp_path / "a.toml").write_text(
        "format = 'switch.xml'\nframing = 'length-2'\n[[cases]]\nname = 'a'\nsteps = [{}]\n", encoding="utf-8"
    )
    assert list(sim.run_suite(tmp_path / "a.toml")["result"]) == ["passed"]
    assert suite_of(tmp_path / "a.toml").format.name == "switch"  # type: ignore[union-attr]
    path = tmp_path / "switch.xml"
    with sim.host(format=path, framing="length-2") as host, sim.client(host) as client:
        assert client.send(sim.generate("auth")).code == "00"
        assert host.server.line.format.name == "switch"
        assert list(sim.run_suite(tmp_path / "a.toml", host.address)["result"]) == ["passed"]
        assert sim.load(host.address, format=path, framing="length-2", count=3).numbers.answered == 3


async def test_a_host_that_dies_fails_what_does_not_reach_it(clock: Clock) -> None:
    """If the host dies in the middle of a suite, later steps fail one by one, and earlier results stay."""
    suite = suite_of(
        "\n".join(f"[[cases]]\nname = '{at}'\nsteps = [{{ timeout = 2 }}]" for at in ("one", "two", "three"))
    )

    host = await AsyncHost(rules=rules_of([{"seen": "2", "action": "ignore"}])).start()
    running = asyncio.ensure_future(play(suite, ("127.0.0.1", host.port)))
    await until(lambda: host.traffic.counts["unanswered"])
    await host.stop()
    done = await running
    assert clock.passed == 0
    assert [one.passed for one in done.results] == [True, False, False]
    assert done.results[1].received == "lost"
    assert "expected a connection, found" in done.results[2].wrong[0]


@pytest.mark.iso_host(format="bcd", framing="length-2", opening=5, rules=[{"mti": "0800", "code": "91"}])
def test_the_host_of_a_test_is_as_its_mark_says(iso_host: Host) -> None:
    """The mark sets `sim.host`'s options for the fixture's host."""
    assert iso_host.server.line.format.name == "bcd"
    with sim.client(iso_host) as client:
        answers = [client.send(sim.generate(kind)).code for kind in ("auth", "echo")]
    assert answers == ["51", "91"]


def test_a_case_that_is_checked_speaks_its_suites_format(tmp_path: Path) -> None:
    """The test's host uses the format of the exported suite, including the user's own file."""
    (tmp_path / "switch.xml").write_text(sim.export_format("bcd", "jpos"), encoding="utf-8")
    path = tmp_path / "a.toml"
    path.write_text(
        "format = 'switch.xml'\nframing = 'length-2'\n[[cases]]\nname = 'a'\nsteps = [{}]\n", encoding="utf-8"
    )
    with Host(AsyncHost()) as host:
        check_case(path, "a", host)
        assert host.server.line.format.name == "switch"
        assert host.server.traffic.counts["answer"] == 1


def test_a_case_that_is_checked_has_its_suites_interface_and_keys(tmp_path: Path) -> None:
    """The test's host reads by the interface of the suite, checks the MACs of its requests, and answers with
    one."""
    path = tmp_path / "a.toml"
    path.write_text(
        f"interface = 'base24'\nkeys = {{ mac = '{KEY}' }}\n[[cases]]\nname = 'a'\n"
        "steps = [{ expect = { 64 = 'present' } }]\n",
        encoding="utf-8",
    )
    with Host(AsyncHost()) as host:
        check_case(path, "a", host)
        assert host.server.line.interface == "base24"
        notes = [entry.note for entry in host.seen if entry.kind in ("request", "answer")]
        assert notes == ["", ""]


def test_a_suite_speaks_to_a_host_of_ours_as_it_is_asked() -> None:
    """By itself as the host does, whatever the suite says; in the format of the call if there is one."""
    suite = "format = 'bcd'\n[[cases]]\nname = 'a'\nsteps = [{ type = 'echo', timeout = 5 }]\n"
    with Host(AsyncHost()) as host:
        assert run_suite(suite, host).passed
        assert not run_suite(suite.replace("5", "0.1"), host, format="ebcdic").passed

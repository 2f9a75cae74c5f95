"""Hosts, clients and suites on a connection with its own interface."""

from __future__ import annotations

import pytest

import sim
from sim.codec import Message
from sim.link import Line

INTERFACES = ("base24", "postilion", "smartvista", "nac", "nibss", "iso")


@pytest.mark.parametrize("name", INTERFACES)
def test_a_host_speaks_the_interface_of_its_line(name: str) -> None:
    """A request is read, and answered, with the elements of the interface, without errors."""
    with sim.host(interface=name) as host, sim.client(host) as client:
        sent = client.send(sim.generate("auth", interface=name, at="2026-11-20"))
    assert sent.code == "00"
    assert sent.answer is not None
    table = sim.validate(sent.answer, interface=name)
    assert (table["severity"] == "error").sum() == 0


def test_bytes_of_an_interface_have_its_elements() -> None:
    """A line with a format and an interface reads messages by the interface's table."""
    line = Line.of("bcd", "length-2", None, "base24")
    echo = Message("0800", {7: "1127120000", 11: "000001", 70: "301"})
    message, _ = line.decode(line.encode(echo))
    assert message.fields == echo.fields
    assert message.dialect is not None
    assert message.dialect.interface == "base24"


def test_a_suite_names_what_its_line_speaks() -> None:
    """A suite's interface comes from its text or the call, and its requests follow it."""
    steps = "[[cases]]\nname = 'paid'\n[[cases.steps]]\ntype = 'auth'\nexpect.findings = '0'\n"
    said = sim.run_suite(f"title = 'own'\ninterface = 'base24'\n{steps}")
    given = sim.run_suite(f"title = 'own'\n{steps}", interface="smartvista")
    assert [*said["result"], *given["result"]] == ["passed", "passed"]


def test_an_interface_that_is_none_is_refused() -> None:
    """The error for an unknown interface names the nearest."""
    for call in (sim.host, lambda **how: sim.client("127.0.0.1:9", **how)):
        with pytest.raises(sim.ChoiceError, match="did you mean 'base24'"):
            call(interface="base25")

"""Hosts, clients and suites on a line that speaks an interface of its own."""

from __future__ import annotations

import pytest

import sim

INTERFACES = ("base24", "postilion", "smartvista", "nac", "nibss", "iso")


@pytest.mark.parametrize("name", INTERFACES)
def test_a_host_speaks_the_interface_of_its_line(name: str) -> None:
    """A request of the interface is read with its elements and answered in them, without an error."""
    with sim.host(interface=name) as host, sim.client(host) as client:
        sent = client.send(sim.generate("auth", interface=name, at="2026-11-20"))
    assert sent.code == "00"
    assert sent.answer is not None
    table = sim.validate(sent.answer, interface=name)
    assert (table["severity"] == "error").sum() == 0


def test_a_suite_names_what_its_line_speaks() -> None:
    """In its own text, or by the call; requests are made for it."""
    steps = "[[cases]]\nname = 'paid'\n[[cases.steps]]\ntype = 'auth'\nexpect.findings = '0'\n"
    said = sim.run_suite(f"title = 'own'\ninterface = 'base24'\n{steps}")
    given = sim.run_suite(f"title = 'own'\n{steps}", interface="smartvista")
    assert [*said["result"], *given["result"]] == ["passed", "passed"]


def test_an_interface_that_is_none_is_refused() -> None:
    """With the nearest name."""
    for call in (sim.host, lambda **how: sim.client("127.0.0.1:9", **how)):
        with pytest.raises(sim.ChoiceError, match="did you mean 'base24'"):
            call(interface="base25")

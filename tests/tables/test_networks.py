"""Flows and rules of networks as tables."""

from __future__ import annotations

import re

import pytest

import sim
from sim.operations import NETWORKS
from sim.spec.networks import presence


@pytest.mark.parametrize("name", NETWORKS)
def test_every_network_has_flows_with_their_source(name: str) -> None:
    """A network's flows name the messages, the elements and the source."""
    table = sim.flows(name)
    assert set(table["network"]) <= {name, ""}
    assert name in set(table["network"])
    assert (table[["flow", "messages", "carried_by", "source"]] != "").all(axis=None)
    assert set(table["confidence"]) <= {"published", "secondary", "unsourced"}


def test_flows_without_a_network_are_those_of_all() -> None:
    """Two networks' variants of a flow are both listed."""
    table = sim.flows()
    partial = table[table["flow"] == "partial approval"]
    assert {"VISA", "MASTERCARD", "UNIONPAY"} <= set(partial["network"])


def test_what_a_network_says_itself_stands_for_what_all_say() -> None:
    """The standard's flow is listed if the network has none of its own."""
    assert set(sim.flows("VISA").query("flow == 'balance inquiry'")["network"]) == {"VISA"}
    assert set(sim.flows("AMEX").query("flow == 'balance inquiry'")["network"]) == {""}


def test_a_flow_has_the_call_that_makes_it() -> None:
    """Its messages have the classes that the flow names."""
    table = sim.flows()
    named = table[table["call"] != ""]
    assert set(named["network"]) == {*NETWORKS, ""}
    for call, said in zip(named["call"], named["messages"], strict=True):
        made = eval(call, {"sim": sim})  # noqa: S307, a call of our own
        classes = {one[1] for one in re.findall(r"\b[0-2][0-9]{3}\b", said)}
        assert not classes or classes & {one.mti[1] for one in made.iso.exchange.messages}, call


def test_two_networks_are_compared_in_the_version_both_speak() -> None:
    """Amex and Discover use 1993; if two use different versions it is 1987."""
    assert sim.compare("AMEX", "DISCOVER").equals(sim.compare("AMEX", "DISCOVER", version="1993"))
    assert sim.compare("AMEX", "VISA").equals(sim.compare("AMEX", "VISA", version="1987"))


def test_a_condition_is_told_where_there_is_one() -> None:
    """No cell ends with a colon without a condition."""
    table = sim.compare("VISA", "MASTERCARD")
    assert not table[["VISA", "MASTERCARD"]].apply(lambda cells: cells.str.endswith(":")).any(axis=None)


def test_a_network_compared_with_itself_does_not_differ() -> None:
    """Only differences are listed."""
    assert sim.compare("VISA", "visa").empty


def test_what_one_requires_and_the_other_does_not_is_a_difference() -> None:
    """The rows are those of the presence table, element by element."""
    table = sim.compare("VISA", "MASTERCARD", "0100").set_index(["number", "rule"])
    required = {row.field for row in presence("MASTERCARD", "0100") if row.presence == "M"}
    both = required & {row.field for row in presence("VISA", "0100") if row.presence == "M"}
    for number in required - both:
        assert table.loc[(number, "presence"), "MASTERCARD"] == "required"
        assert table.loc[(number, "presence"), "VISA"] != "required"
    assert not any((number, "presence") in table.index for number in both)


def test_networks_with_their_own_mti_differ_in_it() -> None:
    """A reversal is 0400 in one network and 0420 in another."""
    table = sim.compare("VISA", "JCB", "reversal")
    first = table.iloc[0]
    assert (first["number"], first["rule"], first["VISA"], first["JCB"]) == (0, "mti", "0400", "0420")


def test_a_wrong_word_names_the_argument() -> None:
    """The error for an unknown network names the argument."""
    with pytest.raises(sim.ChoiceError, match="VISA"):
        sim.compare("VISTA", "JCB")


def test_flows_of_an_interface() -> None:
    """The flows of an interface, each with its call; a network's own interface has the network's flows."""
    table = sim.flows(interface="nac").set_index("flow")
    assert table.loc["full reversal", "messages"] == "0100/0110/0400/0410"
    assert table.loc["chip", "call"] == 'sim.exchange(interface="nac", entry="chip")'
    assert len(table.loc[["completion"]]) == 1
    assert "quasi-cash" not in table.index
    assert sim.flows(interface="visa").equals(sim.flows("VISA"))

"""Hosts and clients in a notebook: started, connected, shown as tables."""

from __future__ import annotations

import asyncio
import re

import pandas as pd
import pytest

import sim
from sim.link import LinkError


def test_traffic_is_a_table_without_card_numbers() -> None:
    """Requests and responses with their meanings; the card is masked in the cells themselves."""
    with sim.host([{"card": "4111*", "code": "51"}]) as host:
        with sim.client(host) as client:
            exchange = client.send(sim.generate("auth", stan=7))
        table = host.traffic
    rows = table[table["kind"].isin(["request", "answer"])]
    assert rows["mti"].tolist() == ["0100", "0110"]
    assert rows["code"].tolist() == ["", "51"]
    assert rows["meaning"].tolist()[1] == "insufficient funds"
    assert set(rows["card"]) == {"411111******1111"}
    assert rows["stan"].tolist() == ["000007"] * 2
    assert rows["latency_ms"].notna().tolist() == [False, True]
    assert repr(exchange) == "Sent(0100 000007, answered: 0110 with 51)"
    assert host.message(int(rows["number"].iloc[1]))[39] == "51"
    with pytest.raises(KeyError, match="row 1 has no message"):
        host.message(1)


def test_nothing_seen_is_an_empty_table_with_its_columns() -> None:
    """Without messages the table has all columns with their types."""
    with sim.host() as host:
        host.seen._entries.clear()
        table = host.traffic
    assert len(table) == 0
    assert re.fullmatch(r"datetime64\[.{1,2}, UTC\]", str(table["at"].dtype))
    assert "No messages yet" in repr(table)


def test_the_ends_work_inside_a_running_loop() -> None:
    """In a notebook's loop `send` waits without a deadlock, and `ask` is awaited."""

    async def run() -> None:
        with sim.host() as host, sim.client(host) as client:
            assert client.send(sim.generate("auth")).code == "00"
            asked = await asyncio.gather(*(client.ask(sim.generate("auth", stan=at)) for at in range(1, 9)))
            assert [one.code for one in asked] == ["00"] * 8

    asyncio.run(run())


def test_rules_may_be_a_table_and_be_changed_while_it_runs() -> None:
    """A DataFrame with empty cells is a rule table; a new one applies from then on."""
    rules = pd.DataFrame([{"card": "4111*", "code": "05", "amount": None}])
    with sim.host(rules) as host, sim.client(host) as client:
        assert client.send(sim.generate("auth", stan=1)).code == "05"
        host.rules = None
        assert client.send(sim.generate("auth", stan=2)).code == "00"
        # Beside an empty cell pandas makes 1 the number 1.0.
        host.rules = pd.DataFrame([{"code": "05", "mti": "0800"}, {"code": "51", "seen": 1}])
        assert client.send(sim.generate("auth", stan=3)).code == "51"
        assert repr(host).endswith("ascii in length-2, 2 rules)")
    assert repr(host).startswith("Host(closed")
    assert repr(client).startswith("Client(closed")


def test_a_host_sends_to_its_clients_and_knows_balances() -> None:
    """The host's messages reach the handler; its account has the balance."""
    heard: list[str] = []

    def hear(message: sim.Message) -> None:
        heard.append(message.mti)

    balances = {"4111 1111 1111 1111": 5000}
    with sim.host(balances=balances) as host, sim.client(host, unsolicited=hear) as client:
        assert client.send(sim.generate("financial", amount_minor_units=1500)).code == "00"
        assert host.balance("4111111111111111") == 3500
        assert host.send(sim.generate("echo")) == 1
        client.send(sim.generate("echo", stan=2))
    assert heard == ["0800"]


@pytest.mark.parametrize("address", ["nowhere", "host:99999", 8583, ("127.0.0.1",), ""])
def test_an_address_that_is_none_is_told(address: object) -> None:
    """The error says how to write an address."""
    with pytest.raises(sim.OptionError, match="address: expected host:port"):
        sim.client(address)  # type: ignore[arg-type]


def test_an_option_that_cannot_be_met_is_told() -> None:
    """Framing without a length, invalid TLS, a taken port, messages that get no response."""
    with pytest.raises(sim.OptionError, match="framing: expected a length field"):
        sim.host(framing="tpdu")
    with pytest.raises(sim.OptionError, match="tls: expected an SSLContext"):
        sim.host(tls=True)  # type: ignore[arg-type]
    with sim.host() as host, sim.client(host) as client:
        with pytest.raises(LinkError, match="an address to listen on"):
            sim.host(port=host.port)
        with pytest.raises(LinkError, match="expected a request"):
            client.send(sim.respond(sim.generate("auth")))


def test_what_a_host_or_a_client_saw_is_sent_again() -> None:
    """The requests, but not the responses, are sent to another host."""
    with sim.host() as first, sim.host([{"code": "51"}]) as second, sim.client(first) as client:
        client.send_all(sim.generate("auth", stan=at) for at in (1, 2, 3))
        for seen in (first, client):
            assert sim.load(second, replay=seen, rate=1000).numbers.codes["51"] == 3

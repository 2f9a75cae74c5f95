"""A suite for a switch: `ISO8583_HOST=10.0.0.1:8583 pytest test_switch.py`, or a host of its own without it.

The fixture `iso_host` comes with the toolkit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import sim


@pytest.fixture
def client(iso_host: Any) -> Iterator[Any]:
    """A client of the host under test."""
    with sim.client(getattr(iso_host, "address", iso_host)) as one:
        yield one


@pytest.mark.parametrize("network", sim.NETWORKS)
def test_a_purchase_is_answered(client: Any, network: str) -> None:
    """Every network's purchase gets an answer that belongs to it and breaks no rule."""
    done = client.send(sim.generate("auth", network=network))
    assert done.status == "answered"
    answer = sim.parse(sim.build(done.answer))
    assert sim.validate(answer).iso.valid


def test_the_line_is_alive(client: Any) -> None:
    """An echo test comes back with code 00."""
    assert client.send(sim.generate("echo")).code == "00"


def test_a_wrong_check_digit_is_declined(client: Any) -> None:
    """A card number that no card can have is not approved."""
    wrong = sim.generate("auth", network="VISA", pan="4111111111111112")
    assert client.send(wrong).code != "00"


def test_a_repeat_does_not_take_the_money_twice(client: Any) -> None:
    """A repeated request gets the answer that the first one got."""
    request = sim.generate("financial", network="VISA", stan="000777")
    first = client.send(request)
    request.loc[0, "value"] = "0201"
    assert client.send(request).code == first.code

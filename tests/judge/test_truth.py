"""What is not to be said of a message, and how what is said reads."""

from __future__ import annotations

import pytest
from support import AT

from sim.codec import Message
from sim.elements.meaning import meaning
from sim.operations import explain, generate, respond, validate


@pytest.mark.parametrize(("purpose", "asked"), [("purchase", True), ("balance", False)])
@pytest.mark.parametrize("network", ["MASTERCARD", "VISA", "AMEX"])
def test_an_inquiry_may_be_answered_without_an_approval_code(network: str, purpose: str, asked: bool) -> None:
    """DE 38 is missed where money moves, not where a balance was asked for."""
    request = generate("auth", network=network, purpose=purpose, entry="chip", at=AT).message
    answer = respond(request).message.replace(de38=None)
    assert (38 in {one.field for one in validate(answer).findings}) is asked


def test_what_is_missing_has_its_article() -> None:
    """An action code, a response code."""
    answer = respond(generate("echo", network="VISA", version="1993", at=AT).message).message
    found = validate(answer.replace(de39=None)).findings
    assert [one.expected for one in found if one.field == 39] == ["an action code"]


def test_an_entry_mode_is_that_of_the_network() -> None:
    """06 is keyed, but at Mastercard a chip read through a mapping service, which chip data go with."""
    assert meaning(Message("0100", {22: "060"}), 22, "VISA").startswith("06 key entry")
    assert meaning(Message("0100", {22: "060"}), 22, "MASTERCARD").startswith("06 chip, read through")
    for network, rules in (("VISA", {"chip-entry-mode"}), ("MASTERCARD", set())):
        message = generate("auth", network=network, entry="chip", at=AT).message.replace(de22="061")
        assert {one.rule for one in validate(message).findings} & {"chip-entry-mode"} == rules


def test_a_category_without_a_place() -> None:
    """What was read of a broken message is told in sentences of their own."""
    told = explain(Message("0100", {18: "5411"})).sentences
    assert "The merchant's category is 5411 (Groceries and supermarkets); the place is not given." in told

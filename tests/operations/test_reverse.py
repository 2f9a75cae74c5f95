"""A reversal says what is undone, why, and by what names the network knows it."""

from __future__ import annotations

import pytest
from support import AT

from sim.errors import BuildError, ChoiceError, OptionError
from sim.operations import generate, respond, reverse, validate
from sim.operations.answering import Inside, reasons_of

# Where each network says why, and what it says then.
REASONS = [
    (
        "VISA",
        "1987",
        "63.3",
        {"customer": "2501", "timeout": "2502", "misdispense": "2502", "malfunction": "2503"},
    ),
    (
        "MASTERCARD",
        "1987",
        "39",
        {"customer": "17", "timeout": "82", "misdispense": "06", "malfunction": "06"},
    ),
    (
        "AMEX",
        "1993",
        "25",
        {"customer": "4000", "timeout": "4021", "misdispense": "4017", "malfunction": "4002"},
    ),
    (
        "DISCOVER",
        "1993",
        "25",
        {"customer": "4000", "timeout": "4021", "misdispense": "4017", "malfunction": "4002"},
    ),
]
PARTIAL = {"VISA": "2504", "MASTERCARD": "32", "AMEX": "4004", "DISCOVER": "4004"}


@pytest.mark.parametrize(("network", "version", "path", "codes"), REASONS)
def test_each_network_gives_the_reason_in_its_own_place(
    network: str, version: str, path: str, codes: dict[str, str]
) -> None:
    """Which reads back as one of the reasons that the code stands for; a part has a code of its own."""
    request = generate("auth", network=network, version=version, at=AT).message
    for reason, code in codes.items():
        made = reverse(request, reason=reason, at=AT).message
        assert Inside(made, network)[path] == code
        assert reason == "customer" or reason in reasons_of(made, network)
        assert validate(made, network=network).errors == []
    part = reverse(request, final_amount_minor_units=400, at=AT).message
    assert Inside(part, network)[path] == PARTIAL[network]


@pytest.mark.parametrize("network", ["JCB", "UNIONPAY"])
def test_a_reason_that_no_public_source_knows_is_a_note(network: str) -> None:
    """The message is the same without it."""
    request = generate("auth", network=network, at=AT).message
    made = reverse(request, reason="timeout", at=AT)
    assert made.message == reverse(request, at=AT).message
    assert "'timeout'" in made.notes[0]


def test_what_was_approved_in_part_is_undone_in_part() -> None:
    """No more can stay, or come back, than was approved."""
    request = generate("auth", network="VISA", amount_minor_units=10000, at=AT).message
    answer = respond(request, amount_minor_units=6000, approval="X4Y2Z1").message
    made = reverse(request, answer=answer).message
    assert (made[4], made[38]) == ("000000006000", "X4Y2Z1")
    with pytest.raises(OptionError, match="0 to 6000"):
        reverse(request, answer=answer, final_amount_minor_units=6001)


def test_an_answer_is_not_reversed() -> None:
    """It lacks what a reversal repeats; the error says what to do, and what answers another is refused."""
    request = generate("auth", network="VISA", at=AT).message
    answer = respond(request).message
    with pytest.raises(BuildError, match="pass the response as"):
        reverse(answer)
    with pytest.raises(BuildError, match="MTI 0110"):
        reverse(request, answer=answer.replace(mti="0210"))
    with pytest.raises(ChoiceError, match="reason"):
        reverse(request, reason="boredom")
    with pytest.raises(OptionError, match="final_amount_minor_units"):
        reverse(request, reason="partial")


def test_a_reversal_repeats_what_its_request_has() -> None:
    """A terminal's reversal has the invoice number of the request (DE 62), and none if there was none."""
    request = generate("financial", network="VISA", interface="nac", at=AT).message
    assert reverse(request).message[62] == request[62]
    assert 62 not in reverse(request.replace(de62=None)).message

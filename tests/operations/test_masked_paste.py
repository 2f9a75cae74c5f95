"""A dump is masked where it contains card data, and nowhere else."""

from __future__ import annotations

import pytest
from spellings import SPELLINGS
from support import some
from surfaces import leaks

import sim
from sim import answers
from sim.codec import parse
from sim.codec.wire import encode
from sim.operations.rewriting import masked
from sim.widgets import ValidatePanel

_FORMATS = ("bcd", "ascii", "visa")
# Notations whose bytes have different widths, and others that are masked where they may have card data.
_STRICT = {"wireshark", "python", "octal", "go printed", "signed", "unsigned", "base64url", "java string"}
_ALL_BUT_TAGS = 0.1  # of a message with track and chip data


@pytest.mark.parametrize("spelling", some(SPELLINGS, 3))
def test_only_the_bytes_of_card_data_are_masked(spelling: str) -> None:
    """In each notation, most of a financial request stays readable, without its card data."""
    request = parse(str(sim.generate("financial", network="VISA", entry="chip").iso.message))
    for name in _FORMATS:
        paste = SPELLINGS[spelling](encode(request, name)).rstrip("\r\n")
        shown = masked(paste)
        assert len(shown) == len(paste)
        assert not leaks(shown), name
        assert 0 < shown.count("*") < len(paste) * (_ALL_BUT_TAGS if spelling not in _STRICT else 1), name


@pytest.mark.parametrize(
    "spelling", ["SPACED", "xxd", "hexdump -C", "jpos", "log spaced", "slashx", "base64"]
)
def test_bytes_without_card_data_stay(spelling: str) -> None:
    """A network management request is shown unchanged."""
    request = parse(str(sim.generate("echo").iso.message))
    for name in _FORMATS:
        paste = SPELLINGS[spelling](encode(request, name)).rstrip("\n")
        assert masked(paste) == paste, name


def test_every_door_masks_the_same_bytes() -> None:
    """`sim.mask`, the shell and the message box of a panel show a dump alike, whatever it is read with."""
    request = parse(str(sim.generate("financial", network="VISA").iso.message))
    for name in _FORMATS:
        paste = SPELLINGS["xxd"](encode(request, name))
        shown = masked(paste)
        panel = ValidatePanel(paste)
        assert [sim.mask(paste), answers.mask(paste)["message"], panel.input.text.shown] == [shown] * 3
        panel.version = "1993"
        assert not leaks(panel.input.text.shown)


def test_text_around_the_bytes_is_masked_as_before() -> None:
    """What stands before or after a message, such as a second copy of its card, is masked as well."""
    request = parse(str(sim.generate("financial", network="VISA", pan="4111111111111111").iso.message))
    paste = f"pan=4111111111111111 recv: {encode(request, 'bcd').hex(' ')} (41 11 11 11 11 11 11 11)"
    assert not leaks(masked(paste))


def test_a_character_that_shares_bits_with_card_data_is_masked() -> None:
    """In base64 a character has bits of two bytes: none of a masked byte is left in it."""
    for merchant in ("SHOP", "SHOP 1", "SHOP 12"):
        requests = (
            parse(
                str(
                    sim.generate(
                        "auth", network="VISA", entry="manual", merchant=merchant, pan=pan
                    ).iso.message
                )
            )
            for pan in ("4111110000001111", "4111119999991111")
        )
        first, second = (masked(SPELLINGS["base64"](encode(request, "bcd"))) for request in requests)
        assert first == second

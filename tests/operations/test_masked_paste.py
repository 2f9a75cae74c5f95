"""A dump is masked where it contains card data, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest
from spellings import SPELLINGS
from support import AT, some
from surfaces import BEHIND, PAN, leaks

import sim
from sim import answers
from sim.codec import Message, parse
from sim.codec.wire import encode
from sim.operations.rewriting import masked
from sim.widgets import ValidatePanel

_FORMATS = ("bcd", "ascii", "visa")
# Notations that cannot be rewritten in place, because their bytes have different widths, for instance: all of
# such a paste is masked.
_ENTIRELY = {
    *("wireshark", "python", "octal", "go printed", "signed", "unsigned", "base64url", "java string"),
}
_MOST = 0.12  # of a message with a card number and a track


def _request(pan: str = PAN, **options: Any) -> Message:
    made = parse(str(sim.generate("financial", network="VISA", pan=pan, **options).iso.message))
    return made.replace(de35=f"{pan}=2912201{BEHIND}")


@pytest.mark.parametrize("spelling", some(SPELLINGS, 3))
def test_only_the_bytes_of_card_data_are_masked(spelling: str) -> None:
    """In each notation, most of a financial request stays readable, without its card data."""
    request = _request(entry="chip")
    for name in _FORMATS:
        paste = SPELLINGS[spelling](encode(request, name)).rstrip("\r\n")
        shown = masked(paste)
        assert len(shown) == len(paste)
        assert not leaks(shown), name
        assert 0 < shown.count("*") <= len(paste) * (1 if spelling in _ENTIRELY else _MOST), name


@pytest.mark.parametrize("spelling", some(SPELLINGS, 3))
def test_masked_bytes_tell_nothing(spelling: str) -> None:
    """Pastes that differ only in what is masked look alike, whether the reading is sure or not."""
    for name in _FORMATS:
        first, second = (
            SPELLINGS[spelling](encode(_request(pan, entry="manual", stan=1, at=AT), name))
            for pan in (PAN, "4539571234681486")
        )
        if len(first) == len(second):
            assert masked(first) == masked(second), name


def test_a_value_that_stops_the_reading_is_not_shown() -> None:
    """Its first half is an element of the message, and the place where reading stopped, as well."""
    data = bytes.fromhex("0183 2D00 0100 7000000000000000 16 4539578763621486 B000")
    for paste in (data.hex(" "), data.decode("cp037")):
        assert not leaks(masked(paste))


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
    request = _request()
    for name in _FORMATS:
        paste = SPELLINGS["xxd"](encode(request, name))
        shown = masked(paste)
        panel = ValidatePanel(paste)
        assert [sim.mask(paste), answers.mask(paste)["message"], panel.input.text.shown] == [shown] * 3
        panel.version = "1993"
        assert not leaks(panel.input.text.shown)


def test_text_around_the_bytes_is_masked_as_before() -> None:
    """What stands before or after a message, such as a second copy of its card, is masked as well."""
    paste = f"pan={PAN} recv: {encode(_request(), 'bcd').hex(' ')} ({bytes.fromhex(PAN).hex(' ')})"
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

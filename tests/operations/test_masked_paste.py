"""A dump is masked where it contains card data, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest
from spellings import SPELLINGS
from support import AT, some
from surfaces import BEHIND, PAN, leaks

import sim
from sim import answers
from sim.codec import Message, build, parse
from sim.codec.wire import encode
from sim.operations.rewriting import masked
from sim.paste.spellings import sightings
from sim.widgets import ValidatePanel

_FORMATS = ("bcd", "ascii", "visa")
# Notations that cannot be rewritten in place, because their bytes have different widths, for instance: all of
# such a paste is masked.
_ENTIRELY = {
    *("wireshark", "python", "octal", "go printed", "signed", "unsigned", "base64url", "java string"),
}
_PIN_BLOCK = "8F3A61C9D27B04E5"
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


def _read_back(text: str) -> str:
    """*text* and all bytes that can be seen in it, as characters and as hex digits."""
    datas = [sighting.data for sighting in sightings(text)]
    views = [text, *(data.decode("latin-1") for data in datas), *(data.hex() for data in datas)]
    return " ".join("".join(char for char in view if char.isalnum()) for view in views).upper()


@pytest.mark.parametrize("spelling", some(SPELLINGS, 3))
def test_no_card_data_of_several_or_damaged_messages_can_be_read_back(spelling: str) -> None:
    """Each message of a log, and what nobody can read of a damaged dump, is masked as well: card number,
    track and PIN block."""
    pans = "4539571234681486", "5425233430109903"
    for name in _FORMATS:
        messages = [_request(pan, entry="manual").replace(de52=_PIN_BLOCK) for pan in pans]
        first, second = (SPELLINGS[spelling](encode(message, name)).rstrip() for message in messages)
        pastes = {
            "in a log": f"12:00:01 sent {first}\n12:00:02 received {second}",
            "below captions": f"Request:\n{first}\nResponse:\n{second}",
            "a half, then a whole": f"12:00:01 sent {first[: len(first) // 2]}\n12:00:02 sent {second}",
            "without its start": first[len(first) // 8 :],
            "without a character": first[: len(first) // 3] + first[len(first) // 3 + 1 :],
        }
        for how, paste in pastes.items():
            shown = masked(paste)
            seen = _read_back(shown)
            assert len(shown) == len(paste), (name, how)
            assert not [secret for secret in (*pans, _PIN_BLOCK) if secret in seen], (name, how)


@pytest.mark.parametrize("spelling", ["log in front", "text"])
def test_messages_of_a_log_are_masked_each_by_itself(spelling: str) -> None:
    """What is no card data stays in every message of the log, not in the first alone."""
    requests = [_request(entry="manual", stan=stan) for stan in ("000001", "000002")]
    lines = (
        build(request) if spelling == "text" else SPELLINGS[spelling](encode(request, "bcd"))
        for request in requests
    )
    for shown in masked("\n".join(lines)).splitlines():
        assert shown.count("*") < len(shown) / 5


@pytest.mark.parametrize("spelling", ["unsigned", "signed", "go printed"])
def test_only_card_data_is_masked_in_decimal_numbers_of_one_width(spelling: str) -> None:
    """Bytes of text in decimal all have two digits, or those of card data."""
    paste = SPELLINGS[spelling](encode(_request(entry="manual"), "ascii"))
    assert 0 < masked(paste).count("*") < len(paste) / 5


@pytest.mark.parametrize(
    "paste",
    [
        f'<isomsg><field id="0" value="0100"/><field id="3" value="000000"/>'
        f'<field id="52" value="{_PIN_BLOCK[:15]}"/></isomsg>',
        f"MTI: 0100\nDE 3: 000000\nDE 4: 000000001000\nDE 52: {_PIN_BLOCK.lower()}",
        f"{_request().replace(de52=_PIN_BLOCK)}\npin data : {_PIN_BLOCK}",
        f"12:00 DEBUG 000000f0: {_PIN_BLOCK[:4]} {_PIN_BLOCK[4:8]} {_PIN_BLOCK[8:12]} {_PIN_BLOCK[12:]}",
        f"|31313030 f0242000 {_PIN_BLOCK[:8]} {_PIN_BLOCK[8:]}|\nMTI: 0100\nDE 3: 000000\nDE 11: 000042",
    ],
)
def test_values_of_card_data_are_masked_wherever_they_stand(paste: str) -> None:
    """A PIN block that is named, of the right length or not, or that stands beside its message."""
    assert _PIN_BLOCK[:15] not in masked(paste).upper().replace(" ", "")

"""Card data never shows."""

from __future__ import annotations

import base64
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import together

from sim.codec import Message
from sim.codec.wire import read
from sim.errors import WireError
from sim.masking import (
    UNREAD,
    Stretch,
    cover,
    cover_value,
    is_sensitive,
    mask,
    mask_pan,
    mask_text,
    mask_words,
)
from sim.spec.networks import test_cards as cards_for_tests
from sim.spec.tables import read_csv

PAN = "4111111111111111"
TRACK = PAN + "=29122010000012345678"


@pytest.mark.parametrize(
    ("pan", "shown"),
    [
        (PAN, "411111******1111"),
        ("378282246310005", "378282*****0005"),
        ("6205500000000000004", "620550*********0004"),
        ("411111111111", "************"),
        ("", ""),
    ],
)
def test_first_six_and_last_four(pan: str, shown: str) -> None:
    """A PAN shows its first six and last four digits; a short one shows nothing."""
    assert mask_pan(pan) == shown


@together("number", [35, 36, 45, 52, 53, 55])
@together("version", ["1987", "1993", "2003"])
def test_tracks_pin_and_chip_do_not_show_at_all(number: int, version: str) -> None:
    """Not one character of track data, PIN blocks or chip data is left."""
    assert mask(number, "ABC123DEF456", version) == "[12 characters masked]"
    assert is_sensitive(number, version)


def test_chip_tags_with_secrets_and_unknown_ones_do_not_show() -> None:
    """Tracks, names, PINs, scripts and tags without a row show nothing; a country code stays."""
    secret = [
        row["tag"] for row in read_csv("emv/roles") if row["role"] in ("track", "name", "pin", "script")
    ]
    for tag in [*secret, "DF7A"]:
        assert cover_value(55, f"{tag}0412345678", "1987") == f"{tag}04********"
    assert cover_value(55, "9F1A020840", "1987") == "9F1A020840"


@pytest.mark.parametrize("number", [43, 48, 60, 62, 104, 120])
def test_the_message_s_own_pan_is_hidden_wherever_it_stands(number: int) -> None:
    """The message's own PAN is also masked in a text element."""
    assert PAN not in mask(number, f"CARD {PAN} SEEN", "1987", PAN)
    assert PAN not in mask(number, f"CARD {PAN} SEEN", "1987")


def test_verification_code_in_a_subelement() -> None:
    """DE 48 shows its subelements, except the card verification code."""
    assert mask(48, "T9203123" + "42070103210") == "T9203***42070103210"


def test_repr_of_a_message_hides_card_data() -> None:
    """The repr of a message shows neither PAN, track, PIN block nor chip data."""
    pin, chip = "1122334455667788", "5A084111111111111111"
    message = Message("0100", {2: PAN, 35: TRACK, 48: PAN, 52: pin, 55: chip})
    shown = repr(message)
    for secret in (PAN, TRACK, pin, chip):
        assert secret not in shown
    assert "411111******1111" in shown


@given(st.text(st.sampled_from("0123456789ABC=D "), min_size=13, max_size=60), st.integers(0, 40))
def test_masked_text_keeps_its_length_and_hides_planted_numbers(text: str, at: int) -> None:
    """Text of unknown layout keeps its length; a card number in it is masked."""
    planted = text[:at] + PAN + text[at:]
    assert len(mask_text(planted)) == len(planted)
    assert PAN not in mask_text(planted)


# How each digit may be written, and what stands between two of them.
_WRITTEN = {
    "each quoted": ('"{}"', ", "),
    "bytes in hex": ("0x3{}", ", "),
    "escapes": ("\\x3{}", ""),
    "entities": ("&#x3{};", ""),
    "EBCDIC": ("F{}", " "),
    "quoted-printable": ("=3{}", ""),
    "raised": ("{}", ""),
}
_NUMBERS = {"decimal": ("{}", 48), "octal": ("\\{:03o}", 48), "bits": ("{:08b}", 48), "signed": ("{}", -16)}


@together("pan", [card.pan for card in cards_for_tests() if "*" in mask_words(card.pan)])
def test_a_card_number_is_hidden_however_its_digits_are_written(pan: str) -> None:
    """With each digit quoted, as a hex byte, an escape, a number or an entity, the middle is masked, and
    everything around the card number stays."""
    spelled = {
        name: ([one.format(digit) for digit in pan], between) for name, (one, between) in _WRITTEN.items()
    }
    spelled["raised"] = (
        ["\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[int(digit)] for digit in pan],
        "",
    )
    for name, (one, zero) in _NUMBERS.items():
        spelled[name] = [one.format(zero + int(digit)) for digit in pan], " " if name == "bits" else ", "
    for name, (digits, between) in spelled.items():
        text = f"paid with {between.join(digits)} at noon"
        starts = [len("paid with ") + len(between.join([*digits[:at], ""])) for at in range(len(pan))]
        for shown in (mask_text(text), mask_words(text)):
            assert len(shown) == len(text), name
            assert shown.startswith("paid with "), name
            assert shown.endswith(" at noon"), name
            for at in range(6, len(pan) - 4):
                assert not shown.startswith(digits[at], starts[at]), name


@together(
    "written",
    [
        '"4539" + "5787" + "6362" + "1486"',
        "45395787=\r\n63621486",
        base64.b64encode(b'{"pan": "4539578763621486"}').decode(),
        base64.b64encode(bytes.fromhex("0200724420000000000016453957876362148600")).decode(),
        base64.urlsafe_b64encode(b"\xff\xfe\xfb 4539578763621486?").decode(),
    ],
)
def test_a_card_number_in_pieces_and_in_base64_is_hidden(written: str) -> None:
    """String literals that a program joins, a line broken by e-mail, and bytes in Base64 are recognized."""
    assert "*" in mask_text(f"sent {written}")
    assert "*" in mask_words(f"sent {written}")


@pytest.mark.parametrize(
    "unit",
    [
        "4539578",
        "48, ",
        "00110100 ",
        "-7 ",
        "QUJD",
        "4 5-39 ",
        "34353339",
        "4539578763621486 ",
        "AB/^",
        "4x1X",
        "12345678901D",
        "E9W\x87",
    ],
)
def test_what_masking_does_grows_with_the_text_alone(unit: str) -> None:
    """Twice the text takes about twice the work, whatever it contains: measured in calls, not in time."""

    def calls(size: int) -> int:
        made = 0

        def count(frame: object, event: str, arg: object) -> None:
            nonlocal made
            made += event in ("call", "c_call")

        text = (unit * size)[:size]
        sys.setprofile(count)
        try:
            mask_text(text)
        finally:
            sys.setprofile(None)
        return made

    calls(500)
    assert calls(8000) < 2.5 * calls(4000) + 1000


@together(
    "version, number, value, shown",
    [
        ("1987", 120, "13530111333300001" + "01291231AAAAA", "1353011******0001" + "01291231AAAAA"),
        ("1987", 63, "SM0123456789ABCDEF", "SM" + "*" * 16),
        ("1993", 61, "AX123101234" + "AB" * 20, "AX123101234" + "*" * 40),
    ],
)
def test_what_a_network_says_is_card_data_needs_no_form(
    version: str, number: int, value: str, shown: str
) -> None:
    """Subfields that rows define as card data are masked: a card number with a wrong check digit, or a
    secret of any form."""
    assert mask(number, value, version) == shown


def test_an_amount_with_its_currency_is_no_card() -> None:
    """In a 2003 amount 484 is the peso; the same digits elsewhere would be a card number."""
    value = "4840000000123451"
    assert mask(4, value, "2003") == value
    assert mask(37, value, "2003") == "484000******3451"


@together(
    "text, masked",
    [
        ("sale 10, pin 1234567", "sale 10, pin *******"),
        ("PIN: 4512", "PIN: ****"),
        ("the PIN is 98765.", "the PIN is *****."),
        ("chip and PIN 5000 JPY", "chip and PIN 5000 JPY"),
        ("chip and PIN 2512.50", "chip and PIN 2512.50"),
        ("chip and PIN 5000", "chip and PIN 5000"),
    ],
)
def test_a_pin_is_masked_and_an_amount_after_the_word_is_not(text: str, masked: str) -> None:
    """Digits after the word are a PIN unless they are an amount."""
    assert mask_words(text) == masked


@pytest.mark.parametrize("value", ["123456789012345", "MERCHANT1234567", "000000012345", "20261120101530"])
def test_what_is_surely_no_card_stays(value: str) -> None:
    """A merchant number, an amount or a time is not masked, even in a broken message."""
    assert mask(42, value) == value
    assert mask_text(value) == value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (f"0000{PAN}", "0000411111******1111"),
        (f"REF {'0' * 24}{PAN}", f"REF {'0' * 24}411111******1111"),
        ("x".join(PAN), "4x1x1x1x1x1x" + "*" * 11 + "x1x1x1x1"),
        ("card 4111X1111X1111X1111.", "card 4111X11*******X1111."),
        ("0x41, 0x11, 0x11, 12x34x56x78", "0x41, 0x11, 0x11, 12x34x56x78"),
        ("411111******1111D29122010000012345678F", "*" * 38),
        (f"{'*' * 20}{PAN}D29122010000012345678F", "*" * 58),
    ],
)
def test_a_card_number_is_hidden_among_fill_and_stars(value: str, shown: str) -> None:
    """Zero padding before it, earlier masking, and a track with a D make no difference."""
    assert mask_words(value) == shown


@together("page", ["latin-1", "cp037"])
@together("before, after", [("", ""), ("0", "0"), ("A", "C"), ("5A08", "E0"), ("01FF", "")])
def test_bytes_of_a_card_number_shown_as_characters_are_hidden(before: str, after: str, page: str) -> None:
    """Packed digits, at either half of a byte, in any characters, are masked like digits."""
    pan = "4539578763621486"
    text = bytes.fromhex(before + pan + after).decode(page)
    for shown in (mask_text(text), cover_value(48, text, "1987")):
        assert len(shown) == len(text)
        assert "***" in shown


@pytest.mark.parametrize(("written", "shown"), [("cp037", "latin-1"), ("latin-1", "cp037")])
def test_digits_in_the_characters_of_another_page_are_hidden(written: str, shown: str) -> None:
    """EBCDIC shown as Latin-1 and ASCII shown as EBCDIC are masked."""
    text = PAN.encode(written).decode(shown)
    assert mask_text(text) == mask_words(text) == text[:6] + "******" + text[-4:]


def test_words_between_control_characters_are_no_packed_digits() -> None:
    """A framed text stays readable."""
    text = "\x02PURCHASE AT STORE 12 ABCDEFGH some words abcdefgh\x03"
    assert mask_text(text) == mask_words(text) == text


def test_an_error_quotes_no_packed_digits() -> None:
    """The bytes of a card number instead of a message are not quoted, neither as MTI nor as a length or
    header."""
    data = bytes.fromhex("45395787636214869999999999999999999999999999")
    for framing, found in (((), "'E9W*'"), (("tpdu",), "453957****")):
        with pytest.raises(WireError) as caught:
            read(data, "ascii", framing=framing)
        assert caught.value.found == found


def _covered(*values: tuple[int, str], **how: object) -> str:
    cells = [Stretch(number, "016" if number == 48 else "", value) for number, value in values]
    return "".join(prefix + value for prefix, value in cover(cells, "1987", **how))


def test_a_bitmap_of_the_form_of_a_card_number_is_shown() -> None:
    """A bitmap may be shown, whatever its digits are."""
    assert _covered((0, "0100"), (1, PAN), (41, "TERM0001")) == f"0100{PAN}TERM0001"


def test_a_card_number_in_elements_that_cannot_be_those_is_hidden() -> None:
    """DE 7 with month 41: the message is something else, and a card number may lie across its elements."""
    assert _covered((0, "0100"), (7, PAN[:10]), (11, PAN[10:])) == f"0100{mask_pan(PAN)}"


@together(
    "at, pan",
    [
        *((at, PAN) for at in (16, 26, 32, 42)),
        *((20, pan) for pan in ("4222222222222", "378282246310005", "6205500000000000004")),
        *((at, PAN[:-1] + "2") for at in (20, 36)),
    ],
)
def test_a_card_number_where_the_bitmap_is_wrong_about_it_is_hidden(at: int, pan: str) -> None:
    """A card number is masked after its length where DE 2 would be if bits were flipped, across several
    elements, with a few characters lost or added before it; directly after a bitmap, even with a wrong
    check digit."""
    around = "0100" + "A" * 79
    text = f"{around[:at]}{len(pan)}{pan}{around}"
    shown = _covered((0, text[:4]), (1, text[4:20]), (41, text[20:28]), (42, text[28:43]), (43, text[43:83]))
    assert shown == f"{around[:at]}{len(pan)}{mask_pan(pan)}{around}"[:83]


_BLOCK = "1A2B3C4D5E6F7081"
_READ_SO_FAR = ((0, "0100"), (1, "4000000000011000"), (2, PAN), (48, "F" * 16))


@together(
    "read, unread, hidden",
    [
        ((), (52,), True),
        ((), (55,), True),
        ((), (60,), False),
        (((52, "0" * 16),), (60,), True),  # read, but shifted most likely
        (((52, "0" * 16),), (), True),  # what is left over says so, too
        (((41, "TERM0001"),), (60,), False),
    ],
)
def test_what_is_left_is_hidden_where_a_secret_may_stand_in_it(
    read: tuple[tuple[int, str], ...], unread: tuple[int, ...], hidden: bool
) -> None:
    """A PIN block has no recognizable form: unread hex digits are masked if the bitmap announces one, and
    only then."""
    for number in (UNREAD, *unread):  # left over, or of the failing element
        left = (number, f"PIN {_BLOCK}")
        shown = _covered(*_READ_SO_FAR, *read, left, broken=True, unread=frozenset(unread))
        assert ("F" * 16 in shown, "1A2B" not in shown) == (True, hidden or number == 52), number
        assert len(shown) == len("".join(value for _, value in (*_READ_SO_FAR, *read, left))) + 3


def test_all_hex_digits_are_hidden_where_nothing_says_what_is_where() -> None:
    """In a broken message without a card number in its element, anything may be a PIN block; MTI and
    bitmap stay."""
    shown = _covered((0, "0100"), (1, "0000000000810000"), (41, "TERM0001"), (48, _BLOCK), broken=True)
    assert shown == "01000000000000810000TERM0001016" + "*" * 16

"""Card numbers masked in texts whose elements are unknown."""

from __future__ import annotations

import re

from sim.errors import counted
from sim.masking import search
from sim.masking.search import hide, middle

STAR = "*"
_HEAD = 10  # bytes: MTI and bitmap of a message
LONG_HEX = re.compile(r"[0-9A-Fa-f]{16,}")


def mask_pan(pan: str) -> str:
    """A card number with its middle masked; entirely masked if it has fewer than 13 digits.

    >>> mask_pan("4111111111111111")
    '411111******1111'
    >>> mask_pan("41111111")
    '********'
    """
    start, end, _ = middle(0, len(pan))
    return pan[:start] + STAR * (end - start) + pan[end:]


def mask_text(text: str) -> str:
    """Text of unknown layout, masked, such as the unread rest of a broken message.

    >>> mask_text("164111111111111111000000")
    '16411111******1111000000'
    """
    return hide(text, search.find(text, unread=True))


def mask_words(text: str) -> str:
    """Text written by people or programs, masked: a card number in it is delimited by characters other than
    digits.

    >>> mask_words("card 4111-1111-1111-1111, terminal 123456789012345")
    'card 4111-11**-****-1111, terminal 123456789012345'
    """
    spans = search.find(text)
    return hide(text, spans) if spans else text


def mask_piece(text: str) -> str:
    """Text taken from an unknown element or typed by a person, masked: a long run of hex digits may be a PIN
    block, or contain a card number.

    >>> mask_piece("52:0412AC89ABCDEF67, merchant 123456789012345")
    '52:0412AC******EF67, merchant 123456789012345'
    """
    return LONG_HEX.sub(lambda run: mask_pan(run[0]), mask_words(text))


def mask_bytes(data: bytes) -> str:
    """Unknown bytes, masked: as characters if all are printable, otherwise the first ones in hex.

    >>> mask_bytes(b"GET / HTTP/1.1"), mask_bytes(bytes.fromhex("4111111111111111" + "AB" * 9))
    ('GET / HTTP/1.1', '41 11 11 ** ** ** 11 11 AB AB, and 7 more bytes')
    """
    text = data.decode("latin-1")
    if data and all(char.isascii() and (char.isprintable() or char in "\r\n\t") for char in text):
        return mask_piece(mask_text(text))
    digits, rest = mask_text(data.hex().upper())[: 2 * _HEAD], len(data) - _HEAD
    pairs = " ".join(digits[at : at + 2] for at in range(0, len(digits), 2))
    return pairs + (f", and {counted(rest, 'more byte')}" if rest > 0 else "")

"""Where in a paste a byte of its message is, in words."""

from __future__ import annotations

import pytest

from sim.operations.reading import read
from sim.paste.places import place
from tests.spellings import xxd

ECHO = bytes.fromhex("08002020000000000000990000123456")
WORDS = ECHO.hex(" ", 2)


@pytest.mark.parametrize(
    ("paste", "words"),
    [
        (ECHO, "byte 13"),
        (ECHO.hex(), "offset 13"),
        (WORDS, "byte 13"),
        (WORDS.replace(" 0000 9900", "\n0000 9900"), "byte 13 (line 2, column 13)"),
        (f"sent {WORDS}", "byte 13 (line 1, column 38)"),
        (f"sent {ECHO.hex()}", "line 1, column 19"),
        (f"sent\n{ECHO.hex()}", "line 2, column 14"),
        (xxd(b"\x00\x10" + ECHO), "byte 13 (row 00000000)"),
    ],
)
def test_a_byte_is_where_the_eye_finds_it(paste: str | bytes, words: str) -> None:
    """In its line and column, or the row of its dump; in bytes and in digits by themselves by its number."""
    assert place(read(paste), 13) == words

"""Wireshark's dissector reads our bytes as we do, by its preferences: packed digits, raw binary elements.

It takes track data for raw bytes wherever binary elements are, and characters behind two bitmaps of raw
bytes for no message at all, and shows a key of raw bytes as text: such messages are left out.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.codec import Message
from sim.codec.wire import encode, misfits
from tests.interop.samples import generated
from tests.interop.tshark import PROGRAM, Reading, differs, read

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="tshark (of Wireshark) is not installed")

_RAW = "iso8583.binencode:Bin data not encoded"
_PACKED = "iso8583.charset:Digits represented in nibbles"
_PREFERENCES = {"ascii-binary": [_RAW], "bcd": [_RAW, _PACKED]}


@pytest.mark.parametrize("name", _PREFERENCES)
def test_bytes_of_1987_are_read_identically(name: str, tmp_path: Path) -> None:
    """Every generated message of 1987 whose elements Wireshark lays out so: same MTI, bitmap, values."""
    apart = {*differs("1987"), 35, 36, 55, 96, *(range(65, 129) if name == "ascii-binary" else ())}
    some = [one for one in generated("1987") if not misfits(one, name) and not apart & one.fields.keys()]
    readings = read([encode(one, name) for one in some], tmp_path, _PREFERENCES[name])
    assert len(some) > 100
    wrong = [(one, got) for one, got in zip(some, readings, strict=True) if not _agrees(one, got)]
    assert wrong == []


def _agrees(message: Message, reading: Reading | None) -> bool:
    return reading is not None and (reading.mti, reading.bitmap.upper(), reading.fields) == (
        message.mti,
        message.bitmap,
        dict(message.fields),
    )

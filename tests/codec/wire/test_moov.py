"""Specifications of moov-io/iso8583: bitmaps, composites, and what is left out of them."""

from __future__ import annotations

from typing import Any

import pytest

from sim.codec import Message
from sim.codec.wire import Format, encode, read, wire_format
from sim.codec.wire.catalogue import format_of
from sim.codec.wire.exchange.moov import from_moov, to_moov
from sim.parts.layout import fitting

_HEAD = {
    "0": {"type": "String", "length": 4, "enc": "ASCII", "prefix": "ASCII.Fixed"},
    "1": {"type": "Bitmap", "length": 8, "enc": "HexToASCII", "prefix": "Hex.Fixed"},
    "11": {"type": "String", "length": 6, "enc": "ASCII", "prefix": "ASCII.Fixed"},
}


def _two(prefix: str = "ASCII.Fixed", **more: Any) -> dict[str, Any]:
    return {"type": "String", "length": 2, "enc": "ASCII", "prefix": prefix, **more}


POSITIONAL = {
    "type": "Composite",
    "length": 6,
    "prefix": "ASCII.Fixed",
    "tag": {"sort": "StringsByInt"},
    "subfields": {"1": _two(description="Type"), "2": _two(), "3": _two()},
}
TAGGED = {
    "type": "Composite",
    "length": 99,
    "prefix": "ASCII.LLL",
    "tag": {"length": 2, "enc": "ASCII", "padding": {"type": "Left", "pad": "0"}, "sort": "StringsByInt"},
    "subfields": {"1": _two("ASCII.LL"), "22": {**_two("ASCII.LL"), "length": 12}},
}
BITMAPPED = {
    "type": "Composite",
    "length": 99,
    "prefix": "ASCII.LLL",
    "bitmap": {"type": "Bitmap", "length": 8, "enc": "HexToASCII", "prefix": "Hex.Fixed"},
    "subfields": {"1": _two(), "3": _two()},
}
CHIP = {
    "type": "Composite",
    "length": 255,
    "prefix": "ASCII.LLL",
    "tag": {"enc": "BerTLVTag", "sort": "StringsByHex"},
    "subfields": {"9F02": {"type": "Binary", "length": 6, "enc": "Binary", "prefix": "BerTLV"}},
}


def _format(**fields: Any) -> Format:
    named = {key.removeprefix("de"): value for key, value in fields.items()}
    return format_of(from_moov({"name": "test", "fields": {**_HEAD, **named}}, "test"), "test")


@pytest.mark.parametrize(
    ("number", "one", "written", "parts"),
    [
        (3, POSITIONAL, b"001020", {"1": "00", "2": "10", "3": "20"}),
        (48, TAGGED, b"0140102AB2204WXYZ", {"01": "AB", "22": "WXYZ"}),
        (48, BITMAPPED, b"020A000000000000000ABCD", {"1": "AB", "3": "CD"}),
    ],
)
def test_a_composite_is_cut_as_its_subfields_are(
    number: int, one: dict[str, Any], written: bytes, parts: dict[str, str]
) -> None:
    """One after the other, after tags, or by a bitmap: read by part, and written as it was."""
    made = _format(**{f"de{number}": one})
    assert made.left_out == ()
    bitmap = sum(1 << (64 - bit) for bit in (number, 11))
    first, second = (written, b"000042") if number < 11 else (b"000042", written)
    data = b"0100%016X" % bitmap + first + second
    message = read(data, made).message
    found = fitting(message.spec, number, message.fields[number])
    assert found is not None
    assert {part.key: part.value for part in found.parts if part.key in parts} == parts
    assert encode(message, made) == data


@pytest.mark.parametrize("key", ["disableAutoExpand", "disableautoexpand"])
def test_a_bitmap_of_sixteen_bytes_always_has_them(key: str) -> None:
    """Expanded or not, and whichever way the key is spelled."""
    for more in ({}, {key: True}):
        made = _format(de1={**_HEAD["1"], "length": 16, **more})
        data = encode(Message("0800", {11: "000042"}, "1987"), made)
        assert data == b"080000200000000000000000000000000000000042"
        assert read(data, made).message.fields == {11: "000042"}


def test_chip_data_are_read_as_such() -> None:
    """A composite of BER-TLV is an element of bytes, whose tags are its parts."""
    made = _format(de55=CHIP)
    data = b"01000020000000000200000042009" + bytes.fromhex("9F0206000000001000")
    message = read(data, made).message
    assert message.fields[55] == "9F0206000000001000"
    found = fitting(message.spec, 55, message.fields[55])
    assert found is not None
    assert [(part.key, part.value) for part in found.parts] == [("9F02", "000000001000")]


@pytest.mark.parametrize(
    ("one", "body", "value"),
    [
        ({"type": "Binary", "length": 99, "enc": "Binary", "prefix": "Hex.LL"}, b"0003ABC", "414243"),
        ({"type": "String", "length": 99, "enc": "HexToASCII", "prefix": "Hex.L"}, b"03414243", "ABC"),
        ({"type": "String", "length": 3, "enc": "HexToASCII", "prefix": "Hex.Fixed"}, b"414243", "ABC"),
        (
            {**TAGGED, "tag": {"length": 1, "enc": "ASCIIToHex"}, "subfields": {"DF": _two("Binary.L")}},
            b"004\xdf\x02AB",
            "DF02AB",
        ),
    ],
)
def test_lengths_text_and_tags_in_hex(one: dict[str, Any], body: bytes, value: str) -> None:
    """A length in hex digits, characters as hex digits, tags whose hex digits are bytes."""
    made = _format(de48=one)
    assert made.left_out == ()
    data = b"01000020000000010000000042" + body
    message = read(data, made).message
    assert (message.fields[48], encode(message, made)) == (value, data)


def test_a_message_of_hex_digits_all_through() -> None:
    """MTI, numbers and text, as the hex digits of their characters."""
    one = {"type": "String", "enc": "HexToASCII", "prefix": "Hex.Fixed"}
    made = format_of(
        from_moov({"fields": {"0": one | {"length": 4}, "1": _HEAD["1"], "11": one | {"length": 6}}}, "hex"),
        "hex",
    )
    data = b"303830300020000000000000303030303432"
    message = read(data, made).message
    assert (message.mti, message.fields, encode(message, made)) == ("0800", {11: "000042"}, data)


def test_what_is_not_known_is_left_out_and_named() -> None:
    """An encoding, a prefix, a filler, a tag: never the whole file, and never without a word."""
    made = _format(
        de4={"type": "String", "length": 12, "enc": "Odd", "prefix": "ASCII.Fixed"},
        de37={"type": "String", "length": 12, "enc": "ASCII", "prefix": "Roman.LL"},
        de41={**_two(), "length": 8, "padding": {"type": "Left", "pad": "*"}},
        de48={**TAGGED, "tag": {"length": 2, "enc": "BCD"}},
    )
    assert [(one.number, one.what) for one in made.left_out] == [
        (4, "the element"),
        (37, "the element"),
        (41, "padding"),
        (48, "its parts"),
    ]


def test_an_export_has_only_words_that_are_there() -> None:
    """No prefix of a code page that has none, no track packed as BCD."""
    table, _ = to_moov(wire_format("ebcdic-hex"))
    families = {one["prefix"].partition(".")[0] for one in table["fields"].values()}
    assert families <= {"ASCII", "BCD", "Binary", "EBCDIC", "Hex"}
    table, left = to_moov(wire_format("bcd"))
    assert ("35" in table["fields"], 35 in left) == (False, True)

"""Framing: each layer is named, taken off and written back; a stream is divided into its messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import together

from sim.codec import Message
from sim.codec.wire import (
    Layer,
    WireError,
    decode,
    encode,
    frames,
    names,
    peel,
    read,
    strip,
    wire_format,
    wrap,
)
from sim.codec.wire.files import is_blocked, records, stream_framing, unblock
from sim.errors import BuildError, SpecError
from tests.wire_samples import in_blocks

_FOUND = Path(__file__).parents[2] / "vectors" / "wire.jsonl"
_BODY = bytes.fromhex("0800 2020000000000000 990000 123456")
_LENGTHS = [name for name, made in frames().items() if made.kind == "length"]


@together(
    "front, layers, labels",
    [
        ("0010", ["length-2"], ["2-byte length 0010"]),
        ("0012", ["length-2-inclusive"], ["2-byte length that counts itself 0012"]),
        ("1000", ["length-2-little"], ["2-byte length, little endian 1000"]),
        ("0016", ["length-2-bcd"], ["2-byte BCD length 0016"]),
        ("00100000", ["length-2-zeros"], ["2-byte length and 2 zero bytes 00100000"]),
        ("30303136", ["length-4-ascii"], ["4-digit length 0016"]),
        ("30303130", ["length-4-hex"], ["4-hex-digit length 0010"]),
        ("F0F0F1F6", ["length-4-ebcdic"], ["EBCDIC 4-digit length 0016"]),
        ("0015 6000060000", ["length-2", "tpdu"], ["2-byte length 0015", "TPDU 6000060000"]),
        ("001B 6000030000 603100310100", ["length-2", "tpdu", "unionpay"], None),
        (b"ISO026000013".hex(), ["base24"], ["BASE24 header ISO026000013"]),
        (
            "2E02" + b"006200010000   00020000   ".hex() + "00000001" + "30" * 8 + "00" + "30" * 5,
            ["unionpay-switch"],
            None,
        ),
        ("1601020026" + 34 * "0", ["visa"], ["Visa header 1601020026" + 34 * "0"]),
    ],
)
def test_a_layer_is_named_taken_off_and_written_back(
    front: str, layers: list[str], labels: list[str] | None
) -> None:
    """Bytes in front of a message: their names, where the message starts, and the same bytes again."""
    data = bytes.fromhex(front) + _BODY
    found, start, end = strip(data, layers)
    assert data[start:end] == _BODY
    assert wrap(_BODY, found) == data
    if labels is not None:
        assert [layer.label for layer in found] == labels


@pytest.mark.parametrize("name", [name for name, made in frames().items() if made.kind != "gzip"])
def test_what_is_put_around_a_message_by_itself_is_taken_off_again(name: str) -> None:
    """The header that stands for none is one of its kind, of the right length."""
    data = wrap(_BODY, [name])
    _, start, end = strip(data, [name])
    assert data[start:end] == _BODY


def test_marks_of_start_and_end_are_checked_and_written_back() -> None:
    """STX, a BCD length, a TPDU, the message, ETX and the XOR of all after STX; another check byte is no
    such layer."""
    data = wrap(_BODY, ["stx", "length-2-bcd", "tpdu"])
    assert (data[0], data[-2]) == (2, 3)
    found, start, end = strip(data, ["stx", "length-2-bcd", "tpdu"])
    assert data[start:end] == _BODY
    assert found[0].label == f"STX, ETX, check byte {data[-1]:02X}"
    assert wrap(_BODY, found) == data
    assert peel("stx", data[:-1] + bytes([data[-1] ^ 1])) is None


@pytest.mark.parametrize("name", _LENGTHS)
@given(body=st.binary(max_size=600))
def test_a_length_that_was_written_is_read(name: str, body: bytes) -> None:
    """Every kind of length field says how long the message is, and fits nothing longer or shorter."""
    data = wrap(body, [name])
    layer = peel(name, data)
    assert layer is not None
    assert wrap(body, [layer]) == data
    assert peel(name, data + b"\1") is None
    assert peel(name, data[:-1]) is None


@given(st.sampled_from(sorted(frames())), st.binary(max_size=60))
def test_any_bytes_are_framing_that_can_be_written_back_or_none(name: str, data: bytes) -> None:
    """Whatever stands there: a layer that gives the same bytes again, or none."""
    layer = peel(name, data)
    if layer is not None:
        body = data[len(layer.front) : len(data) - len(layer.back)]
        assert wrap(body, [layer]) == data
        assert layer.label


def test_a_layer_that_does_not_stand_there_is_a_located_error() -> None:
    """The error names the layer and the byte; an unknown name is an error of its own."""
    with pytest.raises(WireError, match="at byte 2: expected TPDU") as caught:
        strip(bytes.fromhex("0010") + _BODY, ["length-2", "tpdu"])
    assert caught.value.offset == 2
    with pytest.raises(SpecError, match="length-2"):
        strip(_BODY, ["nothing"])
    with pytest.raises(BuildError, match="2-byte length"):
        wrap(bytes(70000), ["length-2"])


@together("name", names())
def test_a_message_is_read_behind_the_framing_of_its_format(name: str) -> None:
    """What usually stands around a format's messages: offsets count it, and encode writes it back."""
    made = wire_format(name)
    mti, version = ("1800", "1993") if made.version == "1993" else ("0800", "1987")
    message = Message(mti, {3: "990000", 11: "123456"}, version)
    data = encode(message, made, framing=made.frames)
    found = read(data, made, framing=made.frames)
    assert found.message == message
    assert [layer.name for layer in found.framing] == list(made.frames)
    start, _, end = found.spans[0]
    assert data[start:end] == encode(message, made)[: end - start]
    assert encode(message, made, framing=found.framing) == data


def test_a_misfit_behind_framing_is_located_in_all_bytes() -> None:
    """The byte counts from the first one that was given."""
    with pytest.raises(WireError) as caught:
        read(bytes.fromhex("000F") + _BODY[:-1], "bcd", framing=["length-2"])
    assert (caught.value.field, caught.value.offset) == (11, 15)


def test_records_of_a_blocked_clearing_file_are_read() -> None:
    """A file in blocks of 1014 bytes: its five records, each the same message, in pieces of any size."""
    rows = map(json.loads, _FOUND.read_text(encoding="utf-8").splitlines())
    data = bytes.fromhex(next(row["data"] for row in rows if row["id"] == "cardutil-1014-file"))
    assert is_blocked(data)
    for size in (1, 7, 1000, 5000):
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        found = [record for _, record in records(unblock(pieces), "length-4")]
        assert [decode(record, "ipm").mti for record in found] == 5 * ["1144"]
    assert stream_framing(b"".join(unblock([data]))) == "length-4"


@given(st.lists(st.binary(min_size=1, max_size=700), min_size=1, max_size=6), st.sampled_from(_LENGTHS))
def test_a_stream_is_divided_into_what_was_written(bodies: list[bytes], name: str) -> None:
    """Messages one behind the other, each behind its length: the same ones, at their offsets."""
    data = b"".join(wrap(body, [name]) for body in bodies)
    found = list(records([data[:10], data[10:]], name))
    assert [body for _, body in found] == bodies
    assert all(data[at : at + len(body)] == body for at, body in found)


def test_blocks_come_back() -> None:
    """What was put into blocks is there again, and fillers behind it."""
    data = bytes(range(256)) * 9
    blocked = in_blocks(data)
    assert len(blocked) == 3 * 1014
    assert b"".join(unblock([blocked]))[: len(data)] == data
    assert not is_blocked(data)


@pytest.mark.parametrize("data", ["00000000FFFFFFFF", "0005303030", "7FFFFFFF00", "00020102FFFF"])
def test_a_stream_that_ends_in_a_message_or_says_an_absurd_length_is_refused(data: str) -> None:
    """A length that nothing follows, or one of gigabytes: an error at its byte, nothing allocated."""
    kind = "length-4" if len(data) > 10 else "length-2"
    with pytest.raises(WireError):
        list(records([bytes.fromhex(data)], kind))


def test_layers_compare_by_their_bytes() -> None:
    """Two layers of the same name and bytes are the same."""
    assert peel("tpdu", bytes.fromhex("6000060000") + _BODY) == Layer("tpdu", bytes.fromhex("6000060000"))

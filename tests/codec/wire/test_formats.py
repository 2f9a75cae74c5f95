"""Formats: what was written is read back, found bytes are read as their owners do, misfits are located."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import fewer, some, together

from sim.codec import Message, build, parse
from sim.codec.wire import WireError, decode, encode, misfits, names, otherwise, read, wire_format
from sim.codec.wire.catalogue import ready
from sim.errors import BITMAP_FIELD, BuildError, ParseError
from sim.spec import VERSIONS
from tests.support import PARSED, generated

_VECTORS = Path(__file__).parents[2] / "vectors"
_FRONT = {"none": 0, "len2": 2, "tpdu": 5, "len4": 4, "len2+tpdu": 7, "len4ascii": 4}
_PROFILES = {"ascii-binbitmap": "ascii-binary", "ascii-hexbitmap": "ascii"}
# Found bytes that one format reads to the end as they stand, and how many bytes stand in front.
_FOUND = {
    "dfdl-1987-2": ("ascii-binary", 0),
    "dfdl-1987-2-unpacked": ("ascii", 0),
    "dfdl-1993-2": ("ascii-binary", 0),
    "nao-0800-network-echo": ("ascii-16", 0),
    "nao-spec87": ("ascii-16", 0),
    "juks-sv_200_purchase_header": ("smartvista", 4),
    "juks-sv_800_echo": ("smartvista", 0),
    "vfwz-SIGNIN_REQUEST": ("unionpay", 11),
    "netcore-ebcdic-1814": ("ebcdic", 0),
    "credible-so53740336": ("nac", 5),
    "cardutil-1144-cp500": ("ipm", 0),
}


def _rows(name: str) -> dict[str, dict[str, Any]]:
    lines = (_VECTORS / name).read_text(encoding="utf-8").splitlines()
    return {row["id"]: row for row in map(json.loads, lines)}


def _bytes(row: dict[str, Any]) -> bytes:
    text: str = row["data"]
    if row.get("style") == "xxd":
        lines = (re.match(r"[0-9a-f]{8}: ((?:[0-9a-f]{2,4} ?)+)", line) for line in text.splitlines())
        text = "".join(line[1] for line in lines if line)
    return bytes.fromhex(re.sub(r"^b'|'$|\\x", "", text))


@together("row", _rows("wire_made.jsonl").values(), label=lambda row: row["id"])
def test_bytes_that_another_library_wrote_are_read_and_written_back(row: dict[str, Any]) -> None:
    """Messages encoded by pyiso8583: same MTI and values, and the same bytes again."""
    name = _PROFILES.get(row["profile"], row["profile"]) + ("-right" if row["pad"] == "right" else "")
    data = _bytes(row)[_FRONT[row["frame"]] :]
    message = decode(data, name)
    assert (message.mti, {str(number): value for number, value in message.fields.items()}) == (
        row["mti"],
        row["fields"],
    )
    assert encode(message, name) == data


@together("sample", _FOUND)
def test_found_bytes_are_read_to_the_end_and_written_back(sample: str) -> None:
    """Samples of public repositories: the ready format of their kind reads them whole, without loss."""
    name, front = _FOUND[sample]
    row = _rows("wire.jsonl")[sample]
    data = _bytes(row)[front:]
    message = decode(data, name)
    said = row["expected"].get("fields", row["expected"])
    told = {int(key): value for key, value in said.items() if key.isdigit() and key != "0"}
    plain = {number: value for number, value in told.items() if re.fullmatch("[0-9A-F]+", value)}
    # Owners print packed numbers with the half byte that fills them up.
    assert {n: message[n].strip("0") for n in plain} == {n: value.strip("0") for n, value in plain.items()}
    assert encode(message, name) == data


@together("name", names())
def test_every_vector_comes_back_unchanged_or_the_element_in_the_way_is_named(name: str) -> None:
    """Text -> format -> text: the same text, or the elements are named that cannot be carried (`misfits`) or
    come back otherwise (`otherwise`), those and no others."""
    own = wire_format(name).version
    carried = 0
    for row in PARSED:
        message = parse(row["message"], row["version"])
        if own not in (None, message.version):
            continue
        errors = misfits(message, name)
        if errors:
            assert all(error.field is not None for error in errors)
            with pytest.raises(BuildError):
                encode(message, name)
            continue
        carried += 1
        back = decode(encode(message, name), name, message.version)
        differ = {number for number in message.fields if back[number] != message[number]}
        if back.has_secondary != message.has_secondary:
            differ.add(BITMAP_FIELD)
        assert set(otherwise(message, name)) == differ
        plain = Message(back.mti, back.fields, back.version, back.empty_secondary)  # lengths of the version
        assert (build(plain) == build(message)) == (not differ)
    assert carried > 20


def test_what_bytes_do_not_tell_is_said_by_element() -> None:
    """The letter case of hex digits, an empty second bitmap where there always are two, a D in packed track
    data."""
    message = Message("0100", {35: "4111111111111111D2912", 52: "00112233aabbccdd"}, empty_secondary=True)
    assert otherwise(message, "bcd") == {
        35: "DE 35 is written with the separator = in place of D",
        52: "DE 52 is written with its hex digits in upper case",
    }
    assert otherwise(message, "ascii-16") == {1: "the empty secondary bitmap is not written again"}


@cache
def _generated() -> tuple[tuple[str, Message], ...]:
    return tuple((label, message) for label, _, message in generated())


@together("name", names())
def test_generated_messages_come_back_unchanged(name: str) -> None:
    """What generate makes is carried by every format of its version, but for what it has otherwise."""
    own, refused = wire_format(name).version, set()
    for label, message in some(_generated(), 3):
        if own not in (None, message.version):
            continue
        errors = misfits(message, name)
        refused |= {error.field for error in errors}
        if not errors:
            back = decode(encode(message, name), name, message.version)
            assert back == message, label
            # What has an element that the format has otherwise says so, and what the link speaks.
            layout = wire_format(name).layout(message.version)
            assert back.dialect == layout.table_of(back.fields)
            assert back.spec.interface == wire_format(name).interface
    # An element of another length on that link, and reserved elements with text where links carry bytes.
    assert refused <= {None, 12, 31, 41, 43, 48, 53, 60, 61, 62, 55, 127}


@together("name", names())
def test_spans_cover_the_message_without_gaps(name: str) -> None:
    """MTI, bitmap and elements stand one behind the other, from the first byte to the last."""
    message = Message("1100" if wire_format(name).version == "1993" else "0100", {3: "000000", 11: "123456"})
    message = Message(message.mti, message.fields, wire_format(name).version or "1987")
    data = encode(message, name)
    found = read(data, name)
    at = 0
    for number in (0, 1, 3, 11):
        start, first, end = found.spans[number]
        assert start == at <= first <= end
        at = end
    assert at == len(data)
    assert (found.message, found.format.name) == (message, name)


@together(
    "data, name, field, offset",
    [
        ("08", "bcd", 0, 0),
        ("08A0", "bcd", 0, 0),
        ("0800202000000000", "bcd", 1, 2),
        ("0800 2020000000000000 99000A 123456", "bcd", 3, 12),
        ("0800 2020000000000000 990000 1234", "bcd", 11, 13),
        ("0800 2020000000000000 990000 123456 00", "bcd", None, 16),
        ("0200 4000000000000000 20", "bcd", 2, 10),
        ("0200 4000000000000000 16 4111", "bcd", 2, 11),
        ("0200 4000000000000000 03 1411", "bcd", 2, 11),
        ("0200 4000000000000000 03 4115", "bcd-f", 2, 12),
        ("F0F8F0F0 2020000000000000 F9F9F0F0F0F0 F1F2F3F4F5", "ebcdic", 11, 18),
        ("30383030 4E", "ascii", 1, 4),
        ("30383030 4E" + 15 * "30", "ascii", 1, 4),
    ],
)
def test_a_misfit_is_located_by_its_byte(data: str, name: str, field: int | None, offset: int) -> None:
    """Bytes that are no message of the format: the error names the element and the byte, and pickles."""
    with pytest.raises(WireError) as caught:
        decode(bytes.fromhex(data), name)
    assert (caught.value.field, caught.value.offset) == (field, offset)
    assert f"at byte {offset}" in str(caught.value)


def test_a_misfit_gives_what_was_read_before_it() -> None:
    """`partial` holds the elements in front of the misfit."""
    with pytest.raises(ParseError) as caught:
        decode(bytes.fromhex("0800 2020000000000000 990000 1234"), "bcd")
    assert caught.value.partial.fields == {3: "990000"}


def test_a_third_bitmap_announces_elements_above_128() -> None:
    """Where a format has three bitmaps, bit 65 announces the third and is no element."""
    own = {130: {"format": "ans..99", "name": "Own data"}}
    made = wire_format("ascii-binary").with_(third=True, elements=own)
    message = Message("0800", {11: "123456", 130: "HELLO"})
    data = encode(message, made)
    assert data[4:28].hex().upper() == "8020000000000000" + "8000000000000000" + "4000000000000000"
    assert decode(data, made) == message


@together("name", names())
def test_each_format_describes_itself(name: str) -> None:
    """Every ready format has a title, a note and a source."""
    made = wire_format(name)
    assert made.title
    assert made.note
    assert made.source


_MTIS = {"ascii": b"0100", "bcd": b"\x01\x00"}


@settings(max_examples=fewer(300), deadline=None)
@given(st.data())
def test_any_bytes_are_read_or_refused_with_a_located_error(data: st.DataObject) -> None:
    """Noise behind a likely start: a Message that can be written again, or a WireError in the bytes."""
    name = data.draw(st.sampled_from(names()))
    made = wire_format(name)
    mti = data.draw(st.sampled_from(["0100", "1100", "0800"]))
    front = encode(Message(mti, {}, made.version or "1987"), made) if data.draw(st.booleans()) else b""
    noise = front[: len(front) - 8] + data.draw(st.binary(max_size=300))
    try:
        message = decode(noise, made)
    except WireError as error:
        assert error.offset is not None
        assert 0 <= error.offset <= len(noise)
    else:
        assert len(encode(message, made)) in range(len(noise) - 16, len(noise) + 17)


def test_the_longest_messages_are_read_in_time_that_grows_with_them() -> None:
    """All elements of a version, each as long as it may be: read back as written."""
    values = {
        element: "9" * size for element, size in ((2, 19), (48, 999), (63, 999), (120, 999), (127, 999))
    }
    for name in ("ascii", "ascii-binary", "bcd", "ebcdic"):
        message = Message("0200", dict(sorted(values.items())))
        assert decode(encode(message, name), name) == message


def test_every_ready_format_is_named_once() -> None:
    """Titles are unique: a table of formats tells them apart."""
    titles = [wire_format(name).title for name in names()]
    assert sorted(chain(titles)) == sorted(set(titles))


@together("name", ready())
def test_every_ready_format_has_its_elements(name: str) -> None:
    """Each element of each version that a ready format speaks can be written: nobody looks at them before."""
    made = wire_format(name)
    for version in [made.version] if made.version else VERSIONS:
        assert any(made.layout(version).fields)


@pytest.mark.parametrize("numbers", [(3, 11, 41), (3, 4, 41), (3, 32, 41)])
def test_what_was_read_before_a_misfit_shows_no_piece_of_a_card_number(numbers: tuple[int, ...]) -> None:
    """A bitmap that does not announce the card number leaves it to the elements behind, in bytes, too."""
    bits = f"{sum(1 << (64 - number) for number in numbers):016X}"
    with pytest.raises(WireError) as told:
        decode(bytes.fromhex(f"0200{bits}164111111111111111"), "bcd")
    assert told.value.partial.fields[3] == "164111"
    assert not re.search("[0-9]{5}", repr(told.value.partial.masked()))

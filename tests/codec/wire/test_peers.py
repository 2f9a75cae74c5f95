"""Bytes that real peers packed (`tests/peers`): every field class of jPOS, every way to pack parts, of jPOS
and of moov-io/iso8583, and the ready formats beside the packagers that they name."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sim.codec import Message
from sim.codec.wire import Format, encode, read, wire_format
from sim.codec.wire.catalogue import format_of, to_toml
from sim.codec.wire.exchange.jpos import from_jpos, to_jpos
from sim.codec.wire.exchange.moov import from_moov, to_moov
from sim.codec.wire.exchange.pyiso import to_pyiso8583
from sim.parts.layout import fitting
from sim.spec.tables import read_csv
from tests.peers.cases import alike, leaves, packager
from tests.peers.run import main
from tests.support import together

VECTORS = Path(__file__).parents[2] / "vectors"
ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in (VECTORS / "peers.jsonl").read_text(encoding="utf-8").splitlines()
]
_ABOUT = ("pad", "token")


def _name(row: dict[str, Any]) -> str:
    whose = row.get("format", row.get("packager", ""))
    return f"{whose} DE {row['element']} {row['class']} {row.get('max', '')}"


@cache
def _taken_in(name: str) -> Format:
    """The packager or specification with elements in parts."""
    text = (VECTORS / name).read_text(encoding="utf-8")
    rows = from_jpos(text, name) if name.endswith(".xml") else from_moov(json.loads(text), name)
    return format_of(rows, "parts")


@cache
def _of_class(text: str) -> Format:
    return format_of(from_jpos(text, "one"), "one")


def _format(row: dict[str, Any]) -> Format:
    if "format" in row:
        return wire_format(row["format"])
    if "packager" in row:
        return _taken_in(row["packager"])
    more = {key: row[key] for key in _ABOUT if key in row}
    return _of_class(packager(row["class"], row["max"], more))


@together("row", ROWS, _name)
def test_what_a_peer_packed_is_read_and_written_again(row: dict[str, Any]) -> None:
    """The value, or that of each part, and the same bytes again."""
    made, number = _format(row), row["element"]
    for wanted, rest in row["cases"]:
        data = bytes.fromhex(row["head"] + rest)
        message = read(data, made, row.get("version") or made.version or "1987").message
        if isinstance(wanted, dict):
            cut = fitting(message.spec, number, message[number])
            assert cut is not None
            found = leaves(cut.parts, f"{number}.")
            assert all(alike(value, found[path]) for path, value in wanted.items())
        else:
            assert message[number] == wanted
        assert encode(message, made) == data


def test_the_vectors_have_every_class() -> None:
    """At least six values of each class, in an element or in its parts."""
    values: Counter[str] = Counter()
    for row in ROWS:
        values[row["class"]] += len(row["cases"])
    in_parts = (VECTORS / "peers_jpos.xml").read_text(encoding="utf-8")
    for row in read_csv("jpos_classes"):
        kind = row["class"]
        one_value = row["more"] == "empty"
        assert values[kind] >= 6 or one_value or f'{kind}"' in in_parts, kind


@pytest.mark.parametrize("name", ["peers_jpos.xml", "peers_moov.json"])
def test_parts_are_kept_in_a_file_of_ones_own(name: str) -> None:
    """What was imported, written out as TOML and read again."""
    again = format_of(tomllib.loads(to_toml(_taken_in(name))), "again")
    for row in [row for row in ROWS if row.get("packager") == name][::7]:
        data = bytes.fromhex(row["head"] + row["cases"][0][1])
        assert encode(read(data, again, "1987").message, again) == data


def test_all_parts_of_the_vectors_are_taken_in() -> None:
    """Nothing of jPOS's is left out, and its names are kept; of moov's what the file cannot mean."""
    made = _taken_in("peers_jpos.xml")
    assert made.left_out == ()
    field = made.layout().fields[46]
    assert field is not None
    assert field.name == "Bitmap of 8 bytes"
    left = {(one.number, one.what) for one in _taken_in("peers_moov.json").left_out}
    assert left == {(number, "padding") for number in (41, 42, 95, 102)} | {(90, "its parts")}


def test_what_another_toolkit_has_no_words_for_is_named() -> None:
    """Parts, tags and numbers in hex digits are left out of an export, never written as something else."""
    made = _taken_in("peers_jpos.xml")
    shaped = {one.number for one in made.layout().fields if one is not None and one.shape is not None}
    assert shaped
    for export in (to_jpos, to_moov, to_pyiso8583):
        assert shaped - {number for number in shaped if _plain(made, number)} <= export(made)[1].keys()
    hexed = made.with_(mti="hexed")
    assert 0 in to_jpos(hexed)[1]
    assert 0 in to_pyiso8583(hexed)[1]
    table, left = to_moov(hexed)
    assert (table["fields"]["0"]["prefix"], 0 in left) == ("Hex.Fixed", False)


def _plain(made: Format, number: int) -> bool:
    """Whether jPOS has a class for what is odd about an element: one that is filled up, or ends in a mark."""
    shape = made.layout().fields[number].shape  # type: ignore[union-attr]
    return bool(shape and (shape.filled or shape.ends))


def test_a_length_of_the_mti_is_told_and_tags_of_chip_data_are_read() -> None:
    """Nothing is lost of BER-TLV in DE 55, whose tags the standard has; in DE 48 the parts are."""
    own = 'class="org.jpos.iso.IFB_LLLHBINARY" packager="org.jpos.tlv.packager.bertlv.BERTLVBinaryPackager"'
    text = (
        '<isopackager><isofield id="0" length="4" name="MTI" class="org.jpos.iso.IFA_LLLCHAR"/>'
        '<isofield id="1" length="16" name="map" class="org.jpos.iso.IFB_BITMAP"/>'
        f'<isofieldpackager id="48" length="255" name="Own" {own}/>'
        f'<isofieldpackager id="55" length="255" name="Chip" {own}/></isopackager>'
    )
    made = _of_class(text)
    assert [(one.number, one.what) for one in made.left_out] == [
        (0, "the length of the MTI"),
        (48, "its parts"),
    ]
    data = bytes.fromhex("30323030 0000000000000200 000B 9F2608A1A2A3A4A5A6A7A8")
    assert read(data, made).message[55] == "9F2608A1A2A3A4A5A6A7A8"


def test_what_is_left_out_of_a_packager_is_told() -> None:
    """A class that is not known leaves out its element, parts that cannot be cut leave the element whole."""
    inner = '<isofield id="1" length="4" name="one" class="org.jpos.iso.IF_CHAR"/>'
    text = packager("IFX_OWN", 12, {}).replace(
        "</isopackager>",
        '<isofield id="11" length="3" name="one" class="org.jpos.iso.IFB_BINARY "/>'
        f'<isofieldpackager id="62" length="99" name="Private" class="org.jpos.iso.IFB_LLBINARY" '
        f'packager="my.Own">{inner}</isofieldpackager></isopackager>',
    )
    made = format_of(from_jpos(text, "mine.xml"), "mine")
    assert [(one.number, one.what) for one in made.left_out] == [(2, "the element"), (62, "its parts")]
    assert "IFX_OWN" in made.left_out[0].reason
    assert "Own" in made.left_out[1].reason
    assert made.layout().fields[2] is None
    message = Message("0200", {11: "A1B2C3", 62: "0011"}, "1987")
    assert read(encode(message, made), made).message.fields == message.fields


def test_what_is_to_be_had_for_the_peers_is_said_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Where nothing is there, nothing is built, and the status is 2."""
    assert main([""]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "Missing here: jpos21" in said


CLEARING = [json.loads(row) for row in (VECTORS / "cardutil.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", CLEARING)
def test_clearing_records_as_cardutil_writes_them(row: dict[str, Any]) -> None:
    """Records that cardutil 0.7.3 wrote of every element that it knows, in EBCDIC and in ASCII."""
    fields = {int(number): value for number, value in row["fields"].items()}
    found = read(bytes.fromhex(row["bytes"]), row["format"]).message
    assert (found.mti, found.fields) == (row["mti"], fields)
    assert encode(found, row["format"]).hex() == row["bytes"]

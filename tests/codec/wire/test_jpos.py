"""Bytes that real jPOS (2.1.9) packed: every field class, every way to pack parts, and the ready formats
beside the packagers that they name; read, and written again as they were."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sim.codec import Message
from sim.codec.wire import Format, encode, read
from sim.codec.wire.catalogue import format_of, to_toml
from sim.codec.wire.dialects import load_format
from sim.codec.wire.exchange.jpos import from_jpos
from sim.parts.layout import Part, fitting
from sim.spec.tables import read_csv
from tests.support import together

VECTORS = Path(__file__).parents[2] / "vectors"
# It has no other value than none.
_ONE_VALUE = ("IF_NOP",)


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (VECTORS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


CLASSES, PARTS, FORMATS = _rows("jpos_classes"), _rows("jpos_parts"), _rows("jpos_formats")


def _field(number: int, kind: str, length: int, more: str = "") -> str:
    return f'<isofield id="{number}" length="{length}" name="one" {more} class="org.jpos.iso.{kind}"/>'


def packager(row: dict[str, Any]) -> str:
    """A packager with the element of a row beside MTI and bitmap."""
    more = " ".join(f'{key}="{row[key]}"' for key in ("pad", "token") if key in row)
    one = _field(row["element"], row["class"], row["max"], more)
    return f"<isopackager>{_field(0, 'IFA_NUMERIC', 4)}{_field(1, 'IFB_BITMAP', 16)}{one}</isopackager>"


@cache
def _format(text: str) -> Format:
    return format_of(from_jpos(text, "one"), "one")


@together("row", CLASSES, lambda row: f"{row['class']} {row['max']} {row['hex']}")
def test_every_class_is_read_and_written_as_jpos_packs_it(row: dict[str, Any]) -> None:
    """The value that jPOS was given, and the same bytes again."""
    made = _format(packager(row))
    message = read(bytes.fromhex(row["hex"]), made).message
    assert message[row["element"]] == row["value"]
    assert encode(message, made).hex().upper() == row["hex"]


def test_the_vectors_have_every_class() -> None:
    """At least six values of each class, in an element or in its parts."""
    values = Counter(row["class"] for row in CLASSES)
    in_parts = (VECTORS / "jpos_parts.xml").read_text(encoding="utf-8")
    for row in read_csv("jpos_classes"):
        kind = row["class"]
        assert values[kind] >= 6 or kind in _ONE_VALUE or f'{kind}"' in in_parts, kind


@pytest.fixture(scope="module")
def parts_format() -> Format:
    """The packager of the vectors of parts."""
    return load_format(VECTORS / "jpos_parts.xml")


def _leaves(parts: tuple[Part, ...], front: str = "") -> dict[str, str]:
    found = {}
    for part in parts:
        path = f"{front}{part.key.lstrip('0') or '0'}"
        found |= _leaves(part.children, f"{path}.") if part.children else {path: part.value}
    return found


@together("row", PARTS, lambda row: f"DE {row['element']} {row['hex']}")
def test_parts_are_read_and_written_as_jpos_packs_them(row: dict[str, Any], parts_format: Format) -> None:
    """Each part of an element, in bitmaps, places, lists and lists of lists, and the same bytes again."""
    message = read(bytes.fromhex(row["hex"]), parts_format).message
    found = fitting(message.spec, row["element"], message[row["element"]])
    assert found is not None
    assert row["parts"].items() <= _leaves(found.parts).items()
    assert encode(message, parts_format).hex().upper() == row["hex"]


def test_parts_are_kept_in_a_file_of_ones_own(parts_format: Format) -> None:
    """What was imported, written out as TOML and read again."""
    again = format_of(tomllib.loads(to_toml(parts_format)), "again")
    for row in PARTS[::7]:
        data = bytes.fromhex(row["hex"])
        assert encode(read(data, again).message, again) == data


def test_all_parts_of_the_vectors_are_taken_in(parts_format: Format) -> None:
    """Nothing of that packager is left out, and jPOS's names are kept."""
    assert parts_format.left_out == ()
    field = parts_format.layout().fields[46]
    assert field is not None
    assert field.name == "Bitmap of 8 bytes"


@together("row", FORMATS, lambda row: f"{row['format']} DE {row['element']} {row['hex']}")
def test_a_ready_format_reads_what_the_packager_it_names_packs(row: dict[str, Any]) -> None:
    """ISO87APackager, ISO93APackager, ISO87BPackager, BASE24Packager, PostPackager and Base1Packager."""
    message = read(bytes.fromhex(row["hex"]), row["format"], row["version"]).message
    assert message[row["element"]].strip() == row["value"].strip()


def test_what_is_left_out_of_a_packager_is_told() -> None:
    """A class that is not known leaves out its element, parts that cannot be cut leave the element whole."""
    inner = _field(1, "IF_CHAR", 4)
    text = packager({"element": 4, "class": "IFX_OWN", "max": 12}).replace(
        "</isopackager>",
        f'{_field(11, "IFB_BINARY ", 3)}<isofieldpackager id="62" length="99" name="Private" '
        f'class="org.jpos.iso.IFB_LLBINARY" packager="my.Own">{inner}</isofieldpackager></isopackager>',
    )
    made = format_of(from_jpos(text, "mine.xml"), "mine")
    assert [(one.number, one.what) for one in made.left_out] == [(4, "the element"), (62, "its parts")]
    assert "IFX_OWN" in made.left_out[0].reason
    assert "Own" in made.left_out[1].reason
    assert made.layout().fields[4] is None
    message = Message("0200", {11: "A1B2C3", 62: "0011"}, "1987")
    assert read(encode(message, made), made).message.fields == message.fields

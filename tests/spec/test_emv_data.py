"""The EMV tables as data: tags, their bits and their values."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from support import together

from sim.spec.tables import read_csv

COLUMNS = {
    "tags": ["tag", "name", "format", "min", "max", "usage", "source"],
    "own": ["network", "tag", "name", "format", "min", "max", "usage", "source"],
    "bits": ["tag", "byte", "bit", "meaning", "source"],
    "values": ["tag", "part", "code", "meaning", "source"],
}
TAGS = {row["tag"]: row for row in read_csv("emv/tags")}
# What a part's codes look like: bit strings for bits, hex digits for bytes, digits for digits.
PARTS = {
    ("8A", "result"): r"[YZ][0-9]",
    ("9C", "type"): r"\d\d",
    ("9F27", "cryptogram"): r"[01]{2}",
    ("9F27", "reason"): r"[01]{3}",
    ("9F34", "method"): r"[0-3][0-9A-F]",
    ("9F34", "condition"): r"[0-9A-F]{2}",
    ("9F34", "result"): r"[0-9A-F]{2}",
    ("9F34", "device"): r"[0-9A-F]{6}",
    ("9F35", "operator"): r"\d",
    ("9F35", "environment"): r"\d",
}


def is_ber_tag(tag: str) -> bool:
    """Whether *tag* is one whole BER tag: low five bits all ones ask for more bytes, bit 8 for yet more."""
    octets = bytes.fromhex(tag)
    if octets[0] & 0x1F != 0x1F:
        return len(octets) == 1
    more = [byte & 0x80 != 0 for byte in octets[1:]]
    return bool(more) and not more[-1] and all(more[:-1])


@pytest.mark.parametrize(("tag", "whole"), [("95", True), ("9F26", True), ("9F", False), ("9526", False)])
def test_the_check_of_tags_can_fail(tag: str, whole: bool) -> None:
    """A tag cut short and a tag with a byte too many are told from whole ones."""
    assert is_ber_tag(tag) is whole


@pytest.mark.parametrize("name", sorted(COLUMNS))
def test_rows_are_complete(name: str) -> None:
    """Every table has its columns, no stray blanks, and a source in every row."""
    rows = read_csv(f"emv/{name}")
    assert rows
    assert all(list(row) == COLUMNS[name] for row in rows)
    assert all(value == value.strip() for row in rows for value in row.values())
    assert all(re.fullmatch(r"[A-Za-z]+(; [A-Za-z]+)*", row["source"]) for row in rows)
    assert all(row["name" if name in ("tags", "own") else "meaning"] for row in rows)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("tags", ("tag",)),
        ("own", ("network", "tag")),
        ("bits", ("tag", "byte", "bit")),
        ("values", ("tag", "part", "code")),
    ],
)
def test_nothing_is_listed_twice(name: str, key: tuple[str, ...]) -> None:
    """One row per tag, per bit and per value."""
    counts = Counter(tuple(row[column] for column in key) for row in read_csv(f"emv/{name}"))
    assert [found for found, count in counts.items() if count > 1] == []


@together("tag", sorted(TAGS))
def test_tags_are_ber_tags(tag: str) -> None:
    """Upper-case hex, and exactly one tag long."""
    assert re.fullmatch(r"([0-9A-F]{2})+", tag)
    assert is_ber_tag(tag)


@together("tag", sorted(TAGS))
def test_lengths_are_in_order(tag: str) -> None:
    """Bytes: min does not exceed max; a missing max means no bound."""
    row = TAGS[tag]
    assert row["min"].isdecimal()
    if row["max"]:
        assert row["max"].isdecimal()
        assert int(row["max"]) > 0
        assert int(row["min"]) <= int(row["max"])
    assert row["usage"] in {"", "request", "response"}


@together("tag", sorted(TAGS))
def test_formats_agree_with_lengths(tag: str) -> None:
    """n packs two digits a byte and cn likewise; an and ans take a byte per character; b is bytes."""
    row = TAGS[tag]
    match = re.fullmatch(r"(b|ans|an|cn|n)(?: (\d+)(?:-(\d+))?|\.\.(\d+))?", row["format"])
    assert match, row
    content, low, high, most = match.groups()
    longest = high or low or most
    if longest:
        per_byte = 2 if content in {"n", "cn"} else 1
        assert int(row["max"]) == -(-int(longest) // per_byte), row


def test_constructed_tags_are_the_script_templates() -> None:
    """Only 71 and 72 have bit 6 of the first byte set."""
    constructed = {tag for tag in TAGS if int(tag[:2], 16) & 0x20}
    assert constructed == {"71", "72"}


def test_bits_lie_inside_their_tag() -> None:
    """Bits are 1 to 8, bytes count from 1 and do not pass the tag's length."""
    for row in read_csv("emv/bits"):
        assert row["tag"] in TAGS, row
        assert 1 <= int(row["bit"]) <= 8, row
        assert 1 <= int(row["byte"]) <= int(TAGS[row["tag"]]["max"]), row


def test_the_bit_tables_are_there() -> None:
    """TVR, TSI, AIP, AUC, terminal capabilities and the odd bits of CID and CVM results."""
    assert {row["tag"] for row in read_csv("emv/bits")} == {
        "82",
        "95",
        "9B",
        "9F07",
        "9F27",
        "9F33",
        "9F34",
        "9F40",
        "9F66",
        "9F6C",
    }


def test_values_belong_to_a_tag_and_look_like_its_part() -> None:
    """Each part of a tag writes its codes in one way, and every part has codes."""
    rows = read_csv("emv/values")
    assert {(row["tag"], row["part"]) for row in rows} == set(PARTS)
    for row in rows:
        assert row["tag"] in TAGS, row
        assert re.fullmatch(PARTS[row["tag"], row["part"]], row["code"]), row


@pytest.mark.parametrize("name", ["bits", "values"])
def test_meanings_fit_into_a_sentence(name: str) -> None:
    """A meaning starts small unless with an acronym, and has no full stop."""
    for row in read_csv(f"emv/{name}"):
        first = row["meaning"].split()[0].rstrip(",")
        assert first.islower() or first.isupper(), row
        assert not row["meaning"].endswith("."), row


@pytest.mark.parametrize(
    ("tag", "byte", "bit", "meaning"),
    [
        ("95", "1", "8", "offline data authentication was not performed"),
        ("95", "2", "7", "application expired"),
        ("95", "3", "6", "PIN try limit exceeded"),
        ("95", "4", "8", "over the floor limit"),
        ("95", "5", "7", "issuer authentication failed"),
        ("9B", "1", "7", "cardholder verification was performed"),
        ("82", "1", "1", "combined data authentication (CDA) supported"),
        ("9F33", "2", "7", "encrypted PIN for online verification"),
    ],
)
def test_well_known_bits(tag: str, byte: str, bit: str, meaning: str) -> None:
    """Bit 8 is the most significant one."""
    found = [
        row["meaning"]
        for row in read_csv("emv/bits")
        if (row["tag"], row["byte"], row["bit"]) == (tag, byte, bit)
    ]
    assert found == [meaning]


@pytest.mark.parametrize(
    ("tag", "part", "code", "word"),
    [
        ("9F27", "cryptogram", "10", "ARQC"),
        ("9F27", "cryptogram", "01", "TC"),
        ("9F27", "cryptogram", "00", "AAC"),
        ("9F34", "method", "02", "online"),
        ("9F34", "method", "1E", "signature"),
        ("9F34", "result", "02", "successful"),
        ("9F35", "operator", "2", "merchant"),
        ("9C", "type", "20", "refund"),
    ],
)
def test_well_known_values(tag: str, part: str, code: str, word: str) -> None:
    """The values a reader of chip data meets first."""
    found = [
        row["meaning"]
        for row in read_csv("emv/values")
        if (row["tag"], row["part"], row["code"]) == (tag, part, code)
    ]
    assert len(found) == 1
    assert word in found[0].replace(",", "").split()


def test_the_row_of_all_covers_what_networks_make_of_a_tag() -> None:
    """Where the network is not known, a tag of its own may be as long as at any of them."""
    for row in read_csv("emv/own"):
        wide = TAGS[row["tag"]]
        assert int(wide["min"]) <= int(row["min"]) <= int(row["max"]) <= int(wide["max"]), row

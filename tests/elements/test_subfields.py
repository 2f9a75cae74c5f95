"""The networks' subfields, read and in words, with card data masked."""

from __future__ import annotations

import re
from contextlib import nullcontext

import pytest
from support import together

from sim.codec import BuildError, Message
from sim.codec.wire import wire_format
from sim.codec.wire.catalogue import ready
from sim.elements.meaning import inside_tag, meaning, say_parts, unfold
from sim.parts.layout import fitting
from sim.parts.writing import replaced
from sim.spec import VERSIONS, spec
from sim.spec.layouts import Cell, layouts, owners, tag_layouts
from sim.spec.tables import read_csv

RECORD = "001" + "20261119" + "156" + "0000000001000" + "0000000009000" + "COFFEE".ljust(10)
IDENTITY = f"01{'A' * 20}1 CUP7291 CUP"

CASES = [
    ("VISA", "1987", 44, "5Y  2     M    2", "11", "match"),
    ("VISA", "1987", 44, "5Y  2     M    2", "2", "street and 5-digit postal code match"),
    ("VISA", "1987", 60, "950000100500", "9-10", "authenticated"),
    ("VISA", "1987", 60, "95", "2", "chip"),
    ("VISA", "1987", 62, "C000000000000000Y123456789012345", "2", ""),
    ("VISA", "1987", 62, "Y1234567890123451234", "2-16", ""),
    ("VISA", "1987", 63, "A000000002" + "3900", "3", "incremental"),
    ("VISA", "1987", 104, "5700040102C1C1", "01", "account to account"),
    ("VISA", "1987", 123, "94043    123 MAIN ST", "1-9", ""),
    ("MASTERCARD", "1987", 48, "T420701032118002TV", "80", "PIN translated"),
    ("MASTERCARD", "1987", 48, "T420701032118002TV", "TCC", "phone, mail or e-commerce"),
    ("MASTERCARD", "1987", 48, "R2208" + "0504C101", "05", "credential on file ad hoc"),
    ("MASTERCARD", "1987", 61, "00000100003008401234567890", "14-16", "United States"),
    ("MASTERCARD", "1987", 108, "01" + "013" + "0109" + "JANE DOE ", "01", ""),
    ("MASTERCARD", "1987", 110, "10006A1B2C3", "10", ""),
    ("MASTERCARD", "1987", 112, "0210030" + "31"[:2], "021", ""),
    ("MASTERCARD", "1987", 43, f"{'CORNER SHOP':<22} {'NEW YORK':<13} NY ", "38-39", "New York"),
    ("AMEX", "1993", 60, "AXAAD80000000" + "SELLER".ljust(20), "1", ""),
    ("AMEX", "1993", 55, "C1C7D5E20001" + "A" * 16 + "0706010A03A00000" + "1" * 68, "9F10", ""),
    ("UNIONPAY", "1987", 48, "BC123A456" + " " * 12, "7-9", ""),
    ("UNIONPAY", "1987", 60, "00000500030", "9-10", "POS"),
    ("UNIONPAY", "1987", 59, f"QR156001{RECORD}", "12-19", "19 November 2026"),
    ("UNIONPAY", "1987", 59, f"QR156002{RECORD}{RECORD}", "70-72", "Yuan Renminbi (CNY)"),
    ("UNIONPAY", "1987", 59, "QD0012026110120261120", "6-13", "1 November 2026"),
    ("UNIONPAY", "1987", 61, f"{IDENTITY}AM{'10' * 8}0612", "23", "good"),
    ("UNIONPAY", "1987", 121, f"121{'':40}ID0102000001030000{'':20}", "2", "dual to single"),
    ("JCB", "1987", 61, "1 0840", "4-6", "United States"),
    ("DISCOVER", "1987", 44, "A", "1", "street and 5-digit postal code match"),
]


@together(
    "number, value, names",
    [
        (59, f"QR156001{RECORD}", {"23-35": "amount", "36-48": "balance", "49-58": "remark code"}),
        (61, f"{IDENTITY}AM{'10' * 8}0612", {"38-53": "verification method bits", "54-57": "business data"}),
        (61, f"{IDENTITY}AR000001{'':19}1", {"38-43": "service request number", "44-62": "service time"}),
        (61, f"{IDENTITY}CR1", {"38": "CAVV result"}),
        (61, f"{IDENTITY}CR12", {"36-39": "security data: authentication data"}),
        (61, f"{IDENTITY}XY12", {"36-39": "security data: authentication data"}),
        (121, f"121{'':40}ID0102000001030000{'':20}", {"46-53": "paying institution"}),
        (121, f"121{'':40}FDC{'0' * 35}", {"46-81": "fee"}),
        (121, f"121{'':40}{'':38}", {"44-81": "transfer ids or fee"}),
    ],
)
def test_what_a_usage_says_is_behind_it(number: int, value: str, names: dict[str, str]) -> None:
    """UnionPay's two-letter usages determine the subfields after them; a value that does not fit stays
    whole, and authentication data is never shown."""
    told = {one.label: one for one in unfold(Message("0100", {number: value}), number, "UNIONPAY")}
    assert {label: told[label].name for label in names} == names
    if number == 61:
        assert set(told[next(iter(names))].shown) == {"*"}


@together("network, version, number, value, label, said", CASES)
def test_the_parts_of_a_network_are_named_and_explained(
    network: str, version: str, number: int, value: str, label: str, said: str
) -> None:
    """Each subfield has its position, tag or bit as a label, and the meaning of its code."""
    told = unfold(Message("0100", {number: value}, version), number, network)
    assert said in [one.meaning for one in told if one.label == label]


CARD = "5555555555554444"
RISK = (
    "signature (paper) (contactless); no CVM required (contactless); CDCVM (contactless); "
    "mag-stripe mode contactless transactions not supported"
)
PROFILE = "signature supported; online PIN supported; on-device CVM supported; issuer update supported"
COMMON_CORE = f"0FA501A0000001C0{'1' * 16}0F{'2' * 30}"
NOT_TWICE = "second GENERATE AC not requested"


@pytest.mark.parametrize(
    ("network", "version", "number", "value", "secret"),
    [
        ("MASTERCARD", "1987", 48, "T9203729", "729"),
        ("MASTERCARD", "1987", 48, f"T33200716{CARD}", CARD),
        ("MASTERCARD", "1987", 48, "T4328" + "A1B2" * 7, "A1B2A1B2"),
        ("MASTERCARD", "1987", 110, "09048D0048P0TE00N00000123456789ABCDEF0123456789ABCDEF", "0123456789AB"),
        ("JCB", "1987", 48, "0103729", "729"),
        ("UNIONPAY", "1987", 61, f"01{chr(65) * 20}  CUP729  CUP", "729"),
        ("VISA", "1987", 126, "004000000000000011 729", "729"),
        ("VISA", "1987", 62, f"{CARD}ABCD", CARD),
    ],
)
def test_card_data_in_parts_is_never_shown(
    network: str, version: str, number: int, value: str, secret: str
) -> None:
    """Verification values, authentication values and card numbers are masked by the rows that describe
    them; so is a card number in the wrong place, even if it spans two subfields."""
    message = Message("0100", {number: value}, version)
    told = unfold(message, number, network)
    assert told
    assert all(secret not in one.shown and secret not in one.meaning for one in told)
    leaves = [one.shown for one in told if not one.part.children]
    assert secret not in "".join(leaves)
    assert secret not in meaning(message, number, network)
    assert secret not in say_parts(message, number, network)


# What a part is called that holds the thing itself, not a result, an indicator or a format of it.
SECRET = re.compile(
    r"(?:\b(?:cvv2?|cvc ?[123]?|cav2|cvn2?|cid\)?|cavv(?: data)?|tavv|aevv|(?:card|account) number)"
    r"|(?<!authentication) token|^token"
    r"|ucaf(?: data| field| \(.*)?|(?<!^id) expiry|authentication data|key block.*|new key|^PIN under.*)$",
    re.IGNORECASE,
)


def _cells(cell: Cell) -> list[Cell]:
    return [cell, *(inner for one in cell.cells for inner in _cells(one))]


@pytest.mark.parametrize("owner", owners())
def test_rows_are_sound(owner: str) -> None:
    """Every row has its source and confidence, its element exists, and its widths fit."""
    rows = read_csv(f"layouts/{owner}")
    for row in rows:
        assert row["source"], row
        assert row["confidence"] in ("published", "secondary", "unsourced"), row
        assert row["sensitive"] in ("", "pan", "hidden"), row
        assert "knowledge" not in row["name"], row
    network = None if owner == "iso" else owner.upper()
    for version, number in {
        (version, int(row["number"])) for row in rows for version in row["versions"].split("|")
    }:
        for one in layouts(version, number, network):
            assert one.cell.width <= spec(version)[number].width, (owner, number, one.variant)


def test_parts_named_as_card_data_are_hidden() -> None:
    """A row whose subfield has the name of card data is marked sensitive, in any layout."""
    tables = (wire_format(name).layout("1987").dialect for name in ready())
    own = [part for table in tables if table for part in table.parts]
    known = {
        *own,
        *(
            one
            for version in VERSIONS
            for number in range(2, 129)
            for owner in owners()
            for one in layouts(version, number, owner.upper())
        ),
    }
    cells = [cell for one in known for cell in _cells(one.cell) if not cell.cells]
    named = [cell for cell in cells if SECRET.search(cell.name)]
    assert len(named) > 30
    assert [(cell.path, cell.name) for cell in named if not cell.sensitive] == []


def test_codes_of_parts_belong_to_a_part() -> None:
    """Each code in `subfields.csv` belongs to a subfield, with its source."""
    rows = read_csv("subfields")
    tags = {(row["network"], row["tag"]) for row in read_csv("emv/inside")}
    inside = (one for network, tag in tags for one in tag_layouts(tag, network))
    used = {(one.network, cell.path) for one in inside for cell in _cells(one.cell) if cell.values} | {
        (one.network, cell.path)
        for owner in owners()
        for number in {int(row["number"]) for row in read_csv(f"layouts/{owner}")}
        for version in ("1987", "1993", "2003")
        for one in layouts(version, number, None if owner == "iso" else owner.upper())
        for cell in _cells(one.cell)
        if cell.values
    }
    assert {(row["network"], row["path"]) for row in rows} == used
    assert all(row["source"] and row["meaning"] for row in rows)


@together(
    "network, tag, value, label, said",
    [
        ("VISA", "9F10", "06010A03A00000", "9-14", f"{NOT_TWICE}; first GENERATE AC or GPO returned ARQC"),
        ("VISA", "9F10", "06010A03A00000", "5-6", "version 10"),
        ("MASTERCARD", "9F10", f"0110A0{'0' * 30}", "5-16", f"{NOT_TWICE}; first GENERATE AC returned ARQC"),
        ("MASTERCARD", "9F6E", "084000010000", "1-4", "United States"),
        ("VISA", "9F6E", "02800000", "1-2", "non-card form factor"),
        ("DISCOVER", "9F66", "04800000", "1-8", "online PIN; online cryptogram required"),
        ("UNIONPAY", "9F66", "20000080", "1-8", "QPBOC; FDDA version 01"),
        ("AMEX", "9F6D", "C8", "1-2", "contactless EMV and magnetic stripe, CVM required"),
        ("MASTERCARD", "9F5D", "020401", "1-2", "version 2"),
        ("MASTERCARD", "9F5D", "020401", "3-4", "field off detection"),
        ("MASTERCARD", "9F5D", "020401", "5-6", "all 10 tags of 32 bytes"),
        ("UNIONPAY", "9F10", "0701170300000004", "15-16", "SM4"),
        ("DISCOVER", "9F10", COMMON_CORE, "3-4", "format A, version 5 (Triple DES)"),
        (
            "AMEX",
            "9F10",
            COMMON_CORE,
            "7-16",
            f"{NOT_TWICE}; first GENERATE AC returned ARQC; unable to go online",
        ),
        (
            "MASTERCARD",
            "9F1D",
            "2C00800000000000",
            "1-16",
            RISK,
        ),
        (
            "JCB",
            "9F53",
            "708000",
            "1-6",
            PROFILE,
        ),
    ],
)
def test_tags_that_networks_fill_their_own_way_unfold(
    network: str, tag: str, value: str, label: str, said: str
) -> None:
    """Issuer application data, card verification results and form factors, byte by byte and bit by bit."""
    assert said in [told.meaning for told in inside_tag(tag, value, network) if told.label == label]


def test_a_tag_that_fits_no_layout_stays_whole() -> None:
    """Another network's layout, or a card without a network, is not guessed."""
    assert inside_tag("9F10", "0FA501A030000000", "VISA") == []
    assert inside_tag("9F10", "06010A03A00000", None) == []
    assert inside_tag("9F26", "0" * 16, "VISA") == []


@together("network, version, number, value", dict.fromkeys(case[:4] for case in CASES))
def test_a_part_put_in_its_own_place_of_a_list_changes_nothing(
    network: str, version: str, number: int, value: str
) -> None:
    """Length prefixes of tags, ids and data are written as they were."""
    message = Message("0100", {number: value}, version)
    found = fitting(message.spec, number, value, network)
    for part, _ in found.walk() if found else ():
        there = value[part.start : part.end]
        assert replaced(message.spec, number, message[number], part.start, part.end, there, network) == value


@together(
    "version, number, value, old, new, made",
    [
        ("1987", 108, "010130109JANE DOE ", "JANE DOE ", "JO", "010060102JO"),
        ("1987", 104, "5600078105C1C2C3C4C5", "C1C2C3C4C5", "C1", "5600038101C1"),
        ("1993", 56, "110012345620112010153006123456", "123456", "4321", "1100123456201120101530044321"),
        ("1987", 108, "010130109JANE DOE ", "JANE DOE ", "A" * 100, ""),
        ("1987", 104, "5600078105C1C2C3C4C5", "C1C2C3C4C5", "C1C", ""),
    ],
)
def test_lengths_around_a_part_follow_it(
    version: str, number: int, value: str, old: str, new: str, made: str
) -> None:
    """The lengths of the lists, tags and data around a subfield are updated; one that cannot represent the
    new length raises an error that names the element."""
    network = "VISA" if number == 104 else "MASTERCARD"
    message, at = Message("0100", {number: value}, version), value.rindex(old)
    with nullcontext() if made else pytest.raises(BuildError, match=f"^DE {number}: expected"):
        assert replaced(message.spec, number, message[number], at, at + len(old), new, network) == made

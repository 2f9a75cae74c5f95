"""The reader of subfields: they are slices, faults are located, and writing reverses reading."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import ALL, fewer, together

from sim.codec import BuildError
from sim.errors import SpecError
from sim.parts import layout, writing
from sim.parts.layout import count
from sim.spec import VERSIONS, layouts
from sim.spec import layouts as files
from sim.spec.layouts import Cell, owners
from sim.spec.tables import read_csv, read_toml

KNOWN = sorted(
    {
        (version, int(row["number"]), None if owner == "iso" else owner.upper())
        for owner in owners()
        for row in read_csv(f"layouts/{owner}")
        for version in row["versions"].split("|")
    },
    key=str,
)
TEXT = st.text(alphabet="0123456789ABCDEF CD/\\~abcXYZ.", max_size=120)


@together("version, number, network", KNOWN)
def test_every_row_becomes_a_cell_of_its_layout(version: str, number: int, network: str | None) -> None:
    """No row is lost: each path is in the tree, with its name and source."""
    owner = (network or "iso").lower()
    rows = [
        row
        for row in read_csv(f"layouts/{owner}")
        if int(row["number"]) == number and version in row["versions"].split("|")
    ]

    def cells(cell: Cell) -> int:
        assert cell.name
        assert cell.source
        return 1 + sum(cells(one) for one in cell.cells)

    own = [one for one in layouts.layouts(version, number, network) if one.network == (network or "")]
    assert sum(cells(one.cell) for one in own) == len(rows)


@pytest.mark.parametrize(("version", "number", "network"), KNOWN)
@settings(max_examples=200 if ALL else fewer(12))
@given(value=TEXT)
@example(value="0040840C000000010000" * 2)  # parts in parts, where amounts are
def test_whatever_is_read_parts_are_slices_and_misfits_are_inside(
    version: str, number: int, network: str | None, value: str
) -> None:
    """Nothing raises; every subfield is the slice that it states, within its parent."""
    for one in layouts.layouts(version, number, network):
        found = layout.read(one, value)
        assert layout.fits(one, value) is found.fits
        for part, _ in found.walk():
            assert value[part.start : part.end] == part.value
            assert all(part.start <= child.start <= child.end <= part.end for child in part.children)
        for misfit in found.misfits:
            assert 0 <= misfit.start <= misfit.end <= len(value)
            assert misfit.expected
            assert misfit.found


@together(
    "version, value, variant, city",
    [
        ("1987", f"{'CORNER SHOP':<25}{'LONDON':<13}GB", "25/13/2", "LONDON"),
        ("1987", f"{'CORNER SHOP':<22} {'LONDON':<13} GBR", "22/13/3", "LONDON"),
        ("1987", f"{'CORNER SHOP':<22} {'LONDON':<13} GB ", "22/13/3", "LONDON"),
        ("1987", f"{'CORNER SHOP':<22} {'NEW YORK':<13} NY ", "22/13/2", "NEW YORK"),
        ("1987", f"{'CORNER SHOP':<23}{'NEW YORK':<13}NYUS", "23/13/2/2", "NEW YORK"),
        ("1987", f"{'A NAME OF TWENTY THREE.':<23}{'NEW YORK':<13}NYUS", "23/13/2/2", "NEW YORK"),
        ("1987", f"{'A NAME OF TWENTY-FIVE LET.':.25}{'NEW YORK':<13}US", "25/13/2", "NEW YORK"),
        ("1993", f"SHOP\\HIGH STREET\\LONDON\\{'SW1':<10}   826", "backslashes", "LONDON"),
        ("1993", f"SHOP~HIGH STREET~LONDON~{'SW1':<10}   826", "tildes", "LONDON"),
    ],
)
def test_the_layout_that_fits_is_found_among_alternatives(
    version: str, value: str, variant: str, city: str
) -> None:
    """There are several layouts of name and location; the chosen one splits no word."""
    found = layout.fitting(version, 43, value)
    assert found is not None
    assert found.layout.variant == variant
    assert found.get("city").strip() == city


def test_a_value_that_fits_no_layout_has_none() -> None:
    """There is no guess: the value stays whole, and the closest layout says where it stops fitting."""
    value = f"{'CORNER SHOP':<25}{'NEW YORK':<13} Q"
    assert layout.fitting("1987", 43, value) is None
    near = layout.closest("1987", 43, value)
    assert near is not None
    assert near.misfits[0].start >= 36


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        (f"{'CORNER SHOP':<25}{'NEW YORK':<13}US", "25/13/2"),
        (f"{'THE CORNER SHOP OF LONDON':<25}{'LONDON':<13}GB", "25/13/2"),
        (f"{'THE  OLD CORNER SHOP':<25}{'LONDON':<13}GB", "25/13/2"),
        (f"{'CORNER SHOP':<20}{'NEW YORK':<18}US", None),
        (f"{'CORNER SHOP':<22}{'NEW YORK':<16}US", None),
    ],
)
def test_no_layout_splits_a_word(value: str, fits: str | None) -> None:
    """A name is padded at its end: one with a gap that reaches its last position has another layout."""
    found = layout.fitting("1987", 43, value)
    assert (found.layout.variant if found else None) == fits


@together(
    "version, number, value, start, expected",
    [
        ("1987", 54, "0002840C00000000100", 0, "groups of 20 characters"),
        ("1987", 54, "0002840+000000001000", 7, "C or D before the amount"),
        ("1987", 54, "0002840C00000000100A", 19, "twelve digits of amount"),
        ("2003", 54, "00028402C00000000100A", 20, "twelve digits of amount"),
        ("1987", 90, "0100", 4, "6 digits of its STAN"),
        ("1993", 56, "1100123456261120101530" + "07123456", 22, "the length of its acquirer"),
        ("2003", 69, "0000000X" + " " * 32, 7, "eight digits of message count"),
        ("1993", 43, "SHOP", 0, "name, street, city, each followed by \\"),
        ("1993", 43, "SHOP\\STREET\\CITY\\SW1", 17, "16 characters of postal code, region and country"),
        ("2003", 18, "03400000400000", 0, "severity 00 or 01"),
    ],
)
def test_what_does_not_fit_is_located(
    version: str, number: int, value: str, start: int, expected: str
) -> None:
    """A fault gives its position and what is expected there."""
    (misfit, *_) = layout.read(layouts.layouts(version, number)[0], value).misfits
    assert (misfit.start, misfit.expected) == (start, expected)


def test_values_are_written_as_they_are_read() -> None:
    """Subfields by key or name give the value back, padded as their class requires."""
    group = {"account type": "00", "amount type": "40", "currency": "840", "amount": "D000000000100"}
    made = writing.write(layouts.layouts("1987", 54)[0], [group, group])
    assert made == "0040840D000000000100" * 2
    place = {"name": "SHOP", "street": "HIGH ST", "city": "LONDON"}
    parts = place | {"4": {"postal code": "SW1", "region": "", "country": "826"}}
    assert writing.write(layouts.layouts("1993", 43)[0], parts) == "SHOP\\HIGH ST\\LONDON\\SW1          826"
    original = {"1": "1100", "2": "123", "3": "261120101530", "4": "123456"}
    assert writing.write(layouts.layouts("1993", 56)[0], original) == "110000012326112010153006123456"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"transaction type": "000"}, "at most 2 characters of transaction type"),
        ({"transaction type": "0\x1f"}, "transaction type of class an"),
        ({"colour": "00"}, "parts of processing code"),
    ],
)
def test_parts_that_cannot_be_written_are_refused(values: dict[str, str], expected: str) -> None:
    """A subfield that is too long, of another class or unknown raises an error that names the element."""
    with pytest.raises(BuildError) as caught:
        writing.write(layouts.layouts("1987", 3)[0], values)
    assert (caught.value.field, caught.value.expected) == (3, expected)


@pytest.mark.parametrize("version", VERSIONS)
def test_places_of_fixed_parts_are_known_without_reading(version: str) -> None:
    """A rule on one subfield need not read the whole value."""
    assert "002030"[layout.place(version, 3, "from account")] == "20"
    with pytest.raises(KeyError):
        layout.place(version, 3, "colour")


def test_counts_are_words_up_to_twelve() -> None:
    """Findings speak English."""
    assert (count(1, "digit"), count(12, "digit"), count(13, "digit")) == (
        "one digit",
        "twelve digits",
        "13 digits",
    )


def test_codes_fit_the_part_they_are_of() -> None:
    """Each code of a network's subfield has a subfield that looks it up and is wide enough for it."""
    cells: dict[tuple[str, str], list[Cell]] = {}

    def collect(network: str, cell: Cell) -> None:
        cells.setdefault((network, cell.path), []).append(cell)
        for one in cell.cells:
            collect(network, one)

    for version, number, network in KNOWN:
        for found in layouts.layouts(version, number, network):
            collect(found.network, found.cell)
    for row in read_csv("subfields"):
        if (row["network"], row["path"]) in cells:
            parts = cells[row["network"], row["path"]]
            assert any(one.codes in ("sub_field", "bits") for one in parts), row
            assert any(one.least <= len(row["code"]) <= one.most for one in parts), row
        else:
            assert not row["path"][0].isdecimal() or row["path"].startswith("9F"), row  # of a chip data tag


def test_what_is_told_is_told_of_parts_there_are() -> None:
    """Each sentence on a network's own subfield names a subfield of its layouts, and a pattern that can
    match."""
    paths: set[tuple[str, str]] = set()

    def collect(network: str, cell: Cell) -> None:
        paths.add((network, cell.path))
        for one in cell.cells:
            collect(network, one)

    for version, number, network in KNOWN:
        for found in layouts.layouts(version, number, network):
            collect(found.network, found.cell)
    for row in read_csv("told"):
        assert (row["network"], row["path"]) in paths, row
        assert re.compile(row["when"])
        assert row["group"] in ("", "purchase", *read_toml("phrases")["groups"]), row
        if row["group"] == "purchase":
            assert row["words"] in read_toml("phrases")["meant"], row
        assert row["words"][:1].isupper() or row["words"][:1].isdigit() or row["group"], row


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"cut": "tags 2 3"}, "DE 62: expected cut as .* found 'tags 2 3'"),
        ({"codes": "colours"}, "DE 62: expected codes as .* found 'colours'"),
        ({"format": "digits"}, "DE 62: expected a format such as .* found 'digits'"),
    ],
)
def test_a_bad_row_of_our_own_files_is_named(
    row: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error in a layout row names the row and its element."""
    columns = "versions number layout path name cut format codes agreed sensitive confidence source"
    whole = {**dict.fromkeys(columns.split(), ""), "versions": "1987", "number": "62", **row}
    monkeypatch.setattr(files, "_rows", lambda owner: {("1987", 62): {"": [whole]}})
    with pytest.raises(SpecError, match=said):
        files.layouts.__wrapped__("1987", 62, "VISA")  # nothing is remembered

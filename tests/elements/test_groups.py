"""Elements with an inner layout, read and in words."""

from __future__ import annotations

import pytest

from sim.elements.money import read_additional_amounts, say_additional_amounts, say_signed
from sim.elements.mti import read_original, say_original
from sim.elements.pos import read_location, say_location


def test_additional_amounts_are_read_group_by_group() -> None:
    """Each group has its offset and its subfields."""
    first, second = read_additional_amounts("1002840C000000001000" + "0040978D000000000500", "1987")
    assert (first.account, first.kind, first.currency, first.exponent) == ("10", "02", "840", "")
    assert (second.at, second.kind, second.sign, second.amount) == (20, "40", "D", "000000000500")


def test_additional_amounts_of_2003_have_the_minor_unit() -> None:
    """The digit after the currency is the minor unit."""
    (group,) = read_additional_amounts("10023920C000000001000", "2003")
    assert (group.currency, group.exponent, group.sign, group.amount) == ("392", "0", "C", "000000001000")


@pytest.mark.parametrize(
    ("value", "version"), [("", "1987"), ("1002840C00000000100", "1993"), ("0" * 20, "2003")]
)
def test_a_cut_group_is_no_group(value: str, version: str) -> None:
    """A value that does not consist of whole groups is not split."""
    assert read_additional_amounts(value, version) == ()
    assert say_additional_amounts(value, version) == ""


def test_additional_amounts_in_words() -> None:
    """Type, amount with decimals, side and account."""
    said = say_additional_amounts("1002840C000000001000" + "0040392D000000000500", "1987")
    assert said == "available balance 10.00 USD credit (savings account); cash back 500 JPY"


@pytest.mark.parametrize(
    ("version", "value", "place"),
    [
        ("1987", "0100123456" + "1120101530" + "00000123456" + "0" * 11, 10),
        ("1993", "1100123456" + "261120101530" + "06123456", 10),
        ("1993", "1100123456" + "261120101530" + "07123456", 10),
        ("2003", "2100000000123456" + "20261120101530" + "123456", 16),
    ],
)
def test_original_data_are_read_in_each_version(version: str, value: str, place: int) -> None:
    """MTI, STAN, date and acquirer, and the offset of the date."""
    original = read_original(value, version)
    assert original is not None
    assert original.at == place
    assert value[place : place + len(original.pattern)] == original.when
    assert int(original.stan) == 123456
    # A length that is not the id's stays in front of it.
    assert original.acquirer.endswith("123456")


@pytest.mark.parametrize("value", ["", "0100", "0100123456112010153", "01001234561120101ABC"])
def test_short_or_lettered_original_data_are_not_read(value: str) -> None:
    """A value that is too short or not digits has no subfields."""
    assert read_original(value, "1987") is None
    assert say_original(value, "1987") == ""


@pytest.mark.parametrize(
    ("value", "version", "parts"),
    [
        (f"{'CORNER SHOP':<25}{'LONDON':<13}GB", "1987", ("CORNER SHOP", "LONDON", "GB")),
        (f"{'CORNER SHOP':<22} {'LONDON':<13} GBR", "1987", ("CORNER SHOP", "LONDON", "GBR")),
        (f"SHOP\\HIGH STREET\\LONDON\\{'SW1':<10}   826", "1993", ("SHOP", "LONDON", "826")),
        ("SHOP  LONDON", "1993", ("SHOP LONDON", "", "")),
    ],
)
def test_location_layouts(value: str, version: str, parts: tuple[str, str, str]) -> None:
    """Both layouts of 1987 and the backslashes of 1993 give name, city and country."""
    assert read_location(value, version) == parts


def test_location_in_words_names_the_country() -> None:
    """The country is written out."""
    assert say_location(f"{'SHOP':<25}{'LONDON':<13}GB", "1987") == "SHOP, LONDON, United Kingdom"


def test_a_signed_amount_says_its_side() -> None:
    """C is credit, D is debit."""
    assert say_signed("D00000150", "840") == "1.50 USD debit"
    assert say_signed("C00000150", "392") == "150 JPY credit"

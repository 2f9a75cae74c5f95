"""The element tables are complete and legal."""

from __future__ import annotations

import re

import pycountry
import pytest
from support import together

from sim.elements.meaning import meaning
from sim.errors import ChoiceError, SpecError
from sim.operations import explain, generate, validate
from sim.spec import (
    VERSIONS,
    codes,
    countries,
    country,
    currencies,
    currency,
    merchant_category,
    spec,
    version_of,
    withdrawn_currencies,
)
from sim.spec.tables import read_csv

FORMAT = re.compile(r"(?:(?:n|an|ans|anp|ns|ansb|z|b)(?: |\.\.)\d+|x\+n \d+)")
PATTERN = re.compile(r"(?:CCYY|YY)?(?:MM)?(?:DD)?(?:hhmmss)?")


@pytest.mark.parametrize("version", VERSIONS)
def test_all_128_elements(version: str) -> None:
    """Each version has elements 1 to 128, once each, named, in legal notation, with a source."""
    rows = read_csv(f"elements_{version}")
    assert [int(row["number"]) for row in rows] == list(range(1, 129))
    for row in rows:
        assert row["name"].strip() == row["name"] != ""
        assert FORMAT.fullmatch(row["format"]), row
        assert row["source"]
        assert PATTERN.fullmatch(row["pattern"])


@pytest.mark.parametrize("version", VERSIONS)
def test_patterns_are_as_long_as_their_element(version: str) -> None:
    """A date pattern has the element's length, and only n elements have one."""
    for element in spec(version).elements:
        if element.pattern:
            assert element.content == "n"
            assert len(element.pattern) == element.size


@together(
    "version, number, width, prefix",
    [
        ("1987", 2, 19, 2),
        ("1987", 28, 9, 0),
        ("1987", 52, 16, 0),
        ("1987", 55, 999, 3),
        ("1987", 97, 17, 0),
        ("1993", 43, 99, 2),
        ("1993", 53, 96, 2),
        ("1993", 55, 510, 3),
        ("1993", 96, 999, 3),
        ("2003", 4, 16, 0),
        ("2003", 22, 32, 0),
        ("2003", 34, 9999, 4),
        ("2003", 42, 35, 2),
    ],
)
def test_widths_and_prefixes(version: str, number: int, width: int, prefix: int) -> None:
    """Widths count characters of the text form: hex digits for bytes, the sign of x+n included."""
    element = spec(version)[number]
    assert (element.width, element.prefix) == (width, prefix)


def test_the_versions_differ_where_the_standard_does() -> None:
    """DE 12, 22, 39 and 43 are laid out anew in each version."""
    formats = {number: [spec(version)[number].format for version in VERSIONS] for number in (12, 22, 39, 43)}
    assert formats == {
        12: ["n 6", "n 12", "n 14"],
        22: ["n 3", "an 12", "b 16"],
        39: ["an 2", "n 3", "n 4"],
        43: ["ans 40", "ans..99", "ansb..9999"],
    }


@pytest.mark.parametrize(
    ("number", "value"), [(39, "00\t"), (41, "TERM\n\n\n\n"), (41, "TERM00001"), (41, "\tTERM0001")]
)
def test_only_blanks_in_excess_are_left_out(number: int, value: str) -> None:
    """A control character, or one too many, stays to be found."""
    assert spec("1987")[number].filled(value) == value


def test_unknown_version_or_element() -> None:
    """Asking for a version that is none is a ChoiceError, for an element that none has a SpecError."""
    with pytest.raises(ChoiceError):
        spec("1988")
    for number in (0, 129):
        with pytest.raises(SpecError):
            spec("1987")[number]


def test_version_of_an_mti() -> None:
    """The first digit names the version."""
    assert [version_of(mti) for mti in ("0100", "1100", "2100", "8100", "")] == [*VERSIONS, None, None]


@pytest.mark.parametrize(
    ("code", "alpha", "exponent"),
    [
        ("840", "USD", 2),
        ("978", "EUR", 2),
        ("392", "JPY", 0),
        ("414", "KWD", 3),
        ("152", "CLP", 0),
        ("704", "VND", 0),
        ("368", "IQD", 3),
        ("999", "XXX", None),
    ],
)
def test_currencies_have_iso_4217_decimals(code: str, alpha: str, exponent: int | None) -> None:
    """Currencies are found by number and by letters, with the decimals of ISO 4217."""
    for key in (code, alpha):
        found = currency(key)
        assert found is not None
        assert (found.alpha, found.numeric, found.exponent) == (alpha, code, exponent)


def test_registries() -> None:
    """Currency and country codes are unique; unknown ones are None or empty."""
    for table in (currencies(), countries()):
        assert len({item.numeric for item in table}) == len(table) > 150
    assert currency("000") is None
    assert country("000") is None
    assert country("276") is country("DE") is country("DEU")
    assert merchant_category("5411") == "Groceries and supermarkets"
    assert merchant_category("9999") == merchant_category("") == ""


def test_withdrawn_currencies_are_told_and_warned_of() -> None:
    """They are found by number and letters, no active one is hidden by them, and what took over is active."""
    active = {one.alpha for one in currencies()}
    for one in withdrawn_currencies():
        assert currency(one.alpha) is one
        assert one.alpha not in active
        assert one.successor in active
        assert re.fullmatch(r"(?:199[6-9]|20[0-9]{2})-(?:0[1-9]|1[0-2])", one.withdrawn)
    assert currency("810") is currency("RUR")
    assert currency("532") is not currency("ANG"), "the old guilder's number is the new one's"
    message = generate("auth", network="VISA", currency="810").message
    (said,) = (one for one in validate(message).findings if one.rule == "currency")
    assert (said.severity, said.field, said.found) == ("warning", 49, "810, RUR until 2004-01")
    assert "643 (RUB)" in said.hint
    assert "10.00 RUR" in explain(message).summary
    assert meaning(message, 49) == "Russian Ruble (RUR), withdrawn in 2004-01"
    assert validate(message).valid
    later = generate("auth", network="VISA", currency="RUR", version="2003").message
    assert [one.rule for one in validate(later).findings if one.field == 4] == ["currency"]


def test_countries_are_those_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its table is read where it lies; where it does not, the package is asked, and says the same."""
    read = countries()
    assert [(one.alpha2, one.numeric) for one in read] == sorted(
        (one.alpha_2, one.numeric) for one in pycountry.countries
    )
    monkeypatch.setattr(codes, "find_spec", lambda name: None)
    assert countries.__wrapped__() == read

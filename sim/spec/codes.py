"""Code lists: rows of `data/codes/<name>.csv`, and the registries of currencies, countries and merchant
categories, from libraries that track them: ISO 4217 (iso4217), ISO 3166 (pycountry), ISO 18245 (iso18245),
loaded on first use. Withdrawn currencies, which messages and test sets still have, are rows of
`data/withdrawn_currencies.csv`.

Columns of a code list: `position` (empty unless the list has one table per position), `code`, `meaning`,
`kind`, `versions` (`1987|1993`, empty for all), `network` (empty for the standard), `source`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

from sim.errors import ChoiceError
from sim.spec.tables import names, read_csv


@dataclass(frozen=True, slots=True)
class Code:
    """One code of a list. `network` is empty for the standard's own meaning."""

    position: str
    code: str
    meaning: str
    kind: str
    versions: tuple[str, ...]
    network: str
    source: str


def code_lists() -> tuple[str, ...]:
    """The names of all code lists."""
    return names("codes", ".csv")


@cache
def code_list(name: str) -> tuple[Code, ...]:
    """The rows of one code list. Raises ChoiceError, with the names there are, for an unknown one."""
    if name not in code_lists():
        raise ChoiceError.of("name", name, code_lists())
    return tuple(
        Code(**row | {"versions": tuple(filter(None, row["versions"].split("|")))})  # type: ignore[arg-type]
        for row in read_csv(f"codes/{name}")
    )


@cache
def _index(name: str) -> Mapping[tuple[str, str, str, str], Code]:
    index: dict[tuple[str, str, str, str], Code] = {}
    for row in code_list(name):
        for version in row.versions or ("",):
            index.setdefault((row.position, row.code, version, row.network), row)
    return index


def lookup(
    name: str, code: str, *, version: str = "", network: str | None = None, position: str | int = ""
) -> Code | None:
    """What *code* means in list *name*: the network's own meaning, else the standard's.

    None if it is not in the list: callers then say "unknown" and never guess.
    """
    get, place = _index(name).get, str(position)
    own_code = (get((place, code, version, network)) or get((place, code, "", network))) if network else None
    return own_code or get((place, code, version, "")) or get((place, code, "", ""))


def lookup_anywhere(name: str, code: str, *, version: str) -> Code | None:
    """The first meaning that any network gives *code* in list *name*; None if none does. For messages without
    a known network: the caller says whose meaning it is."""
    rows = (row for row in code_list(name) if row.code == code and row.network)
    return next((row for row in rows if not row.versions or version in row.versions), None)


def codes_of_kind(name: str, kind: str, version: str) -> list[str]:
    """The standard's codes of one kind in list *name*, in *version*.

    >>> codes_of_kind("response_code", "pick-up", "1993")[:2]
    ['200', '201']
    """
    codes = dict.fromkeys(row.code for row in code_list(name))
    rows = (lookup(name, code, version=version) for code in codes)
    return [row.code for row in rows if row is not None and row.kind == kind]


_MCC_WIDTH = 4


@dataclass(frozen=True, slots=True)
class Currency:
    """One ISO 4217 currency. `exponent` is the number of decimals of its minor unit: USD 2, JPY 0, KWD 3;
    None if ISO 4217 gives none, as for XXX (no currency). `withdrawn` is the month it was withdrawn, such as
    2004-01, `successor` the currency that replaced it; both are empty for an active one."""

    alpha: str
    numeric: str
    name: str
    exponent: int | None
    withdrawn: str = ""
    successor: str = ""


@dataclass(frozen=True, slots=True)
class Country:
    """One ISO 3166-1 country."""

    alpha2: str
    alpha3: str
    numeric: str
    name: str


# Units of account that share their name and first letters with a currency.
FUNDS = frozenset(("BOV", "CHE", "CHW", "CLF", "COU", "MXV", "USN", "UYI", "UYW"))


@cache
def currencies() -> tuple[Currency, ...]:
    """All active ISO 4217 currencies, by alphabetic code."""
    import iso4217

    gone = {row.alpha for row in withdrawn_currencies()}
    active = [
        Currency(item.code, f"{item.number:03}", item.currency_name, item.exponent)
        for item in iso4217.Currency
        if item.code not in gone
    ]
    return tuple(sorted(active, key=lambda currency: currency.alpha))


@cache
def withdrawn_currencies() -> tuple[Currency, ...]:
    """The currencies withdrawn from ISO 4217 since payments began using its numbers, by alphabetic code."""
    columns = ("alpha", "numeric", "name", "exponent", "withdrawn", "successor")
    rows = ((row[column] for column in columns) for row in read_csv("withdrawn_currencies"))
    return tuple(
        Currency(alpha, numeric, name, int(exponent), withdrawn, successor)
        for alpha, numeric, name, exponent, withdrawn, successor in sorted(map(tuple, rows))
    )


@cache
def _currency_index() -> dict[str, Currency]:
    # If a number was reassigned, the active currency has it.
    every = (*withdrawn_currencies(), *currencies())
    return {key: item for item in every for key in (item.alpha, item.numeric)}


def currency(code: str) -> Currency | None:
    """The active or withdrawn currency with this numeric or alphabetic code; None if there is none.

    >>> currency("392").exponent, currency("KWD").exponent
    (0, 3)
    >>> currency("810").alpha, currency("810").withdrawn, currency("810").successor
    ('RUR', '2004-01', 'RUB')
    """
    return _currency_index().get(code)


def alpha_of(code: str) -> str:
    """The letter code of a currency by its digits; unknown digits are unchanged."""
    row = currency(code)
    return row.alpha if row else code


@cache
def countries() -> tuple[Country, ...]:
    """All ISO 3166-1 countries, by alpha-2 code."""
    all_countries = [
        Country(item["alpha_2"], item["alpha_3"], item["numeric"], item.get("common_name", item["name"]))
        for item in _country_rows()
    ]
    return tuple(sorted(all_countries, key=lambda country: country.alpha2))


def _country_rows() -> Iterable[Mapping[str, str]]:
    """The rows of pycountry's table. Importing pycountry scans all installed packages for its own version,
    which takes many times as long as reading the table."""
    package = find_spec("pycountry")
    for folder in (package and package.submodule_search_locations) or ():
        table = Path(folder, "databases", "iso3166-1.json")
        if table.is_file():
            rows: list[dict[str, str]] = json.loads(table.read_text(encoding="utf-8"))["3166-1"]
            return rows
    import pycountry  # its table has moved

    return (dict(item) for item in pycountry.countries)


@cache
def _country_index() -> dict[str, Country]:
    return {key: item for item in countries() for key in (item.alpha2, item.alpha3, item.numeric)}


def country(code: str) -> Country | None:
    """The country with this numeric, alpha-2 or alpha-3 code; None if ISO 3166-1 has none.

    >>> country("840").alpha2
    'US'
    """
    return _country_index().get(code)


@cache
def _regions() -> Mapping[str, Mapping[str, str]]:
    """The states and provinces that appear in place of a country, by code."""
    return {row["code"]: row for row in read_csv("regions")}


def region(code: str) -> str:
    """The US state or Canadian province with this code; empty if there is none.

    >>> region("NY")
    'New York'
    """
    return _regions()[code]["name"] if code in _regions() else ""


@cache
def zone_of(alpha2: str) -> str:
    """The time zone of a country, by its two letters; of several, that of the capital or the largest city;
    UTC if none is known.

    >>> zone_of("DE"), zone_of("AU")
    ('Europe/Berlin', 'Australia/Sydney')
    """
    return next((row["zone"] for row in read_csv("zones") if row["country"] == alpha2), "UTC")


def country_of_region(code: str) -> Country | None:
    """The country of the state or province with this code; None if there is none.

    >>> country_of_region("NY").alpha3
    'USA'
    """
    return country(_regions()[code]["country"]) if code in _regions() else None


@lru_cache(maxsize=2048)
def merchant_category(code: str) -> str:
    """What merchant category *code* means: by ISO 18245, or by the rows of `codes/merchant_category.csv`
    (newer, withdrawn or a network's own); empty if neither has it.

    >>> merchant_category("5411")
    'Groceries and supermarkets'
    """
    import iso18245

    if not (len(code) == _MCC_WIDTH and code.isascii() and code.isdigit()):
        return ""
    meaning = next((row.meaning for row in code_list("merchant_category") if row.code == code), "")
    try:
        entry = iso18245.get_mcc(code)
    except iso18245.MCCNotFound:
        return meaning
    # Only networks name the codes reserved for private use, such as airlines.
    description = entry.iso_description or entry.visa_description or entry.mastercard_description
    return str(description).replace(" -- ", ", ") or meaning


def say_country(code: str) -> str:
    """The country of an ISO 3166 code, or a note that the code is unknown."""
    land = country(code)
    return land.name if land else "not an ISO 3166 code"


def say_merchant(code: str) -> str:
    """What a merchant category code means, or a note that it is unknown."""
    return merchant_category(code) or "not in the ISO 18245 list"

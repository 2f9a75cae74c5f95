"""The spellings that callers may use for names in the tables: `visa` for VISA, 1987 for "1987", `tap` for
contactless. Every function here returns the name as the table spells it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from sim.errors import ChoiceError, OptionError, closest, fold, quoted_value
from sim.spec.codes import FUNDS, Country, Currency, countries, country, currencies, currency
from sim.spec.elements import VERSIONS, version_of
from sim.spec.interfaces import interface, interfaces
from sim.spec.networks import NETWORKS, network_value
from sim.spec.tables import read_csv, read_toml

DEFAULT_VERSION = "1987"
_LETTERS_OF_CODE = 3
_ACCEPTOR = 43
_LIKE_A_NAME = 0.75  # the least similarity of a misspelling to a name

_MOST = 10_000  # numbers are years and codes; str() raises for very long ones


def choose(
    option: str, value: object, choices: Iterable[str], spoken: Mapping[str, str] | None = None
) -> str:
    """The one of *choices* that *value* (text or a whole number) spells; *spoken* maps other words to them.
    Raises ChoiceError naming *option*.

    >>> choose("kind", "Responses", ("traffic", "responses"))
    'responses'
    """
    words = tuple(choices)
    if isinstance(value, str) or (type(value) is int and 0 <= value < _MOST):
        text = str(value)
        if text in words:
            return words[words.index(text)]  # a plain str, even for an equal one such as an enum member
        spellings = {**(spoken or {}), **{word: word for word in words}}
        meant = {fold(spelling): word for spelling, word in spellings.items()}.get(fold(text))
        if meant is not None:
            return meant
        raise ChoiceError(option, quoted_value(value), words, closest(value, spellings))
    raise ChoiceError(option, quoted_value(value), words)


def several(option: str, value: object, expected: str) -> tuple[Any, ...]:
    """*value* as a tuple: a text or a number is one item, None is none. Raises OptionError saying what is
    *expected* if *value* is not iterable.

    >>> several("against", "VISA", "networks"), several("against", None, "networks")
    (('VISA',), ())
    """
    if value is None:
        return ()
    if isinstance(value, str | int) and not isinstance(value, bool):
        return (value,)
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return tuple(value)
    raise OptionError(option, expected, quoted_value(value))


def network_named(value: object, option: str = "network") -> str:
    """The network that *value* names. Raises ChoiceError.

    >>> network_named("master card"), network_named("American Express"), network_named("MC")
    ('MASTERCARD', 'AMEX', 'MASTERCARD')
    """
    if not isinstance(value, str) or value in NETWORKS:
        return choose(option, value, NETWORKS)
    spoken = [name for name in NETWORKS if re.fullmatch(network_value(name, "spoken"), value, re.IGNORECASE)]
    sure, like = _rows("network")
    if network := next(iter(spoken), sure.get(_comparison_key(value), "")):
        return network
    if near := like.get(_comparison_key(value)):
        raise ChoiceError(option, quoted_value(value), NETWORKS, near)
    return choose(option, value, NETWORKS, {network_value(name, "title"): name for name in NETWORKS})


def interface_named(value: object) -> str:
    """The interface that *value* names: by its name, its title or its brand. Raises ChoiceError.

    >>> interface_named("iso"), interface_named("BASE24"), interface_named("MC")
    ('iso', 'base24', 'mastercard')
    """
    names = interfaces()
    if not isinstance(value, str) or value in names:
        return choose("interface", value, names)
    titles = {interface(name).title: name for name in names}
    try:
        network = network_named(value).lower()
    except ChoiceError:
        network = ""
    return network if network in names else choose("interface", value, names, titles)


def version_named(value: object) -> str:
    """The version that *value* names: "1987", 1987, "87", "ISO 8583:1987". Raises ChoiceError.

    >>> version_named(2003), version_named("ISO 8583:1993"), version_named("87")
    ('2003', '1993', '1987')
    """
    titles = {
        f"{title}{version}": version for version in VERSIONS for title in ("ISO 8583:", "ISO 8583-1:", "v")
    }
    return choose("version", value, VERSIONS, titles | {version[2:]: version for version in VERSIONS})


def chosen_version(raw: str, version: object) -> str:
    """The version that *version* names; if it is None, that of the MTI at the start of *raw*, or 1987 if the
    MTI has none. Raises ChoiceError."""
    if version is None:
        return version_of(raw) or DEFAULT_VERSION
    return version if version in VERSIONS and isinstance(version, str) else version_named(version)


def currency_named(value: object, option: str = "currency", field: int | None = 49) -> Currency:
    """The currency that *value* names: by code, ISO 4217 name or another unambiguous name. Raises OptionError
    naming *option* and the nearest currency.

    >>> currency_named("usd").alpha, currency_named("€").alpha, currency_named("Swiss franc").alpha
    ('USD', 'EUR', 'CHF')
    """
    text = value.strip() if isinstance(value, str) else ""
    code = _currency_names().get(_comparison_key(text)) or _rows("currency")[0].get(_comparison_key(text), "")
    if iso_currency := currency(text.upper()) or currency(code):
        return iso_currency
    near = _near_currency(text)
    raise OptionError(option, "three digits or an ISO 4217 code", quoted_value(value), field, near or None)


def country_named(value: object) -> Country:
    """The country that *value* names: by code, ISO 3166 name or another unambiguous name. Raises OptionError
    naming the nearest country.

    >>> country_named("uk").alpha2, country_named("Germany").alpha2, country_named("840").alpha2
    ('GB', 'DE', 'US')
    """
    text = value.strip() if isinstance(value, str) else ""
    if land := _country(text):
        return land
    near = _rows("country")[1].get(_comparison_key(text))
    if near is None and len(text) > _LETTERS_OF_CODE:
        near = closest(text, _country_names(), _LIKE_A_NAME)
    raise OptionError("country", "an ISO 3166 country code", quoted_value(value), _ACCEPTOR, near)


def _country(text: str) -> Country | None:
    code = _country_names().get(_comparison_key(text)) or _rows("country")[0].get(_comparison_key(text), "")
    return country(_comparison_key(text).upper()) or country(code)


def _near_currency(text: str) -> str:
    """The code of the currency that *text* may mean: a common word, its country, or a misspelled code or
    name; empty if none is near."""
    if near := _rows("currency")[1].get(_comparison_key(text)):
        return near
    codes = [row.alpha for row in currencies() if row.alpha not in FUNDS]
    if land := _country(text):
        return next((code for code in codes if code.startswith(land.alpha2)), "")
    letters = text.upper()
    if len(letters) == _LETTERS_OF_CODE:
        mixed = [code for code in codes if sorted(code) == sorted(letters)]
        return next(iter(mixed), "") or next((code for code in codes if code[:2] == letters[:2]), "")
    return closest(text, _currency_names(), _LIKE_A_NAME) or ""


@cache
def _rows(option: str) -> tuple[dict[str, str], dict[str, str]]:
    """The words that people use for choices of *option*: the unambiguous ones, and those that may mean
    others."""
    rows = [row for row in read_csv("spoken") if row["option"] == option]
    sure = {_comparison_key(row["spoken"]): row["meant"] for row in rows if row["sure"]}
    return sure, {_comparison_key(row["spoken"]): row["meant"] for row in rows if not row["sure"]}


@cache
def _currency_names() -> dict[str, str]:
    every = [(_comparison_key(row.name), row.alpha) for row in currencies() if row.alpha not in FUNDS]
    counts = [name for name, _ in every]
    return {name: alpha for name, alpha in every if counts.count(name) == 1}


@cache
def _country_names() -> dict[str, str]:
    return {_comparison_key(land.name): land.alpha2 for land in countries()}


def _comparison_key(text: str) -> str:
    """*text* for comparison: folded, without blanks, dots, hyphens, underscores and apostrophes."""
    return re.sub(r"[\s._'-]+", "", text.casefold())


def template_word(option: str, value: object) -> str:
    """The templates' message type, purpose, entry or reason (*option*) that *value* names. Raises
    ChoiceError.

    >>> template_word("entry", "tap"), template_word("message_type", "Authorization")
    ('contactless', 'auth')
    """
    templates = read_toml("templates")
    choices = templates[_TABLES[option]] if option in _TABLES else templates["options"][option]["choices"]
    return choose(option, value, choices, templates["spoken"][option])


_TABLES = {"message_type": "kinds", "purpose": "purposes", "entry": "entries"}

"""What people call a network, a currency, a country or a version: taken where it is clear, else suggested."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support import together

from sim.errors import ChoiceError, OptionError
from sim.spec import country, currency
from sim.spec.networks import NETWORKS
from sim.spec.spellings import choose, country_named, currency_named, network_named, version_named
from sim.spec.tables import read_csv

NAMED: dict[str, Callable[[str], object]] = {
    "network": network_named,
    "currency": lambda text: currency_named(text).alpha,
    "country": lambda text: country_named(text).alpha2,
    "version": version_named,
}


@together(
    "option, said, meant",
    [
        *(("network", said, "MASTERCARD") for said in ("MC", "Master", "master card", "Debit MasterCard")),
        *(("network", said, "UNIONPAY") for said in ("CUP", "China UnionPay", "china union-pay", "银联")),
        ("network", "Visa Electron", "VISA"),
        ("network", "Amex", "AMEX"),
        *(("currency", said, "EUR") for said in ("eur", "Euro", "€", " 978 ")),
        *(("currency", said, "USD") for said in ("US dollar", "US$")),
        *(("currency", said, "CNY") for said in ("RMB", "Yuan Renminbi")),
        ("currency", "yen", "JPY"),
        *(("country", said, "GB") for said in ("UK", "England", "gbr", "826", "United Kingdom", "U.K.")),
        *(("country", said, "US") for said in ("USA", "U.S.A.", "United States")),
        ("country", "türkiye", "TR"),
        *(("version", said, "1993") for said in ("93", "v1993", "ISO 8583-1:1993")),
    ],
)
def test_names_that_mean_one_thing_are_taken(option: str, said: str, meant: str) -> None:
    """Whatever their case, blanks, dots and hyphens."""
    assert NAMED[option](said) == meant


@together(
    "option, said, near",
    [
        ("network", "Diners", "DISCOVER"),
        ("network", "Maestro", "MASTERCARD"),
        ("network", "Mastercrad", "MASTERCARD"),
        *(("currency", said, "USD") for said in ("US", "USA", "$", "dollar", "dolar", "UDS")),
        *(("currency", said, "GBP") for said in ("UK", "pounds", "£", "GPB")),
        ("currency", "CH", "CHF"),
        ("currency", "UZ", "UZS"),
        ("currency", "EUX", "EUR"),
        *(("currency", said, None) for said in ("", "QQQ", "nothing like it", "9")),
        ("country", "Germny", "DE"),
        ("country", "America", "US"),
        *(("country", said, None) for said in ("", "QQ", "nowhere at all")),
    ],
)
def test_what_may_mean_others_is_suggested(option: str, said: str, near: str | None) -> None:
    """The error names what is nearest, and nothing where nothing is."""
    with pytest.raises(OptionError) as caught:
        NAMED[option](said)
    assert caught.value.nearest == near
    assert caught.value.option == option


def test_rows_mean_what_there_is() -> None:
    """Each word stands once, and what it means is a network, or a code that the registry has; none is a
    code already."""
    rows = read_csv("spoken")
    assert len({(row["option"], row["spoken"].casefold()) for row in rows}) == len(rows)
    known = {"network": NETWORKS.__contains__, "currency": currency, "country": country}
    for row in rows:
        assert known[row["option"]](row["meant"]), row
        assert not known[row["option"]](row["spoken"].upper()), row


def test_a_choice_may_be_a_year_or_a_code() -> None:
    """A number of four digits at most stands for its text; a larger one is never written out."""
    assert choose("version", 9_999, ("9999",)) == "9999"
    with pytest.raises(ChoiceError):
        choose("version", 10_000, ("10000",))

"""What generate can be asked for, checked: every option in its own words before anything is built."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sim.codec.text import is_digits
from sim.errors import ChoiceError, OptionError, shown, size
from sim.operations.details import check_details
from sim.operations.filling import holding, parts_of
from sim.operations.fitting import check_fit, words_of
from sim.operations.merchants import chosen_category
from sim.spec import VERSIONS
from sim.spec.networks import NETWORKS, network
from sim.spec.recipes import Recipe, recipes
from sim.spec.spellings import currency_named
from sim.spec.tables import read_toml

LARGEST_AMOUNT = 999_999_999_999
_USUAL_PURPOSE = "purchase"


@dataclass(frozen=True, slots=True)
class Setting:
    """The options that say what a message looks like, complete and legal: all but its card, amount, STAN
    and moment. `network` is the one whose dialect applies, `currency` three digits; `details` stand in
    for the values of `sample`, where they already are; `words` are what recipes ask for, `rows` those that
    hold, `parts` what they put into the elements."""

    kind: str
    network: str | None
    version: str
    purpose: str
    entry: str
    currency: str
    details: Mapping[str, Any]
    sample: Mapping[str, Any]
    words: frozenset[str] = field(default=frozenset())
    rows: tuple[Recipe, ...] = ()
    parts: Mapping[int, Mapping[str, str]] = field(default_factory=dict)

    @property
    def kinds(self) -> dict[str, Any]:
        """The template of the message kind."""
        found: dict[str, Any] = read_toml("templates")["kinds"][self.kind]
        return found

    @property
    def entries(self) -> dict[str, Any]:
        """How the card was read."""
        found: dict[str, Any] = read_toml("templates")["entries"][self.entry]
        return found

    @property
    def purposes(self) -> dict[str, Any]:
        """What the message is for."""
        found: dict[str, Any] = read_toml("templates")["purposes"][self.purpose]
        return found

    @property
    def alone(self) -> bool:
        """Whether the kind has no purpose: an echo, a sign-on, totals, a file update."""
        return bool(self.kinds.get("alone"))

    @property
    def mti(self) -> str:
        """The MTI, which the network may have of its own."""
        return mti_of(self.kind, self.network, self.version)


def mti_of(kind: str, own: str | None, version: str) -> str:
    """The MTI of a message kind on network *own*.

    >>> mti_of("reversal", "JCB", "1987"), mti_of("reversal", "VISA", "1987")
    ('0420', '0400')
    """
    usual = read_toml("templates")["kinds"][kind]["mti"][version]
    dialect = network(own).dialects.get(version, {}) if own else {}
    return str(dialect.get("mtis", {}).get(kind, usual))


def settle(
    kind: str,
    chosen: str | None,
    version: str,
    purpose: str,
    entry: str,
    currency_code: str,
    details: Mapping[str, Any] | None = None,
) -> Setting:
    """The setting, or an OptionError that names the first option that cannot be met."""
    templates = read_toml("templates")
    kind = _one_of("message_type", kind, templates["kinds"])
    version = _one_of("version", version, VERSIONS)
    purpose = _one_of("purpose", purpose, templates["purposes"])
    entry = _one_of("entry", entry, templates["entries"])
    if chosen is not None:
        chosen = _one_of("network", chosen, NETWORKS)
    code, more = _numeric(currency_code), check_details(details or {}, version)
    if "cashback" in more and purpose == _USUAL_PURPOSE:
        purpose = "cashback"  # the processing code says it, too
    check_fit(kind, chosen, version, purpose, entry, more)
    sample = {**templates["sample"], **templates["places"].get(purpose, {}), **more}
    if category := chosen_category(more, purpose):
        sample["mcc"] = category
    words = words_of(kind, purpose, entry, more)
    rows = tuple(holding(recipes(chosen, version), words))
    return Setting(kind, chosen, version, purpose, entry, code, more, sample, words, rows, parts_of(rows))


def check_numbers(pan: str | None, amount_minor_units: int, stan: str) -> None:
    """Raises OptionError for a card number, an amount or a STAN that cannot be met."""
    if isinstance(amount_minor_units, bool) or not isinstance(amount_minor_units, int):
        expected = "a whole number of minor units, such as 1000 for 10.00 USD"
        raise OptionError("amount_minor_units", expected, shown(amount_minor_units), 4)
    if not 0 <= amount_minor_units <= LARGEST_AMOUNT:
        raise OptionError("amount_minor_units", f"0 to {LARGEST_AMOUNT}", shown(amount_minor_units), 4)
    if pan is not None and not (isinstance(pan, str) and is_digits(pan) and 12 <= len(pan) <= 19):
        raise OptionError("pan", "12 to 19 digits", _size(pan), 2)
    if not (isinstance(stan, str) and is_digits(stan) and len(stan) == 6):
        raise OptionError("stan", "six digits", shown(stan), 11)


def _size(value: object) -> str:
    """How long a text is; of anything else what it is."""
    return size(value) if isinstance(value, str) else shown(value)


def _numeric(code: str) -> str:
    """A currency as its three digits; other names are looked up. Three digits pass as they are, known or not:
    the caller asked for exactly that, and validate says what is wrong with it."""
    if isinstance(code, str) and len(code) == 3 and is_digits(code):
        return str(code)
    return currency_named(code).numeric


def _one_of(option: str, value: object, known: Iterable[str]) -> str:
    """*value* as *known* spells it: a text that only equals one of them, such as an enum's, is not kept."""
    choices = list(known)
    if value not in choices:
        raise ChoiceError.of(option, value, choices)
    return choices[choices.index(value)]

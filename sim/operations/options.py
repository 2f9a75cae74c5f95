"""The options of generate, checked before anything is built: each option, the values that replace samples,
and which options go together: purposes with message types, card entries, networks and versions.

The recipes say what networks have: if none of a network's recipes mentions a purpose or an option, no public
source says how that network carries it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import product
from typing import Any

from sim.codec.text import is_digits
from sim.errors import ChoiceError, OptionError, closest, quoted_value, size
from sim.operations.filling import holding, parts_of
from sim.operations.merchants import chosen_category, shop_of, zone_named
from sim.spec import VERSIONS, spec, zone_of
from sim.spec.interfaces import interfaces
from sim.spec.layouts import layouts
from sim.spec.networks import NETWORKS, network
from sim.spec.recipes import Recipe, recipes
from sim.spec.spellings import country_named, currency_named
from sim.spec.tables import read_toml

_USUAL_PURPOSE, _TOKEN = "purchase", "token"
_SAMPLES = {
    "name": "merchant name",
    "merchant": "merchant id",
    "terminal": "terminal",
    "acquirer": "acquirer",
    "expiry": "expiry",
}


def check_details(details: Mapping[str, Any], version: str) -> dict[str, Any]:
    """The details, checked and completed: a country with both codes, and no sample postal code or region if
    the place is not the sample's. Raises OptionError for the first that is not possible; never truncates."""
    options, rows, land = read_toml("templates")["options"], read_toml("templates")["details"], None
    for name, value in details.items():
        if name == "timezone":
            zone_named(value)
        elif name == "country":
            land = country_named(value)
        elif name in options:
            _check_value(name, value, options[name])
        elif name in rows:
            _check_value(name, value, rows[name])
            _check_width(name, value, rows[name], version)
        elif name != "mti":  # an MTI of this message type, as `asked` ensures
            names = (*rows, "timezone", *options)
            nearest = closest(name, {other: other for other in names})
            raise OptionError(name, "one of " + ", ".join(names), quoted_value(name), None, nearest)
    result = dict(details)
    if land:
        result |= {"country": land.numeric, "country_alpha": land.alpha2, "zone": zone_of(land.alpha2)}
    if "country" in details or "city" in details:
        result |= {"postal": "", "region": ""}
    return result


def _check_value(name: str, value: object, row: Mapping[str, Any]) -> None:
    field, text = row.get("field"), size(str(value)) if row.get("secret") else quoted_value(value)
    if row.get("flag"):
        if not isinstance(value, bool):
            raise OptionError(name, "True or False", text, field)
    elif choices := row.get("choices"):
        if value not in choices:
            raise ChoiceError.of(name, value, choices)
    elif not isinstance(value, str) or not re.fullmatch(row["pattern"], value):
        raise OptionError(name, row.get("expected", "printable ASCII text"), text, field)


def _check_width(name: str, value: str, row: Mapping[str, Any], version: str) -> None:
    width = spec(version)[row["field"]].width
    if "most" in row:  # the merchant's name or city, as wide as in the first layout of DE 43
        cells = layouts(version, 43)[0].cell.cells
        width = min(row["most"], next(cell.most for cell in cells if cell.name.startswith(name)))
    if len(value) > width:
        raise OptionError(name, f"at most {width} characters", size(value), row["field"])


def sample_note(details: Mapping[str, Any]) -> str:
    """The note on which values of a generated message are samples."""
    left = [word for name, word in _SAMPLES.items() if name not in details]
    if left[:2] == ["merchant name", "merchant id"]:
        left[:2] = ["merchant"]
    if not left:
        return "All other elements have sample values."
    text = " and ".join(", ".join(left).rsplit(", ", 1))
    return f"{text[:1].upper()}{text[1:]} {'is a sample value' if len(left) == 1 else 'are sample values'}."


def entries_of(purpose: str) -> tuple[str, ...]:
    """The card entries that *purpose* allows."""
    templates = read_toml("templates")
    return tuple(name for name in templates["entries"] if name in templates["purposes"][purpose]["entries"])


def kinds_of(name: str | None, version: str) -> tuple[str, ...]:
    """The message types known for network *name* in *version*."""
    return tuple(kind for kind in read_toml("templates")["kinds"] if _has_kind(kind, name, version))


@cache
def has_purpose(purpose: str, name: str | None, version: str) -> bool:
    """Whether it is known how network *name* expresses *purpose* in *version*."""
    row = read_toml("templates")["purposes"][purpose]
    return bool(row.get("plain")) or any(recipe.asks_for(purpose) for recipe in recipes(name, version))


def has_option(option: str, name: str | None, version: str) -> bool:
    """Whether it is known how network *name* carries *option* in *version*."""
    row = read_toml("templates")["options"][option]
    words = (option, row.get("placeholder"), *row.get("choices", {}).values())
    return any(speaks_of(word, name, version) for word in words if word)


@cache
def speaks_of(word: str, name: str | None, version: str) -> bool:
    """Whether a recipe of network *name* in *version* mentions *word*."""
    return any(row.mentions(word) for row in recipes(name, version))


def _has_kind(kind: str, name: str | None, version: str) -> bool:
    return kind not in dialect_of(name, version).get("lacks", ())


def dialect_of(name: str | None, version: str) -> Mapping[str, Any]:
    """What is particular to the messages of network *name* in *version*: MTIs, missing kinds, notes."""
    return network(name).dialects.get(version, {}) if name in NETWORKS else {}


LARGEST_AMOUNT = 999_999_999_999


@dataclass(frozen=True)
class Setting:
    """The options that shape a message: all but its card, amount, STAN and time. `network` is the network or
    interface whose rows apply; `currency` has three digits; `details` are checked and complete if `settle`
    made the setting; `brand` is the card's network, if the rows are of another."""

    kind: str
    network: str | None
    version: str
    purpose: str
    entry: str
    currency: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    brand: str | None = None

    @property
    def card_network(self) -> str:
        """The network of the card; the card's data is the same on every interface."""
        name = self.brand or self.network
        return name if name in NETWORKS else NETWORKS[0]

    @property
    def kinds(self) -> dict[str, Any]:
        """The template of the message type."""
        return _row("kinds", self.kind)

    @property
    def entries(self) -> dict[str, Any]:
        """The template of the card entry."""
        return _row("entries", self.entry)

    @property
    def purposes(self) -> dict[str, Any]:
        """The template of the purpose."""
        return _row("purposes", self.purpose)

    @property
    def alone(self) -> bool:
        """Whether the message type has no purpose: an echo test, a sign-on, totals, a file update."""
        return bool(self.kinds.get("alone"))

    @property
    def mti(self) -> str:
        """The MTI: as requested, else the usual one of the message type on the network."""
        return str(self.details.get("mti") or mti_of(self.kind, self.network, self.version))

    @cached_property
    def sample(self) -> dict[str, Any]:
        """The details, with sample values for those not given."""
        templates, category = read_toml("templates"), chosen_category(self.details, self.purpose)
        # Cash without a PIN comes from a teller, not an ATM.
        counter = self.purpose == "cash" and "pin" not in self.words
        places = templates["places"].get("counter" if counter else self.purpose, {})
        samples = templates["own_samples"].get(self.network, {})
        usual = {name: value for name, value in samples.items() if isinstance(value, str)}
        usual |= places | samples.get(self.purpose, {})
        code = str(self.details.get("mcc", ""))
        if code != usual.get("mcc") and (name := shop_of(code)):
            usual["name"] = name
        return {**templates["sample"], **usual, **self.details, **({"mcc": category} if category else {})}

    @cached_property
    def words(self) -> frozenset[str]:
        """The words for the conditions of recipes: the message type and, if it has a card and a purpose,
        `card`, purpose, entry and the given options: `no_pin` if there is to be none."""
        if self.alone:
            return frozenset((self.kind,))
        words = {self.kind, "card", self.purpose, self.entry}
        for name, row in read_toml("templates")["options"].items():
            value = self.details.get(name)
            if "choices" in row:
                words.add(row["choices"].get(value, "")) if value else None
            elif value or (value is None and self._usual(name, row)):
                words.add(name)
            elif value is False:
                words.add(f"no_{name}")
        return frozenset(words - {""})

    def _usual(self, option: str, row: Mapping[str, Any]) -> bool:
        """Whether *option* is on by default: the PIN at an ATM."""
        return bool(self.purposes.get(option)) and self.kind in row["kinds"] and self.entry in row["entries"]

    @cached_property
    def rows(self) -> tuple[Recipe, ...]:
        """The recipes that apply."""
        return tuple(holding(recipes(self.network, self.version), self.words))

    @cached_property
    def parts(self) -> dict[int, dict[str, str]]:
        """The values that the recipes put into each element."""
        return parts_of(self.rows)


def _row(table: str, name: str) -> dict[str, Any]:
    row: dict[str, Any] = read_toml("templates")[table][name]
    return row


def settle(
    kind: str,
    chosen: str | None,
    version: str,
    purpose: str,
    entry: str,
    currency_code: str,
    details: Mapping[str, Any] | None = None,
    brand: str | None = None,
) -> Setting:
    """The setting. Raises OptionError for the first option that cannot be met."""
    templates = read_toml("templates")
    kind = _one_of("message_type", kind, templates["kinds"])
    version = _one_of("version", version, VERSIONS)
    purpose = _one_of("purpose", purpose, templates["purposes"])
    entry = _one_of("entry", entry, templates["entries"])
    if chosen is not None:
        chosen = _one_of("network", chosen, NETWORKS if brand is None else (*NETWORKS, *interfaces()))
    code, more = _numeric(currency_code), check_details(details or {}, version)
    if "cashback" in more and purpose == _USUAL_PURPOSE:
        purpose = "cashback"  # the processing code changes, too
    setting = Setting(kind, chosen, version, purpose, entry, code, more, brand)
    _check_fit(setting)
    return setting


def _check_fit(setting: Setting) -> None:
    """Raises OptionError for the first option that does not go with the others."""
    kind, owner, version = setting.kind, setting.network, setting.version
    if not _has_kind(kind, owner, version):
        names = [name for name in NETWORKS if _has_kind(kind, name, version)]
        found = f"{kind!r}, which is documented only for {', '.join(names)}"
        raise OptionError("message_type", f"a type documented for {owner} in {version}", found)
    purpose, entry, row = setting.purpose, setting.entry, setting.purposes
    if not setting.alone:
        if kind not in row["kinds"]:
            raise OptionError("message_type", f"{_any_of(row['kinds'])} for purpose {purpose!r}", repr(kind))
        if entry not in row["entries"]:
            raise OptionError("entry", f"{_any_of(entries_of(purpose))} for purpose {purpose!r}", repr(entry))
        if not has_purpose(purpose, owner, version):
            found = f"{purpose!r}, which is documented only for {_documented(purpose, has_purpose)}"
            raise OptionError("purpose", f"a purpose documented for {_whose(setting)}", found)
    if "cashback" in setting.details and purpose != "cashback":
        raise OptionError("cashback", "none, or purpose 'cashback'", f"purpose {purpose!r}", 54)
    for name, value in setting.details.items():
        if name in read_toml("templates")["options"] and value:
            _check_option(name, setting)


def goes_with(option: str, setting: Setting) -> bool:
    """Whether *option* goes with a message, and with its other details.

    >>> goes_with("three_d_secure", Setting("auth", "VISA", "1987", "purchase", "ecommerce"))
    True
    >>> goes_with("three_d_secure", Setting("auth", "VISA", "1987", "purchase", "chip"))
    False
    """
    try:
        _check_option(option, setting)
    except OptionError:
        return False
    return True


def _check_option(name: str, setting: Setting) -> None:
    row = read_toml("templates")["options"][name]
    field = row.get("field")
    limits = (
        ("kinds", setting.kind, "message type"),
        ("purposes", setting.purpose, "purpose"),
        ("entries", setting.entry, "entry"),
    )
    for limit, word, what in limits:
        if limit in row and word not in row[limit]:
            raise OptionError(name, f"none, or {what} {_any_of(row[limit])}", f"{what} {word!r}", field)
    if (other := row.get("with")) and not setting.details.get(other):
        raise OptionError(name, f"{other} as well", "none", field)
    if not has_option(name, setting.network, setting.version):
        found = f"a value; the option is documented only for {_documented(name, has_option)}"
        raise OptionError(name, f"none for {_whose(setting)}", found, field)
    if name == _TOKEN and not any(recipe.mentions(name) for recipe in setting.rows):
        where = f"none with entry {setting.entry!r}: its use in {setting.network} messages is not documented"
        raise OptionError(name, where, "a value", field)


def _documented(name: str, has: Any) -> str:
    """The versions and networks for which public documents describe *name*."""
    editions: dict[str, list[str]] = {}
    for edition, owner in product(VERSIONS, NETWORKS):
        if has(name, owner, edition):
            editions.setdefault(edition, []).append(owner)
    return " or ".join(
        f"{edition} ({'any network' if len(names) == len(NETWORKS) else ', '.join(names)})"
        for edition, names in editions.items()
    )


def _whose(setting: Setting) -> str:
    name, version = setting.network, setting.version
    return f"{name} in {version}" if name else f"{version} without a network"


def _any_of(words: Any) -> str:
    names = list(map(repr, words))
    return names[0] if len(names) == 1 else "one of " + ", ".join(names)


def mti_of(kind: str, name: str | None, version: str) -> str:
    """The MTI of a message kind on network *name*.

    >>> mti_of("reversal", "JCB", "1987"), mti_of("reversal", "VISA", "1987")
    ('0420', '0400')
    """
    usual = read_toml("templates")["kinds"][kind]["mti"][version]
    return str(dialect_of(name, version).get("mtis", {}).get(kind, usual))


def check_numbers(pan: str | None, amount_minor_units: int, stan: str) -> None:
    """Raises OptionError for a card number, an amount or a STAN that cannot be met."""
    if isinstance(amount_minor_units, bool) or not isinstance(amount_minor_units, int):
        expected = "a whole number of minor units, such as 1000 for 10.00 USD"
        raise OptionError("amount_minor_units", expected, quoted_value(amount_minor_units), 4)
    if not 0 <= amount_minor_units <= LARGEST_AMOUNT:
        raise OptionError("amount_minor_units", f"0 to {LARGEST_AMOUNT}", quoted_value(amount_minor_units), 4)
    if pan is not None and not (isinstance(pan, str) and is_digits(pan) and 12 <= len(pan) <= 19):
        shown = size(pan) if isinstance(pan, str) else quoted_value(pan)
        raise OptionError("pan", "12 to 19 digits", shown, 2)
    if not (isinstance(stan, str) and is_digits(stan) and len(stan) == 6):
        raise OptionError("stan", "six digits", quoted_value(stan), 11)


def _numeric(code: str) -> str:
    """A currency as three digits. Three digits pass unchanged, even if unknown: the caller asked for exactly
    that, and validate reports it."""
    is_numeric = isinstance(code, str) and len(code) == 3 and is_digits(code)
    return str(code) if is_numeric else currency_named(code).numeric


def _one_of(option: str, value: object, words: Iterable[str]) -> str:
    """*value* as the plain text in *words*, even if given as an equal object, such as an enum member."""
    choices = list(words)
    if value not in choices:
        raise ChoiceError.of(option, value, choices)
    return choices[choices.index(value)]

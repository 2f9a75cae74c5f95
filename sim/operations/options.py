"""What generate can be asked for, checked: every option in its own words before anything is built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from sim.codec import BuildError
from sim.codec.walk import is_digits
from sim.operations.details import check_details
from sim.spec import VERSIONS, currency
from sim.spec.networks import NETWORKS
from sim.spec.tables import read_toml

MessageKind = Literal["auth", "financial", "echo", "advice", "reversal"]
Purpose = Literal["purchase", "cash", "cashback", "refund", "balance"]
Entry = Literal["manual", "stripe", "chip", "contactless", "ecommerce"]

LARGEST_AMOUNT = 999_999_999_999


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one message, complete and legal. `amount_minor_units` counts the smallest unit of
    `currency` (three digits); `at` is the moment at the merchant, with its time zone; `details` stand
    in for the sample values of `data/templates.toml`."""

    kind: str
    network: str | None
    pan: str | None
    amount_minor_units: int
    currency: str
    stan: str
    version: str
    at: datetime
    purpose: str
    entry: str
    details: Mapping[str, str] = field(default_factory=dict)


def check(
    kind: str,
    network: str | None,
    pan: str | None,
    amount_minor_units: int,
    currency_code: str,
    stan: str,
    version: str,
    at: datetime | None,
    purpose: str,
    entry: str,
    details: Mapping[str, str] | None = None,
) -> Options:
    """The options, or a BuildError that names the first one that cannot be met. A naive *at* is
    taken as UTC; None is now."""
    templates = read_toml("templates")
    _one_of("message_type", kind, templates["kinds"])
    _one_of("version", version, VERSIONS)
    _one_of("purpose", purpose, templates["purposes"])
    _one_of("entry", entry, templates["entries"])
    if network is not None:
        _one_of("network", network, NETWORKS)
    if isinstance(amount_minor_units, bool) or not isinstance(amount_minor_units, int):
        raise BuildError.of_option(
            "amount_minor_units", 4, "a whole number", type(amount_minor_units).__name__
        )
    if not 0 <= amount_minor_units <= LARGEST_AMOUNT:
        raise BuildError.of_option(
            "amount_minor_units", 4, f"0 to {LARGEST_AMOUNT}", str(amount_minor_units)[:20]
        )
    if pan is not None and not (isinstance(pan, str) and is_digits(pan) and 12 <= len(pan) <= 19):
        raise BuildError.of_option("pan", 2, "12 to 19 digits", f"{len(str(pan))} characters")
    if not (isinstance(stan, str) and is_digits(stan) and len(stan) == 6):
        raise BuildError.of_option("stan", 11, "six digits", repr(stan)[:20])
    moment = at or datetime.now(UTC)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    code, more = _numeric(currency_code), check_details(details or {}, version)
    return Options(kind, network, pan, amount_minor_units, code, stan, version, moment, purpose, entry, more)


def _numeric(code: str) -> str:
    """A currency as its three digits; letters are looked up. Three digits pass as they are, known or
    not: the caller asked for exactly that, and validate says what is wrong with it."""
    if isinstance(code, str) and len(code) == 3 and is_digits(code):
        return code
    known = currency(code.upper()) if isinstance(code, str) else None
    if known is None:
        raise BuildError.of_option("currency", 49, "three digits or an ISO 4217 code", repr(code)[:20])
    return known.numeric


def _one_of(option: str, value: object, known: object) -> None:
    choices = list(known)  # type: ignore[call-overload]
    if value not in choices:
        raise BuildError.of_option(option, None, "one of " + ", ".join(map(str, choices)), repr(value)[:20])

"""The rule table of a host: which messages it matches, and what to do with them. The first matching row
applies.

A row is a dict of texts, from CSV, TOML or a DataFrame. Its conditions (an empty one matches all): `mti`
(`0100`, `01xx`), `processing_code` (`00`, `000000`), `network`, `card` (a card number, or its first digits
and `*`), `amount` (`5000`, `1000..`, `..999`, `100..200`, minor units), `currency`, `merchant`, `terminal`,
`seen` (which occurrences among the messages that meet the other conditions: `1`, `2..`), and any element or
subfield: `de22`, `de48.82`, `de55.9F35` with a value, a prefix and `*`, `~pattern`, `present` or `absent`.
Its effects: `action` (below), `code` (DE 39), `delay` (seconds), `approved` (the amount of a partial
approval, minor units), `set.44`, `set.55.71` (elements of the response; `-` removes one), `name`.

A row may also be a function: for each message it returns such a row, a code, or None if it does not apply.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from sim.codec import Message
from sim.codec.text import is_digits
from sim.elements.card import account, chosen_network
from sim.elements.money import amount
from sim.errors import ChoiceError, IsoError, OptionError, SpecError, quotable, quoted_value
from sim.masking.files import text_of
from sim.operations.filling import Inside
from sim.operations.options import LARGEST_AMOUNT
from sim.spec import currency
from sim.spec.codes import alpha_of
from sim.spec.spellings import network_named
from sim.spec.tables import toml_of

MOST_ELEMENT = 192  # of three bitmaps
# What a host can do with a message.
ACTIONS = {
    "answer": "the response is sent",
    "ignore": "the message is not processed and gets no response",
    "drop": "the message is processed, but its response is lost",
    "late": "the response is held until the next message on the connection, or for its delay",
    "duplicate": "the response is sent twice",
    "close": "the message is processed, the connection is closed instead of a response",
    "garbage": "a frame of bytes that are not a message is sent instead of the response",
    "wrong-stan": "the response has a different STAN (DE 11)",
    "partial": "part of the amount is approved",
}
_TEXTS = ("mti", "processing_code", "network", "card", "currency", "merchant", "terminal", "code", "name")
# How conditions are written: any other text would silently never match.
_WRITTEN = {
    "mti": (re.compile(r"[0-9xX]{4}"), "four digits, x for any, such as 0100 or 01xx"),
    "processing_code": (re.compile(r"[0-9]{1,6}"), "its first 1 to 6 digits, such as 00"),
    "card": (re.compile(r"[0-9]{8,19}|[0-9]{0,19}\*"), "a card number, or its first digits and *"),
    "code": (
        re.compile(r"[0-9A-Za-z]{2}|[0-9]{3,4}"),
        "a response code: 2 characters, from 1993 on 3 or 4 digits",
    ),
}
_WHOLE = re.compile(r"[0-9]{0,18}")


@dataclass(frozen=True, slots=True)
class Range:
    """Whole numbers from `low` to `high`; None means no limit."""

    low: int | None = None
    high: int | None = None

    @classmethod
    def of(cls, column: str, text: str) -> Range:
        """The range in *text*: `5`, `5..`, `..5` or `5..9`. Raises OptionError for anything else."""
        low, dots, high = text.partition("..")
        parts = (low, high if dots else low)
        if not text.strip(".") or not all(_WHOLE.fullmatch(part) for part in parts):
            raise OptionError(column, "a whole number or a range such as 100..200", quoted_value(text))
        return cls(*(int(part) if part else None for part in parts))

    def __contains__(self, number: int) -> bool:
        return (self.low is None or number >= self.low) and (self.high is None or number <= self.high)

    def __str__(self) -> str:
        if self.low is not None and self.low == self.high:
            return str(self.low)
        return f"{'' if self.low is None else self.low}..{'' if self.high is None else self.high}"


Function = Callable[[Message], Mapping[str, Any] | str | None]


@dataclass(frozen=True, slots=True, repr=False)
class Rule:
    """One row: conditions, and what to do with the messages that meet them."""

    name: str = ""
    mti: str = ""
    processing_code: str = ""
    network: str = ""
    card: str = ""
    amount: Range | None = None
    currency: str = ""
    merchant: str = ""
    terminal: str = ""
    seen: Range | None = None
    action: str = "answer"
    code: str = ""
    delay: float = 0.0
    approved: int | None = None
    elements: tuple[tuple[str, str], ...] = ()
    answer: tuple[tuple[str, str], ...] = ()
    function: Function | None = None

    @property
    def label(self) -> str:
        """The name to report when the rule applies."""
        return self.name or f"{self.action} {self.code}".strip()

    def __repr__(self) -> str:
        # The card may be a full number, so it is not shown.
        return f"Rule({quotable(self.label)!r})"

    @property
    def decides(self) -> bool:
        """Whether its code determines the response, whatever the message; not for a partial approval."""
        return bool(self.code) and self.action != "partial"

    def of(self, message: Message) -> Rule | None:
        """The rule that applies to *message*: this, or what its function returns. Raises IsoError if it
        fails."""
        if self.function is None:
            return self
        try:
            row = self.function(message)
        except Exception as error:  # the caller's function may raise anything; the host continues
            raise IsoError(None, None, f"a row of {self.label}", type(error).__name__) from error
        if row is None:
            return None
        return replace(_rule(1, {"code": row} if isinstance(row, str) else row), name=self.name)

    def fits(self, message: Message) -> bool:
        """Whether *message* meets the conditions other than `seen`."""
        return (
            (not self.mti or fnmatchcase(message.mti, self.mti.lower().replace("x", "?")))
            and (not self.processing_code or message.get(3).startswith(self.processing_code))
            and (not self.terminal or message.get(41).strip() == self.terminal)
            and (not self.merchant or message.get(42).strip() == self.merchant)
            and (not self.card or fnmatchcase(account(message)[1], self.card))
            and (not self.network or chosen_network(message, None) == self.network)
            and self._fits_money(message)
            and self._fits_elements(message)
        )

    def _fits_money(self, message: Message) -> bool:
        if self.amount is None and not self.currency:
            return True
        money = amount(message)
        if money is None:
            return False
        digits, code = money
        if self.amount is not None and not (is_digits(digits) and int(digits) in self.amount):
            return False
        return not self.currency or self.currency in (code, alpha_of(code))

    def _fits_elements(self, message: Message) -> bool:
        if not self.elements:
            return True
        inside = Inside(message, chosen_network(message, None))
        return all(matches(pattern, inside[path]) for path, pattern in self.elements)


def matches(pattern: str, value: str) -> bool:
    """Whether *value*, of an element (empty if missing), matches the condition *pattern*."""
    if pattern in ("present", "absent"):
        return bool(value) == (pattern == "present")
    if pattern.startswith("~"):
        return bool(value) and re.fullmatch(pattern[1:].strip(), value) is not None
    if pattern.endswith("*"):
        return value.startswith(pattern[:-1])
    return pattern in (value, value.strip())


def check_pattern(where: str, pattern: str) -> None:
    """Raises OptionError if *pattern* is an invalid pattern."""
    if pattern.startswith("~"):
        try:
            re.compile(pattern[1:].strip())
        except re.error:
            raise OptionError(where, "a regular expression after ~", quoted_value(pattern)) from None


_COLUMNS = tuple(field.name for field in fields(Rule) if field.name not in ("elements", "answer", "function"))
_PATH = re.compile(r"(de|set\.)([1-9][0-9]{0,2})((?:\.[0-9A-Za-z-]{1,8})*)")
Source = str | Path | Function | Iterable[Mapping[str, Any] | Rule | Function]


def rules_of(source: Source | None) -> tuple[Rule, ...]:
    """The rules in a CSV or TOML file (`[[rules]]`), in its text, in rows, or from a function.

    Raises OptionError that names the row and column of an invalid cell.

    >>> rules_of("card,code\\n4111*,51")[0].code
    '51'
    """
    if source is None:
        return ()
    rows = _read(source) if isinstance(source, str | Path) else [source] if callable(source) else source
    if isinstance(rows, Mapping) or not isinstance(rows, Iterable):
        kind = f"a value of type {type(rows).__name__}"
        raise OptionError("rules", "a CSV or TOML file, a DataFrame, or a list of rows", kind)
    return tuple(row if isinstance(row, Rule) else _rule(at, row) for at, row in enumerate(rows, 1))


def _read(source: str | Path) -> Any:
    text = str(source)
    if isinstance(source, Path) or "\n" not in text:
        text = text_of("rules", source)
    if text.lstrip().startswith("[") or str(source).endswith(".toml"):
        try:
            return toml_of(text).get("rules", [])
        except SpecError as error:
            raise OptionError("rules", "a TOML file with [[rules]]", error.found) from None
    return csv_rows(text, "rules")


def csv_rows(text: str, option: str) -> list[Mapping[str, Any]]:
    """The rows in the *text* of a CSV file. Raises OptionError that names *option* if it is not CSV."""
    try:
        return list(csv.DictReader(io.StringIO(text, newline="")))
    except csv.Error as error:
        raise OptionError(option, "a CSV file", str(error)[:80]) from None


def _rule(at: int, row: Mapping[str, Any] | Function) -> Rule:
    if callable(row):
        return Rule(name=getattr(row, "__name__", "function"), function=row)
    if not isinstance(row, Mapping):
        raise OptionError(f"rule {at}", "a table of columns", f"a value of type {type(row).__name__}")
    cells = {key: value for key, value in flat(row) if value is not None and str(value).strip() != ""}
    where = f"rule {at}, "
    paths = {"de": dict[str, str](), "set.": dict[str, str]()}
    for key in [key for key in cells if key not in _COLUMNS]:
        path = _PATH.fullmatch(key)
        if path is None or not 2 <= int(path[2]) <= MOST_ELEMENT:
            raise ChoiceError.of(f"rule {at}", key, (*_COLUMNS, "de48", "set.44"))
        paths[path[1]][path[2] + path[3]] = text = str(cells.pop(key)).strip()
        check_pattern(where + key, text)
    values: dict[str, Any] = {name: str(cells[name]).strip() for name in _TEXTS if name in cells}
    values |= {"elements": tuple(paths["de"].items()), "answer": tuple(paths["set."].items())}
    if "card" in values:
        values["card"] = values["card"].replace(" ", "")
    for name, (pattern, expected) in _WRITTEN.items():
        if name in values and not pattern.fullmatch(values[name]):
            raise OptionError(where + name, expected, quoted_value(values[name]))
    if "currency" in values and currency(values["currency"]) is None:
        expected = "an ISO 4217 currency such as EUR or 978"
        raise OptionError(f"{where}currency", expected, quoted_value(values["currency"]))
    if "network" in values:
        values["network"] = network_named(values["network"], f"{where}network")
    for name in ("amount", "seen"):
        if name in cells:
            values[name] = Range.of(where + name, str(cells[name]).strip())
    if "action" in cells:
        values["action"] = action = str(cells["action"]).strip()
        if action in _COLUMNS:
            expected = f"an action; {action} is a separate column"
            raise OptionError(f"{where}action", expected, quoted_value(action))
        if action not in ACTIONS:
            raise ChoiceError.of(f"{where}action", action, tuple(ACTIONS))
    for name, kind in (("delay", float), ("approved", int)):
        if name in cells:
            values[name] = number(where + name, cells[name], kind, LARGEST_AMOUNT, "a number of 0 or more")
    partial = values.get("action") == "partial"
    if partial and "approved" not in values:
        raise OptionError(f"{where}approved", "the approved amount (minor units)", "none")
    if "approved" in values and not partial:
        expected = "partial, because there is an approved amount"
        raise OptionError(f"{where}action", expected, values.get("action", "none"))
    return Rule(**values)


def flat(row: Mapping[Any, Any], lead: str = "") -> Iterator[tuple[str, Any]]:
    """The cells of a row; TOML turns `set.44` and `de55.9F35` into tables."""
    for key, value in row.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{lead}{key}.")
        else:
            yield f"{lead}{key}", value


def number(column: str, value: object, kind: type[float], most: float, expected: str) -> float:
    """*value* as a number from 0 to *most*. Raises OptionError that names *column* and what is *expected*."""
    try:
        parsed = kind(str(value).strip())
    except ValueError:
        parsed = -1
    if not 0 <= parsed <= most:
        raise OptionError(column, expected, quoted_value(value))
    return parsed


class Table:
    """The rules of a running host, with the number of messages that matched each."""

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        self.rules = tuple(rules)
        self._seen = [0] * len(self.rules)

    def find(self, message: Message) -> Rule | None:
        """The first rule that applies to *message*."""
        for at, rule in enumerate(self.rules):
            if rule.fits(message):
                self._seen[at] += 1
                if (rule.seen is None or self._seen[at] in rule.seen) and (applied := rule.of(message)):
                    return applied
        return None

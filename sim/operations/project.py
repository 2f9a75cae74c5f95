"""Small helpers for every caller of the operations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from sim.codec import Message
from sim.codec.bitmap import HEX_DIGITS
from sim.elements.card import chosen_network
from sim.masking import mask_pan, mask_text
from sim.spec import Spec
from sim.spec.interfaces import rows_of
from sim.spec.networks import luhn_ok, told_name

_CARD_KEY = "pan"
# A card number of 12 digits is too short to show any part of it.
_SHORT_CARD = re.compile(r"(?<![0-9])[0-9]{12}(?![0-9])")
_TELLING = 8  # digits of an IIN: fewer identify no card
_DIGITS = re.compile(r"[0-9]+")


def field_values(message: Message, network: str | None = None) -> list[dict[str, int | str]]:
    """Number, name and value of every data element, ascending, without MTI and bitmap. Names are those of
    *network*, None the card's. Values are unchanged, except that hex digits are in upper case."""
    names, binary = _labels(message.spec, chosen_network(message, network))
    fields = message.fields
    if shown := binary & fields.keys():
        upper = {number: fields[number].upper() for number in shown if HEX_DIGITS.issuperset(fields[number])}
        fields = fields | upper
    return [{"number": number, "name": names[number], "value": fields[number]} for number in sorted(fields)]


@lru_cache(maxsize=64)
def _labels(table: Spec, network: str | None) -> tuple[Mapping[int, str], frozenset[int]]:
    """The names of the data elements, and those whose values are hex digits of binary data."""
    owner = rows_of(table, network) or ""
    names = {item.number: told_name(table, item.number, owner) for item in table.elements}
    return names, frozenset(item.number for item in table.elements if item.binary)


def covered(value: Any, *, card: bool = False) -> Any:
    """A JSON *value* that an error may quote: card numbers in texts, keys and numbers are masked. *card*: the
    value is that of a card number, whatever it looks like.

    >>> covered({"pan": "41111111", "stan": "1234567"})
    {'pan': '********', 'stan': '1234567'}
    """
    if isinstance(value, str):
        if card:
            return mask_pan(value) if sum(map(str.isdigit, value)) >= _TELLING else value
        return _SHORT_CARD.sub(lambda run: mask_pan(run[0]), mask_text(value))
    if isinstance(value, dict):
        return {covered(key): covered(item, card=card or key == _CARD_KEY) for key, item in value.items()}
    if isinstance(value, list):
        return [covered(item, card=card) for item in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        runs = _DIGITS.findall(f"{Decimal(str(value)):f}")  # without an exponent
        return next((mask_pan(run) for run in runs if _is_card_number(run, card=card)), value)
    return value


def _is_card_number(digits: str, *, card: bool) -> bool:
    """Whether a run of *digits* could be a card number; *card*: the value is that of one."""
    return len(digits) >= _TELLING if card else 12 <= len(digits) <= 19 and luhn_ok(digits)

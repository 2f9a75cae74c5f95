"""What both ends of a line are asked for, as callers write it: whole numbers, seconds, elements, balances.

Each raises OptionError that names the option, and never quotes a card number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from sim.errors import OptionError, shown
from sim.masking import mask_pan

MOST_ELEMENT = 192  # of three bitmaps
_LONGEST = 86_400.0


def whole(option: str, value: Any, least: int | None = None, most: int | None = None) -> int:
    """A whole number from *least* to *most*, where there are such."""
    fits = isinstance(value, int) and not isinstance(value, bool)
    if fits and (least is None or value >= least) and (most is None or value <= most):
        return int(value)
    bounds = "" if least is None else f" of at least {least}" if most is None else f", {least} to {most}"
    raise OptionError(option, f"a whole number{bounds}", shown(value))


def seconds(option: str, value: Any) -> float:
    """Seconds above 0, at most a day."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and math.isfinite(value) and 0 < value <= _LONGEST:
        return float(value)
    raise OptionError(option, "seconds, above 0 and at most 86400", shown(value))


def elements(option: str, value: Any) -> tuple[int, ...] | None:
    """Numbers of elements; None stands for the usual ones."""
    if value is None:
        return None
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise OptionError(option, "a list of element numbers, such as [11, 41]", shown(value))
    return tuple(whole(option, one, 2, MOST_ELEMENT) for one in value)


def balances(value: Any) -> dict[str, int]:
    """Balances in minor units by card number, which may have blanks."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        found = f"a value of type {type(value).__name__}"
        raise OptionError("balances", "a mapping of card numbers to minor units", found)
    made = {}
    for card, units in value.items():
        pan = str(card).replace(" ", "")
        made[pan] = whole(f"balances, card {mask_pan(pan)}", units)
    return made

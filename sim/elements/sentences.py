"""A cache of sentences, keyed by the values they follow from: most messages have the same codes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sim.kept import Kept
from sim.masking import search

SAID: Kept[tuple[Any, ...], Any] = Kept(1024)


def remembered(say: Callable[..., Any], *values: object) -> Any:
    """The result of *say* for *values*, cached unless one of them contains a card number."""
    key = say, *values
    sentence = SAID.get(key)
    if sentence is None:
        sentence = say(*values)
        if all(search.is_clean(value) for value in values if isinstance(value, str)):
            SAID.keep(key, sentence)
    return sentence

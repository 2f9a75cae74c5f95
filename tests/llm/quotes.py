"""Intents of plain values, with the words of the description that a model could quote for each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, product
from typing import Any

from llm.expected import NOW

from sim.operations.llm.drafting.follow import check
from sim.operations.llm.drafting.intent import Intent
from sim.operations.llm.drafting.marks import Marked, read
from sim.operations.llm.guard import clean

_PLAIN = ("unmet", "beside")
_LONGEST = 9  # words of a quotation
_MOST = 100  # ways to quote that are tried


def said(**properties: Any) -> dict[str, Any]:
    """An answer of a model: properties as `name=(value, words)`, the two lists as they are."""
    return {
        name: value if name in _PLAIN else {"value": value[0], "words": value[1]}
        for name, value in properties.items()
    }


def quotes(text: str, plain: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every way to quote *text* for the values of *plain* in which each word stands for its value, the
    shortest first; all words of *text* for a value that no words give."""
    told = read(clean(text))
    words = re.findall(r"\S+", told.text)
    spans = [
        " ".join(words[start:end]).strip(".,;:!")
        for size in range(1, min(_LONGEST, len(words)) + 1)
        for start, end in ((at, at + size) for at in range(len(words) - size + 1))
    ]
    spans += [part for word in words for part in re.split(r"(?=\+)", word) if part != word]
    names = [name for name in plain if name not in _PLAIN]
    lists = {name: plain[name] for name in plain if name in _PLAIN}
    rest = {} if "purpose" not in plain else {"purpose": plain["purpose"]}
    found = []
    for name in names:
        fits = [span for span in spans if _fits(told, rest, name, plain[name], span)]
        found.append(fits or [" ".join(words)[:200]])
    for chosen in islice(product(*found), _MOST):
        yield said(**{name: (plain[name], span) for name, span in zip(names, chosen, strict=True)}, **lists)


def _fits(told: Marked, rest: dict[str, Any], name: str, value: Any, span: str) -> bool:
    """Whether the words *span* give *value*, by themselves."""
    given = {key: (other, told.text) for key, other in rest.items()} | {name: (value, span)}
    held = check(Intent(**said(**given)), told, NOW)
    return name in held.spans and bool(held.spans[name])

"""Sentences on network-specific parts of elements: 3-D Secure, checks, card on file, tokens.

They are rows of `data/told.csv`: the part, the pattern of the values they apply to, and the wording; clauses
of one group are joined.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from sim.codec import Message
from sim.elements.meaning import unfold
from sim.elements.sentences import remembered
from sim.spec.tables import read_csv, read_toml

_PURCHASE = "purchase"  # the group of rows that refine a purchase


class _Row(NamedTuple):
    """The values a row applies to, its group and its wording."""

    when: re.Pattern[str]
    group: str
    words: str


def say_own_parts(message: Message, name: str | None) -> str:
    """The sentences on parts that are specific to network *name*; empty if there are none.

    >>> say_own_parts(Message("0100", {60: "0000000005"}), "VISA")
    '3-D Secure authenticated the cardholder (ECI 05).'
    """
    rows, leads = _rows_of_network(name or ""), read_toml("phrases")["groups"]
    clauses: dict[str, dict[str, None]] = {}  # each once
    for number in [number for number in message.fields if number in rows]:
        for group, words in remembered(_clauses, message.version, number, message[number], name or ""):
            if group != _PURCHASE:
                clauses.setdefault(group, {})[words] = None
    return " ".join(
        f"{leads[group]}: {'; '.join(texts)}." if group else " ".join(f"{text}." for text in texts)
        for group, texts in clauses.items()
    )


def purchase_meant(message: Message, name: str | None) -> str:
    """The actual transaction of a purchase, if a part specific to network *name* refines it; otherwise empty.

    >>> purchase_meant(Message("0100", {48: "T7703F07"}), "MASTERCARD")
    'account funding'
    """
    for number in _naming(name or ""):
        if number in message:
            clauses = remembered(_clauses, message.version, number, message[number], name or "")
            if meant := [words for group, words in clauses if group == _PURCHASE]:
                return str(meant[0])
    return ""


def _clauses(version: str, number: int, value: str, name: str) -> tuple[tuple[str, str], ...]:
    """The clauses on an element, each with its group."""
    rows = _rows_of_network(name)[number]
    return tuple(
        (row.group, row.words.format(meaning=subfield.meaning, value=subfield.shown))
        for subfield in unfold(Message("", {number: value}, version), number, name)
        for row in rows.get(subfield.part.cell.path, ())
        # A blank means that nothing was checked; a code that is not public has no meaning here.
        if row.when.fullmatch(subfield.part.value) and (subfield.meaning or "{meaning}" not in row.words)
    )


@cache
def _rows_of_network(name: str) -> Mapping[int, Mapping[str, list[_Row]]]:
    """The rows of network *name* by element and path."""
    table: dict[int, dict[str, list[_Row]]] = {}
    for row in read_csv("told"):
        if row["network"] == name:
            by_path = table.setdefault(int(row["path"].partition(".")[0]), {})
            entry = _Row(re.compile(row["when"], re.ASCII), row["group"], row["words"])
            by_path.setdefault(row["path"], []).append(entry)
    return table


@cache
def _naming(name: str) -> tuple[int, ...]:
    """The elements of network *name* that can refine a purchase."""
    return tuple(
        number
        for number, paths in _rows_of_network(name).items()
        if any(row.group == _PURCHASE for rows in paths.values() for row in rows)
    )


def elements_told(name: str) -> frozenset[int]:
    """The elements with sentences specific to network *name*."""
    return frozenset(_rows_of_network(name))

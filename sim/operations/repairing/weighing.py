"""How implausible a text is as a message, in bits: each element alone, the elements together, and the set of
elements present. The few best candidates are then validated."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import log2

from sim.codec import Message
from sim.elements.card import detect_network, read_track_1, read_track_2
from sim.judge.elements import misfit
from sim.operations.repairing import chip
from sim.operations.repairing.framing import UNKNOWN
from sim.operations.repairing.witnesses import Testimony, tags, testimony
from sim.parts.layout import fitting
from sim.spec import Spec, country, currency, merchant_category, number_of, region
from sim.spec.networks import NETWORKS, presence
from sim.spec.tables import read_csv

_TRACK_2, _TRACK_1, _CHIP, _LOCATION = 35, 45, 55, 43
_NAMED = (41, 42)
_PLACES = ("country", "state or province", "place")
_COUNTRIES = (19, 20, 21)
_CURRENCIES = (49, 50, 51)
# Private-use elements: almost any value is possible, so none is evidence.
_OPEN = re.compile("[Rr]eserved|[Pp]rivate|[Aa]dditional .*data")
# Known tags that fill a value of this length belong in DE 55.
_TAGS, _CHIP_DATA = 20, 10.0
_UNKNOWN = 5.0  # the cost of a value with an unknown character
_LONGEST = 400  # characters examined for words
# The probability of an element by its presence code; without a row, the share of networks that use it.
# Elements occur in groups, so each one counts only in part.
_LIKELY = {"M": 0.97, "C": 0.6, "O": 0.3, "X": 0.01}
_UNNAMED, _UNHEARD, _SHARE = 0.15, 0.008, 0.7


@dataclass(slots=True)
class Weight:
    """How implausible a text is: the total `bits`, the card's network, the elements, the cross-checks
    (`said`), and the bits by element (`odd`)."""

    bits: float
    network: str | None
    fields: dict[int, str]
    said: Testimony
    odd: dict[int, float]


def weigh(mti: str, fields: dict[int, str], table: Spec) -> Weight:
    """How implausible a message with these elements is."""
    evidence = testimony(fields, mti, table)
    odd = dict(evidence.odd)
    for number, value in fields.items():
        if bits := alone(number, value, table):
            odd[number] = odd.get(number, 0.0) + bits
    owner = detect_network(Message(mti, fields, table.version))
    network = owner.network if owner else None
    return Weight(announced(fields, mti, network) + sum(odd.values()), network, fields, evidence, odd)


@lru_cache(maxsize=1 << 15)
def alone(number: int, value: str, table: Spec) -> float:
    """How implausible a value is by itself."""
    if UNKNOWN in value:
        return _UNKNOWN
    odd = 0.0
    element = table[number]
    if misfit(value, element, table) is not None:
        odd += 10
    if number == number_of("category", table.version) and not merchant_category(value):
        odd += 4.5
    if number in _COUNTRIES and element.width == 3:
        odd += 4.5 * (country(value) is None)
    elif number in _CURRENCIES and element.width == 3:
        odd += 5 * (currency(value) is None)
    elif number == _TRACK_2:
        odd += 10 * (read_track_2(value) is None)
    elif number == _TRACK_1:
        odd += 20 * (read_track_1(value) is None)
    elif number in _NAMED:
        odd += words(value)
    elif number == _LOCATION:
        odd += location(value, table)
    elif number == _CHIP:
        entries = tags(value)
        odd += 14.0 * (entries is None) + chip.odd(value)
    elif _OPEN.search(element.name):
        odd += 3 + words(value[:_LONGEST])
    is_chip = number != _CHIP and len(value) >= _TAGS and chip.is_sound(value)
    return odd + _CHIP_DATA * is_chip


def words(value: str) -> float:
    """How implausible a left-justified, blank-padded text is."""
    bare = value.rstrip(" ")
    torn = re.match(r"\d[A-Za-z]{3}", bare) is not None  # a digit of the preceding element
    return 4.0 * (not bare) + 7 * (bare[:1] == " ") + 5 * ("  " in bare.strip()) + 3 * torn


def location(value: str, table: Spec) -> float:
    """How implausible DE 43 is, by the layout that fits it."""
    split = fitting(table, _LOCATION, value)
    if split is None:
        return 14.0
    odd = 6.0 * (split.layout.cell.confidence == "unsourced")
    for part, _ in split.walk():
        if part.children or part.cell.codes == "blank":
            continue
        if part.name in _PLACES:
            odd += 3 * (country(part.value.strip()) is None and not region(part.value.strip()))
        elif part.value.strip():
            odd += words(part.value)
    return odd


# The set of elements.


@lru_cache(maxsize=256)
def presence_costs(mti: str, network: str | None) -> tuple[tuple[float, float], ...]:
    """The cost of each element if present, and if absent."""
    rules = {row.field: row.presence for row in presence(network, mti)} if network in NETWORKS else {}
    rows = read_csv("networks/presence")
    alike = (mti[2], str(int(mti[2]) % 2))  # fallback if no network has rows for this type: its function
    same = [row for row in rows if row["mti"][1:] == mti[1:]] or [
        row for row in rows if row["mti"][2] in alike
    ]
    tables: dict[tuple[str, str], dict[int, str]] = {}
    for row in same:
        tables.setdefault((row["network"], row["mti"]), {})[int(row["field"])] = row["presence"]
    shares = dict.fromkeys(range(129), 0.0)
    for table in tables.values():
        for number, name in table.items():
            shares[number] += _LIKELY.get(name, 0.0) / len(tables)
    costs = [(0.0, 0.0)] * 2
    for number in range(2, 129):
        share = max(shares[number], _UNHEARD)
        if rules:
            share = _LIKELY.get(rules.get(number, ""), max(_UNHEARD, _UNNAMED * share))
        share = min(share, 0.97)
        costs.append((-_SHARE * log2(share), -_SHARE * log2(1 - share)))
    costs[0] = (0.0, sum(absent for _, absent in costs))
    return tuple(costs)


def announced(fields: Iterable[int], mti: str, network: str | None) -> float:
    """How implausible this set of elements is."""
    costs = presence_costs(mti, network)
    return costs[0][1] + sum(costs[number][0] - costs[number][1] for number in fields)

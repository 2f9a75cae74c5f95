"""What the plots draw from, whatever they were given: one row per message that can be read.

Columns: `mti`, `version`, `network` (of `sim.NETWORKS`, else empty) and the data elements by number.
Nothing else of what was given gets any further.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pandas as pd

from sim.codec import Message
from sim.errors import IsoError
from sim.operations.choosing import chosen_network
from sim.spec import VERSIONS, spec, version_of
from sim.spec.networks import NETWORKS
from sim.tables.argument import take

MTI, VERSION, NETWORK = "mti", "version", "network"

_LABEL = re.compile(r"(?:de|f)?[ _]?0*([1-9]\d{0,2})", re.IGNORECASE)
_MTI = re.compile(r"[0-9]{4}")
_LAST = 128


@dataclass(frozen=True, slots=True)
class Rows:
    """The messages that can be read, and how many cannot."""

    frame: pd.DataFrame
    broken: int

    def element(self, number: int) -> pd.Series[Any]:
        """The values of one data element, missing where a message lacks it."""
        if number in self.frame.columns:
            return self.frame[number]
        return pd.Series(None, index=self.frame.index, dtype="str")

    def numbers(self) -> list[int]:
        """The data elements that any message has, ascending."""
        held: list[Any] = [label for label in self.frame.columns if self.frame[label].notna().any()]
        return sorted(label for label in held if isinstance(label, int))


def rows_of(source: object) -> Rows:
    """*source* as rows: a table with a row per message (a column `mti`, the data elements by number or
    name), several of them, one message, or many. Raises TypeError for anything else."""
    if isinstance(source, pd.DataFrame):
        return _of_frame(source) if MTI in source.columns else _of_messages([source])
    if isinstance(source, str | Message):
        return _of_messages([source])
    if isinstance(source, bytes | bytearray) or not isinstance(source, Iterable):
        raise TypeError(
            f"a plot takes messages or a table with a row per message, not {type(source).__name__}"
        )
    items = list(source)
    if items and all(isinstance(item, pd.DataFrame) and MTI in item.columns for item in items):
        parts = [_of_frame(item) for item in items]
        whole = pd.concat([part.frame for part in parts], ignore_index=True)
        return Rows(whole, sum(part.broken for part in parts))
    return _of_messages(items)


def _of_messages(items: Iterable[object]) -> Rows:
    read: list[dict[Any, str | None]] = []
    broken = 0
    for item in items:
        try:
            given = take(item)
            message = given.whole()
        except IsoError:
            broken += 1
            continue
        network = given.network or chosen_network(message, None) or ""
        head = {MTI: message.mti, VERSION: message.version, NETWORK: network}
        read.append({**head, **message.fields})
    frame = pd.DataFrame(read, columns=None if read else [MTI, VERSION, NETWORK])
    return Rows(frame, broken)


def _of_frame(frame: pd.DataFrame) -> Rows:
    plain = pd.DataFrame(frame)
    mti = plain[MTI].astype("str")
    good = mti.str.fullmatch(_MTI.pattern).fillna(False).astype(bool)
    if "error" in plain.columns:
        good &= plain["error"].isna() | (plain["error"].astype("str") == "")
    plain, mti = plain[good], mti[good]
    made: dict[Any, Any] = {MTI: mti, VERSION: _versions(plain, mti), NETWORK: _networks(plain)}
    for label in plain.columns:
        number = _number(label)
        if number is not None and number not in made:
            made[number] = plain[label]
    return Rows(pd.DataFrame(made).reset_index(drop=True), int((~good).sum()))


def _versions(frame: pd.DataFrame, mti: pd.Series[Any]) -> pd.Series[Any]:
    by_mti = mti.map({one: version_of(one) or VERSIONS[0] for one in mti.unique()})
    if VERSION not in frame.columns:
        return by_mti
    given = frame[VERSION].astype("str")
    return given.where(given.isin(VERSIONS), by_mti)


def _networks(frame: pd.DataFrame) -> pd.Series[Any]:
    if NETWORK not in frame.columns:
        return pd.Series("", index=frame.index, dtype="str")
    given = frame[NETWORK].astype("str")
    return given.where(given.isin(NETWORKS), "")


def _number(label: object) -> int | None:
    """The data element that a column holds: 4, "4", "DE 4", "de_004" or its name."""
    if isinstance(label, str):
        found = _LABEL.fullmatch(label)
        number = int(found[1]) if found else _names().get(_plain(label))
    else:
        number = label if isinstance(label, int) and not isinstance(label, bool) else None
    return number if number is not None and 2 <= number <= _LAST else None


@cache
def _names() -> dict[str, int]:
    """Element numbers by name; a name that two versions give to different elements is nobody's."""
    numbers: dict[str, set[int]] = {}
    for version in VERSIONS:
        for element in spec(version).elements:
            numbers.setdefault(_plain(element.name), set()).add(element.number)
    return {name: min(found) for name, found in numbers.items() if len(found) == 1}


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", name.lower()).strip()

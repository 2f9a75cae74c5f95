"""Tables for the lessons: messages, networks and versions side by side, so that the notebooks need no more
Python than their subject does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

import sim
from sim.spec.networks import network

Tables = Mapping[str, Any]  # message tables by the word at their column or row


def presence(tables: Tables) -> pd.DataFrame:
    """Which elements stand in which message: a row for each that not all of them have, a column per
    message."""
    numbers = {name: set(table["number"]) for name, table in tables.items()}
    rows = sorted(set().union(*numbers.values()) - set.intersection(*numbers.values()))
    cells = {name: ["x" if row in mine else "" for row in rows] for name, mine in numbers.items()}
    return pd.DataFrame(cells, index=pd.Index(rows, name="DE"))


def meanings(tables: Tables, number: int) -> pd.DataFrame:
    """Value and meaning of element *number*: a row per message."""
    rows = {
        name: table.set_index("number").loc[number, ["value", "meaning"]] for name, table in tables.items()
    }
    return pd.DataFrame(rows).T


def verdicts(tables: Tables) -> pd.DataFrame:
    """What each network says to each message: a row per message, a column per network."""
    said = {
        name: sim.validate(table).iso.networks.set_index("network")["passed"]
        for name, table in tables.items()
    }
    return pd.DataFrame(said).T.map(lambda passed: "passes" if passed else "fails")


def versions(column: str) -> pd.DataFrame:
    """One *column* of the data dictionary, such as `format` or `name`: a row per element, a column per
    version."""
    return pd.DataFrame(
        {version: sim.fields(version).set_index("number")[column] for version in sim.VERSIONS}
    )


def ranges() -> pd.DataFrame:
    """The first digits of each network's card numbers, and how many digits they have."""
    rows = [
        {"network": name, "low": one.low, "high": one.high, "digits": ", ".join(map(str, one.lengths))}
        for name in sim.NETWORKS
        for one in network(name).ranges
        if one.status == "current"
    ]
    return pd.DataFrame(rows)

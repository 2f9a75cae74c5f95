"""Transactions as lanes: from each request to its answer and its reversal, along the log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from sim.exchanges.matching.pairing import ROLES, UNREAD
from sim.spec.networks import NETWORKS
from sim.tables.matching import match
from sim.tables.plots.draw import blank, colour_of, sheet
from sim.tables.transactions import COUNTS, TransactionsTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST = 30
_HEIGHT = 0.26
_DIGITS = 6
# Marks differ in shape, so that colour is never the only sign.
_REQUEST, _ANSWER, _LATE, _REPEAT = ">", "<", "X", "|"


def plot_lanes(frame: object, ax: Axes | None = None) -> Axes:
    """A lane for each transaction: its request, repeats and answer where they stand in the log, reversals in
    the same lane. Of many those with something unusual come first: unanswered, late, reversed, repeated."""
    table = frame if isinstance(frame, TransactionsTable) else match(frame)  # type: ignore[arg-type]
    if not len(table):
        return blank(ax, "Transactions", "No message with a request or an answer")
    rows = pd.DataFrame(table)
    kept = _kept(rows)
    lanes = {number: at for at, number in enumerate(kept)}
    canvas = sheet(ax, height=1.5 + _HEIGHT * len(lanes))
    places = table.iso.messages.assign(place=range(len(table.iso.messages)))
    _draw(canvas.ax, rows[rows["transaction"].isin(lanes)], pd.DataFrame(places), lanes)
    heads = rows.drop_duplicates("transaction").set_index("transaction").loc[list(lanes)]
    canvas.ax.set_yticks(list(lanes.values()), [_label(row) for row in heads.to_dict("records")])
    canvas.ax.set_ylim(len(lanes) - 0.5, -0.5)
    more = rows["transaction"].nunique() - len(lanes)
    broken = int((places["role"] == ROLES[UNREAD]).sum())
    left_out = [f"{broken:,} broken" if broken else "", f"{more:,} more transactions" if more else ""]
    note = f"Not shown: {', '.join(one for one in left_out if one)}" if any(left_out) else ""
    said = "▷ request   ◁ answer   ✕ late   | repeat;   from first message to last"
    canvas.finish("Transactions", said, note, below=True)
    return canvas.ax


def _kept(rows: pd.DataFrame) -> list[int]:
    """The transactions that get a lane, in order."""
    odd = rows["state"].isin(["late", "unanswered", "no request"]) | rows["reversed_by"].notna()
    for name in COUNTS:
        odd |= rows[name] > 0
    unusual = list(dict.fromkeys(rows.loc[odd, "transaction"].tolist()))
    others = [number for number in dict.fromkeys(rows["transaction"].tolist()) if number not in set(unusual)]
    return sorted([*unusual, *others][:_MOST])


def _draw(ax: Any, rows: pd.DataFrame, places: pd.DataFrame, lanes: dict[int, int]) -> None:
    held = places[places["transaction"].isin(lanes)]
    networks = rows.drop_duplicates("transaction").set_index("transaction")["network"].fillna("")
    for number, members in held.groupby("transaction"):
        lane, colour = lanes[int(float(str(number)))], colour_of(str(networks[number]))
        ax.plot([members["place"].min(), members["place"].max()], [lane, lane], color=colour, lw=1, alpha=0.6)
        for role, mark in (
            ("request", _REQUEST),
            ("repeat", _REPEAT),
            ("duplicate", _REPEAT),
            ("replay", _REPEAT),
            ("answer", _ANSWER),
            ("answer again", _ANSWER),
            ("answer without request", _ANSWER),
            ("late answer", _LATE),
        ):
            chosen = members.loc[members["role"] == role, "place"]
            ax.plot(chosen, [lane] * len(chosen), mark, color=colour, markersize=7, linestyle="none")


def _label(row: dict[Any, Any]) -> str:
    network, stan = row["network"], str(row["stan"])
    # Nothing but what it must be gets into a picture; the last digits of a long number tell it well enough.
    words = [network if network in NETWORKS else "", row["mti"] if pd.notna(row["mti"]) else ""]
    words.append(stan[-_DIGITS:] if stan.isdigit() else "")
    reversed_too = ", reversed" if pd.notna(row["reversed_by"]) else ""
    return f"{' '.join(word for word in words if word)}  {row['state']}{reversed_too}"

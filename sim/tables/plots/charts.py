"""Plots of many messages: traffic over time, response codes, presence of elements, amounts, transactions.

No axis shows card data: only MTIs, networks, element numbers, known or short codes, currencies, times and
amounts. The background is transparent and text has matplotlib's own color, so that light and dark pages both
work. Colors also differ in lightness (Okabe and Ito), and are never the only sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sim.elements.money import in_major_units
from sim.elements.mti import is_response
from sim.exchanges.matching.pairing import ROLES, UNREAD
from sim.operations.search import elements_called
from sim.spec import VERSIONS, lookup_anywhere, version_of
from sim.spec.codes import alpha_of, currency
from sim.spec.networks import NETWORKS, answer, element_name
from sim.spec.spellings import choose
from sim.spec.words import PlotKind
from sim.tables.argument import MessageArgument
from sim.tables.matching import readable_rows
from sim.tables.plots.draw import (
    MatrixCell,
    Ridge,
    blank,
    colour_of,
    days_axis,
    matrix,
    powers_axis,
    ridges,
    sheet,
    titled,
)
from sim.tables.transactions import COUNTS, TransactionsTable, amounts_of, as_messages, match

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_MOST = 30
_HEIGHT = 0.26
_DIGITS = 6
# Marks differ in shape, so that colour is never the only sign.
_MARKS = {
    "request": ">",
    **dict.fromkeys(("repeat", "duplicate", "replay"), "|"),
    **dict.fromkeys(("answer", "answer again", "answer without request"), "<"),
    "late answer": "X",
}


def plot_lanes(frame: object, ax: Axes | None = None) -> Axes:
    """A lane for each transaction: its request, repeats and response at their positions in the log, with
    its reversals. If there are many, the unusual ones come first: unanswered, late, reversed, repeated."""
    table = frame if isinstance(frame, TransactionsTable) else match(frame)  # type: ignore[arg-type]
    if not len(table):
        return blank(ax, "Transactions", "No requests or responses")
    rows = pd.DataFrame(table)
    kept = _kept(rows)
    lanes = {number: at for at, number in enumerate(kept)}
    ax = sheet(ax, height=1.5 + _HEIGHT * len(lanes))
    places = table.iso.messages.assign(place=range(len(table.iso.messages)))
    _draw(ax, rows[rows["transaction"].isin(lanes)], pd.DataFrame(places), lanes)
    heads = rows.drop_duplicates("transaction").set_index("transaction").loc[list(lanes)]
    ax.set_yticks(list(lanes.values()), [_label(row) for row in heads.to_dict("records")])
    ax.set_ylim(len(lanes) - 0.5, -0.5)
    more = rows["transaction"].nunique() - len(lanes)
    broken = int((places["role"] == ROLES[UNREAD]).sum())
    legend = "▷ request   ◁ response   ✕ late   | repeat;   from first message to last"
    note = _left_out(f"{broken:,} broken" if broken else "", f"{more:,} more transactions" if more else "")
    return titled(ax, "Transactions", legend, note, below=True)


def _kept(rows: pd.DataFrame) -> list[int]:
    """The transactions that get a lane, in order."""
    odd = rows["state"].isin(["late", "unanswered", "no request"]) | rows["reversed_by"].notna()
    for name in COUNTS:
        odd |= rows[name] > 0
    unusual_first = pd.concat([rows.loc[odd, "transaction"], rows["transaction"]])
    return sorted(unusual_first.drop_duplicates().tolist()[:_MOST])


def _draw(ax: Any, rows: pd.DataFrame, places: pd.DataFrame, lanes: dict[int, int]) -> None:
    drawn = places[places["transaction"].isin(lanes)]
    networks = rows.drop_duplicates("transaction").set_index("transaction")["network"].fillna("")
    for number, members in drawn.groupby("transaction"):
        lane, colour = lanes[int(float(str(number)))], colour_of(str(networks[number]))
        ax.plot([members["place"].min(), members["place"].max()], [lane, lane], color=colour, lw=1, alpha=0.6)
        for role, mark in _MARKS.items():
            chosen = members.loc[members["role"] == role, "place"]
            ax.plot(chosen, [lane] * len(chosen), mark, color=colour, markersize=7, linestyle="none")


def _label(row: dict[Any, Any]) -> str:
    network, stan = row["network"], str(row["stan"])
    # Only checked texts get into a plot; the last digits identify a long number well enough.
    words = [network if network in NETWORKS else "", row["mti"] if pd.notna(row["mti"]) else ""]
    words.append(stan[-_DIGITS:] if stan.isdigit() else "")
    reversed_too = ", reversed" if pd.notna(row["reversed_by"]) else ""
    return f"{' '.join(word for word in words if word)}  {row['state']}{reversed_too}"


MTI, VERSION, NETWORK = "mti", "version", "network"
_MOST_RIDGES = 24
_MOST_CODES = 14
_MOST_CURRENCIES = 12
_MOST_BINS = 60
_AMOUNT_BINS = 48
_PERCENT_FROM = 100  # with fewer messages counts say more than percentages
_TOO_LONG = 40
# The widths of the bars over time, in seconds, and in words.
_BINS = {
    **{1: "a second", 5: "5 seconds", 10: "10 seconds", 30: "30 seconds"},
    **{60: "a minute", 300: "5 minutes", 600: "10 minutes", 1800: "30 minutes"},
    **{3600: "an hour", 10_800: "3 hours", 21_600: "6 hours", 43_200: "12 hours"},
    **{86_400: "a day", 604_800: "7 days"},
}


@dataclass(frozen=True, slots=True)
class Rows:
    """The readable messages: `mti`, `version`, `network` (one of `sim.NETWORKS`, or empty) and the data
    elements by number; and how many are unreadable. Nothing else of the input is used."""

    frame: pd.DataFrame
    broken: int

    def element(self, number: int) -> pd.Series[Any]:
        """The values of one data element, missing if a message does not have it."""
        if number in self.frame.columns:
            return self.frame[number]
        return pd.Series(None, index=self.frame.index, dtype="str")

    @property
    def answers(self) -> pd.Series[Any]:
        """Which messages are responses."""
        mtis = self.frame[MTI]
        return mtis.map({mti: is_response(mti) for mti in mtis.unique()}).astype(bool)

    def numbers(self) -> list[int]:
        """The data elements that any message has, ascending."""
        labels: list[Any] = [label for label in self.frame.columns if self.frame[label].notna().any()]
        return sorted(label for label in labels if isinstance(label, int))


def rows_of(source: object) -> Rows:
    """*source* as rows: a table with a row per message (a column `mti`, the data elements by number or
    name), several of them, one message, or many. Raises TypeError for anything else."""
    if isinstance(source, Iterator):  # possibly of tables
        source = list(source)
    table = as_messages(source, None)
    mti, good = readable_rows(table)
    table, mti = table[good], mti[good]
    editions = mti.map({text: version_of(text) or VERSIONS[0] for text in mti.unique()})
    columns: dict[Any, Any] = {
        MTI: mti,
        VERSION: _among(table, VERSION, VERSIONS, editions),
        NETWORK: _among(table, NETWORK, NETWORKS, ""),
    }
    for label in table.columns:
        elements = elements_called(str(label))
        if len(elements) == 1 and elements[0] not in columns:  # two versions may use the same name
            columns[elements[0]] = table[label]
    return Rows(pd.DataFrame(columns).reset_index(drop=True), int((~good).sum()))


def _among(table: pd.DataFrame, name: str, allowed: Sequence[str], otherwise: Any) -> pd.Series[Any]:
    """A column, with *otherwise* wherever it does not have one of the *allowed* words."""
    plain = pd.Series(otherwise, index=table.index, dtype="str")
    words = table[name].astype("str") if name in table.columns else plain
    return words.where(words.isin(allowed), plain)


def plot(
    messages: MessageArgument | Iterable[MessageArgument],
    kind: PlotKind = "traffic",
    ax: Axes | None = None,
) -> Axes:
    """Plot many messages.

    No card data is drawn; broken messages are counted below the plot.

    Parameters
    ----------
    messages
        A table with a row for each message, as from `read`, or a list of messages.
    kind
        traffic (messages over time, by network and MTI), responses (response codes by network), presence
        (data elements by MTI), amounts (distribution by currency, in its own decimals) or lanes
        (transactions along the log, unusual ones first; also for the result of `match`).
    ax
        The axes to draw on; None makes a figure.

    Returns
    -------
    Axes
        The axes.

    Raises
    ------
    ImportError
        matplotlib is missing (extra `plot`).
    ChoiceError
        Unknown kind of plot.
    TypeError
        *messages* are not messages.

    Examples
    --------
    >>> import sim
    >>> sim.plot([sim.generate("auth"), sim.generate("echo")], "presence").get_title(loc="left")
    'Data elements present'
    """
    return KINDS[choose("kind", kind, KINDS)](messages, ax)


def plot_traffic(frame: object, ax: Axes | None = None) -> Axes:
    """The number of messages over time: a strip for each network and MTI, all on one scale.

    The time is DE 7, otherwise that of DE 12 (and 13). Neither has a year; the longest pause marks the turn
    of the year.
    """
    rows = rows_of(frame)
    moments = _moments(rows)
    timed = moments.notna()
    untimed = int((~timed).sum())
    if not timed.any():
        return blank(ax, "Traffic", "No message with a date and time")
    moments = _in_one_line(moments[timed])
    span = (moments.max() - moments.min()).total_seconds()
    seconds = next((seconds for seconds in _BINS if span / seconds < _MOST_BINS), max(_BINS))
    width = pd.Timedelta(seconds=seconds)
    bins = moments.dt.floor(width)
    first = bins.min()
    place = ((bins - first) // width).to_numpy()
    groups = _kinds(rows.frame[timed])
    starts = pd.date_range(first, periods=int(place.max()) + 2, freq=width).to_numpy()
    strips = []
    for label, name, chosen in groups:
        counts = np.bincount(place[chosen], minlength=len(starts) - 1)
        strips.append(Ridge(label, f"{chosen.sum():,}", counts, name))
    peak = max(int(strip.heights.max()) for strip in strips)
    ax = sheet(ax, height=1.3 + 0.36 * len(strips))
    ridges(ax, starts, strips, shared=True)
    days_axis(ax, starts)
    return titled(ax, "Traffic", f"Highest: {peak:,} in {_BINS[seconds]}", _notes(rows, untimed=untimed))


def plot_responses(frame: object, ax: Axes | None = None) -> Axes:
    """The response codes: a row for each code, a column for each network."""
    rows = rows_of(frame)
    codes = rows.element(39)
    coded = codes.notna() & rows.answers
    if not coded.any():
        return blank(ax, "Response codes", "No response with a response code")
    read = codes[coded].astype("str")
    # A value that is not a code may be part of something else.
    read = read.where(read.str.fullmatch("[0-9A-Za-z]{2,4}"), "?")
    table = rows.frame.loc[coded, [NETWORK, VERSION]].assign(code=read)
    counts = table.value_counts()
    by_code = counts.groupby(["code", VERSION]).sum().sort_values(ascending=False, kind="stable")
    kept = list(by_code.index[:_MOST_CODES])
    names = [name for name in (*NETWORKS, "") if (table[NETWORK] == name).any()]
    totals = {name: int((table[NETWORK] == name).sum()) for name in names}
    lone = names[0] if len(names) == 1 else ""
    several = len({version for _, version in by_code.index}) > 1
    labels = [_say_code(code, version, lone, several) for code, version in kept]
    counted = [[int(counts.get((name, version, code), 0)) for name in names] for code, version in kept]
    if rest := len(by_code) - len(kept):
        labels.append(f"{rest} other code{'s' * (rest > 1)}")
        counted.append([totals[name] - sum(line[at] for line in counted) for at, name in enumerate(names)])
    percent = len(table) >= _PERCENT_FROM
    cells = [
        [_share_cell(count, totals[name], percent) for count, name in zip(line, names, strict=True)]
        for line in counted
    ]
    ax = sheet(ax, height=1.1 + 0.3 * len(labels), width=4.2 + 0.95 * len(names))
    matrix(ax, labels, [f"{name or 'no network'}\n{totals[name]:,}" for name in names], cells)
    legend = "Percent of the network's responses" if percent else "Number of responses"
    return titled(ax, "Response codes", legend, _notes(rows), below=True)


def plot_presence(frame: object, ax: Axes | None = None) -> Axes:
    """Which data elements are in which messages: a row for each element, a column for each MTI."""
    rows = rows_of(frame)
    numbers = rows.numbers()
    if not numbers:
        return blank(ax, "Presence", "No message with a data element")
    mtis = sorted(rows.frame[MTI].unique())
    totals = rows.frame[MTI].value_counts()
    shares = rows.frame[numbers].notna().groupby(rows.frame[MTI]).mean()
    version = str(rows.frame[VERSION].mode().iloc[0])
    cells = [[_presence_cell(float(shares.loc[mti, number])) for mti in mtis] for number in numbers]
    labels = [_shortened(f"{number}  {element_name(version, number)}") for number in numbers]
    ax = sheet(ax, height=1.1 + 0.22 * len(numbers), width=4.4 + 0.62 * len(mtis))
    matrix(ax, labels, [f"{mti}\n{totals[mti]:,}" for mti in mtis], cells)
    legend = "Filled: in every message; a number: in that percentage of them"
    return titled(ax, "Data elements present", legend, _notes(rows), below=True)


def plot_amounts(frame: object, ax: Axes | None = None) -> Axes:
    """The distribution of amounts (DE 4): a strip for each currency, in its own decimals.

    A response repeats its request's amount, so responses count only if there is nothing else.
    """
    rows = rows_of(frame)
    amounts, without = _amounts(rows)
    zero = int((amounts["minor"] == 0).sum())
    amounts = amounts[amounts["minor"] > 0]
    if amounts.empty:
        return blank(ax, "Amounts", "No amount in a known currency")
    sizes = amounts["code"].value_counts()
    kept = list(sizes.index[:_MOST_CURRENCIES])
    exponents = {code: _decimals(code) or 0 for code in kept}
    groups = [(code, amounts.loc[amounts["code"] == code, "minor"]) for code in kept]
    logs = {code: np.log10(minor.to_numpy(dtype=float)) - exponents[code] for code, minor in groups}
    low, high = min(log.min() for log in logs.values()), max(log.max() for log in logs.values())
    edges = np.linspace(np.floor(low * 2) / 2, np.floor(high * 2) / 2 + 0.5, _AMOUNT_BINS + 1)
    strips = []
    for code, minor in groups:
        middle = int(minor.median())
        median = in_major_units(str(middle), exponents[code])
        heights = np.histogram(logs[code], edges)[0]
        mark = float(np.log10(max(middle, 1)) - exponents[code])
        strips.append(Ridge(alpha_of(code), f"{median}   ({len(minor):,})", heights, "", mark))
    ax = sheet(ax, height=1.4 + 0.42 * len(strips))
    ridges(ax, edges, strips, shared=False)
    powers_axis(ax, edges)
    notes = _notes(rows, zero=zero, without=without, more=len(sizes) - len(kept))
    return titled(ax, "Amounts", "Right: the median, and how many", notes)


KINDS: dict[str, Callable[[object, Axes | None], Axes]] = {
    "traffic": plot_traffic,
    "responses": plot_responses,
    "presence": plot_presence,
    "amounts": plot_amounts,
    "lanes": plot_lanes,
}


def _notes(rows: Rows, *, untimed: int = 0, zero: int = 0, without: int = 0, more: int = 0) -> str:
    """What the plot does not show."""
    return _left_out(
        f"{rows.broken:,} broken" if rows.broken else "",
        f"{untimed:,} without time" if untimed else "",
        f"{zero:,} of zero" if zero else "",
        f"{without:,} without known currency" if without else "",
        f"{more} more currenc{'ies' if more > 1 else 'y'}" if more else "",
    )


def _left_out(*parts: str) -> str:
    return f"Not shown: {', '.join(filter(None, parts))}" if any(parts) else ""


def _moments(rows: Rows) -> pd.Series[Any]:
    """When each message was sent, in a leap year; missing if it does not say."""
    seven, twelve, thirteen = (rows.element(number).astype("str") for number in (7, 12, 13))
    local = twelve.str[-10:].where(twelve.str.len() >= 12, thirteen + twelve)
    text = "2000" + seven.where(seven.str.len() == 10, local)
    return pd.to_datetime(text, format="%Y%m%d%H%M%S", errors="coerce")


def _in_one_line(moments: pd.Series[Any]) -> pd.Series[Any]:
    """Move the days before the turn of a year in front of those after it: if the longest pause is not the
    one around New Year, everything after that pause belongs to the year before."""
    days = np.unique(moments.dt.day_of_year.to_numpy())
    pauses = np.diff(days)
    if not len(pauses) or pauses.max() <= days[0] + 366 - days[-1]:
        return moments
    start = days[int(pauses.argmax()) + 1]
    return moments.where(moments.dt.day_of_year < start, moments - pd.DateOffset(years=1))


def _kinds(frame: pd.DataFrame) -> list[tuple[str, str, np.ndarray[Any, np.dtype[np.bool_]]]]:
    """Label, network and rows of each strip, by network and MTI; if there are too many, the rarest share a
    strip."""
    pairs = frame.groupby([NETWORK, MTI]).size().sort_values(ascending=False, kind="stable")
    kept = list(pairs.index if len(pairs) <= _MOST_RIDGES else pairs.index[: _MOST_RIDGES - 1])
    rank = {name: at for at, name in enumerate((*NETWORKS, ""))}
    kept.sort(key=lambda pair: (rank[pair[0]], pair[1]))
    names, mtis = frame[NETWORK].to_numpy(dtype=object), frame[MTI].to_numpy(dtype=object)
    strips, rest = [], np.ones(len(frame), dtype=bool)
    for name, mti in kept:
        chosen = (names == name) & (mtis == mti)
        rest &= ~chosen
        strips.append((f"{name or 'no network'}  {mti}", str(name), chosen))
    if rest.any():
        strips.append((f"{len(pairs) - len(kept)} others", "", rest))
    return strips


def _say_code(code: str, version: str, name: str, several: bool) -> str:
    """A response code with its meaning; *name* is the network if there is only one."""
    row = answer(code, version, name) or lookup_anywhere("response_code", code, version=version)
    label = f"{code}  {row.meaning if row else 'not in the list'}"
    return _shortened(f"{label} ({version})" if several else label)


def _shortened(text: str) -> str:
    return text if len(text) <= _TOO_LONG else f"{text[: _TOO_LONG - 1].rstrip(' ,')}…"


def _share_cell(count: int, total: int, percent: bool) -> MatrixCell:
    share = count / total if count else 0.0
    percentage = f"{100 * share:.1f}" if share >= 0.001 else "<0.1"
    text = percentage if percent else f"{count:,}"
    return MatrixCell(share, text if count else "")


def _presence_cell(share: float) -> MatrixCell:
    if share in (0.0, 1.0):
        return MatrixCell(share, "")
    return MatrixCell(share, str(min(max(round(100 * share), 1), 99)))


def _amounts(rows: Rows) -> tuple[pd.DataFrame, int]:
    """Minor units and currency code of each amount, and the number without a known currency."""
    frame, four = rows.frame, rows.element(4)
    rows_with = four.notna()
    if (requests := rows_with & ~rows.answers).any():
        rows_with = requests
    four, currencies = (rows.element(number)[rows_with].astype("str") for number in (4, 49))
    minor, codes = amounts_of(four, currencies, frame.loc[rows_with, VERSION])
    usable = {code: _decimals(code) is not None for code in codes.unique()}
    valid = codes.map(usable).astype(bool) & minor.notna()
    amounts = pd.DataFrame({"code": codes[valid], "minor": minor[valid].astype("int64")})
    return amounts, int((~valid).sum())


def _decimals(code: object) -> int | None:
    """The decimals of a currency's minor unit; None for an unknown currency or one without a unit."""
    row = currency(code) if isinstance(code, str) else None
    return row.exponent if row else None

"""How the plots look: stacked strips, matrices of shaded cells, and their axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.spec.networks import NETWORKS, network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MISSING = "plots need matplotlib: pip install 'iso8583-lab[plot]'"

# The palette of Okabe and Ito, as the networks' colors; gray for messages without a network.
_GREY = "#8C8C8C"
_ACCENT = "#0072B2"
# The fill of cells, on which numbers are legible, on a light and on a dark page.
_CELL_ON_LIGHT, _CELL_ON_DARK = "#00598C", "#3FA9E0"
_LIGHTER = 0.35  # how far colors on a dark page are shifted towards white
_WIDTH = 9.0
_FEWEST_TICKS = 3
_BLINK = 1e-8  # of a day: the tolerance of a date as a number
_STRIP = 0.82  # of the distance to the strip above
_GAP = 0.06  # around the cells of a matrix
_FAINT, _FULL = 0.10, 0.95  # opacity of the least and the most filled cell

Numbers = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Ridge:
    """One strip: its name on the left, a remark on the right, heights between edges. `network` determines
    the color; `mark` is a position on the axis to highlight."""

    label: str
    remark: str
    heights: Numbers
    network: str
    mark: float | None = None


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One cell of a matrix: how full it is, from 0 to 1, and its text."""

    share: float
    text: str


def sheet(ax: Axes | None, *, height: float, width: float = _WIDTH) -> Axes:
    """*ax* without frame and background, or a new figure of this size in inches. Raises ImportError if
    matplotlib is missing."""
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise ImportError(MISSING, name="matplotlib") from error
        figure, ax = pyplot.subplots(figsize=(width, height), layout="constrained")
        # Transparent: JupyterLab then adds a background on which the text is legible.
        figure.set_facecolor("none")
    ax.patch.set_alpha(0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.tick_params(length=0)
    return ax


def titled(ax: Axes, title: str, legend: str, note: str, *, below: bool = False) -> Axes:
    """*ax* with a title, how to read the plot (below it if the top is taken), and what it does not show."""
    ax.set_title(title, loc="left", fontweight="bold")
    if not below:
        ax.set_title(legend, loc="right", fontsize="small")
    ax.set_xlabel("\n".join(filter(None, (legend if below else "", note))), fontsize="small")
    return ax


def blank(ax: Axes | None, title: str, sentence: str) -> Axes:
    """An empty plot with a *sentence* that says so."""
    ax = sheet(ax, height=1.4)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.text(0.5, 0.5, sentence, transform=ax.transAxes, ha="center", va="center")
    return titled(ax, title, "", "")


def ridges(ax: Axes, edges: Numbers, strips: list[Ridge], *, shared: bool) -> None:
    """Strips from top to bottom, all on one scale or (not *shared*) each on its own."""
    peak = max(int(strip.heights.max()) for strip in strips)
    for at, strip in enumerate(strips):
        base = float(len(strips) - 1 - at)
        colour = colour_of(strip.network, _GREY if shared else _ACCENT)
        top = base + _STRIP * strip.heights / ((peak if shared else int(strip.heights.max())) or 1)
        steps = np.append(top, top[-1])
        ax.fill_between(edges, base, steps, step="post", color=colour, alpha=0.75, linewidth=0)
        ax.plot(edges, np.where(steps > base, steps, np.nan), drawstyle="steps-post", color=colour, lw=1)
        ax.axhline(base, color=colour, lw=0.6, alpha=0.6)
        if strip.mark is not None:
            ax.plot([strip.mark] * 2, [base, base + _STRIP], color=_text_colour(), lw=1.4)
        place = ax.get_yaxis_transform()
        ax.text(1.01, base + 0.3, strip.remark, transform=place, va="center", fontsize="small")
    ax.set_yticks([at + 0.3 for at in reversed(range(len(strips)))], [strip.label for strip in strips])
    ax.set_ylim(-0.1, len(strips))
    ax.set_xlim(edges[0], edges[-1])


def colour_of(name: str, otherwise: str = _GREY) -> str:
    """The color of a network, or *otherwise*, shifted towards white on a dark page so that it stands out."""
    from matplotlib.colors import to_hex, to_rgb

    usual = network(name).colour if name in NETWORKS else otherwise
    light = _LIGHTER if _dark_page() else 0.0
    red, green, blue = (part + (1 - part) * light for part in to_rgb(usual))
    return to_hex((red, green, blue))


def matrix(ax: Axes, labels: list[str], heads: list[str], cells: list[list[MatrixCell]]) -> None:
    """Shaded cells under *heads*, one row for each label, the first at the top."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    size = 1 - 2 * _GAP
    places = [(row, column) for row in range(len(labels)) for column in range(len(heads))]
    boxes = [Rectangle((column - size / 2, row - size / 2), size, size) for row, column in places]
    fills = [_fill(cells[row][column].share) for row, column in places]
    ax.add_collection(PatchCollection(boxes, facecolors=fills, edgecolors="none"))
    for (row, column), fill in zip(places, fills, strict=True):
        text, ink = cells[row][column].text, _ink(fill)
        ax.text(column, row, text, ha="center", va="center", fontsize="small", color=ink)
    ax.set_xlim(-0.5, len(heads) - 0.5)
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.set_xticks(range(len(heads)), heads, fontsize="small")
    ax.set_yticks(range(len(labels)), labels, fontsize="small")
    ax.tick_params(axis="x", top=False, labeltop=True, labelbottom=False)


def days_axis(ax: Axes, edges: Numbers) -> None:
    """Times of day, with the day below it where it changes; no year, which messages do not have."""
    from matplotlib import dates

    untyped: Any = dates
    low, high = (untyped.date2num(edge) for edge in (edges[0], edges[-1]))
    ticks = untyped.AutoDateLocator(minticks=3, maxticks=8).tick_values(
        untyped.num2date(low), untyped.num2date(high)
    )
    within = [(place, untyped.num2date(place)) for place in ticks if low - _BLINK <= place <= high]
    # Messages have no fractions of a second: ticks within a second would have the same label.
    pairs = [(place, moment) for place, moment in within if not moment.microsecond]
    places, moments = [place for place, _ in pairs], [moment for _, moment in pairs]
    labels = days = [f"{moment.day} {moment:%b}" for moment in moments]
    if any(moment.hour or moment.minute or moment.second for moment in moments):
        form = "%H:%M:%S" if any(moment.second for moment in moments) else "%H:%M"
        labels = [
            f"{moment:{form}}" + (f"\n{day}" if day != last else "")
            for moment, day, last in zip(moments, days, ["", *days[:-1]], strict=True)
        ]
    ax.set_xticks(places, labels)
    ax.grid(axis="x", lw=0.5, alpha=0.35)
    ax.set_axisbelow(True)


def powers_axis(ax: Axes, edges: Numbers) -> None:
    """An axis of powers of ten, written out: 0.01, 1, 1,000; on a short axis 10, 20, 50."""
    powers = range(int(np.floor(edges[0])), int(np.floor(edges[-1])) + 1)
    for shares in ((1,), (1, 2, 5), range(1, 10)):  # more ticks if amounts are close together
        parts = [(part, power) for power in powers for part in shares]
        parts = [part for part in parts if edges[0] <= np.log10(part[0]) + part[1] <= edges[-1]]
        if len(parts) >= _FEWEST_TICKS:
            break
    parts = parts[:: len(parts) // 9 + 1]
    labels = [
        f"{part * 10**power:,}" if power >= 0 else f"{part * 10.0**power:.{-power}f}" for part, power in parts
    ]
    ax.set_xticks([np.log10(part) + power for part, power in parts], labels)
    ax.grid(axis="x", lw=0.5, alpha=0.35)
    ax.set_axisbelow(True)


def _fill(share: float) -> tuple[float, float, float, float]:
    from matplotlib.colors import to_rgba

    if share <= 0:
        return to_rgba(_GREY, 0.08)
    # The square root distinguishes rare from never.
    opacity = _FAINT + (_FULL - _FAINT) * share**0.5
    return to_rgba(_CELL_ON_DARK if _dark_page() else _CELL_ON_LIGHT, opacity)


def _text_colour() -> Any:
    from matplotlib import rcParams

    return rcParams["text.color"]


def _dark_page() -> bool:
    """Whether the page is dark, judging by light text."""
    from matplotlib.colors import to_rgb

    return _lightness(to_rgb(_text_colour())) > 0.5


def _ink(fill: tuple[float, float, float, float]) -> str:
    """Black or white, whichever contrasts more with a cell on its page."""
    *colours, opacity = fill
    ground = 0.0 if _dark_page() else 1.0
    light = _lightness(tuple(opacity * part + (1 - opacity) * ground for part in colours))
    return "black" if (light + 0.05) / 0.05 > 1.05 / (light + 0.05) else "white"


def _lightness(rgb: tuple[float, ...]) -> float:
    """Relative luminance as WCAG 2 defines it."""
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in rgb]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))

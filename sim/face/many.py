"""Many messages, drawn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sim.frames import MessageArgument
    from sim.spec.words import PlotKind


def plot(
    messages: MessageArgument | Iterable[MessageArgument],
    kind: PlotKind = "traffic",
    ax: Axes | None = None,
) -> Axes:
    """Draw many messages.

    No card data is drawn; broken messages are counted beneath.

    Parameters
    ----------
    messages
        A table with a row for each message, as `read` gives, or a list of messages.
    kind
        traffic (how many when, by network and MTI), responses (response codes by network), presence
        (which data elements stand in which MTI) or amounts (how large, by currency, in its own decimals).
    ax
        What to draw on; None makes a figure.

    Returns
    -------
    Axes
        What was drawn on.

    Raises
    ------
    ImportError
        matplotlib is missing (extra `plot`).
    ChoiceError
        No kind of plot is called that.
    TypeError
        *messages* are no messages.

    Examples
    --------
    >>> import sim
    >>> sim.plot([sim.generate("auth"), sim.generate("echo")], "presence").get_title(loc="left")
    'Data elements present'
    """
    from sim import frames

    return frames.plot(messages, kind, ax)

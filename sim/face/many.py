"""Many messages, drawn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sim.frames import MessageArgument


def plot(
    messages: MessageArgument | Iterable[MessageArgument],
    kind: Literal["traffic", "responses", "presence", "amounts"] = "traffic",
    ax: Axes | None = None,
) -> Axes:
    """Draw many messages: a table with a row for each, as `read` gives, or a list of messages.

    *kind* is `traffic` (how many when, by network and MTI), `responses` (response codes by network),
    `presence` (which data elements stand in which MTI) or `amounts` (how large, by currency, in its own
    decimals). *ax* is the Axes to draw on, None makes a figure. Gives the Axes. No card data is drawn;
    broken messages are counted beneath. Raises ImportError without matplotlib (extra `plot`), ValueError
    for another kind, TypeError for what is no message.

    >>> import sim
    >>> sim.plot([sim.generate("auth"), sim.generate("echo")], "presence").get_title(loc="left")
    'Data elements present'
    """
    from sim import frames

    return frames.plot(messages, kind, ax)

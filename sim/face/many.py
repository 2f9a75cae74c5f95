"""Many messages: what belongs together, and pictures of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sim.codec.wire import Format
    from sim.spec.words import PlotKind
    from sim.tables import MessageArgument, TransactionsTable


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
        (which data elements stand in which MTI), amounts (how large, by currency, in its own decimals) or
        lanes (transactions along the log, the unusual ones first; also of what `match` gives).
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
    from sim import tables

    return tables.plot(messages, kind, ax)


def match(
    messages: MessageArgument | Iterable[MessageArgument],
    *,
    times: str | Sequence[Any] | None = None,
    timeout: float = 60.0,
    format: Format | str | None = None,
) -> TransactionsTable:
    """Find what belongs together: requests with their answers, repeats and reversals.

    Which elements tie messages together is data, by version and network; the first rule that finds a message
    counts, and `matched_by` names its elements. A million messages take some seconds, two million twice that.

    Parameters
    ----------
    messages
        A table with a row for each message, as `read` gives, a list of messages, or what `read` takes. They
        stand in the order in which they were seen.
    times
        When each was seen: the name of a column, or a list of datetimes, of texts (without a zone: UTC) or of
        seconds. None takes the column `time` of a capture; without times there is no latency.
    timeout
        After how many seconds an answer is late. An answer behind the reversal of its request always is.
    format
        The wire format that *messages* are in, as in `read`; None finds it.

    Returns
    -------
    TransactionsTable
        A row per request, and per answer that has none: `transaction`, `state` (answered, late, unanswered,
        no answer due, no request), `mti`, `network`, `stan`, `amount` (minor units), `currency`, `code`,
        `meaning`, `latency` (seconds), `request`, `answer`, `original` and `reversed_by` (labels of rows of
        *messages*), `repeats`, `duplicates`, `replays`, `answers_again` (counts), `matched_by`.
        `.iso.messages` says of each message what it is.

    Raises
    ------
    OptionError
        *times* or *timeout* cannot be met.
    TypeError
        *messages* are no messages.

    Examples
    --------
    >>> import sim
    >>> request = sim.generate("auth")
    >>> table = sim.match([request, sim.respond(request), sim.reverse(request)])
    >>> table["state"].tolist()
    ['answered', 'unanswered']
    >>> table["transaction"].tolist()
    [1, 1]
    """
    from sim import tables

    return tables.match(messages, times, timeout, format)

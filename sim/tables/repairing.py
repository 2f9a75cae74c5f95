"""What would mend a message, as a table of edits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim import operations
from sim.operations.anatomy import dissect
from sim.spec.words import AnyNetwork, AnyVersion
from sim.tables.argument import MessageArgument, take
from sim.tables.message_table import MessageTable, RawMessage, table_of
from sim.tables.tables import Table, columns_of

if TYPE_CHECKING:
    from sim.codec.wire import Format

_COLUMNS = ("field", "name", "action", "before", "after", "why", "rule", "safe")


class EditsTable(Table):
    """The edits that mend a message, a row each, in their order; empty where none is needed, or none helps.

    Columns: `field` (0 the MTI, missing for the whole text), `name`, `action`, `before` and `after`, card
    data hidden, `why`, `rule` (the one that is satisfied), `safe`. `message` is the message after all of
    them, `valid` whether it has no error then, `left` the errors that no edit takes away.
    """

    _safe_columns = ("name", "action", "before", "after", "why", "rule")
    _when_empty = ("before", "after")
    _nothing = "Nothing to mend."
    # What belongs to the whole: pandas would take it for columns.
    _metadata = ["_mended"]  # noqa: RUF012, pandas wants a list
    _mended: operations.Repair | None = None

    def _title(self) -> str:
        """Nothing to do is not the same as nothing that helps."""
        title = super()._title()
        return (
            title
            if self.valid or not title
            else f"No edit mends it. {self.left[0] if self.left else ''}".strip()
        )

    @property
    def valid(self) -> bool:
        """Whether the message has no error after the edits."""
        return self._mended is not None and self._mended.valid

    @property
    def left(self) -> list[str]:
        """The errors that no edit takes away, as sentences."""
        return [one.message for one in self._mended.left] if self._mended else []

    @property
    def message(self) -> MessageTable:
        """The message after all edits. Raises ValueError where it still cannot be read."""
        if self._mended is None or self._mended.message is None:
            raise ValueError("the message cannot be read, whatever is changed; .left says why")
        return table_of(take(self._mended.message), source="repair")

    @property
    def raw(self) -> RawMessage:
        """The text after all edits; as it was where it still cannot be read."""
        return RawMessage(self._mended.text if self._mended else "")


def repair(
    message: MessageArgument | bytes,
    *,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    unsafe: bool = True,
    format: Format | str | None = None,
) -> EditsTable:
    """Find the smallest edits that make a message readable or valid. The message itself is left as it is.

    Parameters
    ----------
    message
        A message in any form, a broken one too.
    version
        One of `sim.VERSIONS`. Default: from the MTI.
    network
        One of `sim.NETWORKS`. Default: the card's.
    unsafe
        False makes no edit but safe ones: those that change how something is written, or take out what
        nobody asks for. The others make up a value, or touch a card number, an amount or a currency.
    format
        The wire format, one of `sim.formats()`, or `text`. Default: recognized.

    Returns
    -------
    EditsTable
        A row per edit: `field`, `name`, `action`, `before`, `after` (card data hidden), `why`, `rule`,
        `safe`. `.message` is the message after all of them, `.raw` its text, `.valid` the verdict on it,
        `.left` the errors that no edit takes away.

    Raises
    ------
    TypeError
        *message* is no message argument.
    ChoiceError
        No version or network is called that.

    Examples
    --------
    >>> import sim
    >>> broken = sim.build(sim.generate("auth")).replace("164111111111111111", "164111111111111112")
    >>> edits = sim.repair(broken)
    >>> edits[["field", "action", "rule", "safe"]].values.tolist(), edits.valid
    ([[2, 'changed', 'luhn', False]], True)
    """
    content = dissect(take(message, version, network, format)).content
    given = None if version is None else str(version)
    made = operations.repair(content, version=given, network=network, unsafe=unsafe)
    rows = [[getattr(edit, name) for name in _COLUMNS] for edit in made.edits]
    table = EditsTable(columns_of(_COLUMNS[:-1], [row[:-1] for row in rows]))
    table["safe"] = [bool(row[-1]) for row in rows]
    table._mended = made
    return table

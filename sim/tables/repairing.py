"""Repairs of a broken message, as a table of proposals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim import operations
from sim.spec.words import AnyInterface, AnyNetwork, AnyVersion
from sim.tables.argument import MessageArgument, take
from sim.tables.message_table import MessageTable, RawMessage, table_of
from sim.tables.tables import Table, columns_of

if TYPE_CHECKING:
    from sim.codec.wire import Format

_COLUMNS = ("verdict", "field", "name", "action", "before", "after", "evidence")


class ProposalsTable(Table):
    """What a message was before a fault, as `sim.repair` describes it: one proposal per row; empty if none is
    needed or found. `message_after(row)` is the message after another proposal than the first."""

    _when_empty = ("before", "after")
    _nothing = "Nothing to repair."

    @property
    def _repair(self) -> operations.Repair | None:
        return self.held.get("repair")

    def _title(self) -> str:
        """Distinguishes a message without errors from one that no repair fixes."""
        title = super()._title()
        if self.valid or not title:
            return title
        return f"No repair found. {self.left[0] if self.left else ''}".strip()

    @property
    def valid(self) -> bool:
        """Whether the message has no errors, as received or as restored by the first proposal."""
        return self._repair is not None and self._repair.valid

    @property
    def left(self) -> list[str]:
        """The errors after the first proposal, as sentences."""
        return [finding.message for finding in self._repair.left] if self._repair else []

    @property
    def message(self) -> MessageTable:
        """The message after the first proposal. Raises ValueError if it still cannot be read."""
        if self._repair is None or self._repair.message is None:
            raise ValueError("no repair makes the message readable; see .left for the reason")
        return table_of(take(self._repair.message), source="repair")

    @property
    def raw(self) -> RawMessage:
        """The text after the first proposal; if there is none, the text as received."""
        return RawMessage(self._repair.text if self._repair else "")

    def message_after(self, row: int = 0) -> MessageTable:
        """The message after the proposal in *row*, from 0. Raises ValueError for one whose verdict is
        unknown, IndexError if there is no such row."""
        message = self._repair.proposals[row].message if self._repair else None
        if message is None:
            raise ValueError("the original value cannot be determined; this proposal only locates the fault")
        return table_of(take(message), source="repair")


def repair(
    message: MessageArgument | bytes,
    *,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    sure: bool = False,
    format: Format | str | None = None,
    interface: AnyInterface | None = None,
) -> ProposalsTable:
    """Find out what a broken message was, with the evidence. The message itself is not changed.

    Parameters
    ----------
    message
        A message in any form, even broken.
    version
        One of `sim.VERSIONS`. Default: from the MTI.
    network
        One of `sim.NETWORKS`. Default: the card's.
    sure
        Whether to propose a repair only if nothing else explains the message.
    format
        The wire format, one of `sim.formats()`, or `text`. Default: recognized.
    interface
        The interface of the link, one of `sim.interfaces()`; `iso` is the standard alone. Default: the
        format's, otherwise the network's own.

    Returns
    -------
    ProposalsTable
        A row per proposal, most likely first: `verdict` (restored, likely, or unknown: the fault is located,
        but the original value is not known), `field` (0 the MTI, 1 the bitmap, missing for the whole text),
        `name`, `action`, `before`, `after` (card data masked), `evidence`. `.message` is the message after
        the first,
        `.raw` its text, `.valid` whether it is restored without errors, `.left` the remaining errors.

    Raises
    ------
    TypeError
        *message* is not a message.
    ChoiceError
        Unknown version, network or interface.

    Examples
    --------
    >>> import sim
    >>> sound = str(sim.build(sim.generate("auth", entry="stripe")))
    >>> proposals = sim.repair(sound.replace("164111111111111111", "144111111111111111", 1))
    >>> proposals[["verdict", "field", "action"]].values.tolist()[0], proposals.raw == sound
    (['restored', 2, 'length changed'], True)
    """
    if isinstance(message, str):
        text = message[:]  # the true text, even of a cell that displays itself masked
        result = operations.repair(
            text, version=version, network=network, sure=sure, format=format, interface=interface
        )
    else:
        result = operations.repair(take(message, version, network, format, interface), sure=sure)
    records = [each.record() | {"evidence": "; ".join(each.evidence)} for each in result.proposals]
    table = ProposalsTable(columns_of(_COLUMNS, [[record[name] for name in _COLUMNS] for record in records]))
    table.held = {"repair": result}
    return table

"""A message converted to another version of the standard, as a table, with a note on each element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim import operations
from sim.operations.asked import moment
from sim.spec.spellings import version_named
from sim.spec.words import AnyInterface, AnyMoment, AnyNetwork, AnyVersion
from sim.tables.argument import MessageArgument, readable, take
from sim.tables.message_table import MessageTable, MessageView, table_of
from sim.tables.reference import ReferenceTable
from sim.tables.tables import columns_of

if TYPE_CHECKING:
    from sim.codec.wire import Format

SOURCE = "convert"
_COLUMNS = ("number", "to", "action", "note")


class NotesTable(ReferenceTable):
    """One row per element of the original message, without card data."""


class ConvertedTable(MessageTable):
    """A message in another version; `.iso.notes` has a note on each element of the original."""

    if TYPE_CHECKING:

        @property
        def iso(self) -> ConvertedView: ...


class ConvertedView(MessageView):
    """A message in another version, with notes on the original's elements."""

    @property
    def notes(self) -> NotesTable:  # type: ignore[override]  # more than sentences
        """A row for each element of the original: `number`, `to`, `action`, `note`."""
        return NotesTable(columns_of(_COLUMNS, [list(row) for row in self._facts["conversion"]]))

    @property
    def lossless(self) -> bool:
        """Whether converting back gives the original."""
        return bool(self._facts["lossless"])


def convert(
    message: MessageArgument | bytes,
    to: AnyVersion,
    *,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    at: AnyMoment | None = None,
    format: Format | str | None = None,
    interface: AnyInterface | None = None,
) -> ConvertedTable:
    """Convert a message to another version of the standard, with a note on each element.

    Elements are renumbered, reformatted, split and merged. Whatever the new version cannot express is lost;
    whatever the old version did not have is filled in. The mapping follows the annotations in the ISO 20022
    card message dictionary; each row of `sim/spec/data/conversion` names its source.

    Parameters
    ----------
    message
        A message in any form.
    to
        The version to write it in, one of `sim.VERSIONS`.
    version
        Version of the message. Default: from the MTI.
    network
        Network whose rules the result must follow. Default: the card's.
    at
        Local date and time; years and centuries missing from the message are the nearest to it. Default: now.
    format
        The wire format of *message*. Default: recognized.
    interface
        The interface of the link, one of `sim.interfaces()`; `iso` is the standard alone. Default: the
        format's, otherwise the network's own.

    Returns
    -------
    ConvertedTable
        The message in version *to*. `.iso.notes` is a table with a row for each element of the original, 0
        for the MTI: the elements it became (`to`), the `action` (kept, reformatted, moved, split, merged,
        filled, lost) and a `note`. `.iso.lossless` says whether converting back gives the original.

    Raises
    ------
    BuildError
        *message* cannot be read or written.
    ChoiceError
        Unknown version, network or interface.

    Examples
    --------
    >>> import sim
    >>> table = sim.convert("0800822000000000000004000000000000001120093000123456301", "1993")
    >>> table.iso.mti, table.iso.lossless
    ('1804', True)
    >>> table.iso.notes["action"].tolist()
    ['reformatted', 'kept', 'kept', 'moved']
    """
    reading = take(message, version, network, format, interface)
    new = operations.convert(readable(reading), version_named(to), network=reading.network, at=moment(at))
    plain = table_of(take(new.message, None, reading.network), source=SOURCE)
    table = ConvertedTable(plain)
    table.attrs = dict(plain.attrs)
    rows = [(note.number, ", ".join(map(str, note.to)), note.action, note.note) for note in new.notes]
    table.attrs["iso"] |= {"conversion": rows, "lossless": new.lossless}
    return table

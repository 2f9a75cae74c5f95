"""Negative test data as tables: broken messages, each labeled with the finding it must cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim import operations
from sim.errors import locate
from sim.operations.anatomy import masked_text
from sim.paste.reading import TEXT
from sim.spec.words import AnyNetwork, AnyVersion
from sim.tables.argument import MessageArgument, readable, take
from sim.tables.card_data import CardData, Cover
from sim.tables.message_table import MessageTable, table_of
from sim.tables.reference import ReferenceTable
from sim.tables.tables import Table, columns_from

if TYPE_CHECKING:
    from sim.codec.wire import Format

SOURCE_FAULT = "fault"
_CASE_COLUMNS = {
    **{name: name for name in ("fault", "rule", "severity", "field", "path", "start", "what")},
    **{"message": "raw", "version": "version", "network": lambda case: case.network or "", "kind": "kind"},
}
_FAULT_COLUMNS = {
    **{"fault": "id", "group": "group", "rule": "rule", "network": "network"},
    **{"versions": "versions", "what": "what"},
}


class CasesTable(Table):
    """Broken messages, one per row; `message` is the text, displayed with card data masked."""


def break_message(
    message: MessageArgument | bytes, fault: str, *, format: Format | str | None = None
) -> MessageTable:
    """Break a message in one place, for negative tests.

    Parameters
    ----------
    message
        A good message, in any form.
    fault
        The name of a fault; `sim.faults()` lists them.
    format
        The wire format of *message*. Default: recognized.

    Returns
    -------
    MessageTable
        The broken message, as from `parse`, so a framing fault shows where reading stops; `.iso.notes` says
        what was broken, which rule must find it, and which others may.

    Raises
    ------
    ChoiceError
        No fault with that name applies to this message; the error lists those that do.
    BuildError
        *message* is not a valid message.

    Examples
    --------
    >>> import sim
    >>> table = sim.break_message(sim.generate("auth"), "month-13")
    >>> sim.validate(table)["rule"].tolist()
    ['date']
    """
    reading = take(message, format=format)
    broken = operations.break_message(readable(reading), fault, network=reading.network)
    dialect = reading.message.dialect if reading.message and reading.version == broken.version else None
    result = take(broken.raw, broken.version, broken.network, TEXT, (dialect and dialect.interface) or None)
    place = locate(broken.field, broken.start, "", "").removesuffix(": expected , found ")
    if broken.path and broken.path != str(broken.field):
        place = place.replace(f"DE {broken.field}", f"DE {broken.path}")
    others = (f"The rule {rule} may report it, too." for rule in broken.also)
    notes = (broken.what, f"The rule {broken.rule} must find it: {place} ({broken.severity}).", *others)
    return table_of(result, source=SOURCE_FAULT, notes=notes)


def cases(network: AnyNetwork | None = None, version: AnyVersion | None = None) -> CasesTable:
    """List labeled bad messages: one per fault, with the finding it must cause.

    Parameters
    ----------
    network
        One of `sim.NETWORKS`: the standard's faults and that network's own. Default: all.
    version
        One of `sim.VERSIONS`, for faults in its messages only. Default: all three.

    Returns
    -------
    CasesTable
        `fault`; `rule`, `severity`, `field`, `path` and `start` of the finding; `what` was broken;
        `message`, the text; the `version` to read it as and the `network` whose rules apply; `kind` of
        message.

    Raises
    ------
    ChoiceError
        Unknown version or network.

    Examples
    --------
    >>> import sim
    >>> case = sim.cases("VISA", "1987").iloc[0]
    >>> sim.validate(case["message"], version=case["version"])["rule"].tolist() == [case["rule"]]
    True
    """
    table = CasesTable(columns_from(operations.cases(network, version), _CASE_COLUMNS))
    table["message"] = CardData(table["message"].array, Cover(frozenset({_mask_message})))
    return table


def _mask_message(text: str) -> str:
    return masked_text(text, None)


def faults(message: MessageArgument | bytes | None = None, *, format: Format | str | None = None) -> Table:
    """List the faults that can be put into a message.

    Parameters
    ----------
    message
        A message in any form, to get only the faults that apply to it. Default: all.
    format
        The wire format of *message*. Default: recognized.

    Returns
    -------
    Table
        `fault` (the name `break_message` takes), `group` (`framing`, `content`, or `exchange` for faults
        between messages, which cannot be put into a single one), the `rule` that finds it, the `network`
        and `versions` it concerns, and `what` it does.

    Raises
    ------
    BuildError
        *message* cannot be read.

    Examples
    --------
    >>> import sim
    >>> "month-13" in sim.faults(sim.generate("auth"))["fault"].tolist()
    True
    """
    chosen = operations.all_faults()
    if message is not None:
        reading = take(message, format=format)
        chosen = operations.faults_for(readable(reading), network=reading.network)
    return ReferenceTable(columns_from(chosen, _FAULT_COLUMNS))

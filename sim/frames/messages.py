"""Messages as tables: what the verbs of the face do, in DataFrames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sim import operations
from sim.codec import BuildError, Message, ParseError
from sim.codec import build as build_text
from sim.frames.argument import Given, MessageArgument, as_build_error, digest, from_elements, take
from sim.frames.raw import RawMessage, masked_text
from sim.frames.rows import BITMAP_NAME, COLUMNS, MTI_NAME, Row, broken_rows, sound_rows
from sim.frames.tables import DiffTable, FindingsTable, MessageTable
from sim.judge import Finding, Severity, catalogue
from sim.operations import Generated, Report
from sim.operations.asked import moment, options_of
from sim.operations.explanation import SOURCE_RULES
from sim.operations.validation import DEFAULT_VERSION, chosen_network
from sim.operations.verdict import Verdict
from sim.spec import spec
from sim.spec.spellings import version_named
from sim.spec.words import AnyMoment, AnyNetwork, AnyVersion

INTEGER = "Int64"
# Not the Arrow-backed strings: those refuse a lone surrogate, and any text must give a table.
TEXT = pd.StringDtype("python", na_value=np.nan)

_FINDING_COLUMNS = (
    *("severity", "network", "field", "name", "rule", "message"),
    *("start", "end", "expected", "found", "hint", "source"),
)
_DIFF_COLUMNS = ("number", "name", "a", "b", "meaning_a", "meaning_b")
_NUMBERS = frozenset({"number", "field", "start", "end"})
_SOURCE_PARSED = ""


def columns_of(names: Sequence[str], rows: Sequence[Sequence[object]]) -> dict[str, pd.Series]:
    """Rows as columns with fixed dtypes: nullable integers and texts, also when there are no rows."""
    cells = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    return {
        name: pd.Series(list(column), dtype=INTEGER if name in _NUMBERS else TEXT)
        for name, column in zip(names, cells, strict=True)
    }


def table_of(given: Given, *, source: str = _SOURCE_PARSED, notes: Iterable[str] = ()) -> MessageTable:
    """The message table of a message argument; a text that does not parse gives its pieces."""
    chosen = given.version if given.chosen else None
    facts: dict[str, Any] = {"version": chosen, "read_as": given.version, "network": given.network}
    facts |= {"source": source, "notes": list(notes)}
    try:
        message = given.message()
    except ParseError as error:
        rows = broken_rows(given.text(), given.version, error, given.network)
        facts |= {"broken": True, "failing": error.field}
    except BuildError:
        return table_of(take(given.text(), chosen, given.network), source=source, notes=notes)
    else:
        rows = sound_rows(message, chosen_network(message, given.network))
        facts |= {"bitmap": message.bitmap, "explained": source == SOURCE_RULES}
    table = MessageTable(columns_of(COLUMNS, [[getattr(row, name) for name in COLUMNS] for row in rows]))
    table.attrs["iso"] = facts | {"rows": len(table)}
    return table


def parse(
    raw: MessageArgument,
    *,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    source: str = "",
) -> MessageTable:
    """The message table of *raw*. Only framing is judged."""
    return table_of(take(raw, version, network), source=source)


def explain(
    message: MessageArgument, *, version: AnyVersion | None = None, network: AnyNetwork | None = None
) -> MessageTable:
    """The message table of *message*, shown with its summary."""
    return table_of(take(message, version, network), source=SOURCE_RULES)


def explain_by_model(
    message: MessageArgument,
    *,
    version: AnyVersion | None,
    network: AnyNetwork | None,
    provider: str | None,
    model: str | None,
) -> MessageTable:
    """The message table of *message*, with the summary a language model gives of it."""
    from sim.operations import llm

    given = take(message, version, network)
    told = llm.explain(_readable(given), network=given.network, provider=provider, model=model)
    table = table_of(given, source=SOURCE_RULES)
    # A model's words belong to the message as it is now: after an edit the rules speak again.
    facts = {"told": told.summary, "told_of": digest(build_text(told.message)), "told_by": told.source}
    table.attrs["iso"] |= facts
    return table


def generate_by_model(
    description: str,
    *,
    provider: str | None,
    model: str | None,
    version: AnyVersion | None,
    at: AnyMoment | None,
) -> MessageTable:
    """The message that a language model makes of *description*, as a table."""
    from sim.operations import llm

    edition = DEFAULT_VERSION if version is None else version_named(version)
    made = llm.generate(description, provider=provider, model=model, version=edition, at=moment(at))
    return _made(made, made.network)


def generate(message_type: str, *, network: AnyNetwork | None, **options: Any) -> MessageTable:
    """A generated message as a table; the options are those of `operations.generate`."""
    asked = options_of(message_type, network=network, **options)
    return _made(operations.generate(**asked), asked["network"])


def respond(request: MessageArgument, code: str | None) -> MessageTable:
    """The response to *request* as a table."""
    given = take(request, None, None)
    return _made(operations.respond(_readable(given), code), given.network)


def reverse(original: MessageArgument, *, stan: str | None, at: AnyMoment | None) -> MessageTable:
    """The reversal of *original* as a table."""
    given = take(original, None, None)
    return _made(operations.reverse(_readable(given), stan=stan, at=moment(at)), given.network)


def _made(made: Generated, network: str | None) -> MessageTable:
    return table_of(take(made.message, None, network), source=made.source, notes=made.notes)


def _readable(given: Given) -> Message:
    try:
        return given.message()
    except ParseError as error:
        raise as_build_error(error) from error


def build(fields: MessageArgument | Mapping[Any, str], *, version: AnyVersion | None = None) -> RawMessage:
    """The text of a message in any form, or of a dict of elements."""
    if isinstance(fields, Mapping):
        return RawMessage(build_text(from_elements(fields, version)))
    return RawMessage(build_text(_readable(take(fields, version, None))))


def mask(message: MessageArgument, *, version: AnyVersion | None = None) -> str:
    """The text of a message with card data starred out."""
    given = take(message, version, None)
    return masked_text(given.text(), given.version)


def validate(
    message: MessageArgument,
    *,
    against: Iterable[AnyNetwork] = (),
    network: AnyNetwork | None = None,
    version: AnyVersion | None = None,
) -> FindingsTable:
    """The findings on *message* as a table."""
    asked = (against,) if isinstance(against, str) else tuple(against)
    try:
        given = take(message, version, network)
    except BuildError as error:
        return _findings(_refused(error, version, network), asked)
    chosen = given.version if given.chosen else None
    report = operations.validate(given.content, against=asked, network=given.network, version=chosen)
    return _findings(report, asked)


def _refused(error: BuildError, version: AnyVersion | None, network: AnyNetwork | None) -> Report:
    """The report on rows that are no message at all: a number twice, a cell that is no text."""
    return Report(Verdict(version_named(version) if version else "", network, _unreadable(error)), None)


def _unreadable(error: BuildError) -> Finding:
    rule, field = catalogue()["framing"], error.field
    names = {None: "message", 0: MTI_NAME, 1: BITMAP_NAME}
    return Finding(
        severity=Severity.ERROR,
        network="",
        field=field,
        path="" if field is None else str(field),
        name=names.get(field) or spec("1987")[field or 1].name,
        rule=rule.id,
        message=str(error),
        start=None,
        end=None,
        expected=error.expected,
        found=error.found,
        hint="The rows are not a message: change the cell, or take the row out.",
        source=rule.source,
    )


def _findings(report: Report, against: tuple[str, ...]) -> FindingsTable:
    """A report as a table: the standard's and the own network's findings, and those of the networks
    of *against*. The results of all networks asked stay in `attrs`."""
    found = report.all_findings if against else report.findings
    rows = [[_cell(getattr(one, name)) for name in _FINDING_COLUMNS] for one in found]
    table = FindingsTable(columns_of(_FINDING_COLUMNS, rows))
    matrix = [
        {
            "network": name,
            "passed": result.passed,
            "errors": len(result.errors),
            "warnings": sum(one.severity is Severity.WARNING for one in result.findings),
        }
        for name, result in report.networks.items()
    ]
    facts = {"version": report.version, "network": report.network, "valid": report.valid}
    table.attrs["iso"] = {**facts, "errors": report.errors, "networks": matrix}
    return table


def _cell(value: object) -> object:
    return str(value) if isinstance(value, Severity) else value


def diff(a: MessageArgument, b: MessageArgument) -> DiffTable:
    """The elements of *a* and *b* that differ, side by side."""
    tables = [parse(message) for message in (a, b)]
    left, right = (_by_number(table) for table in tables)
    rows = []
    for number in sorted({*left, *right}, key=lambda number: (number is None, number)):
        one, two = left.get(number), right.get(number)
        if number == 1 or (one and two and one.value == two.value):
            continue  # the bitmap follows from the elements
        names = dict.fromkeys(row.name for row in (one, two) if row)
        values = [row.value if row else None for row in (one, two)]
        meanings = [row.meaning if row else None for row in (one, two)]
        rows.append((number, " / ".join(names), *values, *meanings))
    table = DiffTable(columns_of(_DIFF_COLUMNS, rows))
    table.attrs["iso"] = {name: one.iso.version for name, one in zip("ab", tables, strict=True)}
    return table


def _by_number(table: MessageTable) -> dict[int | None, Row]:
    plain = pd.DataFrame(table).astype(object).where(pd.DataFrame(table).notna(), None)
    rows = (Row(*cells) for cells in plain[list(COLUMNS)].itertuples(index=False, name=None))
    return {row.number: row for row in rows}

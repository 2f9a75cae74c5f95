"""Messages as tables: what the verbs of the face do, in DataFrames."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sim import operations
from sim.codec import BuildError
from sim.codec import build as build_text
from sim.errors import OptionError
from sim.judge import Severity
from sim.operations import Generated, Report, building
from sim.operations.anatomy import READ, UNREAD, Anatomy, Place, differences, dissect
from sim.operations.asked import as_asked, moment, options_of
from sim.operations.choosing import DEFAULT_VERSION
from sim.operations.explanation import SOURCE_RULES
from sim.operations.framing import NO_ROWS, framing_finding
from sim.operations.records import verdict_on
from sim.operations.verdict import Verdict
from sim.paste.reading import TEXT as TEXT_FORM
from sim.paste.reading import Reading
from sim.spec.spellings import several, version_named
from sim.spec.words import AnyMoment, AnyNetwork, AnyVersion
from sim.tables.argument import MessageArgument, digest, from_elements, is_pinned, readable, take
from sim.tables.pasted import said
from sim.tables.raw import RawMessage
from sim.tables.tables import DiffTable, FindingsTable, MessageTable

if TYPE_CHECKING:
    from sim.codec.wire import Format

INTEGER = "Int64"
# Not the Arrow-backed strings: those refuse a lone surrogate, and any text must give a table.
TEXT = pd.StringDtype("python", na_value=np.nan)

_FINDING_COLUMNS = (
    *("severity", "network", "field", "name", "rule", "message"),
    *("start", "end", "expected", "found", "hint", "source"),
)
_DIFF_COLUMNS = ("number", "name", "a", "b", "meaning_a", "meaning_b")
COLUMNS = ("number", "name", "format", "value", "meaning", "start", "end", "finding", "hint")
_NAME, _VALUE, _MEANING = (COLUMNS.index(name) for name in ("name", "value", "meaning"))
_NUMBERS = frozenset({"number", "field", "start", "end", "exponent"})
_SOURCE_PARSED = ""


def columns_of(names: Sequence[str], rows: Sequence[Sequence[object]]) -> dict[str, pd.Series]:
    """Rows as columns with fixed dtypes: nullable integers and texts, also when there are no rows."""
    cells = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    return {
        name: pd.Series(list(column), dtype=INTEGER if name in _NUMBERS else TEXT)
        for name, column in zip(names, cells, strict=True)
    }


def table_of(given: Reading, *, source: str = _SOURCE_PARSED, notes: Iterable[str] = ()) -> MessageTable:
    """The message table of what was read, as far as it was."""
    seen = dissect(given)
    own = seen.message.dialect
    facts: dict[str, Any] = {"version": given.version if is_pinned(given) else None, "read_as": seen.version}
    facts |= {"network": given.network, "source": source, "notes": list(notes)}
    facts |= {"dialect": own.dialect} if own else {}
    if seen.fault is not None:
        facts |= {"broken": True, "failing": seen.fault.field, "unread": sorted(seen.unread)}
        if not seen.is_text and (error := given.error):
            names = ("field", "offset", "expected", "found")
            facts |= {"stopped": {name: getattr(error, name) for name in names}}
    else:
        facts |= {"bitmap": seen.message.bitmap, "explained": source == SOURCE_RULES}
    table = MessageTable(columns_of(COLUMNS, [_row(seen, place) for place in seen.places]))
    table.attrs["iso"] = facts | {"rows": len(table)}
    said(table, given)
    return table


def _row(seen: Anatomy, place: Place) -> tuple[object, ...]:
    """A place as a row of the message table; what was left unread has no number. A finding stands where
    reading stopped, and where a value does not fit."""
    read = place.state == READ
    fault = seen.fault if place is seen.stop else seen.misfits.get(place.number)
    return (
        None if place.number == UNREAD else place.number,
        seen.name(place),
        seen.format(place),
        seen.value(place) if read else seen.raw[place.start : place.end],
        seen.meaning(place),
        place.start if seen.is_text else None,
        place.end if seen.is_text else None,
        fault.message if fault else "",
        fault.hint if fault else "",
    )


def parse(
    raw: MessageArgument | bytes,
    *,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    format: Format | str | None = None,
    source: str = "",
) -> MessageTable:
    """The message table of *raw*. Only framing is judged."""
    return table_of(take(raw, version, network, format), source=source)


def explain(
    message: MessageArgument | bytes,
    *,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    format: Format | str | None = None,
) -> MessageTable:
    """The message table of *message*, shown with its summary."""
    return parse(message, version=version, network=network, format=format, source=SOURCE_RULES)


def explain_by_model(
    message: MessageArgument | bytes,
    *,
    version: AnyVersion | None,
    network: AnyNetwork | None,
    provider: str | None,
    model: str | None,
    format: Format | str | None,
) -> MessageTable:
    """The message table of *message*, with the summary a language model gives of it."""
    from sim.operations import llm

    given = take(message, version, network, format)
    told = llm.explain(readable(given), network=given.network, provider=provider, model=model)
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
    format: Format | str | None,
) -> MessageTable:
    """The message that a language model makes of *description*, as a table."""
    from sim.operations import llm

    edition = DEFAULT_VERSION if version is None else version_named(version)
    made = llm.generate(description, provider=provider, model=model, version=edition, at=moment(at))
    return _made(made, made.network, format)


def generate(
    message_type: str,
    *,
    network: AnyNetwork | None,
    format: Format | str | None = None,
    **options: Any,
) -> MessageTable:
    """A generated message as a table; the options are those of `operations.generate`."""
    asked = options_of(message_type, network=network, format=format, **options)
    try:
        made = operations.generate(**asked)
    except OptionError as error:
        raise as_asked(error, options) from None
    return _made(made, asked["network"], format)


def respond(
    request: MessageArgument | bytes,
    code: str | None,
    *,
    amount_minor_units: int | None = None,
    balance_minor_units: int | None = None,
    format: Format | str | None = None,
) -> MessageTable:
    """The response to *request* as a table."""
    given = take(request, format=format)
    made = operations.respond(
        readable(given),
        code,
        amount_minor_units=amount_minor_units,
        balance_minor_units=balance_minor_units,
        network=given.network,
    )
    return _made(made, given.network, format)


def reverse(
    original: MessageArgument | bytes,
    *,
    stan: str | None,
    at: AnyMoment | None,
    final_amount_minor_units: int | None = None,
    format: Format | str | None = None,
) -> MessageTable:
    """The reversal of *original* as a table."""
    given, final = take(original, format=format), final_amount_minor_units
    made = operations.reverse(readable(given), stan=stan, at=moment(at), final_amount_minor_units=final)
    return _made(made, given.network, format)


def _made(made: Generated, network: str | None, format: Format | str | None = None) -> MessageTable:
    message, left = building.in_format(made.message, format or building.TEXT)
    return table_of(take(message, None, network), source=made.source, notes=(*made.notes, *left))


def build(
    fields: MessageArgument | Mapping[Any, str] | bytes,
    *,
    version: AnyVersion | None = None,
    format: Format | str | None = None,
) -> RawMessage:
    """The text of a message in any form, or of a dict of elements; in *format*, its bytes as hex digits."""
    made = from_elements(fields, version) if isinstance(fields, Mapping) else readable(take(fields, version))
    written = RawMessage(building.written_as(made, format))
    if notes := building.told_otherwise(made, format):
        warnings.warn(f"what bytes do not tell: {'; '.join(notes)}", stacklevel=3)
    return written


def mask(
    message: MessageArgument | bytes,
    *,
    version: AnyVersion | None = None,
    format: Format | str | None = None,
) -> str:
    """The text of a message with card data starred out."""
    whole = format is None and isinstance(message, str)  # as long as it was, whatever stands in it
    return dissect(take(message, version, None, TEXT_FORM if whole else format)).shown_text


def validate(
    message: MessageArgument | bytes,
    *,
    against: Iterable[AnyNetwork] = (),
    network: AnyNetwork | None = None,
    version: AnyVersion | None = None,
    format: Format | str | None = None,
) -> FindingsTable:
    """The findings on *message* as a table."""
    asked = several("against", against, "networks such as VISA and AMEX")
    try:
        given = take(message, version, network, format)
    except BuildError as error:
        return _findings(_refused(error, version, network), asked)
    return _findings(verdict_on(given, asked), asked)


def _refused(error: BuildError, version: AnyVersion | None, network: AnyNetwork | None) -> Report:
    """The report on rows that are no message at all: a number twice, a cell that is no text."""
    named = version_named(version) if version else ""
    found = framing_finding(error, named or DEFAULT_VERSION, hint=NO_ROWS)
    return Report(Verdict(named, network, found), None)


def _findings(report: Report, against: tuple[str, ...]) -> FindingsTable:
    """A report as a table: the standard's and the own network's findings, and those of the networks
    of *against*. The results of all networks asked stay in `attrs`."""
    found = report.all_findings if against else report.findings
    rows = [[plain_cell(getattr(one, name)) for name in _FINDING_COLUMNS] for one in found]
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


def plain_cell(value: object) -> object:
    """What a finding holds, as a table does: a severity is its word."""
    return str(value) if isinstance(value, Severity) else value


def diff(
    a: MessageArgument | bytes, b: MessageArgument | bytes, *, format: Format | str | None = None
) -> DiffTable:
    """The elements of *a* and *b* that differ, side by side."""
    sides = [dissect(take(message, format=format)) for message in (a, b)]
    rows: list[tuple[object, ...]] = []
    for found in differences(*sides):
        places = (found.a, found.b)
        cells = [_row(side, place) if place else None for side, place in zip(sides, places, strict=True)]
        names = dict.fromkeys(str(cell[_NAME]) for cell in cells if cell)
        values, meanings = ([cell[at] if cell else None for cell in cells] for at in (_VALUE, _MEANING))
        rows.append((found.number if found.number >= 0 else None, " / ".join(names), *values, *meanings))
    table = DiffTable(columns_of(_DIFF_COLUMNS, rows))
    table.attrs["iso"] = {name: seen.version for name, seen in zip("ab", sides, strict=True)}
    return table.knowing(_masks(sides[0]) | _masks(sides[1]))


def _masks(seen: Anatomy) -> dict[str, str]:
    """How what stands in the rows of a message is shown where that differs, for a table of some of them."""
    pairs = (
        (seen.raw[place.start : place.end], "".join(seen.covered[place.number]))
        if place.state != READ
        else (seen.value(place), seen.covered[place.number][1])
        for place in seen.places
    )
    return {text: shown for text, shown in pairs if shown != text}

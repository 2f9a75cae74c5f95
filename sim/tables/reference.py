"""The toolkit's own tables, to filter and compare: elements, code lists, rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import pandas as pd

from sim.codec.wire import interface_table
from sim.errors import SpecError
from sim.judge import catalogue
from sim.operations.faults import all_faults
from sim.operations.search import search as entries
from sim.spec import (
    code_list,
    code_lists,
    countries,
    currencies,
    spec,
    version_of,
    withdrawn_currencies,
)
from sim.spec.interfaces import interface as interface_of
from sim.spec.networks import NETWORKS, presence
from sim.spec.networks import network as network_of
from sim.spec.spellings import choose, interface_named, network_named, version_named
from sim.spec.tables import read_toml
from sim.spec.words import AnyInterface, AnyNetwork, AnyVersion, SearchKind
from sim.tables.tables import Table, columns_from, columns_of

# The registries: their rows, and the attribute for each column.
_NAMED = {"code": "numeric", "alpha": "alpha", "name": "name"}
_REGISTRIES: dict[str, tuple[Callable[[], Sequence[Any]], dict[str, str]]] = {
    "countries": (countries, {"code": "numeric", "alpha2": "alpha2", "alpha3": "alpha3", "name": "name"}),
    "currencies": (currencies, _NAMED | {"exponent": "exponent"}),
    # Former currencies, with the month of withdrawal and the successor.
    "withdrawn_currencies": (
        withdrawn_currencies,
        _NAMED | {"withdrawn": "withdrawn", "successor": "successor"},
    ),
}
_VERSION_DIGITS = "0123456789"
_MUST = "M"
_RULE_COLUMNS = ("rule", "network", "severity", "checks", "source", "hint", "example")


class ReferenceTable(Table):
    """Rows of the toolkit's own tables, without card data."""

    def masked(self) -> pd.DataFrame:
        return pd.DataFrame(self)


class RulesTable(ReferenceTable):
    """The catalog of rules."""

    _rules = "rule"


def fields(
    version: AnyVersion = "1987", network: AnyNetwork | None = None, interface: AnyInterface | None = None
) -> Table:
    """List the data elements of a version.

    Parameters
    ----------
    version
        One of `sim.VERSIONS`.
    network
        One of `sim.NETWORKS`, to add its requirements for each element.
    interface
        The interface of the link, one of `sim.interfaces()`: names, formats and `required_in` are then the
        interface's, in its version.

    Returns
    -------
    Table
        `number`, `name`, `format` (the standard's notation: `n 6`, `n..19`, `ans..999`, `b 8`), `pattern`
        (of dates), `note`, `source`; with *network* also `required_in`, the MTIs that must have the
        element, and `network_format`, the network's format for it.

    Raises
    ------
    ChoiceError
        Unknown version, network or interface.

    Examples
    --------
    >>> import sim
    >>> sim.fields("1993").set_index("number").loc[39, "format"]
    'n 3'
    """
    version, network = version_named(version), None if network is None else network_named(network)
    link = None if interface is None else interface_of(interface_named(interface))
    table = spec(version) if link is None else interface_table(link.name, version)
    version, elements = table.version, table.elements
    columns = columns_from(elements, ("number", "name", "format", "pattern", "note", "source"))
    if network is not None:
        rows_for: Callable[[str], Iterable[Any]] = partial(presence, network)
    elif link is not None:
        rows_for = link.presence
    else:
        return ReferenceTable(columns)
    required: dict[int, list[str]] = {}  # the MTIs that unconditionally require each element
    digits = [digit for digit in _VERSION_DIGITS if version_of(digit) == version]
    kinds = sorted({code.code for code in code_list("message_types")})
    for mti in [digit + kind for digit in digits for kind in kinds]:
        for row in rows_for(mti):
            if row.presence == _MUST and mti not in required.setdefault(row.field, []):
                required[row.field].append(mti)
    columns |= columns_from(elements, {"required_in": lambda row: ", ".join(required.get(row.number, []))})
    if network is not None:
        formats: dict[int, list[str]] = {}
        for rule in network_of(network).formats:
            for number in rule.fields if version in rule.versions else ():
                formats.setdefault(number, []).append(rule.expected)
        columns |= columns_from(
            elements, {"network_format": lambda row: "; ".join(formats.get(row.number, []))}
        )
    return ReferenceTable(columns)


def codes(name: str | int | None = None) -> Table:
    """Show a code list, or list all code lists.

    Parameters
    ----------
    name
        Such as `response_code`, `countries` or `currencies`, or an element's number, such as 39. Default: the
        names of all lists.

    Returns
    -------
    Table
        `code`, `meaning` and the other columns of the list; without *name*, each list's `name` and number
        of `codes`.

    Raises
    ------
    ChoiceError
        Unknown list.

    Examples
    --------
    >>> import sim
    >>> response = sim.codes("response_code")
    >>> response.loc[response["code"] == "51", "meaning"].iloc[0]
    'not sufficient funds'
    """
    if name is None:
        counts = {key: len(code_list(key)) for key in code_lists()}
        counts |= {key: len(rows()) for key, (rows, _) in _REGISTRIES.items()}
        return ReferenceTable(columns_of(("name", "codes"), sorted(counts.items()), counts=("codes",)))
    name = choose(
        "name", name, sorted((*code_lists(), *_REGISTRIES)), read_toml("templates")["spoken"]["codes"]
    )
    if name in _REGISTRIES:
        rows, called = _REGISTRIES[name]
        return ReferenceTable(columns_from(rows(), called))
    entries = code_list(name)
    names = ("position", "code", "meaning", "kind", "versions", "network", "source")
    # Without columns that no row of this list uses.
    used = [column for column in names if any(getattr(row, column) for row in entries)]
    return ReferenceTable(columns_from(entries, used))


def rules() -> Table:
    """List the rules.

    Returns
    -------
    Table
        `rule` (its id in findings), `network` (empty for a rule of the standard or of all networks),
        `severity`, `checks`, `source`, `hint`, `example` (a fault of `faults`).

    Examples
    --------
    >>> import sim
    >>> "framing" in sim.rules()["rule"].tolist()
    True
    """
    examples: dict[str, str] = {}
    for fault in all_faults():
        examples.setdefault(fault.rule, fault.id)
    rows = []
    for rule in catalogue().values():
        if rule.id not in examples:
            raise SpecError(None, None, f"a fault that causes the rule {rule.id}, in faults.toml", "none")
        words = str(rule.severity), rule.checks, rule.source, rule.hint
        rows.append((rule.id, "", *words, examples[rule.id]))
    for name in NETWORKS:
        for row in network_of(name).formats:
            rule_id = f"{name.lower()}-{row.id}"
            words = row.severity, row.expected, row.source, row.hint
            rows.append((rule_id, name, *words, examples.get(rule_id, "")))
    return RulesTable(columns_of(_RULE_COLUMNS, rows))


_COLUMNS = ("kind", "key", "name", "inside", "versions", "network", "text", "source", "call")


class SearchTable(ReferenceTable):
    """The search results, best first: `kind`, `key`, `name`, `inside`, `versions`, `network`, `text`,
    `source`, `call`."""

    _when_empty = ("inside", "versions", "network", "text", "call")
    _nothing = "Nothing found."


def search(text: str, kind: SearchKind | None = None) -> Table:
    """Search elements, codes, chip tags, rules, faults and flows.

    Parameters
    ----------
    text
        One or more words, all of which must occur: `terminal`, `de 41`, `9F1C`, `51`, `visa token`.
    kind
        Only one kind: element, part (of an element, by network), code, tag (of chip data, and its bits),
        rule, fault or flow. Default: all.

    Returns
    -------
    Table
        Best first: `kind`, `key` (`DE 41`, `9F1C`, `51`), `name`, `inside` (the list, element or tag around
        it), `versions` and `network` (empty for any), `text`, `source`, `call` (to get all of it). No rows
        if nothing contains all words.

    Raises
    ------
    ChoiceError
        Unknown kind.
    OptionError
        *text* contains no word.

    Examples
    --------
    >>> import sim
    >>> sim.search("9F1C")[["key", "name"]].iloc[0].tolist()
    ['9F1C', 'Terminal identification']
    """
    return SearchTable(columns_from(entries(text, kind), _COLUMNS))

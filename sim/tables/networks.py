"""How networks differ, as tables: their flows, and their rules side by side."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from sim.errors import OptionError
from sim.exchanges import make
from sim.operations.asked import mti_named
from sim.spec import version_of
from sim.spec.interfaces import interface as interface_of
from sim.spec.networks import element_name, formats, presence
from sim.spec.networks import network as network_of
from sim.spec.spellings import DEFAULT_VERSION, interface_named, network_named, version_named
from sim.spec.tables import read_csv, read_toml
from sim.spec.words import AnyInterface, AnyNetwork, AnyVersion, MessageType
from sim.tables.reference import ReferenceTable
from sim.tables.tables import Table, columns_of

_FLOW_COLUMNS = ("flow", "network", "messages", "carried_by", "source", "confidence", "note", "call")
_COMPARED = ("number", "name", "rule")
_PRESENCE = {"M": "required", "C": "required in some cases", "O": "optional", "X": "not used"}


def flows(network: AnyNetwork | None = None, interface: AnyInterface | None = None) -> Table:
    """List the networks' message flows and their elements.

    Parameters
    ----------
    network
        One of `sim.NETWORKS`. Default: all networks.
    interface
        The interface of the link, one of `sim.interfaces()`, to list only flows it supports. Default: the
        network's own.

    Returns
    -------
    Table
        `flow` (partial approval, balance inquiry, sign-on ...), `network` (empty for the standard's own),
        `messages` (MTIs), `carried_by` (elements and subfields: `60.10` is subfield 10 of DE 60),
        `source`, `confidence`, `note`, `call` (the `sim.exchange` call that makes one, if any).

    Raises
    ------
    ChoiceError
        Unknown network or interface.

    Examples
    --------
    >>> import sim
    >>> table = sim.flows("mastercard").set_index("flow")
    >>> table.loc["pre-authorization", "carried_by"]
    '61.7 = 4; 61.12 days; hold 30 days'
    """
    brand = None if network is None else network_named(network)
    link = None if interface is None else interface_of(interface_named(interface))
    brand = brand or (link and link.network) or None
    if link is not None and link.network != brand:
        where = {"network": brand} if brand else {}
        entries = {
            flow: _mtis_and_call(flow, **where, interface=link.name)
            for flow in read_toml("templates")["flows"]
        }
        # Flows with the same call are listed once.
        calls = {
            call: (flow, brand or "", mtis, "", link.source, "", "")
            for flow, (mtis, call) in reversed(entries.items())
        }
        own = sorted((*row, call) for call, row in calls.items() if call)
        return ReferenceTable(columns_of(_FLOW_COLUMNS, own))
    matches = [row for row in read_csv("networks/flows") if brand is None or row["network"] in ("", brand)]
    own_flows = {row["flow"] for row in matches if row["network"]}
    rows = [
        (*(row[name] for name in _FLOW_COLUMNS[:-1]), _call(row["flow"], row["network"], row["messages"]))
        for row in matches
        if brand is None or row["network"] or row["flow"] not in own_flows
    ]
    return ReferenceTable(columns_of(_FLOW_COLUMNS, sorted(rows)))


@cache
def _call(flow: str, name: str, messages: str) -> str:
    """The call that makes an exchange of *flow* on network *name*, in the version of *messages*; empty if
    there is none."""
    where = {"network": name} if name else {"version": version_of(messages) or DEFAULT_VERSION}
    return _mtis_and_call(flow, **where)[1]


def _mtis_and_call(flow: str, **where: str) -> tuple[str, str]:
    """The MTIs of an exchange of *flow*, and the call that makes it; empty if there is none."""
    options = read_toml("templates")["flows"].get(flow)
    if options is None:
        return "", ""
    options = {**where, **options}
    try:
        exchange = make(**options)
    except OptionError:  # no public source documents this flow there
        return "", ""
    purpose = options.pop("purpose", "")
    first = [f'"{purpose}"'] if purpose else []
    arguments = [f'{key}="{value}"' for key, value in options.items()]
    mtis = dict.fromkeys(message.mti for message in exchange.messages)
    return "/".join(mtis), f"sim.exchange({', '.join([*first, *arguments])})"


def compare(
    first: AnyNetwork,
    second: AnyNetwork,
    message_type: MessageType | str = "auth",
    *,
    version: AnyVersion | None = None,
) -> Table:
    """Compare what two networks require in one type of message.

    Parameters
    ----------
    first, second
        Two of `sim.NETWORKS`.
    message_type
        auth, financial, echo, advice or reversal, or an MTI such as 0110.
    version
        One of `sim.VERSIONS`. Default: the version both networks use on their own links, 1987 if they differ.

    Returns
    -------
    Table
        A row per element and rule that differ: `number`, `name`, `rule` (`mti`, `presence` or the id of a
        format) and a column per network, empty where it has no such rule.

    Raises
    ------
    ChoiceError
        Unknown network, version or message type.

    Examples
    --------
    >>> import sim
    >>> table = sim.compare("VISA", "MASTERCARD")
    >>> table[table["number"] == 61]["rule"].tolist()[:3]
    ['chip-card-swiped', 'other-amounts', 'pos-data']
    """
    names = (network_named(first), network_named(second))
    spoken = {row.native_version for row in map(network_of, names)}
    edition = version_named(version or (spoken.pop() if len(spoken) == 1 else DEFAULT_VERSION))
    mtis = [mti_named(message_type, name, edition) for name in names]
    sides = [dict(_requirements(name, mti, edition)) for name, mti in zip(names, mtis, strict=True)]
    rows = []
    for number, rule in sorted({*sides[0], *sides[1]}):
        values = [side.get((number, rule), "") for side in sides]
        if values[0] != values[1]:
            # One name if both networks use the same.
            called = dict.fromkeys(element_name(edition, number, name) for name in names if number)
            rows.append((number, " / ".join(called) or "Message type indicator", rule, *values))
    return ReferenceTable(columns_of((*_COMPARED, *names), rows, counts=("number",)))


def _requirements(name: str, mti: str, version: str) -> Iterator[tuple[tuple[int, str], str]]:
    """What a network requires of a message, by element and rule: its MTI, presence and formats."""
    yield (0, "mti"), mti
    for row in presence(name, mti):
        condition = f": {row.condition}" if row.presence == "C" and row.condition else ""
        yield (row.field, "presence"), _PRESENCE[row.presence] + condition
    for item in formats(name, mti, version):
        for number in item.fields:
            yield (number, item.id), f"{item.severity}: {item.expected}"

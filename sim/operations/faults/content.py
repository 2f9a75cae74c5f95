"""Faults of content: the text parses, but a rule of the standard or of a network has a finding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial

from sim.codec import Message, build, spans
from sim.errors import SpecError
from sim.judge import Severity, catalogue
from sim.operations.faults.change import CONTENT, EXCHANGE, Attempt, Broken, Fault, Row, change
from sim.parts import chip_data
from sim.spec import VERSIONS, version_of
from sim.spec.networks import judge, network, presence, told_name
from sim.spec.tables import read_csv, read_toml

_REQUIRED, _FORBIDDEN = "required-element", "forbidden-element"
# The messages that demonstrate missing and forbidden elements, the simplest first.
_SHOWN_ON = (
    *("auth", "stripe", "chip", "contactless", "ecommerce", "pin", "financial", "cashback", "advice"),
    *("chip-advice", "reversal", "echo", "approval", "decline", "reversal-answer"),
)


@cache
def rows() -> dict[str, Row]:
    """The tables' rows by fault id."""
    networks = {
        name: {"rule": name, "at": 0, **row} for name, row in read_toml("faults_networks")["faults"].items()
    }
    return {**read_toml("faults")["faults"], **networks}


def table() -> Iterator[tuple[Fault, Attempt]]:
    """The faults of the tables, then one for each element that networks require or forbid."""
    for name, row in rows().items():
        if lacking := [key for key in ("rule", "what", "field") if key not in row]:
            raise SpecError(None, None, f"[faults.{name}] with {', '.join(lacking)}", "none")
        owner = str(row.get("network", ""))
        editions = (network(owner).native_version,) if owner else VERSIONS
        versions = tuple(row.get("versions", editions))
        kinds = (str(row.get("base", "auth")),)
        fault = Fault(name, row["rule"], row["what"], versions, kinds, CONTENT, owner)
        yield fault, partial(_attempt, fault, row)
    yield from _presences()
    for name, row in read_toml("faults_exchange")["faults"].items():
        versions = (network(row.get("network", "VISA")).native_version,)
        owner = str(row.get("network", ""))
        yield Fault(name, row["rule"], row["what"], versions, (), EXCHANGE, owner), _no_single_message


def _no_single_message(message: Message, name: str | None) -> None:
    """Faults between messages need an exchange: see `sim.exchanges.breaking`."""


def _attempt(fault: Fault, row: Row, message: Message, name: str | None) -> Broken | None:
    if message.version not in fault.versions or fault.network not in ("", name):
        return None
    changed = change(row, message, name)
    severity = _severity(fault, row, changed[0], name) if changed else None
    if changed is None or severity is None:
        return None
    result, matched = changed
    at, number, places = _at(row, result, matched), row["field"], spans(result)
    path = f"{number}.{row['tag']}" if "tag" in row else str(row.get("path", number))
    start = None if at is None or number not in places else places[number][1] + at
    head = fault.id, fault.rule, fault.what, build(message), build(result), result.version, name
    return Broken(*head, severity, number, path, start, also=tuple(row.get("also", ())))


def _at(row: Row, message: Message, matched: int) -> int | None:
    """The position of the finding in its element; None if an element is missing."""
    at = row.get("at", 0 if "tag" in row else None)
    if isinstance(at, dict):
        at = at[message.version]
    value = message.get(row["field"])
    if row.get("at_end"):
        return len(value)
    if at is None:
        return None
    if "tag" in row:
        tags = reversed(chip_data.read_tags(value))  # the last one with this name
        return next((tag.value_start for tag in tags if tag.tag == row["tag"]), 0) + int(at)
    return int(at) + (matched if row.get("from_match") else len(value) if at < 0 else 0)


def _severity(fault: Fault, row: Row, message: Message, name: str | None) -> Severity | None:
    """The severity of the finding; None if the network has no such rule."""
    if "severity" in row:
        return Severity(row["severity"])
    if fault.network:
        formats = network(fault.network).formats
        return next(Severity(item.severity) for item in formats if fault.id.endswith(f"-{item.id}"))
    if fault.rule not in ("luhn", "pan-network", "network-mti-version"):
        return catalogue()[fault.rule].severity
    severity: str | None = None
    if name and fault.rule == "luhn":
        severity = "error" if network(name).luhn else "info"
    elif name and fault.rule == "pan-network":
        severity = judge(name, message[2]).severity
    elif name:
        severity = network(name).mti_versions.severity(message.mti)
    return Severity(severity) if severity else None


# Elements that networks require and forbid.


def _presences() -> Iterator[tuple[Fault, Attempt]]:
    table = [row for row in read_csv("networks/presence") if row["severity"] != "none"]
    for number in sorted({int(row["field"]) for row in table if row["presence"] in ("M", "C")}):
        what = f"DE {number}, which the network requires here, is missing."
        fault = Fault(f"without-de-{number}", _REQUIRED, what, VERSIONS, _SHOWN_ON, CONTENT)
        yield fault, partial(_presence, fault, number, None)
    sound = read_toml("faults_networks")["sound"]
    for number in sorted({int(row["field"]) for row in table if row["presence"] == "X"}):
        values = sound[str(number)]
        what = f"DE {number}, which the network does not use here, is present."
        fault = Fault(f"with-de-{number}", _FORBIDDEN, what, tuple(values), _SHOWN_ON, CONTENT)
        yield fault, partial(_presence, fault, number, values)


def _presence(
    fault: Fault, number: int, values: Mapping[str, str] | None, message: Message, name: str | None
) -> Broken | None:
    """The message without the element or, if *values* are given, with the one for its version; None unless
    the network's table requires or forbids the element in such a message."""
    if name is None or version_of(message.mti) != message.version:
        return None
    row = next((row for row in presence(name, message.mti) if row.field == number), None)
    if row is None or row.presence not in ("MC" if values is None else "X") or row.severity == "none":
        return None
    if (number in message) != (values is None) or (values is not None and message.version not in values):
        return None
    result = message.replace(**{f"de{number}": None if values is None else values[message.version]})
    original, raw = build(message), build(result)
    place = spans(result)[number][1] if number in result else None
    title, element = network(row.network).title, told_name(message.spec, number, row.network)
    clause = f"is {'missing' if values is None else 'present'}, which {title} "
    clause += "requires" if values is None else "does not use"
    what = f"DE {number} ({element}) {clause} in {row.mti}."
    head = fault.id, fault.rule, what, original, raw, result.version, name
    return Broken(*head, Severity(row.severity), number, str(number), place)

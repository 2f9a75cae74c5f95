"""Network requirements on the converted message."""

from __future__ import annotations

from datetime import UTC, datetime

from sim.codec import Message
from sim.elements import pos
from sim.judge import Severity
from sim.operations.conversion.draft import codes_of
from sim.operations.conversion.parts import merchant_place
from sim.operations.generation import generate, own_elements, template_of
from sim.operations.options import kinds_of
from sim.operations.recipes import place_in, with_state
from sim.operations.validation import validate
from sim.parts.layout import fitting
from sim.spec import number_of, region
from sim.spec.layouts import layouts
from sim.spec.recipes import DROPPED, recipes
from sim.spec.tables import read_toml

_REQUIRED = "required-element"
_USUAL_KIND, _ECHO = "auth", "echo"  # the default kind
_OTHERWISE = ("manual", "840")  # default entry and currency
_MANAGES = "8"  # second digit of the MTI of network management
SENT, FUNCTION, MANAGEMENT = 7, 24, 70
ENTRY, _PLACE = 22, 43


def own_code(source: Message, target: Message, name: str) -> str:
    """The code of network *name* in DE 70 for the function code of *source*; empty if it is unchanged or
    unknown."""
    kind = _kind(source, name, target.version)
    if MANAGEMENT not in target or kind is None:
        return ""
    code = generate(kind, network=name, version=target.version).message.get(MANAGEMENT)
    return "" if code == target[MANAGEMENT] else code


def _kind(message: Message, name: str, version: str) -> str | None:
    """The message type of a network management message, if *name* supports it."""
    for kind, row in read_toml("templates")["kinds"].items() if message.mti[1:2] == _MANAGES else ():
        if row["function"] == message.get(FUNCTION) and kind in kinds_of(name, version):
            return str(kind)
    return None


def of_network(message: Message, source: Message, name: str) -> list[tuple[int, str, str]]:
    """The elements of *message* that network *name* writes differently: number, value (empty: dropped), note.
    These are the merchant location in the network's layout, and the condition (DE 25) if the network has
    none; the entry mode then carries it."""
    changes = []
    if place := _place(message, source, name):
        changes.append((_PLACE, place, f"in the layout of {name}"))
    number = number_of("condition", message.version)
    dropped = (row.parts for row in recipes(name, message.version) if row.network and row.mentions("card"))
    if number in message and any(parts.get(str(number)) == DROPPED for parts in dropped):
        changes.append((number, "", f"{name} has no DE {number}"))
        entry = codes_of("1993", message.version, "entry of the condition").get(message[number])
        if entry and ENTRY in message:
            changes.append((ENTRY, entry + message[ENTRY][2:], f"{entry} contains the same as DE {number}"))
    return changes


def _place(message: Message, source: Message, name: str) -> str:
    """DE 43 of *source* in the own layout of network *name*; empty if there is none or it is unchanged."""
    candidates = [candidate for candidate in layouts(message.version, _PLACE, name) if candidate.network]
    if not candidates or _PLACE not in message:
        return ""
    split = fitting(source.version, _PLACE, source.get(_PLACE), name)
    if split is None:
        return ""
    parts, called, state, land = merchant_place(split)
    state = state if region(state) else ""
    layout = (with_state(candidates, bool(state)) or candidates)[0]
    value = place_in(layout, called, parts.get("city", ""), state, land, {})
    return "" if value == message[_PLACE] else value


def missing(
    message: Message, source: Message, name: str, clock: datetime
) -> tuple[dict[int, str], list[int]]:
    """The missing elements that network *name* requires: those that can be filled in (its own, as generated,
    and the transmission time), and the numbers of the others that make the message invalid."""
    findings = [finding for finding in validate(message, network=name).findings if finding.rule == _REQUIRED]
    numbers = {finding.field for finding in findings}
    if not numbers:
        return {}, []
    values: dict[int, str] = {}
    if any(row.network for row in recipes(name, message.version)):
        entry, currency = _OTHERWISE
        entry = "ecommerce" if pos.kind_of(message.get(ENTRY), message.version) == "ecommerce" else entry
        kind = _USUAL_KIND if message.mti[1:2] != _MANAGES else _kind(source, name, message.version) or _ECHO
        samples = own_elements(template_of(kind, name, message.version, "purchase", entry, currency, None))
        values = {number: value for number, value in samples.items() if number in numbers}
    if SENT in numbers:
        at = clock.astimezone(UTC) if clock.tzinfo else clock
        values[SENT] = f"{at:%m%d%H%M%S}"
    errors = {finding.field for finding in findings if finding.severity == Severity.ERROR}
    lacking = sorted(number for number in errors if number and number not in values)
    return dict(sorted(values.items())), lacking

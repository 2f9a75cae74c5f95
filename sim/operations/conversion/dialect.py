"""What the network asks of a message in its new version, and the old one had no place for."""

from __future__ import annotations

from datetime import UTC, datetime

from sim.codec import Message
from sim.elements import pos
from sim.judge import Severity
from sim.operations.conversion.draft import code_in
from sim.operations.conversion.parts import merchant_place
from sim.operations.generation import generate, own_elements
from sim.operations.options import kinds_of, settle
from sim.operations.recipes import place_in, with_state
from sim.operations.validation import validate
from sim.parts.layout import fitting
from sim.spec import number_of, region
from sim.spec.layouts import layouts
from sim.spec.recipes import DROPPED, recipes
from sim.spec.tables import read_toml

_REQUIRED = "required-element"
_USUAL_KIND, _ECHO = "auth", "echo"  # what a setting that says no more is of
_OTHERWISE = ("manual", "840")  # entry and currency of a setting that says no more
_MANAGES = "8"  # second digit of the MTI of network management
SENT, FUNCTION, MANAGEMENT = 7, 24, 70
ENTRY, _PLACE = 22, 43


def own_code(source: Message, made: Message, name: str) -> str:
    """The code by which network *name* asks in DE 70 for what the function code of *source* does; empty where
    it stands there already, or nothing is known of it."""
    kind = _kind(source, name, made.version)
    if MANAGEMENT not in made or kind is None:
        return ""
    own = generate(kind, network=name, version=made.version).message.get(MANAGEMENT)
    return "" if own == made[MANAGEMENT] else own


def _kind(message: Message, name: str, version: str) -> str | None:
    """What generate calls a message of network management with that function code, where *name* has it."""
    for kind, row in read_toml("templates")["kinds"].items() if message.mti[1:2] == _MANAGES else ():
        if row["function"] == message.get(FUNCTION) and kind in kinds_of(name, version):
            return str(kind)
    return None


def of_network(message: Message, source: Message, name: str) -> list[tuple[int, str, str]]:
    """What network *name* has otherwise than the standard has it in *message*: element, value (empty where it
    has none), and what is said about it. The place of the merchant in the network's own layout; no
    condition where the network has none, and the entry mode says what it can."""
    changes = []
    if place := _place(message, source, name):
        changes.append((_PLACE, place, f"in the layout of {name}"))
    number = number_of("condition", message.version)
    dropped = (row.parts for row in recipes(name, message.version) if row.network and row.mentions("card"))
    if number in message and any(parts.get(str(number)) == DROPPED for parts in dropped):
        changes.append((number, "", f"{name} has no DE {number}"))
        entry = code_in("1993", message.version, "entry of the condition", message[number])
        if entry and ENTRY in message:
            changes.append((ENTRY, entry + message[ENTRY][2:], f"{entry} contains the same as DE {number}"))
    return changes


def _place(message: Message, source: Message, name: str) -> str:
    """DE 43 of *source* in the layout that network *name* has of its own; empty where there is none, or it is
    so already."""
    own = [one for one in layouts(message.version, _PLACE, name) if one.network]
    found = fitting(source.version, _PLACE, source.get(_PLACE), name) if own and _PLACE in message else None
    if found is None:
        return ""
    parts, called, state, land = merchant_place(found)
    state = state if region(state) else ""
    layout = (with_state(own, bool(state)) or own)[0]
    made = place_in(layout, called, parts.get("city", ""), state, land, {})
    return "" if made == message[_PLACE] else made


def missing(
    message: Message, source: Message, name: str, clock: datetime
) -> tuple[dict[int, str], list[int]]:
    """The elements that network *name* asks for and *message* has not: those of its own as generate writes
    them, and the moment of sending; and those of which there is no example but make it invalid."""
    findings = [one for one in validate(message, network=name).findings if one.rule == _REQUIRED]
    wanted = {one.field for one in findings}
    if not wanted:
        return {}, []
    found: dict[int, str] = {}
    if any(row.network for row in recipes(name, message.version)):
        entry, currency = _OTHERWISE
        entry = "ecommerce" if pos.entry_kind(message) == "ecommerce" else entry
        kind = _USUAL_KIND if message.mti[1:2] != _MANAGES else _kind(source, name, message.version) or _ECHO
        samples = own_elements(settle(kind, name, message.version, "purchase", entry, currency))
        found = {number: value for number, value in samples.items() if number in wanted}
    if SENT in wanted:
        at = clock.astimezone(UTC) if clock.tzinfo else clock
        found[SENT] = f"{at:%m%d%H%M%S}"
    errors = {one.field for one in findings if one.severity == Severity.ERROR}
    return dict(sorted(found.items())), sorted(number for number in errors if number and number not in found)

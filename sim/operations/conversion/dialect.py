"""What the network asks of a message in its new version, and the old one had no place for."""

from __future__ import annotations

from datetime import UTC, datetime

from sim.codec import Message
from sim.elements import pos
from sim.judge import Severity
from sim.operations.generation import generate, own_elements
from sim.operations.options import kinds_of, settle
from sim.operations.validation import validate
from sim.spec.recipes import recipes
from sim.spec.tables import read_toml

_REQUIRED = "required-element"
_USUAL_KIND, _ECHO = "auth", "echo"  # what a setting that says no more is of
_OTHERWISE = ("manual", "840")  # entry and currency of a setting that says no more
_MANAGES = "8"  # second digit of the MTI of network management
SENT, FUNCTION, MANAGEMENT = 7, 24, 70


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

"""What the network asks of a message in its new version, and the old one had no place for."""

from __future__ import annotations

from sim.codec import Message
from sim.elements import pos
from sim.operations.choosing import chosen_network
from sim.operations.generation import own_elements
from sim.operations.options import settle
from sim.operations.validation import validate
from sim.spec.recipes import recipes

_REQUIRED = "required-element"
_OTHERWISE = ("auth", "manual", "840")  # kind, entry and currency of a setting that says no more


def missing(message: Message, asked: str | None) -> dict[int, str]:
    """The elements of its own that the network (*asked*, else the card's) misses in *message*, as generate
    writes them; empty where it misses none that it has an example of."""
    name = chosen_network(message, asked)
    if name is None or not any(row.network for row in recipes(name, message.version)):
        return {}
    findings = validate(message, network=name).findings
    wanted = {finding.field for finding in findings if finding.rule == _REQUIRED}
    if not wanted:
        return {}
    kind, entry, currency = _OTHERWISE
    entry = "ecommerce" if pos.entry_kind(message) == "ecommerce" else entry
    samples = own_elements(settle(kind, name, message.version, "purchase", entry, currency))
    return {number: value for number, value in samples.items() if number in wanted}

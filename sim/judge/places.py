"""Where what a rule found stands in the text of a message, and in which words it is told."""

from __future__ import annotations

from collections.abc import Sequence

from sim.codec import Message
from sim.codec.walk import BITMAP_WIDTH, MTI_WIDTH
from sim.errors import element_label, located
from sim.judge.bound import Said
from sim.judge.finding import Finding, Hit
from sim.judge.words import RuleText
from sim.spec import Spec
from sim.spec.networks import told_name

# A rule's words and what its check reported: all that is needed to make a finding.
Located = tuple[RuleText, Hit]


class Places:
    """Where the elements of a message stand in its text, worked out when a finding asks."""

    __slots__ = ("_found", "_message", "spec")

    def __init__(self, message: Message) -> None:
        self.spec = message.spec
        self._message = message
        self._found: dict[int, tuple[int, int]] | None = None

    def of(self, field: int | None) -> tuple[int, int] | None:
        """Start and end of an element's value (0 MTI, 1 bitmap); None for one that is not there."""
        if self._found is None:
            self._found = self._all()
        return None if field is None else self._found.get(field)

    def _all(self) -> dict[int, tuple[int, int]]:
        message, elements = self._message, self.spec.elements
        end = MTI_WIDTH + (2 if message.has_secondary else 1) * BITMAP_WIDTH
        found = {0: (0, MTI_WIDTH), 1: (MTI_WIDTH, end)}
        for number, value in sorted(message.fields.items()):
            start = end + elements[number - 1].prefix
            end = start + len(value)
            found[number] = start, end
        return found


def loudness(said: Said) -> int:
    """0 for an error, 1 for a warning, 2 for a remark."""
    return (said.hit.severity or said.text.severity).rank


def locate_all(places: Places, found: Sequence[Said]) -> list[Finding]:
    """What was said as findings with their place in the text, ordered by element, then severity."""
    made = [finding(places, one.text, one.hit, one.network) for one in found]
    return sorted(made, key=lambda one: (one.field or 0, one.severity.rank, one.start or 0))


def sentence(places: Places, hit: Hit) -> str:
    """What a hit says, in the words that errors use."""
    field, expected, found, at, _, path, *_, said = hit
    if said:
        return said
    place = places.of(field)
    label = f"DE {path}" if path else element_label(field)
    return located(label, None if place is None else place[0] + at, expected, found)


def finding(places: Places, text: RuleText, hit: Hit, network: str = "") -> Finding:
    """One hit of a rule as a finding."""
    start = end = None
    if place := places.of(hit.field):
        start = place[0] + hit.at
        end = place[1] if hit.size is None else min(start + hit.size, place[1])
    path = hit.path or ("" if hit.field is None else str(hit.field))
    return Finding(
        severity=hit.severity or text.severity,
        network=network,
        field=hit.field,
        path=path,
        name=_name(places.spec, hit.field, network),
        rule=text.id,
        message=sentence(places, hit),
        start=start,
        end=end,
        expected=hit.expected,
        found=hit.found,
        hint=hit.hint or text.hint,
        source=text.source,
    )


def _name(own: Spec, field: int | None, network: str) -> str:
    if field is None:
        return "message"
    if field == 0:
        return "Message type indicator"
    return told_name(own, field, network)

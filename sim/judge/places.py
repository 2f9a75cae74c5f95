"""Where what a rule found stands in the text of a message, and in which words it is told."""

from __future__ import annotations

from collections.abc import Sequence

from sim.codec import Message
from sim.codec.bitmap import ALL_BITS, PRIMARY_BITS
from sim.codec.text import spans_of
from sim.errors import element_label, located
from sim.judge.bound import Said
from sim.judge.finding import Finding, Hit
from sim.judge.words import RuleText
from sim.spec import Spec
from sim.spec.networks import told_name

# A rule's words and what its check reported: all that is needed to make a finding.
Located = tuple[RuleText, Hit]


class Places:
    """Where the elements of a message stand in its text, worked out when a finding asks. Keeps lengths, no
    message."""

    __slots__ = ("_found", "_numbers", "_secondary", "_sizes", "spec")

    def __init__(self, message: Message) -> None:
        self.spec = message.spec
        self._secondary = message.empty_secondary
        self._numbers, self._sizes = tuple(message.fields), tuple(map(len, message.fields.values()))
        self._found: dict[int, tuple[int, int, int]] | None = None

    def of(self, field: int | None) -> tuple[int, int] | None:
        """Start and end of an element's value (0 MTI, 1 bitmap); None for one that is not there."""
        if field is None:
            return None
        if self._found is None or field not in self._found:
            if field > 1 and field not in self._numbers:
                return None
            # Most that is said is of the card, in front: the rest is worked out when that is asked for.
            last = field if self._found is None else ALL_BITS
            secondary = self._secondary or max(self._numbers, default=0) > PRIMARY_BITS
            self._found = spans_of(self.spec, zip(self._numbers, self._sizes, strict=True), secondary, last)
        return self._found[field][1:]


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

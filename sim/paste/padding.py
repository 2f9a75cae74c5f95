"""Where odd packed digits are filled up. One message's elements of a group (fixed, variable, tracks) are
filled up alike, so what each of them allows, and which values are known codes, settles it; or does not, and
that is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sim.codec.wire.formats import BCD
from sim.paste.search import Step
from sim.paste.ways import odd_said
from sim.paste.worth import is_known_code

_GROUPS = ("fixed", "variable", "track")
_SHOWN = 4


@dataclass(slots=True)
class Padding:
    """`values` of all elements with the chosen filling; `groups` what was chosen, as a format says it,
    `elements` where single ones differ; `said` in words; `unsettled` what the message leaves open;
    `doubtful` what one element alone says against the format, which a flipped bit may be."""

    values: dict[int, str]
    groups: dict[str, str] = field(default_factory=dict)
    elements: dict[int, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    unsettled: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)


def settle(steps: Sequence[Step]) -> Padding:
    """Choose a filling for each group of *steps*."""
    found = Padding({step.number: step.value for step in steps})
    groups = {group: [step for step in steps if _group(step) == group and _is_odd(step)] for group in _GROUPS}
    for group, odd in groups.items():
        if odd:
            _settle(group, odd, found, _side_of(groups["variable"]) if group == _GROUPS[0] else "")
    return found


def _side_of(odd: Sequence[Step]) -> str:
    """The side that elements of variable length leave no choice but to be filled up on; empty for none. One
    of fixed length that is filled up there, too, is no chance."""
    only = [sides for step in odd if len(sides := {said.split()[0] for said, _ in step.values}) == 1]
    return next(iter(only[0])) if only and all(one == only[0] for one in only) else ""


def _group(step: Step) -> str:
    made = step.way.field
    return "track" if made.content == "z" else "fixed" if made.fixed else "variable"


def _is_odd(step: Step) -> bool:
    return step.way.field.written == BCD and len(step.way.fields) > 1 and len(step.value) % 2 == 1


def _settle(group: str, odd: list[Step], found: Padding, side: str) -> None:
    options = [said for said, _ in odd[0].values if all(said in dict(step.values) for step in odd)]
    if not options:  # they are not filled up alike: each for itself
        found.elements |= {step.number: step.values[0][0] for step in odd}
        open_ones = [step for step in odd if len({value for _, value in step.values}) > 1]
        if open_ones:
            found.unsettled.append(_both(open_ones))
        return
    votes = {said: sum(_vote(step, dict(step.values)[said]) for step in odd) for said in options}
    best = max(votes.values())
    equal = [said for said in options if votes[said] == best]
    chosen = equal[0]
    found.groups[group] = chosen
    agreed = side and chosen.startswith(side)
    if group == _GROUPS[0] and not agreed and (alone := _alone(odd, chosen)):
        said = f"only DE {alone} says that odd digits are filled up {chosen}"
        (found.unsettled if chosen == odd_said(odd[0].way.field) else found.doubtful).append(said)
    found.values |= {step.number: dict(step.values)[chosen] for step in odd}
    for step in odd:  # a known code, filled up otherwise than the rest is, is that code
        codes = {value: said for said, value in step.values if _vote(step, value)}
        if codes and found.values[step.number] not in codes:
            found.values[step.number], found.elements[step.number] = next(iter(codes.items()))
    differ = [step for step in odd if len({dict(step.values)[said] for said in equal}) > 1]
    if differ:
        found.unsettled.append(_both(differ))
    else:
        noun = "tracks" if group == "track" else f"{group} numbers"
        found.said.append(f"odd {noun} filled up {chosen}")


def _alone(odd: Sequence[Step], chosen: str) -> int:
    """The one element that speaks against filling up on the other side, where its value is no known code
    and the others have room for that; 0 for none. Half a byte F that fills up is no chance."""
    other = {"left 0": "right 0", "right 0": "left 0"}.get(chosen, "")
    against = [step for step in odd if other not in dict(step.values)]
    if not other or len(against) != 1 or _vote(against[0], dict(against[0].values)[chosen]):
        return 0
    plain = odd_said(odd[0].way.field)
    return against[0].number if chosen != plain or len(odd) > 1 else 0


def _vote(step: Step, value: str) -> bool:
    """Whether a value is known: only codes say anything."""
    return is_known_code(step.number, value)


def _both(steps: list[Step]) -> str:
    """The reason that names both values of each; card data are never shown, they are too long."""
    shown = []
    for step in steps[:_SHOWN]:
        values = list(dict.fromkeys(value for _, value in step.values))
        if len(values[0]) > _SHOWN:
            shown.append(f"DE {step.number}")
        else:
            shown.append(f"DE {step.number} is {' or '.join(values)}")
    return f"odd packed digits may be filled up on either side: {', '.join(shown)}"

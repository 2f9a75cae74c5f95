"""The padding of packed numbers with an odd digit count. A message pads all elements of a group (fixed,
variable, tracks) alike, so what each element allows, and which values are known codes, decides; if it does
not, that is reported."""

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
    """The `values` of all elements with the chosen padding; `groups` is the choice in a format's terms,
    `elements` the exceptions; `said` the same in words; `unsettled` what the message leaves open; `doubtful`
    what a single element claims against the format, which may be a flipped bit."""

    values: dict[int, str]
    groups: dict[str, str] = field(default_factory=dict)
    elements: dict[int, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    unsettled: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)


def settle(steps: Sequence[Step], *, own: bool = False) -> Padding:
    """Choose a padding for each group of *steps*; with *own*, a user's format, its own wherever that fits."""
    padding = Padding({step.number: step.value for step in steps})
    packed = (step for step in steps if step.way.field.written == BCD and len(step.way.fields) > 1)
    odd_ones = [step for step in packed if len(step.value) % 2]
    if own and all(odd_said(step.way.field) in dict(step.values) for step in odd_ones):
        padding.values |= {step.number: dict(step.values)[odd_said(step.way.field)] for step in odd_ones}
        return padding
    groups = {group: [step for step in odd_ones if _group(step) == group] for group in _GROUPS}
    for group, odd in groups.items():
        if odd:
            _settle(group, odd, padding, _side_of(groups["variable"]) if group == _GROUPS[0] else "")
    return padding


def _side_of(odd: Sequence[Step]) -> str:
    """The only side on which the variable-length elements can be padded; empty if there is none. A
    fixed-length element padded on the same side is hardly a coincidence."""
    only = [sides for step in odd if len(sides := {padding.split()[0] for padding, _ in step.values}) == 1]
    return next(iter(only[0])) if only and all(choice == only[0] for choice in only) else ""


def _group(step: Step) -> str:
    element = step.way.field
    return "track" if element.content == "z" else "fixed" if element.fixed else "variable"


def _settle(group: str, odd: list[Step], padding: Padding, side: str) -> None:
    options = [option for option, _ in odd[0].values if all(option in dict(step.values) for step in odd)]
    if not options:  # not padded alike: each element by itself
        padding.elements |= {step.number: step.values[0][0] for step in odd}
        open_ones = [step for step in odd if len({value for _, value in step.values}) > 1]
        if open_ones:
            padding.unsettled.append(_both(open_ones))
        return
    votes = {
        option: sum(is_known_code(step.number, dict(step.values)[option]) for step in odd)
        for option in options
    }
    best = max(votes.values())
    equal = [option for option in options if votes[option] == best]
    chosen = equal[0]
    padding.groups[group] = chosen
    agreed = side and chosen.startswith(side)
    if group == _GROUPS[0] and not agreed and (alone := _alone(odd, chosen)):
        sentence = f"only DE {alone} says that odd digits are padded {chosen.replace(' ', ' with ')}"
        (padding.unsettled if chosen == odd_said(odd[0].way.field) else padding.doubtful).append(sentence)
    padding.values |= {step.number: dict(step.values)[chosen] for step in odd}
    for step in odd:  # a known code wins even if it is padded differently
        codes = {value: option for option, value in step.values if is_known_code(step.number, value)}
        if codes and padding.values[step.number] not in codes:
            padding.values[step.number], padding.elements[step.number] = next(iter(codes.items()))
    differ = [step for step in odd if len({dict(step.values)[option] for option in equal}) > 1]
    if differ:
        padding.unsettled.append(_both(differ))
    else:
        noun = "tracks" if group == "track" else f"{group} numbers"
        padding.said.append(f"odd {noun} padded {chosen.replace(' ', ' with ')}")


def _alone(odd: Sequence[Step], chosen: str) -> int:
    """The only element that rules out padding on the other side, if its value is not a known code and the
    others allow it; 0 if there is none. Padding with F is hardly a coincidence."""
    other = {"left 0": "right 0", "right 0": "left 0"}.get(chosen, "")
    against = [step for step in odd if other not in dict(step.values)]
    if not other or len(against) != 1 or is_known_code(against[0].number, dict(against[0].values)[chosen]):
        return 0
    plain = odd_said(odd[0].way.field)
    return against[0].number if chosen != plain or len(odd) > 1 else 0


def _both(steps: list[Step]) -> str:
    """The reason, with both values of each element; card data are too long to be shown."""
    texts = []
    for step in steps[:_SHOWN]:
        values = list(dict.fromkeys(value for _, value in step.values))
        if len(values[0]) > _SHOWN:
            texts.append(f"DE {step.number}")
        else:
            texts.append(f"DE {step.number} is {' or '.join(values)}")
    return f"odd packed digits may be padded on either side: {', '.join(texts)}"

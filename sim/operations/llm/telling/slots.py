"""What a model may say of a message: slots, each a phrase that says all of what it says.

`{DE4}` is the element with its name and what it holds, `{DE39.meaning}` what its code means; `{card}` and
the like are phrases, `{all.outcome}` and the like whole sentences of the explanation by rules. What strangers
typed fills a slot, too, but is not shown to the model: it can give it no orders, and no card data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sim.codec import Message
from sim.elements import money
from sim.elements import mti as mtis
from sim.elements.card import account
from sim.elements.meaning import meaning
from sim.errors import with_article
from sim.judge.finding import Finding
from sim.masking import is_sensitive, mask, mask_pan
from sim.operations.story import tell
from sim.operations.validation import Report
from sim.spec.networks import detect

_MOST_FINDINGS = 10
# Content that anybody may have typed, and the open elements that hold codes all the same.
_OPEN = ("ans", "ansb", "as", "an", "anp", "ns", "z")
_CODES = (22, 39, 49, 50, 51)
_BLANK = "X"  # stands for what was typed
_TYPED = re.compile(f"{_BLANK}{{3,}}(?:[ ,]+{_BLANK}+)*")
_TOLD = (37, 38, 41, 42)  # open ones without a meaning, of which the explanation by rules tells, too


@dataclass(frozen=True, slots=True)
class Slot:
    """What fills a slot; a `whole` one is a sentence."""

    text: str
    whole: bool = False


def slots(message: Message, network: str | None, report: Report) -> dict[str, Slot]:
    """Every slot for *message*, by its name."""
    made = {name: Slot(text) for name, text in _phrases(message) if text}
    for name, sentence in tell(message, network).items():
        made[f"all.{name}"] = Slot(sentence.removesuffix("."), whole=True)
    for number in sorted(message.fields):
        said = meaning(message, number, network)
        made[f"DE{number}"] = Slot(_element(message, number, said))
        if said and (number in _CODES or not _is_open(message, number)):
            made[f"DE{number}.meaning"] = Slot(said)
    made["verdict"] = Slot("valid by the rules" if report.valid else "not valid by the rules")
    for name, found in _findings(report):
        made[name] = Slot(f"{_about(found)}: expected {found.expected}")
    return made


def previews(message: Message, network: str | None, report: Report) -> dict[str, str]:
    """What a model is shown of each slot: what fills it, but for what anybody may have typed."""
    typed = [number for number in message.fields if _is_open(message, number) and number not in _CODES]
    blank = {f"de{number}": _BLANK * len(message[number]) for number in typed}
    shown = slots(message.replace(**blank), network, report)
    rules = {name: f"{_about(found)}, by the rule {found.rule}" for name, found in _findings(report)}
    seen = {name: _TYPED.sub("[text]", slot.text) for name, slot in shown.items()} | rules
    return {name: seen.get(name, "[text]") for name in slots(message, network, report)}


def _findings(report: Report) -> list[tuple[str, Finding]]:
    return [(f"finding{n}", one) for n, one in enumerate(report.findings[:_MOST_FINDINGS], start=1)]


def _about(found: Finding) -> str:
    place = f"DE {found.path}" if found.field and found.field > 1 else found.name
    return f"{with_article(str(found.severity))} about {place}"


def _is_open(message: Message, number: int) -> bool:
    """Whether the element takes free text, which a stranger may have typed, and is not hidden anyway."""
    version = message.version
    return message.spec[number].content in _OPEN and not is_sensitive(number, version)


def _phrases(message: Message) -> Iterator[tuple[str, str]]:
    kind = mtis.split(message.mti)
    yield "MTI", f"MTI {message.mti}"
    yield "kind", with_article(kind.name or f"{kind.message_class} {kind.function}".strip() or "message")
    yield "version", f"ISO 8583:{message.version}"
    number, pan = account(message)
    if number and pan.isdigit():
        brand = detect(pan)
        yield "card", f"{with_article(brand.brand if brand else 'unknown')} card {mask_pan(pan)}"
    if 4 in message:
        yield "amount", money.say(message)
    if 43 in message:
        yield "merchant", meaning(message, 43)


def _element(message: Message, number: int, said: str) -> str:
    """An element with its name, and its value or what that means; of card data and free text no value."""
    element = message.spec[number]
    name = element.name if element.name[1:2].isupper() else element.name[:1].lower() + element.name[1:]
    if element.pattern or number in (4, 5, 6, 43, 54):
        return f"{name} {said}"
    if number == 2 and not mtis.is_network_management(message.mti):
        return f"{name} {mask_pan(message[2])}"
    open_value = _is_open(message, number) and number not in _TOLD + _CODES
    if open_value or element.binary or is_sensitive(number, message.version):
        return f"{name} (DE {number})"
    value = mask(number, message[number], message.version, account(message)[1])
    return f"{name} {' '.join(value.split())}"

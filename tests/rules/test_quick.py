"""The quick ways of the engine answer what the rules themselves answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import VECTORS, generated

from sim.codec import Message, ParseError, parse
from sim.operations import NETWORKS
from sim.rules import engine, networks
from sim.rules.content import clean_values
from sim.spec import VERSIONS, spec


def _messages() -> Iterator[Message]:
    for row in VECTORS:
        try:
            yield parse(row["message"], row["version"])
        except ParseError:
            continue
    for _, _, message in generated():
        yield message


GOOD = list(_messages())


@st.composite
def messages(draw: st.DrawFn) -> Message:
    """A message of the vectors or of generate with some values changed or gone."""
    message = draw(st.sampled_from(GOOD))
    fields = dict(message.fields)
    for number in draw(st.sets(st.sampled_from(sorted(fields) or [3]), max_size=3)):
        if draw(st.booleans()):
            fields.pop(number, None)
        elif number in fields:
            text = st.text(st.sampled_from("0123456789ACD \x1f\n=é"), min_size=1)
            width = len(fields[number]) if spec(message.version)[number].fixed else 8
            fields[number] = (draw(text) * width)[:width]
    return Message(message.mti, fields, message.version, message.empty_secondary)


def _directly(message: Message) -> list[engine.Located]:
    """Every rule that applies, asked about the message itself."""
    plan = engine.plan_for(message.version, message.mti, tuple(message.fields))
    rules = (*plan.coded, *plan.screened, *plan.others)
    return [(item.text, hit) for item in rules for hit in item.check(message)]


@given(messages())
def test_remembered_and_screened_rules_say_the_same(message: Message) -> None:
    """What is remembered of codes, and what a screen spares, is what the rules would have said."""
    quick = sorted(engine.hits(message), key=repr)
    assert quick == sorted(_directly(message), key=repr)


@given(messages())
def test_a_screen_is_never_wrong(message: Message) -> None:
    """Where the screen calls the values clean, no rule it speaks for has anything to report."""
    present = tuple(message.fields)
    if clean_values(message.version, present)(message):
        plan = engine.plan_for(message.version, message.mti, present)
        assert [hit for item in plan.screened for hit in item.check(message)] == []


@given(messages(), st.sampled_from(NETWORKS))
def test_networks_say_the_same_of_a_shadow(message: Message, name: str) -> None:
    """A network's conditions read nothing but codes and which elements are there."""
    present = tuple(message.fields)
    codes = tuple(message.fields[number] for number in present if number in engine.CODED)
    shadow = engine.shadow(message.version, message.mti, present, False, codes)
    for condition in networks.PREDICATES.values():
        assert condition(shadow) == condition(message)


@pytest.mark.parametrize("version", VERSIONS)
def test_good_messages_are_mostly_screened(version: str) -> None:
    """The screen spares its rules for nearly every good message, or it would be of no use."""
    asked = [message for message in GOOD if message.version == version and message.fields]
    clean = [one for one in asked if clean_values(version, tuple(one.fields))(one)]
    assert len(clean) > 0.8 * len(asked)

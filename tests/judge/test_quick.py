"""The quick ways of the engine answer what the rules themselves answer."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kept import texts
from support import VECTORS, generated

from sim.codec import Message, ParseError, parse
from sim.elements.pan import account
from sim.judge import Finding, engine, networks
from sim.judge.content import clean_values
from sim.judge.likeness import likeness
from sim.operations import NETWORKS, verdict
from sim.operations.validation import chosen_network, judge
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


def _like(message: Message) -> Iterator[Message]:
    """The message, and others that differ from it in one thing: most are of the same kind."""
    yield message
    if max(message.fields) <= 64:
        yield replace(message, empty_secondary=not message.empty_secondary)
    for number, value in message.fields.items():
        element = spec(message.version)[number]
        last = chr(ord(value[-1:] or "0") ^ 1)
        others = {value[:-1] + last, "0" * len(value), "A1" + value[2:], "9" + value[1:]}
        if not element.fixed:
            others |= {value[:-1], value[:-3], value + value[-1:], "7" + value}
        if number == 35:  # a shorter card number in a track as long as before
            pan, separator, rest = value.partition("=")
            wrong = pan[:-1] + chr(ord(pan[-1:] or "0") ^ 1)
            others |= {wrong + separator + rest, pan[:-1] + separator + rest + pan[-1:]}
        for other in sorted(others):
            if len(other) == len(value) or (not element.fixed and len(other) <= element.width):
                yield replace(message, fields={**message.fields, number: other})


def _afresh(message: Message, network: str | None) -> dict[str, tuple[Finding, ...]]:
    """What is said of a message when nothing is remembered."""
    made = verdict.Verdict.on(message, chosen_network(message, network))
    made.ask(message, NETWORKS)
    assert made.standard is not None
    said = {name: result.findings for name, result in made.results(NETWORKS).items()}
    return said | {"": made.standard.findings, "own": made.own.findings if made.own else ()}


@pytest.mark.parametrize("start", range(8))
def test_remembered_verdicts_are_what_would_be_said_afresh(start: int) -> None:
    """Of messages that differ in one value, each is said what it is told when nothing is remembered:
    findings, places, errors of the standard and of every network."""
    told = 0
    chosen = [message for message in GOOD[start::80] if message.fields]
    chosen += [message.replace(de2=None) for message in chosen if 35 in message]
    for message in chosen:
        for network, one in itertools.product((None, "AMEX"), _like(message)):
            afresh = _afresh(one, network)
            report = judge(one, network, NETWORKS)
            told += likeness(one) is not None
            assert report.network == chosen_network(one, network)
            assert report.findings == (*afresh[""], *afresh["own"])
            results = {name: result.findings for name, result in report.networks.items()}
            assert results == {name: afresh[name] for name in NETWORKS}
            errors = sorted(found.message for found in report.findings if found.is_error)
            assert sorted(report.errors) == errors
            assert report.valid == (not errors)
    assert told


def test_good_messages_are_mostly_alike() -> None:
    """Nearly every good message has a likeness, and they have far fewer than there are messages."""
    seen = [likeness(message) for message in GOOD if message.fields]
    known = [one for one in seen if one is not None]
    assert len(known) > 0.8 * len(seen)
    assert len(set(known)) < len(known)


def test_verdicts_are_kept_without_card_data() -> None:
    """Nothing that is remembered of a message holds its card number, track, PIN block or chip data."""
    verdict.VERDICTS.clear()
    secrets = set()
    for message in GOOD:
        judge(message, None, NETWORKS)
        held = {message.get(number) for number in (34, 35, 45, 52, 55)} | {account(message)[1]}
        secrets |= {value for value in held if len(value) >= 12}
    assert secrets
    kept = "\n".join(set(texts(verdict.VERDICTS)))
    assert "a card number of Mastercard" in kept
    assert [one for one in secrets if one in kept] == []


def test_memory_of_verdicts_is_bounded() -> None:
    """Ever new keys do not make it grow, and one that is asked for between them stays."""
    memory = verdict.Memory(5)
    often = verdict.Verdict("1987", None)
    memory.keep(("often",), often)
    for at in range(50):
        memory.keep((at,), verdict.Verdict("1987", None))
        assert memory.get(("often",)) is often
        assert len(memory) <= 10
    assert memory.get((1,)) is None

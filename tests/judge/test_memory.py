"""No verdict depends on what came before; what is remembered holds no card, and is bounded."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
from kept import texts
from mutations import afresh, good, pairs, told
from support import ALL, AT, MORE

from sim.codec import Message
from sim.elements.card import account
from sim.errors import SpecError
from sim.judge import DE, Hit, Maybe, rule
from sim.judge.engine import MEMORY, MOST
from sim.operations import NETWORKS, Report, generate, validate
from sim.operations.validation import judge
from sim.spec import spec

PAIRS = 200 if ALL else 50 if MORE else 20


def test_verdicts_are_the_same_whatever_came_before() -> None:
    """Of a message and of one that differs a little, both said twice, each is told what is said of it when
    nothing is remembered: findings, places and errors of the standard and of every network."""
    some = Random(13)
    asked = [
        (message, some.choice((None, None, *NETWORKS)))
        for pair in pairs(some, PAIRS)
        for message in (*pair, *pair)
    ]
    MEMORY.forget()
    after_others = [told(judge(message, network, NETWORKS)) for message, network in asked]
    for (message, network), said in zip(asked, after_others, strict=True):
        assert afresh(message, network) == said


def test_verdicts_are_the_same_from_eight_threads() -> None:
    """Threads that judge the same messages at once get what one alone gets."""
    some = Random(17)
    messages = [message for pair in pairs(some, 24 if MORE else 10) for message in pair] * 2
    alone = [afresh(message, None) for message in messages]
    MEMORY.clear()

    def run(seed: int) -> list[int]:
        order = list(range(len(messages)))
        Random(seed).shuffle(order)
        return [at for at in order if told(judge(messages[at], None, NETWORKS)) != alone[at]]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(run, range(8))) == [[]] * 8


def test_the_same_message_again_is_not_remembered_again() -> None:
    """What was said of a message once, chip data and disagreeing amounts included, is there the second time:
    the thousandth is no dearer."""
    for message in good():
        for one in (message, message.replace(de4="0" * 11 + "7") if 4 in message else message):
            judge(one, None, NETWORKS)
    MEMORY.forget()
    for message in good()[::7]:
        judge(message, None, NETWORKS)
        before = MEMORY.count
        judge(message, None, NETWORKS)
        assert MEMORY.count == before


def test_a_number_of_its_own_is_not_remembered() -> None:
    """The next message has another STAN, time, reference and amount: memory is for what recurs."""
    message = generate("auth", network="VISA", entry="stripe", at=AT).message
    judge(message, None, NETWORKS)
    for number, value in ((11, "654321"), (7, "1120101531"), (37, "632410654321"), (4, "000000001001")):
        before = MEMORY.count
        judge(message.replace(**{f"de{number}": value}), None, NETWORKS)
        assert MEMORY.count == before, number


def test_nothing_remembered_holds_card_data() -> None:
    """Nothing that is remembered of a message holds its card number, track, PIN block or chip data."""
    MEMORY.clear()
    secrets = set()
    for message in (*good(), *good()):
        judge(message, None, NETWORKS)
        held = {message.get(number) for number in (34, 35, 45, 52, 55)} | {account(message)[1]}
        secrets |= {value for value in held if len(value) >= 12}
    assert secrets
    kept = "\n".join(texts([kept.remembered() for kept in MEMORY.types.values()]))
    assert "a card number of Mastercard" in kept
    assert [one for one in secrets if one in kept] == []


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ever new layouts, terminals and hundreds of unknown tags are forgotten again."""
    MEMORY.clear()
    bound = MOST // 20
    monkeypatch.setattr("sim.judge.engine.MOST", bound)
    some, most = Random(19), 0
    free = [element.number for element in spec("1987").elements if not element.fixed]
    tags = "".join(f"DF{number:02X}0101" for number in range(0x7F)) * 2
    for at in range(100):
        judge(Message("0100", dict.fromkeys(sorted(some.sample(free, 9)), "")), None, ())
        judge(
            Message(
                "0100",
                {3: "000000", 41: f"{at:08}", 55: f"9F27{at % 99 + 1:02}" + "00" * (at % 99 + 1) + tags},
            ),
            None,
            (),
        )
        most = max(most, MEMORY.count)
    assert bound / 2 < most <= bound
    report = validate(Message("0100", {3: "000000", 11: "123456", 55: "DF0100" * 150}))
    assert sum(one.rule == "chip-tag-unknown" for one in report.findings) == 150


def test_reports_share_what_is_remembered_only() -> None:
    """A report's message is its own, and what is changed in an answer reaches no other."""
    message = next(one for one in good() if one.mti == "0100")
    first: Report = judge(message, None, NETWORKS)
    first.errors.append("another")
    first.networks.clear()
    second = judge(message, None, NETWORKS)
    assert "another" not in second.errors
    assert set(second.networks) == set(NETWORKS)


def test_a_rule_names_its_parts() -> None:
    """A function that takes anything but parts of the message is no rule: there is nothing else to read."""

    def of_the_whole(message: Message) -> Hit | None:
        return Hit(3, "a code", message.mti)

    with pytest.raises(SpecError, match="parts of the message"):
        rule("date")(of_the_whole)


def test_parts_say_what_they_are() -> None:
    """Parts print as they are written."""
    assert [repr(part) for part in (DE[22], DE[22].entry, Maybe[3])] == ["DE[22]", "DE[22].entry", "Maybe[3]"]
    with pytest.raises(AttributeError):
        DE[22].colour  # noqa: B018

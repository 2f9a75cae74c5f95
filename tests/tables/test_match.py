"""Requests, responses, repeats and reversals are matched."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import AT, requested, together

import sim
from sim.codec import Message
from sim.elements.card import account
from sim.exchanges import Exchange
from sim.exchanges.judging import findings
from sim.exchanges.making import make
from sim.exchanges.matching import match
from sim.operations import respond, reverse
from sim.spec import VERSIONS


def exchange(version: str, stan: str, network: str = "VISA") -> list[Message]:
    """A request, its response, its reversal and the response to that."""
    request = requested("auth", network=network, version=version, stan=stan, at=AT)
    back = reverse(request).message
    return [request, respond(request).message, back, respond(back).message]


def repeated(message: Message) -> Message:
    """The same message sent again, marked as a repeat."""
    return Message(message.mti[:3] + "1", message.fields, message.version)


def without(message: Message, *numbers: int) -> Message:
    """The message without some of its elements."""
    left = {number: value for number, value in message.fields.items() if number not in numbers}
    return Message(message.mti, left, message.version)


@together("network", sim.NETWORKS)
@together("version", VERSIONS)
def test_a_life_is_one_transaction(version: str, network: str) -> None:
    """Request, response, reversal and its response are two rows of one transaction, in every version."""
    table = sim.match(exchange(version, "000421", network))
    assert table["transaction"].tolist() == [1, 1]
    assert table["state"].tolist() == ["answered", "answered"]
    assert table["request"].tolist() == [0, 2]
    assert table["answer"].tolist() == [1, 3]
    assert table["reversed_by"].tolist()[0] == 2
    assert table["original"].tolist()[1] == 0
    assert table["network"].tolist() == [network, network]
    assert table["amount"].tolist() == [1000, 1000]
    assert table["currency"].tolist() == ["USD", "USD"]


def test_what_is_missing_is_said() -> None:
    """A request without a response, and a response without a request, are separate rows."""
    request, answer, *_ = exchange("1987", "000421")
    other = exchange("1987", "000777")[1]
    table = sim.match([request, other])
    assert table["state"].tolist() == ["unanswered", "no request"]
    assert table["answer"].isna().tolist() == [True, False]
    assert sim.match([request, answer])["state"].tolist() == ["answered"]


@pytest.mark.parametrize("version", VERSIONS)
def test_an_answer_behind_the_reversal_is_late(version: str) -> None:
    """A reversal means that the sender did not wait: the response is late, with or without times."""
    request, answer, reversal, _ = exchange(version, "000421")
    table = sim.match([request, reversal, answer])
    assert table["state"].tolist() == ["late", "unanswered"]
    assert table.iso.messages["role"].tolist() == ["request", "request", "late answer"]


@pytest.mark.parametrize("version", ["1987", "1993", "2003"])
def test_a_trace_number_of_zeros_is_answered_like_any_other(version: str) -> None:
    """STAN 000000 is a number that a response repeats; a reference of zeros means that it is not known
    yet."""
    request, answer = exchange(version, "000000")[:2]
    assert sim.match([request, answer])["state"].tolist() == ["answered"]
    unknown = request.replace(de37="0" * 12)
    assert [one.state for one in match([unknown, answer])] == ["answered"]


@pytest.mark.parametrize(
    "times", [[0, 61.5], [AT, AT + timedelta(seconds=61.5)], ["2026-11-20", "2026-11-20 00:01:01.5"]]
)
def test_latency_and_timeout(times: list[Any]) -> None:
    """Latency is in seconds; a response after the timeout is late; times may be in a column."""
    messages = exchange("1987", "000421")[:2]
    table = sim.match(messages, times=times)
    assert (table["latency"].tolist(), table["state"].tolist()) == ([61.5], ["late"])
    assert sim.match(messages, times=times, timeout=62)["state"].tolist() == ["answered"]
    read = sim.read([sim.build(one) for one in messages])
    read["seen"] = times
    assert sim.match(read, times="seen")["latency"].tolist() == [61.5]


def test_times_are_the_order() -> None:
    """With times the rows may be in any order."""
    request, answer, *_ = exchange("1987", "000421")
    table = sim.match([answer, request], times=[5, 3])
    assert (table["request"].tolist(), table["answer"].tolist(), table["latency"].tolist()) == (
        [1],
        [0],
        [2.0],
    )


def test_repeats_duplicates_and_replays_are_told_apart() -> None:
    """A repeat is marked as such; the same message again is a duplicate before the response, a replay
    after it."""
    request, answer, *_ = exchange("1987", "000421")
    sent = [request, repeated(request), request, answer, answer, request]
    table = sim.match(sent)
    row = table.iloc[0]
    assert (len(table), row["repeats"], row["duplicates"], row["replays"], row["answers_again"]) == (
        1,
        1,
        1,
        1,
        1,
    )
    roles = ["request", "repeat", "duplicate", "answer", "answer again", "replay"]
    assert table.iso.messages["role"].tolist() == roles


def test_a_repeat_stands_for_what_is_not_in_the_log() -> None:
    """A repeat whose original is missing from the log still gets its response."""
    request, answer, *_ = exchange("1987", "000421")
    assert sim.match([repeated(request), answer])["state"].tolist() == ["answered"]


def test_the_same_number_of_another_card_is_another_transaction() -> None:
    """Two terminals may use the same STAN in the same second: the elements that both messages have must
    agree."""
    one, two = exchange("1987", "000421", "VISA"), exchange("1987", "000421", "MASTERCARD")
    table = sim.match([one[0], two[0], one[1], two[1]])
    assert table["answer"].tolist() == [2, 3]


@pytest.mark.parametrize(
    ("left_out", "by"),
    [((), "DE 7, 11"), ((7,), "DE 11, 41"), ((7, 41), "DE 11, 37"), ((7, 37, 41), "DE 11")],
)
def test_the_best_rule_that_finds_a_request_counts(left_out: tuple[int, ...], by: str) -> None:
    """Hosts omit elements or replace them: then other elements link the response to its request."""
    request, answer, *_ = exchange("1987", "000421")
    table = sim.match([request, without(answer, *left_out)])
    assert table["matched_by"].tolist() == [by]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_reversal_is_of_its_own_acquirer(version: str) -> None:
    """Two acquirers may use the same number at the same time for the same card."""
    one, other = (
        requested("auth", network="VISA", version=version, acquirer=acquirer)
        for acquirer in ("400001", "400002")
    )
    assert match([one, other, reverse(one).message])[2].original == 0


def test_a_reversal_without_original_data_finds_its_original() -> None:
    """By card and retrieval reference number, or by STAN and terminal."""
    request, answer, reversal, _ = exchange("1987", "000421")
    alike = Message(reversal.mti, {**reversal.fields, 37: request.fields[37]}, "1987")
    assert sim.match([request, answer, without(alike, 90)])["original"].tolist()[1] == 0
    same = Message(reversal.mti, {**reversal.fields, 11: request.fields[11]}, "1987")
    assert sim.match([request, answer, without(same, 37, 90)])["original"].tolist()[1] == 0


def test_a_dispute_is_of_its_presentment() -> None:
    """Chargebacks, retrieval requests and second presentments name it by the acquirer reference data."""
    first, other = "25555556324000000000017", "25555556324000000000025"
    types = (("1240", "200", first), ("1240", "200", other), ("1442", "450", first), ("1240", "205", first))
    types = (*types, ("1442", "451", first), ("1644", "603", other))
    fields = {2: "5555555555554444", 3: "000000", 4: "000000001000", 12: "261120123045"}
    records = [Message(mti, {**fields, 24: code, 31: data}, "1993") for mti, code, data in types]
    table = sim.match(records)
    assert table["transaction"].tolist() == [1, 2, 1, 1, 1, 2]
    assert table["original"].fillna(-1).tolist() == [-1, -1, 0, 0, 3, 1]
    assert table["reversed_by"].fillna(-1).tolist() == [2, -1, -1, 4, -1, -1]


@pytest.mark.parametrize(("network", "named"), [("VISA", True), ("VISA", False), ("MASTERCARD", False)])
def test_a_refund_belongs_to_its_purchase(network: str, named: bool) -> None:
    """By the reference number of the purchase, which is no fault then, or by Mastercard's trace id; not by
    the card alone."""
    paid = make("purchase", network=network, then="refund:400", at=AT)
    messages = list(paid.messages)
    if named:
        messages[2:] = [one.replace(de37=messages[0][37]) for one in messages[2:]]
    linked = named or network == "MASTERCARD"
    assert sim.match(messages)["transaction"].nunique() == 2 - linked
    assert sim.match(messages)["original"].isna().tolist() == [True, not linked]
    assert [one.rule for _, one in findings(Exchange.of(messages, network=network))] == []


def test_a_card_that_was_read_is_known_by_its_track() -> None:
    """Messages of a terminal have the card number once in the track and once in DE 2."""
    for name in ("nac", "elavon", "ifsf"):
        request = requested("auth", interface=name, entry="chip", at=AT)
        undo = reverse(request).message
        assert 2 not in request
        assert undo[2] == account(request)[1]
        table = sim.match([request, undo])
        assert table["original"].isna().tolist() == [True, False]
        assert match([request, undo])[1].original == 0


def test_what_is_given_may_be_anything_that_read_takes() -> None:
    """Texts, tables, Messages, a table of messages, a filtered one: rows keep their labels."""
    texts = [sim.build(one) for one in exchange("1987", "000421")]
    expected = sim.match(texts)
    read = sim.read(["broken", *texts])
    assert sim.match(sim.read(texts)).equals(expected)
    assert sim.match([sim.parse(one) for one in texts]).equals(expected)
    kept = sim.match(read[read["error"].isna()])
    assert kept["request"].tolist() == [1, 3]
    assert sim.match(read).iso.messages["role"].tolist()[0] == "no message"


def test_nothing_to_match() -> None:
    """No messages give no transactions."""
    assert len(sim.match([])) == 0
    assert len(sim.match(["broken"])) == 0
    assert sim.match([]).iso.summary == {}


def test_no_card_number_is_shown() -> None:
    """Neither the table nor its displays contain card data."""
    request = exchange("1987", "000421")[0]
    table = sim.match([request])
    assert request.fields[2] not in table.to_csv() + repr(table) + table.to_html()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"times": "nowhere"}, "times: expected a column of the table, found 'nowhere'"),
        ({"times": [1, 2, 3]}, "times: expected 1 times, one per message, found 3"),
        ({"timeout": 0}, "timeout: expected seconds above 0, found 0"),
        ({"times": "4111-1111-1111-1111"}, "times: expected a column of the table, found 19 characters"),
        ({"timeout": "4111111111111111"}, "timeout: expected seconds above 0, found 16 characters"),
    ],
)
def test_options_that_cannot_be_met(options: dict[str, Any], text: str) -> None:
    """The error names the option and what was expected."""
    with pytest.raises(sim.OptionError, match=text):
        sim.match([sim.generate()], **options)


LIVES = [exchange(version, f"{at:06}") for at, version in enumerate(VERSIONS * 3, 1)]


@st.composite
def logs(draw: st.DrawFn) -> list[Message]:
    """Exchanges truncated, repeated, with missing elements, in any order."""
    picked = draw(st.lists(st.tuples(st.sampled_from(LIVES), st.integers(0, 3)), max_size=12))
    made = []
    for life, at in picked:
        message = life[at]
        change = draw(st.integers(0, 5))
        if change == 1 and at in (0, 2):
            message = repeated(message)
        elif change == 2:
            message = without(message, draw(st.sampled_from((7, 11, 12, 37, 41, 56, 90))))
        elif change == 3:
            number = draw(st.sampled_from((7, 11, 12, 37, 41)))
            message = message.replace(**{f"de{number}": "0" * len(message[number])})
        made.append(message)
    return made


@pytest.mark.parametrize("network", ["VISA", "MASTERCARD", "AMEX", "DISCOVER"])
def test_an_increment_belongs_to_its_authorization(network: str) -> None:
    """By the transaction id, or by card, merchant and function code: in columns as message by message."""
    made = sim.exchange("preauthorization", network=network, then="increment:500 completion:900", at=AT)
    messages = [table.iso.to_message() for table in made.iso.messages]
    assert made["stan"].tolist() == [one[11] for one in messages]
    table = sim.match(sim.read([sim.build(one) for one in messages], version=None))
    assert table["transaction"].nunique() == len({one.transaction for one in match(messages)}) == 1


@given(logs(), st.booleans())
def test_columns_and_messages_are_paired_alike(messages: list[Message], timed: bool) -> None:
    """Matching by column gives the same result as matching message by message."""
    seconds = [float((at * 7) % 5) for at in range(len(messages))] if timed else None
    texts = [sim.build(one) for one in messages]
    table = sim.match(sim.read(texts, version=None), times=seconds)
    slow = match(messages, seconds)
    names = ("request", "answer", "state", "matched_by", "repeats", "duplicates", "replays", "answers_again")
    fast = [
        tuple("" if pd.isna(cell) else str(cell) for cell in row)
        for row in pd.DataFrame(table)[list(names)].values
    ]
    plain = [
        tuple("" if (cell := getattr(one, name)) is None else str(cell) for name in names) for one in slow
    ]
    assert sorted(fast) == sorted(plain)
    members = table.iso.messages["transaction"]
    assert int(members.notna().sum()) == sum(len(one.messages) for one in slow)
    assert table["transaction"].nunique() == len({one.transaction for one in slow})


@given(st.permutations(range(9)), st.randoms(use_true_random=False))
def test_unrelated_traffic_changes_nothing(order: list[int], some: Any) -> None:
    """However exchanges are interleaved, each is matched as if it were the only one."""
    left = {at: list(LIVES[at]) for at in order}
    woven: list[tuple[int, Message]] = []
    while left:
        at = some.choice(sorted(left))
        woven.append((at, left[at].pop(0)))
        if not left[at]:
            del left[at]
    table = sim.match([message for _, message in woven])
    owners = [at for at, _ in woven]
    assert table["state"].tolist() == ["answered"] * 18
    for row in table.to_dict("records"):
        assert owners[int(row["request"])] == owners[int(row["answer"])]
    assert table["transaction"].nunique() == 9


def test_a_log_of_a_year_ago() -> None:
    """Timestamps with a time zone are accepted as times."""
    zone = datetime(2025, 1, 1, tzinfo=UTC).astimezone()
    messages = exchange("1987", "000421")[:2]
    assert sim.match(messages, times=[zone, zone + timedelta(seconds=2)])["latency"].tolist() == [2.0]

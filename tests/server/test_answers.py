"""The answers as they are written: the bytes that the response records would give."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from kept import texts
from support import AT, VECTORS, together, vector_id

from server import answers
from server.records import (
    CardNetwork,
    ExplainResponse,
    FieldValue,
    GenerateResponse,
    NetworkResult,
    ValidateResponse,
)
from server.responses import Answer
from sim.codec import Message, ParseError, build
from sim.operations import (
    NETWORKS,
    VERSIONS,
    Explanation,
    Generated,
    explain,
    field_values,
    generate,
    validate,
)
from sim.spec import spec

CHARACTERS = st.one_of(st.characters(codec="utf-8"), st.sampled_from('"\\%{}/\n\t\x00\x7f\u2028aB9é'))


def fields(message: Message) -> list[FieldValue]:
    """The elements as records."""
    return [FieldValue(number=n, name=name, value=value) for n, name, value in field_values(message)]


def by_records(made: Generated) -> bytes:
    """The answer of /generate by its record."""
    network = None if made.network is None else CardNetwork(made.network)
    record = GenerateResponse(
        message=made.raw, mti=made.mti, network=network, fields=fields(made.message), source=made.source
    )
    return record.model_dump_json().encode()


@st.composite
def messages(draw: st.DrawFn) -> Message:
    """Messages of any version with any text in any elements, in any order."""
    version = draw(st.sampled_from(VERSIONS))
    made = {}
    for number in draw(st.lists(st.integers(2, 128), unique=True, max_size=8)):
        element = spec(version)[number]
        text = draw(st.text(CHARACTERS, max_size=min(element.width, 30)))
        made[number] = text.ljust(element.width, "x") if element.fixed else text
    return Message(draw(st.sampled_from(["0100", "0810", "2999"])), made, version)


@given(messages(), st.sampled_from([None, *NETWORKS]), st.text(CHARACTERS, max_size=20))
def test_a_generated_message(message: Message, network: str | None, source: str) -> None:
    """Whatever stands in the elements, the answer of /generate is what its record gives."""
    made = Generated(message, network, source)
    assert answers.generated(made) == by_records(made)


@together("network", [None, *NETWORKS])
@together("entry", ["manual", "chip"])
def test_a_message_by_options(network: str | None, entry: str) -> None:
    """So it is with messages made by options, twice over."""
    for amount in (1, 999):
        made = generate(network=network, entry=entry, amount_minor_units=amount, at=AT)
        assert answers.generated(made) == by_records(made)


@given(messages(), st.text(CHARACTERS, max_size=60), st.text(CHARACTERS, max_size=20))
def test_an_explanation(message: Message, sentence: str, source: str) -> None:
    """The answer of /explain is what its record gives, whatever stands in message and sentences."""
    told = Explanation(message, None, (sentence, "It is."), source)
    record = ExplainResponse(
        fields=fields(message), mti=message.mti, source=source, summary=f"{sentence} It is."
    )
    assert answers.explained(told, build(message)) == record.model_dump_json().encode()


@together("row", VECTORS[::4], vector_id)
def test_vectors(row: dict[str, Any]) -> None:
    """The answers to a vector, of /validate and, where it parses, of /explain, are what the records give."""
    raw, version = row["message"], row["version"]
    for _ in range(2):
        report = validate(raw, version=version)
        networks = {
            CardNetwork(name): NetworkResult(passed=one.passed, errors=one.errors)
            for name, one in report.networks.items()
        }
        verdict = ValidateResponse(valid=report.valid, errors=report.errors, networks=networks)
        assert answers.validated(report) == verdict.model_dump_json().encode()
    try:
        told = explain(raw, version=version)
    except ParseError:
        return
    story = ExplainResponse(
        fields=fields(told.message), mti=told.mti, source=told.source, summary=told.summary
    )
    assert answers.explained(told, raw) == story.model_dump_json().encode()


def test_the_head_of_an_answer(local: Any) -> None:
    """Three headers and no other: length, connection, type."""
    head = b"POST /generate HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    head += b"Content-Type: application/json\r\n"
    answer = local.talk(head + b"Content-Length: 2\r\n\r\n{}")
    lines, _, body = answer.partition(b"\r\n\r\n")
    length = b"content-length: %d" % len(body)
    assert lines.split(b"\r\n") == [
        b"HTTP/1.1 200 OK",
        length,
        b"connection: close",
        b"content-type: application/json",
    ]


def test_another_header_is_looked_through() -> None:
    """A header that the answer does not set itself goes Sanic's way: no line end gets into the head."""
    answer = Answer(b"{}")
    answer.headers["content-length"] = 2
    answer.headers["connection"] = "keep-alive"
    answer.headers["x-note"] = "a\r\nb: c"
    sent = dict(answer.processed_headers)
    assert sent[b"content-type"] == b"application/json"
    assert not any(b"\n" in value or b"\r" in value for value in sent.values())


def test_what_answers_remember_is_bounded() -> None:
    """Layouts, words and results that are kept have a limit, and hold no card."""
    card = "4539578763621486"
    for network in NETWORKS:
        made = generate(network=network, pan=card, at=AT)
        answers.generated(made)
        for _ in range(2):  # of a layout that comes once nothing is kept
            answers.validated(validate(made.raw))
    for cache in (answers._writer, answers._word, answers._kept):
        assert cache.cache_info().maxsize
        assert cache.cache_info().currsize
        assert not any(card in text for text in texts(cache))

"""parse and build on the vectors, at every boundary, and on what does not fit."""

from __future__ import annotations

import pickle
from random import Random
from typing import Any

import pytest
from support import BROKEN, PARSED, each, together, upper_bitmap, vector_id

from sim.codec import BuildError, Message, ParseError, build, parse, spans, text
from sim.codec.text import walk, write
from sim.errors import ChoiceError
from sim.spec import VERSIONS, spec

VARIABLE = [element.number for element in spec("1987").elements if not element.fixed]


@each(lambda: PARSED, vector_id)
def test_splits_as_stated(row: dict[str, Any]) -> None:
    """A well-formed message splits into exactly the stated elements, by both readers."""
    message = parse(row["message"], row["version"])
    assert {str(number): value for number, value in message.fields.items()} == row["fields"]
    assert message == walk(row["message"], row["version"])
    bits = message.bitmap
    assert message == text.compiled(row["version"], bits)(row["message"])


@each(lambda: PARSED, vector_id)
def test_builds_back(row: dict[str, Any]) -> None:
    """What was parsed is written as it stood, with the bitmap in upper case."""
    message = parse(row["message"], row["version"])
    assert build(message) == write(message) == upper_bitmap(row["message"])


def test_the_hundredth_message_is_read_as_the_first() -> None:
    """Where a bitmap has come often, a reader of its own reads it: a sound message as before, and of one that
    does not fit it says where, as before."""
    raw = "0800" + "0020000000800000" + "123456" + "TERM0001"
    assert all(parse(raw) == walk(raw, "1987") for _ in range(100))
    for broken in (raw[:-1], raw + "0", raw.replace("123456", "12345X")[:-3]):
        with pytest.raises(ParseError) as first:
            walk(broken, "1987")
        with pytest.raises(ParseError) as caught:
            parse(broken)
        assert str(caught.value) == str(first.value)


@each(lambda: PARSED, vector_id)
def test_every_truncation_and_a_trailing_character_is_refused(row: dict[str, Any]) -> None:
    """No proper prefix of a message is a message, nor is the message with more behind it."""
    raw, version = row["message"], row["version"]
    for broken in [raw[:end] for end in range(len(raw))] + [raw + "0", raw + " "]:
        with pytest.raises(ParseError) as caught:
            parse(broken, version)
        assert caught.value.offset is not None
        assert 0 <= caught.value.offset <= len(broken)


@each(lambda: BROKEN, vector_id)
def test_refuses_as_stated(row: dict[str, Any]) -> None:
    """A broken message is refused, with a place inside the text."""
    with pytest.raises(ParseError) as caught:
        parse(row["message"], row["version"])
    assert 0 <= (caught.value.offset or 0) <= len(row["message"])


@pytest.mark.parametrize("version", VERSIONS)
@together("number", range(2, 129))
def test_boundary_lengths(version: str, number: int) -> None:
    """Every element is read at its shortest and longest; one character more or less is refused."""
    element = spec(version)[number]
    lengths = {element.width} if element.fixed else {0, 1, element.width}
    for length in lengths:
        message = Message("0200", {number: "7" * length}, version)
        assert parse(build(message), version) == message
    for length in (element.width + 1, *([element.width - 1] if element.fixed else [])):
        with pytest.raises(BuildError) as caught:
            build(Message("0200", {number: "7" * length}, version))
        assert caught.value.field == number


# Elements whose prefix could say more than their maximum: n..19, but not ans..999.
OVERSHOOTING = [
    (version, element.number)
    for version in VERSIONS
    for element in spec(version).elements
    if not element.fixed and element.width + 1 < 10**element.prefix
]


@together("version, number", OVERSHOOTING)
def test_prefix_over_the_maximum_is_refused(version: str, number: int) -> None:
    """A length prefix over the element's maximum is refused at the prefix, whatever follows."""
    element = spec(version)[number]
    prefix = f"{element.width + 1:0{element.prefix}}"
    raw = "0200" + Message("0200", {number: ""}, version).bitmap + prefix + "1" * (element.width + 1)
    with pytest.raises(ParseError) as caught:
        parse(raw, version)
    assert (caught.value.field, caught.value.found) == (number, repr(prefix))


@together(
    "bitmap, offset, found",
    [
        ("2220000G", 11, "'G' after 7 of them"),
        ("2220", 4, "4 characters"),
        ("8220000000000000" + "00000000000000G0", 34, "'G' after 14 of them"),
        ("8220000000000000" + "0400", 20, "4 characters"),
    ],
)
def test_what_is_no_bitmap_is_told_with_its_place(bitmap: str, offset: int, found: str) -> None:
    """A character that is no hex digit, or the end of the text, in the first or in the second bitmap."""
    with pytest.raises(ParseError) as caught:
        parse("0800" + bitmap)
    assert (caught.value.field, caught.value.offset, caught.value.found) == (1, offset, found)


@pytest.mark.parametrize("prefix", ["1A", "-1", " 5", "+5", "٣٣", "１６", "1_", "0x"])
def test_prefix_must_be_plain_digits(prefix: str) -> None:
    """Only ASCII digits are a length, although `int` takes more."""
    with pytest.raises(ParseError) as caught:
        parse("0200" + "4000000000000000" + prefix + "4111111111111111")
    assert (caught.value.field, caught.value.offset) == (2, 20)


def test_secondary_bitmap_without_content() -> None:
    """A secondary bitmap that announces nothing is kept, as is one that announces DE 65 or DE 128."""
    empty = "0800" + "8220000000000000" + "0" * 16 + "1120101530" + "000123"
    message = parse(empty)
    assert message.empty_secondary
    assert build(message) == empty
    assert build(message.replace(de70="301"))[20:36] == "0400000000000000"
    for number in (65, 128):
        made = Message("0800", {number: "00112233445566AA"})
        assert parse(build(made)) == made
    assert parse(build(Message("0800", {64: "00112233445566aa"}))).fields == {64: "00112233445566aa"}
    bits = "8000000000000001" + "0" * 16
    assert text.compiled("1987", bits)(f"0800{bits}00112233445566aa") == Message(
        "0800", {64: "00112233445566aa"}, empty_secondary=True
    )


def test_partial_and_place_of_the_first_misfit() -> None:
    """A parse error carries what was read before it, where it stopped, what it expected and found."""
    raw = "0200" + "7000000000000000" + "16" + "4111111111111111" + "000000" + "00000001"
    with pytest.raises(ParseError) as caught:
        parse(raw)
    error = caught.value
    assert (error.field, error.offset, error.expected, error.found) == (4, 44, "n 12", "8 characters")
    assert str(error) == "DE 4 at offset 44: expected n 12, found 8 characters"
    assert error.partial is not None
    assert error.partial.fields == {2: "4111111111111111", 3: "000000"}


def test_errors_pickle() -> None:
    """Errors cross process borders with all they know."""
    error = ParseError(4, 36, "n 12", "7 characters", Message("0100", {2: "4111111111111111"}))
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (copy.field, copy.offset, copy.expected, copy.found, copy.partial) == (
        error.field,
        error.offset,
        error.expected,
        error.found,
        error.partial,
    )
    assert str(copy) == str(error)


@together(
    "message, field",
    [
        (Message("010", {}), 0),
        (Message("01A0", {}), 0),
        (Message("٠١٠٠", {}), 0),
        (Message("0100", {129: "1"}), None),
        (Message("0100", {1: "0" * 16}), None),
        (Message("0100", {True: "1"}), None),
        (Message("0100", {4: 100}), 4),  # type: ignore[dict-item]
        (Message("0100", {4: None}), 4),  # type: ignore[dict-item]
        (Message("0100", {2: "1" * 20}), 2),
    ],
)
def test_build_names_what_does_not_fit(message: Message, field: int | None) -> None:
    """Elements that cannot be written raise BuildError naming the first of them."""
    with pytest.raises(BuildError) as caught:
        build(message)
    assert caught.value.field == field


def test_unknown_version_and_wrong_type() -> None:
    """Another version is a ChoiceError, something that is no text a TypeError."""
    with pytest.raises(ChoiceError):
        parse("0" * 40, "1999")
    for wrong in (b"0100", None, 100, b"0800" + b"2020000000000000" + b"990000123456"):
        with pytest.raises(TypeError):
            parse(wrong)  # type: ignore[arg-type]


def test_spans_cover_the_text() -> None:
    """The spans of a message follow each other without a gap from 0 to the end."""
    row = PARSED[5]
    message = parse(row["message"], row["version"])
    at = 0
    for start, value_start, end in spans(message).values():
        assert start == at
        assert start <= value_start <= end
        at = end
    assert at == len(row["message"])


def test_readers_are_made_for_what_comes_often() -> None:
    """Neither a bitmap that comes once nor a text that is no message gets a generated reader; a layout that
    comes often does, and random ones do not push it out."""
    often = Message("0100", {3: "990000", 11: "123456", 48: ""})
    readers, some = text.READERS["1987"], Random(1)
    for _ in range(text.EARNED):
        parse(build(often))
    assert "2020000000010000" in readers
    made = len(readers)
    for _ in range(2 * text.MOST):
        message = Message("0100", dict.fromkeys(sorted(some.sample(VARIABLE, 8)), ""))
        with pytest.raises(ParseError):
            parse(f"0100{message.bitmap}9")
        parse(build(message))
    assert len(readers) == made


def test_readers_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """More layouts than are kept have a reader each in its turn, and no more of them than the bound."""
    monkeypatch.setattr(text, "MOST", 3)
    monkeypatch.setitem(text.READERS, "1987", {})
    for bit in range(64):
        message = Message("0100", {3: "000000", 4 + bit % 4: spec("1987")[4 + bit % 4].filled("1")})
        assert all(parse(build(message)) == message for _ in range(text.EARNED))
        assert 1 <= len(text.READERS["1987"]) <= 3


def test_generated_source_can_be_read() -> None:
    """A reader shows its own source: slices, one look-up per length prefix, one length check."""
    source = text.compiled("1987", "7000000000000000").source  # type: ignore[attr-defined]
    assert "n = L2_19(r0[s0_2])" in source
    assert "4: r1[s6_18]" in source
    assert "if len(raw) != 20 + e1 + 18:" in source

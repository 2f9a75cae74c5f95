"""Properties of the codec on arbitrary texts and messages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support import PARSED

from sim.codec import Message, ParseError, build, parse, text
from sim.codec.bitmap import HEX_DIGITS
from sim.codec.text import reads, walk, write
from sim.spec import VERSIONS, spec

RAW = st.sampled_from([(row["message"], row["version"]) for row in PARSED])
ANY_CHAR = st.one_of(st.sampled_from("0123456789ABCDEF =D"), st.characters())


@st.composite
def messages(draw: st.DrawFn) -> Message:
    """Any message that can be written: any elements, any characters, legal lengths."""
    version = draw(st.sampled_from(VERSIONS))
    numbers = draw(st.sets(st.integers(2, 128), max_size=12))
    fields = {}
    for number in sorted(numbers):
        element = spec(version)[number]
        size = element.width if element.fixed else draw(st.integers(0, min(element.width, 40)))
        fields[number] = draw(st.text(ANY_CHAR, min_size=size, max_size=size))
    return Message(f"{draw(st.integers(0, 9999)):04}", fields, version)


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, str]:
    """A good message with some characters changed, lost or added."""
    raw, version = draw(RAW)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(raw)))
        cut = draw(st.integers(0, 2))
        raw = raw[:at] + draw(st.text(ANY_CHAR, max_size=2)) + raw[at + cut :]
    return raw, version


def _outcome(reader: object, raw: str, version: str) -> object:
    try:
        return reader(raw, version)  # type: ignore[operator]
    except ParseError as error:
        assert error.offset is not None
        assert 0 <= error.offset <= len(raw)
        return error.field, error.offset, error.expected, error.found, error.partial


@given(messages())
def test_round_trip(message: Message) -> None:
    """What build writes, parse reads back."""
    raw = build(message)
    assert parse(raw, message.version) == message
    assert write(message) == raw


@given(st.text(max_size=200), st.sampled_from(VERSIONS))
def test_any_text(raw: str, version: str) -> None:
    """Any text parses or raises ParseError with a place inside it."""
    _outcome(parse, raw, version)


@given(mutated())
def test_fast_reader_and_walk_agree(case: tuple[str, str]) -> None:
    """The generated reader reads what walk reads, and gives up on all that walk refuses; so does `reads`."""
    raw, version = case
    assert _outcome(parse, raw, version) == (walked := _outcome(walk, raw, version))
    assert reads(raw, version) == isinstance(walked, Message)
    bits = raw[4 : 36 if raw[4:5] in tuple("89ABCDEFabcdef") else 20]
    if len(bits) in (16, 32) and HEX_DIGITS.issuperset(bits):
        made = text.compiled(version, bits)(raw)
        assert made == (walked if isinstance(walked, Message) else None)


@given(mutated())
def test_whatever_parses_builds_back(case: tuple[str, str]) -> None:
    """A text that parses is written back but for the bitmap's letter case."""
    raw, version = case
    try:
        message = parse(raw, version)
    except ParseError:
        return
    end = 4 + len(message.bitmap)
    assert build(message) == raw[:4] + raw[4:end].upper() + raw[end:]

"""BER-TLV: tags, lengths, templates, and errors with positions."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import together

from sim.parts import chip_data

BYTES = st.binary(max_size=40).map(lambda value: value.hex().upper())
# Primitive tags of one, two and three bytes; 00 and FF would be padding.
TAGS = st.sampled_from(["95", "9A", "5A", "9F26", "9F10", "5F2A", "DF8101", "1F8001", "01"])
PAIRS = st.lists(st.tuples(TAGS, BYTES), max_size=12)


def pairs(tags: tuple[chip_data.Tag, ...]) -> list[tuple[str, str]]:
    """Tags as tag and value."""
    return [(tag.tag, tag.value) for tag in tags]


@given(PAIRS)
def test_reading_undoes_writing(given_pairs: list[tuple[str, str]]) -> None:
    """Order and repeats are kept, and every value is at the position that its tag states."""
    text = chip_data.write_tags(given_pairs)
    tags = chip_data.read_tags(text)
    assert pairs(tags) == given_pairs
    assert all(text[tag.value_start : tag.end] == tag.value for tag in tags)
    assert all(text[tag.start :].startswith(tag.tag) for tag in tags)


@given(PAIRS)
def test_padding_in_front_moves_the_tags(given_pairs: list[tuple[str, str]]) -> None:
    """Padding before the tags changes only their positions."""
    text = chip_data.write_tags(given_pairs)
    moved = [
        tag._replace(start=tag.start + 2, value_start=tag.value_start + 2, end=tag.end + 2)
        for tag in chip_data.read_tags(text)
    ]
    assert list(chip_data.read_tags(f"00{text}")) == moved


@given(PAIRS, st.integers(min_value=0, max_value=60))
def test_a_cut_is_found_inside_the_text(given_pairs: list[tuple[str, str]], cut: int) -> None:
    """A truncated text gives the tags before the cut, in the result or with the error."""
    text = chip_data.write_tags(given_pairs)
    short = text[: max(0, len(text) - cut)]
    try:
        tags = chip_data.read_tags(short)
    except chip_data.TlvError as error:
        assert error.offset is not None
        assert 0 <= error.offset <= len(short)
        tags = error.partial
    assert pairs(tags) == given_pairs[: len(tags)]


@given(st.text("0123456789ABCDEFabcdef", max_size=80) | PAIRS.map(chip_data.write_tags).map(str.lower))
def test_any_hex_is_read_or_refused(text: str) -> None:
    """Only TlvError is ever raised, and the values of lenient reading have no gaps."""
    try:
        tags = chip_data.read_tags(text, strict=False)
    except chip_data.TlvError as error:
        assert 0 <= (error.offset or 0) <= len(text)
        return
    for tag in chip_data.walk_tags(tags):
        assert text[tag.value_start : tag.end].upper() == tag.value


@pytest.mark.parametrize(
    ("size", "head"),
    [
        (0, "9500"),
        (0x7F, "957F"),
        (0x80, "958180"),
        (0xFF, "9581FF"),
        (0x100, "95820100"),
        (0x10000, "9583010000"),
    ],
)
def test_lengths(size: int, head: str) -> None:
    """Up to 7F a length is one byte; beyond that the first byte is the number of length bytes."""
    text = chip_data.write_tags({"95": "AB" * size})
    assert text.startswith(head)
    (tag,) = chip_data.read_tags(text)
    assert len(tag.value) == 2 * size


@pytest.mark.parametrize("text", ["95810100", "9582000100", "958300000100", "95840000000100"])
def test_long_lengths_of_short_values(text: str) -> None:
    """A length may have more bytes than it needs."""
    assert pairs(chip_data.read_tags(text)) == [("95", "00")]


def test_templates_hold_tags() -> None:
    """Bit 6 of the first byte makes a tag a template; its contents are one level deeper."""
    (script,) = chip_data.read_tags("720F9F180400000001860684240000AABB")
    assert script.constructed
    assert pairs(script.children) == [("9F18", "00000001"), ("86", "84240000AABB")]
    assert [(tag.tag, tag.depth) for tag in chip_data.walk_tags((script,))] == [
        ("72", 0),
        ("9F18", 1),
        ("86", 1),
    ]


def test_padding_is_skipped() -> None:
    """00 and FF between tags are skipped."""
    assert pairs(chip_data.read_tags("00009C0100FFFF9F27018000")) == [("9C", "00"), ("9F27", "80")]


def test_small_letters_are_read() -> None:
    """Hex digits may be in either case; tags and values are returned in uppercase."""
    assert pairs(chip_data.read_tags("9f2701ab")) == [("9F27", "AB")]


def test_reading_may_start_later() -> None:
    """Offsets count from the start of the text, wherever the tags start."""
    (tag,) = chip_data.read_tags("0100049F270180", start=6)
    assert (tag.start, tag.value_start, tag.end) == (6, 12, 14)
    with pytest.raises(chip_data.TlvError, match="found 5 hex digits"):
        chip_data.read_tags("0095019", start=2)


@together(
    "text, offset, expected, found, tag",
    [
        ("9F2608AABB", 6, "8 bytes of tag 9F26, as its length requires", "2", "9F26"),
        ("9C0100950155AA", 14, "a length for tag AA", "the end", "AA"),
        ("9C01009F", 6, "another byte of the tag", "the end after 9F", ""),
        ("9F26", 4, "a length for tag 9F26", "the end", "9F26"),
        ("9580AABB0000", 2, "a length for tag 95: 00 to 7F, or 81 to 84 and as many bytes", "80", "95"),
        ("9585000000000100", 2, "a length for tag 95: 00 to 7F, or 81 to 84 and as many bytes", "85", "95"),
        ("958201", 2, "2 length bytes for tag 95", "1", "95"),
        ("1F8181818101AA", 0, "a tag of at most 4 bytes", "a longer one", ""),
        ("9C0", 3, "whole bytes, two hex digits each", "3 hex digits", ""),
        ("9C0G", 3, "hex digits", "'G'", ""),
        ("9C0\u0664", 3, "hex digits", "U+0664", ""),
    ],
)
def test_errors_say_where(text: str, offset: int, expected: str, found: str, tag: str) -> None:
    """The offset, what is expected there, what was found, and the tag."""
    with pytest.raises(chip_data.TlvError) as caught:
        chip_data.read_tags(text)
    error = caught.value
    assert (error.offset, error.expected, error.found, error.tag) == (offset, expected, found, tag)


def test_an_error_keeps_what_was_read() -> None:
    """The error has the tags before the fault."""
    with pytest.raises(chip_data.TlvError) as caught:
        chip_data.read_tags("9C01009F2608AABB")
    assert pairs(caught.value.partial) == [("9C", "00")]


def test_errors_pickle() -> None:
    """An error that crosses a process keeps its attributes."""
    error = chip_data.TlvError(6, "8 bytes", "2", "9F26", chip_data.read_tags("9C0100"))
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 (made here)
    assert (copy.field, copy.offset, copy.tag, copy.partial) == (55, 6, "9F26", error.partial)
    assert str(copy) == str(error)


def test_a_wrong_inside_hurts_no_neighbour() -> None:
    """Lenient reading leaves the template unread, says why, and continues after it."""
    text = "71048603AABB9C0100"
    with pytest.raises(chip_data.TlvError) as caught:
        chip_data.read_tags(text)
    script, kind = chip_data.read_tags(text, strict=False)
    assert script.children == ()
    assert script.fault is not None
    assert (script.fault.offset, script.fault.tag) == (8, "86")
    assert caught.value.offset == 8
    assert (kind.tag, kind.fault) == ("9C", None)


def test_nesting_has_a_floor() -> None:
    """Nested templates stop at a depth that no card needs, before the reader runs out of stack."""
    text = ""
    for _ in range(2000):
        text = chip_data.write_tags([("E1", text)])
    with pytest.raises(chip_data.TlvError, match="templates at most 8 deep"):
        chip_data.read_tags(text)
    tags = list(chip_data.walk_tags(chip_data.read_tags(text, strict=False)))
    assert max(tag.depth for tag in tags) == 8
    assert tags[-1].fault is not None


def test_the_repr_hides_the_value() -> None:
    """The repr shows no value, because a tag may contain the card number."""
    (tag,) = chip_data.read_tags("5A084111111111111111")
    assert repr(tag) == "Tag('5A', 8 bytes)"

"""Magnetic stripe tracks: what is read, what is rejected, what is never shown."""

from __future__ import annotations

import pytest

from sim.codec import Message
from sim.elements.card import expiry_place, pan_of_track_1, read_track_1, read_track_2
from sim.judge.engine import run

PAN = "4111111111111111"


@pytest.mark.parametrize("separator", ["=", "D"])
def test_track_2_is_taken_apart(separator: str) -> None:
    """PAN, expiry and service code, with either separator."""
    read = read_track_2(f"{PAN}{separator}29122010000012345678")
    assert read is not None
    assert (read.pan, read.expiry, read.service) == (PAN, "2912", "201")


def test_track_2_without_expiry_or_service_code() -> None:
    """A separator replaces a missing field."""
    read = read_track_2(f"{PAN}===123")
    assert read is not None
    assert (read.expiry, read.service) == ("", "")


@pytest.mark.parametrize("value", ["", "HELLO", PAN, f";{PAN}=2912201?", f"{PAN}=2912201^", "=2912201"])
def test_other_layouts_are_no_track_2(value: str) -> None:
    """Text with sentinels, letters or without a separator is not track 2."""
    assert read_track_2(value) is None


def test_track_1_is_taken_apart() -> None:
    """PAN, name, expiry, service code, and the offset of the expiry."""
    value = f"B{PAN}^DOE/JANE.MS^2912201000000"
    read = read_track_1(value)
    assert read is not None
    assert (read.pan, read.name, read.expiry, read.service) == (PAN, "DOE/JANE.MS", "2912", "201")
    assert value[read.at : read.at + 4] == "2912"


def test_track_1_without_expiry() -> None:
    """A caret replaces a missing field."""
    read = read_track_1(f"B{PAN}^DOE/JANE^^^000")
    assert read is not None
    assert (read.expiry, read.service) == ("", "")


@pytest.mark.parametrize(
    "value",
    [
        "",
        "DATA 045",
        f"%B{PAN}^DOE/JANE^2912201?",
        f"B{PAN}^^2912201",
        f"{PAN}^DOE/JANE^2912201",
        f"B{PAN}^DOE/JANE",
    ],
)
def test_other_layouts_are_no_track_1(value: str) -> None:
    """Text with sentinels, another format code or missing fields is not track 1."""
    assert read_track_1(value) is None


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        (f"01{PAN}=724724000", True),
        (f"01{PAN}==", True),
        (f"01{PAN}", False),
        ("1=724", False),
        ("01=724724000", False),
    ],
)
def test_track_3_begins_with_format_code_and_card_number(value: str, is_one: bool) -> None:
    """Format code, card number, separator."""
    rules = {finding.rule for finding in run(Message("0100", {36: value}, "1987"))}
    assert ("track-3" not in rules) is is_one


def test_a_country_code_moves_the_expiry() -> None:
    """For card numbers that start with 59 the position of the expiry is unknown."""
    assert expiry_place(PAN) == 17
    assert expiry_place("59" + PAN[2:]) is None


def test_pan_of_track_1() -> None:
    """The card number is found in track 1 with any format code, and nowhere else."""
    assert pan_of_track_1(f"B{PAN}^DOE/JANE^2912201") == PAN
    assert pan_of_track_1(f"{PAN}=2912201") == ""


def test_the_repr_shows_no_card() -> None:
    """Neither track shows card number, name or expiry."""
    for read in (read_track_1(f"B{PAN}^DOE/JANE^2912201000000"), read_track_2(f"{PAN}=2912201000000")):
        assert read is not None
        assert not any(secret in repr(read) for secret in ("4111", "DOE", "2912", "201"))

"""Formats of one's own: what a file says holds, what it cannot say is named with its line."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from sim.codec import Message, build, parse
from sim.codec.wire import decode, encode, names, wire_format
from sim.codec.wire.catalogue import format_of
from sim.codec.wire.dialects import load_folder, load_format
from sim.errors import SpecError
from sim.operations import validate
from sim.parts.layout import fitting

_BANK = """extends = "bcd"
title = "My bank"
source = "its manual"
lengths = "binary"

[elements.41]
format = "ans 16"
name = "Terminal and lane"

[elements.62]
cut = "places"
parts = [
  { path = "1", name = "order", format = "an 6" },
  { path = "2", name = "shop", format = "n 4" },
]
"""
_MESSAGE = Message("0200", {3: "000000", 11: "123456", 41: "TERM000100LANE07", 62: "A1B2C30042"})


def _bank(text: str = _BANK) -> Message:
    made = format_of(tomllib.loads(text), "my-bank")
    return decode(encode(_MESSAGE, made), made)


def test_elements_and_parts_of_a_dialect_hold(tmp_path: Path) -> None:
    """A file with another DE 41, binary prefixes and parts of DE 62: bytes there and back by its name, the
    message has its own names, lengths and parts, and is written as text and read again."""
    (tmp_path / "my-bank.toml").write_text(_BANK, encoding="utf-8")
    made = load_format(tmp_path / "my-bank.toml")
    assert made.name in names()
    data = encode(_MESSAGE, "my-bank")
    assert data.hex().upper().endswith("0A" + b"A1B2C30042".hex().upper())
    message = decode(data, "my-bank")
    assert message.fields == _MESSAGE.fields
    assert message.spec[41].name == "Terminal and lane"
    assert message.dialect is not None
    assert parse(build(message), message.dialect) == message
    parts = fitting(message.spec, 62, message[62])
    assert parts is not None
    assert [(part.name, part.value) for part in parts.parts] == [("order", "A1B2C3"), ("shop", "0042")]


def test_a_message_without_the_elements_of_a_dialect_is_a_plain_one() -> None:
    """What only is written otherwise makes no dialect: such a message reads as text everywhere."""
    plain = Message("0200", {3: "000000", 11: "123456"})
    made = format_of(tomllib.loads(_BANK), "my-bank")
    assert decode(encode(plain, made), made) == plain
    assert _bank().dialect is not None


def test_parts_of_postilions_own_element_are_read() -> None:
    """DE 127: six length digits, a bitmap of raw bytes, then the parts whose bits are set."""
    dialect = wire_format("postilion").layout().dialect
    value = "6000000000000000" + "0512345" + "SOURCE".ljust(48)
    message = Message("0200", {11: "123456", 127: value}, dialect=dialect)
    data = encode(message, "postilion")
    assert b"000063" + bytes.fromhex("6000000000000000") + b"0512345SOURCE" in data
    assert decode(data, "postilion") == message
    found = fitting(message.spec, 127, value)
    assert found is not None
    assert found.get("switch key") == "12345"


@pytest.mark.parametrize(
    ("old", "new", "field", "line", "expected"),
    [
        ('lengths = "binary"', 'lengths = "octal"', None, 4, "lengths = ascii"),
        ('lengths = "binary"', "prefixes = 1", None, 4, "a row called title"),
        ('lengths = "binary"', "lengths = [", None, 6, "TOML"),
        ('format = "ans 16"', 'format = "ans sixteen"', 41, 6, "a format such as"),
        ('format = "ans 16"', "format = 16", 41, 7, "format as str"),
        ('name = "Terminal and lane"', 'written = "utf-16"', 41, 8, "written = ascii"),
        ('name = "Terminal and lane"', "length_bytes = 9", 41, 8, "length_bytes = 1"),
        ('cut = "places"', 'cutt = "places"', 62, 11, "a row called format"),
        ('format = "n 4"', 'formatt = "n 4"', 62, 10, "a row called path"),
        ('name = "shop", ', "", 62, 10, "parts[1] with name"),
        ("[elements.41]", "[elements.1]", None, None, "elements.<number>"),
        ("[elements.41]", "[elements.forty]", None, None, "elements.<number>"),
        ('extends = "bcd"', 'extends = "bcdx"', None, None, "a format: amex"),
        ('title = "My bank"', "", None, None, "a title"),
        ('lengths = "binary"', 'frames = ["length-9"]', None, None, "a kind of framing"),
        ('lengths = "binary"', "frames = 2", None, 4, "frames as list"),
        ('lengths = "binary"', 'name = "bcd"', None, None, "a name that no built-in format uses"),
        ('lengths = "binary"', 'name = "../x"', None, None, "a name of letters"),
    ],
)
def test_what_a_file_cannot_say_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, field: int | None, line: int | None, expected: str
) -> None:
    """One bad row: the error names its element, its line, what may stand there, and the file."""
    assert old in _BANK
    (tmp_path / "bad.toml").write_text(_BANK.replace(old, new), encoding="utf-8")
    with pytest.raises(SpecError) as caught:
        load_format(tmp_path / "bad.toml")
    assert caught.value.field == field
    assert expected in caught.value.expected
    if line is not None:
        assert caught.value.offset == line
        assert f"at line {line}" in str(caught.value)
        assert "bad.toml" in caught.value.found
    assert "bad" not in names()


def test_a_folder_is_loaded_in_the_order_of_its_names(tmp_path: Path) -> None:
    """Every format in it, by the names of the files; one may extend another that came before."""
    (tmp_path / "a-host.toml").write_text(_BANK, encoding="utf-8")
    second = 'extends = "a-host"\ntitle = "Its test system"\nsource = "its manual"\nmti = "ascii"'
    (tmp_path / "b-host.toml").write_text(second, encoding="utf-8")
    (tmp_path / "readme.txt").write_text("no format", encoding="utf-8")
    first, other = load_folder(tmp_path)
    assert (first.name, other.name, other.lengths) == ("a-host", "b-host", "binary")
    assert encode(_MESSAGE, "b-host")[:4] == b"0200"


def test_a_file_that_is_no_text_or_too_large_is_refused(tmp_path: Path) -> None:
    """Bytes that are no UTF-8, and a file of megabytes, are named as such."""
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SpecError, match="UTF-8"):
        load_format(tmp_path / "bytes.toml")
    (tmp_path / "large.toml").write_text("#" * (2 << 20), encoding="utf-8")
    with pytest.raises(SpecError, match="at most"):
        load_format(tmp_path / "large.toml")


def test_a_message_of_a_dialect_is_judged_by_its_own_elements() -> None:
    """A DE 41 of 16 characters is right and has its own name in a finding; in 1987 it cannot be."""
    fine = _bank()
    assert not [one for one in validate(fine).findings if one.field == 41]
    assert validate(fine).framing is None
    wrong = fine.replace(de41="TERM\x07" + "0" * 11)
    found = [one for one in validate(wrong).findings if one.field == 41]
    assert [(one.severity.value, one.name) for one in found] == [("error", "Terminal and lane")]
    plain = validate(Message("0200", dict(fine.fields)))
    assert plain.framing is not None
    assert plain.framing.field == 41


def test_a_note_is_not_taken_from_the_base() -> None:
    """What it says of the base need not be true of the format that differs."""
    assert wire_format("bcd").note
    assert format_of(tomllib.loads(_BANK), "my-bank").note == ""


def test_a_dialect_without_a_source_has_its_file_as_one(tmp_path: Path) -> None:
    """Nobody is stopped for want of a source: findings by the file's own rows give the file as theirs."""
    (tmp_path / "newcomer.toml").write_text(
        'extends = "1987"\ntitle = "My first"\n\n[elements.62]\nformat = "an 6"\n', encoding="utf-8"
    )
    made = load_format(tmp_path / "newcomer.toml")
    assert made.source == "its own file, newcomer.toml"
    table = made.layout("1987").dialect
    assert table is not None
    assert table[62].source == "its own file, newcomer.toml"


def test_every_content_class_of_the_standard_is_one_of_a_dialect(tmp_path: Path) -> None:
    """Letters and special characters, too, in elements and in parts; another class is named with those that
    there are."""
    for content, value, wrong in (("a", "ABC ", "AB1 "), ("as", "A-B ", "A-1 "), ("s", "-/- ", "-A- ")):
        rows = f'extends = "bcd"\ntitle = "Own"\n[elements.41]\nformat = "{content} 4"\n[elements.62]\n'
        rows += f'cut = "places"\nparts = [{{ path = "1", name = "kind", format = "{content} 4" }}]'
        (tmp_path / "own.toml").write_text(rows, encoding="utf-8")
        made = load_format(tmp_path / "own.toml")
        for given, rules in ((value, set()), (wrong, {"character-class", "own-layout"})):
            message = decode(encode(Message("0800", {11: "000042", 41: given, 62: given}), made), made)
            assert {one.rule for one in validate(message).findings if one.field in (41, 62)} == rules
    for row in ('format = "hex 4"', 'parts = [{ path = "1", name = "kind", format = "xn 4" }]'):
        (tmp_path / "bad.toml").write_text(f'extends = "bcd"\ntitle = "Own"\n[elements.41]\n{row}')
        with pytest.raises(SpecError, match=r"DE 41.* of class a, n, an, "):
            load_format(tmp_path / "bad.toml")

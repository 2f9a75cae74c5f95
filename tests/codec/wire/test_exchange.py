"""Formats from and to other toolkits: the same bytes before and after, and what cannot be said is named."""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import iso8583
import iso8583.specs
import pytest
from support import together

from sim.codec import Message, parse
from sim.codec.wire import Format, decode, encode, misfits, names, read, wire_format
from sim.codec.wire.catalogue import format_of, to_toml
from sim.codec.wire.dialects import from_json, load_format, named_format
from sim.codec.wire.exchange.jpos import from_jpos, to_jpos
from sim.codec.wire.exchange.moov import from_moov, to_moov
from sim.codec.wire.exchange.pyiso import from_pyiso8583, to_pyiso8583
from sim.errors import SpecError, WireError
from sim.operations.building import in_format
from tests.support import PARSED

_BCD = ("bcd", "bcd-right", "bcd-f")
_BOTH_WAYS = ("ascii", "ascii-binary", *_BCD, "ebcdic-500", "postilion", "smartvista", "base24")
_NO_PYTHON_PAGE = ("ebcdic", "ebcdic-hex")


@cache
def _messages() -> tuple[Message, ...]:
    rows = [row for row in PARSED if row["version"] == "1987"]
    return tuple(parse(row["message"], "1987") for row in rows)


def _again(made: Format, kind: str) -> tuple[Format, set[int]]:
    """A format written out for another toolkit and read back, and the elements that were left out."""
    left: dict[int, str] = {}
    if kind == "toml":
        rows = tomllib.loads(to_toml(made))
    elif kind == "jpos":
        text, left = to_jpos(made, "1987")
        rows = from_jpos(text, "test")
    elif kind == "moov":
        table, left = to_moov(made, "1987")
        rows = from_moov(json.loads(json.dumps(table)), "test")
    else:
        given, left = to_pyiso8583(made, "1987")
        rows = from_pyiso8583(given)
    return format_of(rows, "again"), set(left)


@pytest.mark.parametrize("kind", ["toml", "jpos", "moov", "pyiso8583"])
@pytest.mark.parametrize("name", [*_BOTH_WAYS, *_NO_PYTHON_PAGE])
def test_a_format_comes_back_as_it_was(name: str, kind: str) -> None:
    """Written out and read again: every message whose elements could be said has the same bytes."""
    if kind == "pyiso8583" and name in _NO_PYTHON_PAGE:
        pytest.skip("Python has no code page 1047")
    made = wire_format(name)
    again, left = _again(made, kind)
    # What another toolkit has no page for stands in its nearest one.
    same = kind == "toml" or made.text == again.text
    carried = 0
    for message in _messages():
        if misfits(message, made) or left & message.fields.keys():
            continue
        data = encode(message, again)
        if same:
            assert data == encode(message, made)
        assert decode(data, again).fields == decode(encode(message, made), made).fields
        carried += 1
    # moov-io/iso8583 fills odd digits up with 0 only.
    assert carried > (0 if (kind, name) == ("moov", "bcd-f") else 20)


@pytest.mark.parametrize("name", [*(one for one in names() if not one.startswith(("ebcdic-hex", "ipm")))])
def test_pyiso8583_writes_and_reads_the_same_bytes(name: str) -> None:
    """With the specification that we write out for it, pyiso8583 makes our bytes and reads our values."""
    made = wire_format(name)
    if made.version not in (None, "1987") or made.bitmap_bytes or "cp1047" in (made.mti, made.text):
        pytest.skip("a format of another version, or with what pyiso8583 has no words for")
    given, left = to_pyiso8583(made, "1987")
    compared = 0
    for message in _messages():
        unsure = set(left) | ({35, 36} if made.track == "bcd" else set())
        if misfits(message, made) or unsure & message.fields.keys() or message.empty_secondary:
            continue
        values = {"t": message.mti, **{str(number): value for number, value in message.fields.items()}}
        raw, _ = iso8583.encode(values, spec=given)
        assert bytes(raw) == encode(message, made)
        read, _ = iso8583.decode(encode(message, made), spec=given)
        found = {int(key): value for key, value in read.items() if key.isdigit() and key != "1"}
        assert found == decode(encode(message, made), made).fields
        compared += 1
    assert compared > 20


@pytest.mark.parametrize(
    "given", [iso8583.specs.default, iso8583.specs.default_ascii], ids=["default", "ascii"]
)
def test_pyiso8583s_own_specifications_are_read(given: dict[str, Any]) -> None:
    """Messages that pyiso8583 writes with its own specifications are read by ours of them."""
    made = format_of(from_pyiso8583(given), "theirs")
    compared = 0
    for message in _messages():
        if misfits(message, made) or message.empty_secondary:
            continue
        values = {"t": message.mti, **{str(number): value for number, value in message.fields.items()}}
        raw, _ = iso8583.encode(values, spec=given)
        assert decode(bytes(raw), made).fields == {
            number: value.upper() if made.binary == "raw" and number in (52, 55, 64, 128) else value
            for number, value in message.fields.items()
        }
        compared += 1
    assert compared > 20


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<isopackager>", "an XML document"),
        ("<other/>", "isofield"),
        ('<!DOCTYPE x [<!ENTITY a "aa">]><isopackager>&a;</isopackager>', "entities"),
        ('<!DOCTYPE x [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]><isopackager/>', "entities"),
        ('<isopackager><isofield id="2" length="9" class="a.Odd"/></isopackager>', "isofield elements"),
        ('<isopackager><isofield id="2" length="x" class="a.IF_CHAR"/></isopackager>', "a length"),
        ('<isopackager><isofield id="٣" length="4" class="a.IF_CHAR"/></isopackager>', "isofield id"),
        ('<isopackager><isofield id="0" length="4" class="a.IF_NONE"/></isopackager>', "a class of jPOS"),
        (
            '<isopackager><isofield id="0" length="4" class="a.4111111111111111"/></isopackager>',
            "a class of jPOS .*, found 16 characters$",
        ),
    ],
)
def test_xml_that_is_no_packager_is_refused(text: str, expected: str) -> None:
    """Broken XML, other XML, entities of any kind, classes that are not known: an error, nothing fetched."""
    with pytest.raises(SpecError, match=expected):
        from_jpos(text, "test.xml")


@together(
    "text",
    [
        "{",
        "[]",
        "{}",
        '{"fields": {}}',
        '{"fields": {"x": {}}}',
        '{"fields": {"2": 3}}',
        '{"fields": {"2": {"enc": "UTF-32", "prefix": "ASCII.LL", "length": 19}}}',
        '{"fields": {"2": {"enc": "ASCII", "prefix": "ASCII.LL", "length": true}}}',
        '{"t": {}, "p": {}}',
        '{"t": {"data_enc": "b"}, "p": {"data_enc": "b"}, "2": {"data_enc": "rot13"}}',
        '{"t": {"data_enc": "b"}, "p": {"data_enc": "b"}, "500": {}}',
        '{"t": {"data_enc": "b"}, "p": {"data_enc": "b"}, "2": {"data_enc": "b", "max_len": -1}}',
        "[" * 100_000,
    ],
)
def test_json_that_is_no_specification_is_refused(text: str) -> None:
    """Whatever else stands in a JSON file: a SpecError."""
    with pytest.raises(SpecError):
        from_json(text, "test.json")


def test_a_dict_is_loaded_as_it_is() -> None:
    """What pyiso8583 takes, given as the dict that it is, under a name of one's own."""
    made = load_format(iso8583.specs.default_ascii, name="their-default")
    assert (made.name, wire_format("their-default")) == ("their-default", made)
    assert encode(_messages()[0], made) == encode(_messages()[0], "ascii")
    with pytest.raises(SpecError, match="moov-io/iso8583 or pyiso8583"):
        load_format({"a": 1})


def test_a_module_that_writes_a_dict_out_is_read_and_not_run(tmp_path: Path) -> None:
    """The dict of pyiso8583 in it is taken, nothing is run; what only running it tells is refused."""
    file = tmp_path / "their.py"
    file.write_text(f"raise SystemExit\nother = dict(a=1)\nspec: dict = {iso8583.specs.default_ascii!r}\n")
    made = load_format(file)
    assert (made.name, made.title) == ("their", "their")
    assert encode(_messages()[0], made) == encode(_messages()[0], "ascii")
    for text in ("spec = dict(t={})", "spec = {", "spec = {'t': {}, 'p': make()}"):
        file.write_text(text)
        with pytest.raises(SpecError, match=r"their\.py"):
            load_format(file)


_FIXED = {"len_enc": "ascii", "len_type": 0, "desc": "one"}
_OTHER = {
    "h": {**_FIXED, "data_enc": "b", "max_len": 5},
    "t": {**_FIXED, "data_enc": "b", "max_len": 2},
    "p": {**_FIXED, "data_enc": "b", "max_len": 8},
    "11": {**_FIXED, "data_enc": "b", "max_len": 3},
}


def test_a_header_of_pyiso8583_is_kept() -> None:
    """The bytes in front of the MTI are framing of the format, in both directions, and pyiso8583 agrees."""
    made = format_of(from_pyiso8583(_OTHER), "theirs")
    message = Message("0800", {11: "000042"}, "1987")
    assert made.frames == ("header-5",)
    raw, _ = iso8583.encode({"h": "6000010002", "t": "0800", "11": "000042"}, spec=_OTHER)
    found = read(bytes(raw), made, framing=made.frames)
    assert (found.message.fields, found.framing[0].front.hex()) == (message.fields, "6000010002")
    assert encode(message, made, framing=found.framing) == bytes(raw)
    assert to_pyiso8583(made)[0]["h"]["max_len"] == 5


def test_one_of_several_dicts_is_chosen_by_its_name(tmp_path: Path) -> None:
    """A module with two specifications: the name says which, in the shell behind a colon."""
    file = tmp_path / "specs.py"
    file.write_text(f"first = {_OTHER!r}\nsecond = {iso8583.specs.default_ascii!r}\n")
    assert load_format(file, name="first").mti == "bcd"
    assert named_format(f"{file}:second").mti == "ascii"
    with pytest.raises(SpecError, match="'first', 'second'"):
        load_format(file)


def test_elements_that_a_packager_does_not_describe_are_none_of_its_link() -> None:
    """A message of the link has none of them, as jPOS, which could not read them; an error names them."""
    made = format_of(from_jpos(_SMALL, "small.xml"), "small")
    message, notes = in_format(Message("0200", {3: "000000", 11: "000042", 49: "840"}), made)
    assert message.fields == {3: "000000", 11: "000042"}
    assert notes == ("DE 49 is left out: small has no such element.",)
    with pytest.raises(WireError, match=r"DE 49.* no element 49, which small does not describe"):
        decode(bytes.fromhex("0200") + bytes.fromhex("0000000000008000") + b"840", made)
    assert format_of(tomllib.loads(to_toml(made)), "again").absent == made.absent


_SMALL = """<isopackager>
<isofield id="0" length="4" name="MTI" class="org.jpos.iso.IFB_NUMERIC" pad="true"/>
<isofield id="1" length="8" name="map" class="org.jpos.iso.IFB_BITMAP"/>
<isofield id="3" length="6" name="Processing" class="org.jpos.iso.IFB_NUMERIC" pad="true"/>
<isofield id="11" length="6" name="Trace" class="org.jpos.iso.IFB_NUMERIC" pad="true"/>
</isopackager>"""

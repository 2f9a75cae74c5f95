"""Spellings: bytes are found again in whatever way they were written down."""

from __future__ import annotations

from base64 import b32encode
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ALL, fewer, together

from sim.paste.spellings import (
    BYTES,
    ELEMENTS,
    MOST_CHARACTERS,
    Sighting,
    named_messages,
    rewritten,
    sightings,
    worded,
)
from tests.octal_dumps import OCTAL
from tests.spellings import SPELLINGS, hexdump_c, xxd

BCD = bytes.fromhex(
    "005D600006000001107238000100C080000016353011133330000000000000000123451120101530683162101530112012345678"
)
ASCII = b"0080" + b"0110723800010AC08000153714496353984310000000000000000011120101530288420101530112011"
# Bytes that a gutter, an escape or a list could take for something else.
AWKWARD = b"\x00\x00\x02\x00 \"\\|'ab12 cd \r\n\t\xff\xfe" + bytes(range(60, 90)) + b"\x80\x03\x00"


@pytest.mark.parametrize("data", [BCD, ASCII, AWKWARD], ids=["bcd", "ascii", "awkward"])
@together("name", SPELLINGS)
def test_bytes_come_back_from_every_spelling(name: str, data: bytes) -> None:
    """One of the readings of a spelled message is its bytes."""
    assert data in [one.data for one in sightings(SPELLINGS[name](data))]


@settings(max_examples=fewer(60))
@given(
    st.sampled_from(["xxd", "hexdump -C", "tcpdump -X", "wireshark", "jpos"]),
    st.binary(min_size=17, max_size=90),
)
def test_a_dump_gives_its_bytes_whatever_its_gutter_shows(name: str, data: bytes) -> None:
    """The gutter never adds a byte or hides one, whatever characters stand in it."""
    assert data in [one.data for one in sightings(SPELLINGS[name](data))]


def test_words_of_a_little_endian_machine_are_swapped_back() -> None:
    """`hexdump` without -C prints the bytes of each word swapped."""
    text = "0000000 3130 3030 3837 3635\n0000008 3433 3231 3039 3837\n0000010\n"
    swapped = [one.data for one in sightings(text) if "swapped" in one.name]
    assert swapped == [bytes.fromhex("3031303037383536" + "3334313239303738")]


def test_the_characters_of_the_paste_are_always_a_reading() -> None:
    """A text form needs no spelling; only the line ending goes."""
    first = sightings("0800 \r\n")[0]
    assert (first.data, first.text) == (b"0800 ", True)


def test_a_message_inside_a_log_line_is_found() -> None:
    """Text in front, and a quotation mark that ends it."""
    text = 'INFO sent "08002020000000000000990000123456" in 3 ms'
    assert b"08002020000000000000990000123456" in [one.data for one in sightings(text)]


def test_a_number_before_a_message_is_not_its_first_byte() -> None:
    """A length or a thread in the log: two decimal digits, a blank, and the message in one word."""
    message = "080020200000000000009900001234560810202000000000000099000012"
    for front in ("recv len=30 ", "INFO [12] ", "sent, 17 "):
        assert {one.data.hex() for one in sightings(front + message) if not one.text} == {message}


def test_base32_inside_a_log_line_is_found() -> None:
    """The words around it are no digits of it."""
    assert ASCII in [one.data for one in sightings(f"sent {b32encode(ASCII).decode()} in 3 ms")]


def test_an_odd_hex_digit_is_left_out_and_said() -> None:
    """Half a byte at the end is no byte."""
    one = next(one for one in sightings("0800202000000000000099") if one.name == "hex")
    odd = next(one for one in sightings("08002020000000000000991") if one.name == "hex")
    assert one.data == odd.data
    assert odd.notes
    assert not one.notes


@pytest.mark.parametrize("spelling", [*BYTES, *ELEMENTS], ids=lambda one: one.__name__.rpartition(".")[2])
def test_the_examples_of_a_spelling_are_read(spelling: ModuleType) -> None:
    """Each file of a spelling holds pastes and what they say."""
    assert spelling.EXAMPLES
    for text, meant in spelling.EXAMPLES:
        found = list(spelling.find(text))
        said = [one.data if isinstance(one, Sighting) else (one.mti, one.fields) for one in found]
        assert meant in said


@pytest.mark.parametrize("spelling", BYTES, ids=lambda one: one.__name__.rpartition(".")[2])
@settings(max_examples=fewer(40))
@given(st.binary(min_size=24, max_size=120))
def test_bytes_written_are_found(spelling: ModuleType, data: bytes) -> None:
    """Whatever stands behind an MTI comes back from each spelling, under a name that is its own."""
    data = b"\xf0\xf8\xf0\xf0" + data + b"0"
    found = list(spelling.find(spelling.write(data)))
    assert data in [one.data for one in found]
    assert all(one.name.startswith(spelling.NAMES) for one in found)


REWRITTEN = [one for one in BYTES if hasattr(one, "rewrite")]


@pytest.mark.parametrize("spelling", REWRITTEN, ids=lambda one: one.__name__.rpartition(".")[2])
def test_other_bytes_are_written_in_the_same_way(spelling: ModuleType) -> None:
    """What is changed in a paste is written as the rest of it is, letters of hex digits, too."""
    data = ASCII[:15] + b"J" + ASCII[16:]
    paste, changed = spelling.write(data), data[:20] + b"999" + data[23:]
    name = next(one.name for one in spelling.find(paste) if one.data == data)
    assert rewritten(paste, name, data, changed) == spelling.write(changed)


# Brackets around a whole value are those of the log.
_PLAIN = st.text("ABCDEFGHIJabcxyz0123456789&<>.", min_size=1, max_size=20).filter(
    lambda text: not (text[0] == "<" and text[-1] == ">")
)


@pytest.mark.parametrize("spelling", ELEMENTS, ids=lambda one: one.__name__.rpartition(".")[2])
@settings(max_examples=fewer(40))
@given(st.dictionaries(st.integers(2, 128).map(str), _PLAIN, min_size=3, max_size=9))
def test_elements_written_are_found(spelling: ModuleType, fields: dict[str, str]) -> None:
    """The elements of a message come back from each spelling that names them, and nothing else does."""
    (found,) = spelling.find(spelling.write("0200", fields))
    assert (found.mti, found.fields) == ("0200", fields)


def test_escapes_of_a_printed_dictionary_are_no_part_of_a_value() -> None:
    """A quotation mark of its own kind, and a character by its number."""
    (found,) = named_messages(r"{'0': '0800', '11': '000042', '43': 'JOE\'S\x20BAR', '70': '301'}")
    assert found.fields == {"11": "000042", "43": "JOE'S BAR", "70": "301"}


def test_only_so_much_is_looked_at() -> None:
    """A paste of any size costs no more than one of 64 KB."""
    assert all(len(one.data) <= MOST_CHARACTERS for one in sightings("30" * MOST_CHARACTERS))


@settings(max_examples=200 if ALL else fewer(60))
@given(st.text(max_size=300) | st.text(alphabet="0123456789abcdefx\\{}[]()<>=:;,|\"' \r\n\tF&", max_size=400))
def test_any_text_gives_readings(text: str) -> None:
    """Nothing raises, and the first reading is the text."""
    found = sightings(text)
    assert found[0].name == "text"
    named_messages(text)


def test_a_repr_shows_no_bytes() -> None:
    """Readings and named messages hold card numbers."""
    text = '{"mti": "0100", "2": "4111111111111111", "3": "000000"}'
    assert "4111" not in repr(named_messages(text)) + repr(sightings("0" * 8 + "4111111111111111"))


ISOMSG = """<log><send>
  <isomsg direction="outgoing">
    <!-- org.jpos.iso.packager.GenericPackager -->
    <field id="0" value="0200"/>
    <field id="2" value="4111111111111111"/>
    <field id='43' value='A &amp; B &#60;C&gt;'/>
    <field id="52" value="0123456789ABCDEF" type="binary"/>
    <isomsg id="127"><field id="2" value="key"/><isomsg id="25"><field id="3" value="x"/></isomsg></isomsg>
    <isomsg id="55"><9F02><field id="1" value="1000"/></9F02></isomsg>
  </isomsg></send></log>"""


def test_jpos_xml_is_named_with_its_nested_messages() -> None:
    """Nested messages become paths, entities characters, binary values are marked."""
    (message,) = named_messages(ISOMSG)
    assert message.mti == "0200"
    assert message.fields == {
        "2": "4111111111111111",
        "43": "A & B <C>",
        "52": "0123456789ABCDEF",
        "127.2": "key",
        "127.25.3": "x",
        "55.9F02": "1000",
    }
    assert message.binary == {"52"}


def test_entities_are_not_expanded() -> None:
    """A document that defines entities gets them back as they stand."""
    bomb = (
        '<!DOCTYPE x [<!ENTITY a "&b;&b;">]>'
        + '<isomsg><field id="0" value="0800"/><field id="3" value="&a;"/></isomsg>'
    )
    assert named_messages(bomb)[0].fields == {"3": "&a;"}


def test_several_messages_are_several() -> None:
    """Two messages in one log are two."""
    assert [one.mti for one in named_messages(ISOMSG + ISOMSG.replace("0200", "0210"))] == ["0200", "0210"]


@together(
    "text",
    [
        '{"mti": "0800", "3": "990000", "11": "123456"}',
        '{"0": "0800", "3": "990000", "11": "123456"}',
        "{'t': '0800', 'p': '2020000000000000', '3': '990000', '11': '123456'}",
        '{"MTI": "0800", "fields": {"DE003": "990000", "DE011": "123456"}}',
        '{"mti": "0800", "fields": [{"number": 3, "value": "990000"}, {"number": 11, "value": "123456"}]}',
        "{mti=0800, 3=990000, 11=123456}",
        "mti=0800 fields=map[3:990000 11:123456]",
        "Tipo mensaje......: 0800\nCampo 3......: 990000\nCampo 11.....: 123456",
        "Field  Len  Value\n-----  ---  -----\nMTI    4    0800\n003    6    990000\n011    6    123456",
        r'{"a": "<isomsg><field id=\"0\" value=\"0800\"/>\n<field id=\"3\" value=\"990000\"/>'
        r'<field id=\"11\" value=\"123456\"/></isomsg>"}',
        "10:15:30 [x] out (0)(0800)(3)(990000)(11)(123456)",
        "MTI..........: 0800\nBitmap HEX...: 2020000000000000\nF3   Code......: 990000\nF11  STAN..: 123456",
        "12:01:801:CNV: MessageType :0800\n12:01:804:CNV: F03_Code :990000\n12:01:811:CNV: F11_Stan :123456",
        "MTI: 0800\nDE 003 [Processing code] = 990000\nDE 011 [STAN] = 123456",
        "Message type: 0800\nField 3: 990000\nField 11: 123456",
        "MTI=0800|3=990000|11=123456|",
        "h   '': ''\nt   'Message Type': '0800'\n3   'Processing Code': '990000'\n11  'STAN': '123456'",
        "MTI 0800\n[003] Processing code : [990000]\n[011] STAN : [123456]",
    ],
)
def test_elements_that_a_paste_names_are_taken_from_it(text: str) -> None:
    """JSON, printed dictionaries and logs of elements, however they are labelled."""
    (message,) = named_messages(text)
    assert (message.mti, message.fields) == ("0800", {"3": "990000", "11": "123456"})


@pytest.mark.parametrize(
    "text", [xxd(BCD), hexdump_c(ASCII), "Dear Sir, 3 of 11 cards: 4", "{}", "[1, 2, 3]", ""]
)
def test_what_names_no_elements_is_not_named(text: str) -> None:
    """A dump or a letter has no labelled elements."""
    assert named_messages(text) == []


def test_a_backtick_behind_a_quotation_mark_is_a_byte() -> None:
    """60, which begins a TPDU, is a backtick in what Python prints."""
    data = bytes.fromhex("6000060000 0800 2020000000000000 990000 000042")
    assert ("string with escapes", data) in [(one.name, one.data) for one in sightings(repr(data))]


@together("name", OCTAL)
@together("data", [BCD, ASCII, AWKWARD, ASCII + b" " * 70 + b"0" * 90 + BCD])
def test_bytes_come_back_from_characters_octal_numbers_and_words(name: str, data: bytes) -> None:
    """What od and its kin print gives the bytes back, also where a star stands for rows that are alike."""
    found = [one.data for one in sightings(OCTAL[name](data))]
    whole = data + b"\0" * (-len(data) % 4)
    assert any(one in (data, whole[: len(one)]) and len(one) >= len(data) for one in found)


@settings(max_examples=fewer(60))
@given(st.sampled_from(sorted(OCTAL)), st.text("0123456789abcdef* \\\n", max_size=90))
def test_a_dump_that_was_spoiled_is_read_or_not(name: str, more: str) -> None:
    """Whatever stands between the rows, nothing is raised and no more bytes come than were there."""
    rows = OCTAL[name](ASCII).splitlines()
    for one in sightings("\n".join([*rows[:2], more, *rows[2:]])):
        assert len(one.data) <= MOST_CHARACTERS


def test_elements_named_in_words_make_a_message_beside_an_mti() -> None:
    """Names as people and logs write them, in lines, tables, JSON and pairs; another text names none."""
    lines = "MTI: 0100\nPrimary Account Number: 4111111111111111\nSTAN: 123456\nMCC: 5411"
    table = "|Field|Value|\n|-|-|\n|MTI|0100|\n|PAN|4111111111111111|\n|Trace|123456|\n|MCC|5411|"
    record = '{"mti": "0100", "primaryAccountNumber": "4111111111111111", "stan": "123456", "mcc": "5411"}'
    inline = "12:30:45 sent mti=0100 pan=4111111111111111, stan=123456; mcc=5411"
    for text in (lines, table, record, inline):
        assert [one.fields for one in worded(text)] == [
            {"2": "4111111111111111", "11": "123456", "18": "5411"}
        ]
    assert worded(lines.replace("MTI: 0100", "Dear Sir")) == []
    assert worded("MTI: 0100 is what I sent.\nAmount: too much\nTo: you\nFrom: me\nSubject: card") == []


def test_names_are_those_of_the_version() -> None:
    """The same words are other elements in 1993, and each message begins with its MTI."""
    one, other = worded("MTI: 0100\nMCC: 5411\nSTAN: 1\nRRN: 2\nMTI: 1100\nMCC: 5411\nSTAN: 3\nRRN: 4")
    assert (list(one.fields), list(other.fields)) == (["18", "11", "37"], ["26", "11", "37"])

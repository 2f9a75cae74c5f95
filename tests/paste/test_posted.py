"""What people post of links that no ready format describes: heads, private bytes, hashes, damaged text."""

from __future__ import annotations

import json

import pytest
from support import AT

from sim.codec import Message, build
from sim.codec.wire import encode, wire_format
from sim.operations import generate, guess, parse_any
from sim.operations.reading import read
from sim.paste.reading import LIKELY, SURE, UNSURE, read_text

_TERMINAL = Message(
    "0200",
    {3: "000000", 4: "000000012345", 11: "146739", 22: "051", 24: "003", 25: "00"}
    | {35: "4111111111111111=28122011234", 41: "TERM0001", 42: "MERCHANT1234567"},
)
_BCD = wire_format("bcd")
_PRIVATE = bytes.fromhex("00033132580004494102200006494246394541000349430300E9F1C1")


def _with_private(number: int, data: bytes) -> bytes:
    """The terminal's message with raw bytes behind two packed bytes of length in element *number*."""
    changed = _BCD.with_(elements={number: {"format": "b..999", "written": "raw", "counts": "bytes"}})
    fields = {**_TERMINAL.fields, number: data.hex().upper()}
    return encode(Message("0200", fields), changed)


@pytest.mark.parametrize("head", ["6000060000", "600107035E", "60000300000100", "60000300001306"])
def test_addresses_in_hex_and_two_bytes_behind_them_are_a_head(head: str) -> None:
    """A TPDU whose addresses are no decimal digits, and a head of two bytes behind a TPDU, are known."""
    best = guess(bytes.fromhex(head) + encode(_TERMINAL, _BCD))
    assert (best.confidence, best.message, best.framing[0][:4]) == (SURE, _TERMINAL, "TPDU")


@pytest.mark.parametrize("number", [48, 58, 59, 61, 62, 63])
def test_private_bytes_are_given_as_hex(number: int) -> None:
    """Bytes that do not print are hex, not characters, and two ways to show them are no two readings."""
    data = bytes.fromhex("6000060000") + _with_private(number, _PRIVATE)
    best = guess(data)
    assert best.message is not None
    assert best.message.fields[number] == _PRIVATE.hex().upper()
    assert best.confidence in (SURE, LIKELY)


def test_chinese_in_a_private_element_is_read() -> None:
    """GBK text in one element of a BCD message is shown as such."""
    text = "测试保单|联系方式123"
    data = bytes.fromhex("6000060000") + _with_private(57, text.encode("gbk"))
    best = guess(len(data).to_bytes(2, "big") + data)
    assert best.message is not None
    assert (best.message.fields[57], best.confidence) == (text, SURE)


def test_a_hash_in_place_of_a_mac_is_read() -> None:
    """A text form whose DE 128 has 64 hex digits is read to its end, and its values are given."""
    sale = generate("auth", entry="chip", at=AT).message
    fields = {**sale.fields, 123: "510101511344101", 128: "BE97C61158EDB795" * 4}
    raw = encode(Message("0200", fields), wire_format("nibss")).decode()
    read = parse_any(raw)
    assert (read.format, read.confidence, read.message.fields) == ("nibss", SURE, fields)


@pytest.mark.parametrize(
    ("mti", "fields"),
    [
        (
            "0100",
            {2: "4000056655665556", 3: "000000", 4: "000000001661", 11: "576443", 14: "2912", 22: "012"}
            | {
                24: "003",
                25: "00",
                41: "96470666",
                42: "304240306708702",
                52: "A257DF07CB7A5F31",
                62: "337995",
            },
        ),
        (
            "0200",
            {3: "000000", 4: "000000161079", 11: "927310", 22: "901", 24: "003", 25: "00", 41: "23374937"}
            | {42: "788492603208341", 52: "A64BEB2BFA1A114A", 62: "717683"},
        ),
        (
            "0200",
            {3: "000000", 4: "000000028475", 11: "436660", 14: "2912", 22: "012", 24: "003", 25: "00"}
            | {41: "82397452", 42: "220841435757958", 62: "652617"},
        ),
    ],
)
def test_packed_digits_that_read_as_the_text_form_by_chance(mti: str, fields: dict[int, str]) -> None:
    """The hex of a terminal's message, which fits as the text form to its last digit: more speaks for the
    bytes, and nothing is sure of it."""
    sent = Message(mti, fields)
    paste = encode(sent, "bcd").hex()
    assert read_text(paste, "1987").complete
    for found in (read(paste), guess(paste)):
        assert (found.message, found.format, found.confidence) == (sent, "bcd", "likely")
        assert [one.format for one in found.rivals] == ["text"]


def test_a_text_form_that_lost_its_blanks_is_no_hex_of_something_else() -> None:
    """A text that begins as the text form does is that, damaged, before it is packed digits behind bytes of
    no known framing."""
    raw = generate("reversal", network="JCB", at=AT).raw
    best = guess(raw.replace(" ", ""))
    assert (best.mti, best.as_text, best.confidence) == (raw[:4], True, UNSURE)


def test_a_message_in_much_other_text_is_read_to_its_end() -> None:
    """What reads to its end is believed before what stops, however much stands around it."""
    dump = encode(_TERMINAL, _BCD).hex()
    lines = "\n".join(f"step {at}: nothing of interest happened here" for at in range(20))
    best = guess(f"{lines}\n{dump}\n{lines}")
    assert (best.message, best.complete) == (_TERMINAL, True)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("ascii", {"digits": "bcd", "track": "bcd", "lengths": "bcd", "binary": "raw"}),
        ("ebcdic", {"digits": "bcd", "track": "bcd", "lengths": "binary"}),
        ("bcd-ebcdic", {"digits": "cp037", "track": "cp037", "lengths": "cp037"}),
    ],
)
def test_mixtures_of_writings_are_read(name: str, change: dict[str, str]) -> None:
    """Links whose MTI and bitmap are written otherwise than their elements are read, whatever is in front."""
    written = wire_format(name).with_(**change)
    for kind in ("auth", "reversal", "echo"):
        message = generate(kind, at=AT).message
        body = encode(message, written)
        best = guess(len(body).to_bytes(2, "big") + body)
        assert best.confidence in (SURE, LIKELY)
        assert {n: value.replace("D", "=") for n, value in message.fields.items()} == {
            n: value.replace("D", "=") for n, value in (best.message or message).fields.items()
        }


def test_elements_of_variable_length_settle_where_odd_digits_are_filled_up() -> None:
    """Digits that leave no choice say on which side those of fixed length are filled up."""
    right = wire_format("bcd-right").with_(odd={"fixed": "right 0", "variable": "right 0"})
    message = Message(
        "1100", {3: "000000", 4: "000000012345", 11: "146739", 24: "100", 32: "12345678901"}, "1993"
    )
    data = encode(message, right)
    best = guess(len(data).to_bytes(2, "big") + data)
    assert (best.message, best.confidence) == (message, SURE)


def test_starred_digits_in_text_are_values_as_they_stand() -> None:
    """A log masks card numbers, and lengths still hold: all else is read, and likely is the most."""
    pan, track = "411111******1111", "411111******1111=*********"
    message = generate("auth", entry="stripe", at=AT).message.replace(de2=pan, de35=track)
    raw = build(message)
    for paste in (raw, f"10:15:30 INFO sent {raw}", f"ISO025000050{raw}", raw.encode().hex()):
        best = guess(paste)
        assert (best.confidence, best.message) == (LIKELY, message)
        assert best.reasons == ("values are masked in the paste",)


def test_a_message_behind_a_text_header_is_read_before_digits_behind_it() -> None:
    """Digits and blanks that only look like an MTI and a bitmap do not keep the message from being read, and
    a length in front of the header is named."""
    message = Message("0200", {3: "000000", 11: "146739", 48: "0000021516060000005400002  " * 9})
    raw = f"ISO025000053{build(message)}"
    best = guess(f'String sentence = "{len(raw):04}{raw}";')
    assert (best.message, best.confidence) == (message, SURE)
    assert best.framing == (f"4-digit length {len(raw):04}", "BASE24 header ISO025000053")


def test_element_1_of_a_table_may_be_the_secondary_bitmap() -> None:
    """A bitmap that names what stands behind DE 64, 64 less, is the second one and no contradiction."""
    rows = "N/A|MSGTYPE|0810\nN/A|BITMAP1|8220000002000000\n1|BITMAP2|0400000000000000\n"
    best = guess(f"{rows}7|DATE|0501130427\n11|STAN|000005\n39|RC|00\n70|NMIC|001\n")
    assert (best.confidence, sorted(best.message.fields if best.message else ())) == (SURE, [7, 11, 39, 70])


@pytest.mark.parametrize("page", ["utf-16", "utf-16-le", "utf-16-be"])
def test_text_in_utf_16_is_read(page: str) -> None:
    """As editors of Windows save it, with and without a mark of byte order."""
    best = guess(encode(_TERMINAL, _BCD).hex(" ").encode(page))
    assert (best.confidence, best.message) == (SURE, _TERMINAL)


def test_one_row_of_a_dump_is_a_dump() -> None:
    """A short message whose dump has a single row is read without what stands beside it."""
    data = encode(Message("0800", {11: "123450"}), _BCD)
    row = f"00000000: {data.hex(' ', 2)}  ......4P\n"
    assert guess(row).message == Message("0800", {11: "123450"})


_SALE = Message("0200", {3: "000010", 4: "000000001500", 7: "1206041200", 11: "000001", 41: "12340001"})
_RAW = build(_SALE)
# What names the elements of that message, as people post it.
_NAMED = {
    "columns of a log": "0508 122728 00153|4| - M.T.I      : [0200]\n"
    + "\n".join(
        f"0508 122728 00153|4| - FLD ({number:03}) : ({len(value):03}) : [{value}]"
        for number, value in _SALE.fields.items()
    ),
    "columns of a log, no colons": "2014 0001 6| - M.T.I : [0200]\n"
    + "\n".join(
        f"2014 0002 6| - FLD ({number:03}) ({len(value):03}) [{value}]"
        for number, value in _SALE.fields.items()
    ),
    "members made by calls": "m := &Message{\n"
    + "\n".join(
        f'  DE{number}: NewNumeric("{value}"), // of 64 "digits"' for number, value in _SALE.fields.items()
    )
    + '\n}\nm.Mti = "0200"',
    "arguments by name": '[iso setMTI:@"0200"];\n'
    + "\n".join(
        f'[iso addDataElement:@"DE{number:02}" withValue:@"{value}"];'
        for number, value in _SALE.fields.items()
    ),
    "Chinese": "\u6d88\u606f\u7c7b\u578b[0200]\n"
    + "\n".join(f"\u7b2c{number}\u57df \u4ea4\u6613 [{value}]" for number, value in _SALE.fields.items()),
    "numbers and sizes in brackets": "\u7b2c[00]\u57df[004][0200]\n"
    + "\n".join(
        f"\u7b2c[{number:02}]\u57df[{len(value):03}][{value}]" for number, value in _SALE.fields.items()
    ),
    "names behind arrows": "\u2502  0200          \u2190 MTI (request)   \u2502\n"
    + "\n".join(
        f"\u2502  {value}    \u2190 Field {number}: 1 of 6 \u2502" for number, value in _SALE.fields.items()
    ),
    "meanings behind arrows": "F0 Message type...: 0200\n"
    + "\n".join(
        f"F{number} Name....: {value}  \u2192 what it means" for number, value in _SALE.fields.items()
    ),
    "a table behind its MTI": "A purchase, MTI 0200:\n| Data element | Type | Value |\n|--|--|--|\n"
    + "\n".join(f"| {number:03} | n | {value} |" for number, value in _SALE.fields.items()),
    "a name before each number, below other lines": "received response: with 9 bytes\n" * 30
    + "\nMessage received\n\nmessage_type :     : 0200\n"
    + "\n".join(
        f"element_{'x' * number} :  {number:03}  : {value}" for number, value in _SALE.fields.items()
    ),
    "a name in a column before the number": "| MTI | 0 | 0200 |\n"
    + "\n".join(f"| Some name | {number} | {value} |" for number, value in _SALE.fields.items()),
    "meanings after values, blanks around colons": "Request (MTI 0200)\nField 0  : 0200 (MTI)\n"
    + "\n".join(f"Field {number:<2} : {value} (its meaning)" for number, value in _SALE.fields.items()),
    "types and sizes in wide columns": "Message type: 0200\nFIELD  TYPE    LENGTH   VALUE\n"
    + "\n".join(
        f"{number:2} -> NUMERIC {len(value):>12}       [{value}]" for number, value in _SALE.fields.items()
    ),
    "an MTI without its zero": "curl -d '"
    + json.dumps({"0": "200"} | {str(number): value for number, value in _SALE.fields.items()})
    + "'",
    "XML between margins": '"""<isomsg>\n  | <f id="0" v="0200"/>\n'
    + "\n".join(f'  | <f id="{number}" v="{value}"/>' for number, value in _SALE.fields.items())
    + '\n  |</isomsg>""".stripMargin',
}


@pytest.mark.parametrize("kind", _NAMED)
def test_elements_are_named_in_many_ways(kind: str) -> None:
    """Logs, program text and XML whose elements are named one by one."""
    best = guess(_NAMED[kind])
    assert (best.message, best.confidence) == (_SALE, SURE)


@pytest.mark.parametrize(
    ("way", "number", "value"),
    [
        ({"format": "z..38", "written": "nibbles"}, 35, "4111111111111111D2812201123400000F"),
        ({"format": "z..38", "written": "nibbles"}, 35, "A7C3E90B51D2F8466E0FB1"),
        ({"format": "ans..99", "lengths": "bcd", "length_bytes": 1}, 62, "000123"),
    ],
)
def test_elements_that_only_one_reading_leaves(way: dict[str, object], number: int, value: str) -> None:
    """A track whose length counts what fills it up, one that is encrypted, one packed byte of length for a
    private element: where all else fits, the bytes leave only that, and it is said."""
    changed = _BCD.with_(elements={number: way})
    message = Message("0200", {**_TERMINAL.fields, number: value})
    best = guess(bytes.fromhex("6000060000") + encode(message, changed))
    assert best.message is not None
    assert {key: best.message.fields[key] for key in (number, 41, 42)} == {
        key: message.fields[key] for key in (number, 41, 42)
    }
    assert best.confidence != SURE


def test_two_records_in_a_program_are_two_messages() -> None:
    """A request and its answer, each a record of JSON, with other text between."""
    asked, answered = ({"mti": "0200", "fields": {"11": "000001"}}, {"mti": "0210", "fields": {"39": "00"}})
    text = f"request := `{json.dumps(asked)}`\nanswer := `{json.dumps(answered)}`"
    assert [one.mti for one in guess(text).messages] == ["0200", "0210"]


def test_bits_in_fours_are_no_hex() -> None:
    """A bitmap that is explained bit by bit holds no bytes."""
    assert guess("0011 0110 0101 1100 0000 1001 1010 1100 1101 0010\n365C09ACD21112A6").message is None


def test_hex_in_lines_of_comments_is_read() -> None:
    """Each line of a dump behind the signs of a comment, without a blank."""
    digits = (bytes.fromhex("6000060000") + encode(_TERMINAL, _BCD)).hex(" ").upper()
    rows = [digits[at : at + 48] for at in range(0, len(digits), 48)]
    assert guess("// dump:\n" + "\n".join(f"//{row.strip()}" for row in rows)).message == _TERMINAL


def test_hex_in_lines_with_blank_lines_between_is_read() -> None:
    """As translated pages show it; a line may end within a byte."""
    digits = (bytes.fromhex("6000060000") + encode(_TERMINAL, _BCD)).hex()
    lines = "\n\n".join(digits[at : at + 67] for at in range(0, len(digits), 67))
    assert guess(f"Here is the message:\n\n----\n\n{lines}\n\nIts length comes first.").message == _TERMINAL


def test_a_text_form_in_lines_of_digits_is_no_hex() -> None:
    """Between lines of words, though its lines could be those of a dump."""
    message = Message("0210", {3: "011000", 4: "000010000000", 11: "000001", 37: "100609010224", 39: "00"})
    raw = build(message)
    lines = "\n".join(raw[at : at + 40] for at in range(0, len(raw), 40))
    assert guess(f"the message is:\n{lines}\nand it means").message == message


def test_a_length_that_counts_hex_digits_is_named() -> None:
    """The message behind it is read all the same."""
    data = encode(_TERMINAL, _BCD)
    best = guess((2 * len(data)).to_bytes(2, "big").hex() + data.hex())
    assert (best.message, best.confidence) == (_TERMINAL, LIKELY)
    assert "counts hex digits" in best.reasons[0]


def test_parts_that_a_program_sets_belong_to_their_element() -> None:
    """Paths of jPOS, of tags in hex, too."""
    best = guess('m.setMTI("0800");\nm.set(11, "000042");\nm.set("48.1", "AB");\nm.set("55.9F36", "0001");')
    assert best.message == Message("0800", {11: "000042", 48: "AB", 55: "9F36020001"})


def test_damaged_digits_may_be_the_hex_of_other_bytes() -> None:
    """A text form of hex digits alone that stops somewhere names them as the other explanation."""
    digits = encode(_TERMINAL, _BCD).hex().upper()
    for broken in (digits[:50], build(_SALE)[:50]):
        best = read(broken)
        assert best.confidence == UNSURE
        assert best.spelling != "text" or any("hex of other bytes" in reason for reason in best.reasons)


def test_a_dump_with_its_offsets_at_the_end_is_read() -> None:
    """Words between bars, the gutter, the offset, as Rust prints them."""
    data = encode(_SALE, wire_format("ascii-binary"))
    rows = [
        f"|{data[at : at + 16].hex(' ', 4)}| {'.' * len(data[at : at + 16])} {at:08x}"
        for at in range(0, len(data), 16)
    ]
    assert guess("\n".join([*rows, f"{'':60}{len(data):08x}"])).message == _SALE


@pytest.mark.parametrize("divider", [" | ", "\t", ",", ";"])
def test_a_column_of_lengths_is_none_of_numbers(divider: str) -> None:
    """Names, lengths and values: a length of 12 does not make an amount DE 12."""
    rows = [("Type", "0200"), *((f"Name {'x' * number}", value) for number, value in _SALE.fields.items())]
    best = guess("\n".join(divider.join((name, str(len(value)), value)) for name, value in rows))
    assert not best.believed


def test_a_dump_behind_its_gutter_is_read() -> None:
    """A log that prints characters first, then bytes between bars."""
    data = encode(_SALE, wire_format("ascii-binary"))
    rows = [data[at : at + 18] for at in range(0, len(data), 18)]
    log = [
        f"3006 0916|D| {' '.join(chr(b) if 32 < b < 127 else '.' for b in row):<36} |{row.hex(' '):<54} ."
        for row in rows
    ]
    assert guess("\n".join(log)).message == _SALE


def test_a_line_on_a_page_ends_at_its_tag() -> None:
    """Tags of a page and blanks in front of them are no part of a message."""
    assert guess(f"Sample</br>\n {_RAW}  </br>\n Where 0200 is a request").message == _SALE


def test_each_literal_of_a_list_is_a_message() -> None:
    """All of them are read, in their order, whatever each is read as."""
    answer = Message("0210", {**_SALE.fields, 39: "00"})
    texts = [f'    "ISO021100055{build(one)}",' for one in (_SALE, answer, _SALE)]
    best = guess("\n".join(("var raw = []string{", *texts, "}")))
    assert [one.mti for one in best.messages] == ["0200", "0210", "0200"]


@pytest.mark.parametrize(
    "text",
    [
        "// MTI: 0210 (authorization response)\nresponse[0] = 0x02;\nresponse[2] = 0x38;  // 2, 3, 4",
        '{"rules": [{"when": {"mti": "0200", "de": {"4": {"gte": "01"}}}, "respond": {"echo": ["11", "37"], '
        '"set": {"39": "61"}}}], "default": {"echo": ["11", "37"], "set": {"39": "00", "38": "AUTH99"}}}',
        "DE38: 00         BRK\nDE39: 00         BRK\nDE3A: 00         BRK",
        'if (iso.getMTI().equals("0200")) {\n  iso.setResponseMTI();\n  iso.set(39, "00");\n}',
    ],
)
def test_program_text_and_settings_are_no_message(text: str) -> None:
    """Comments, branches and rules name elements of messages that are not there."""
    assert guess(text).message is None


@pytest.mark.parametrize(
    ("numbers", "confidence"), [((4,), LIKELY), ((11,), LIKELY), ((22,), LIKELY), ((3, 4, 11), UNSURE)]
)
def test_characters_among_packed_digits_are_read(numbers: tuple[int, ...], confidence: str) -> None:
    """One such element is likely, several are unsure."""
    changed = _BCD.with_(elements={number: {"written": "ascii"} for number in numbers})
    best = guess(bytes.fromhex("6000060000") + encode(_TERMINAL, changed))
    assert (best.message, best.confidence) == (_TERMINAL, confidence)


@pytest.mark.parametrize("mti", ["8100", "9100", "9210"])
def test_a_private_mti_in_packed_digits_is_read(mti: str) -> None:
    """Versions 8 and 9 are for national and private use: a message all the same, and not a usual one."""
    best = guess(bytes.fromhex(mti) + encode(_TERMINAL, _BCD)[2:])
    assert (best.mti, best.confidence) == (mti, LIKELY)
    assert best.message is not None
    assert best.message.fields == _TERMINAL.fields


@pytest.mark.parametrize("at", [9, 12, 14, 19])
def test_a_bitmap_with_a_digit_too_few_is_damage(at: int) -> None:
    """A text form that has lost a digit of its bitmap is a damaged message, and is not believed."""
    raw = build(generate("auth", entry="stripe", at=AT).message)
    broken = raw[:at] + raw[at + 1 :]
    for best in (guess(broken), read(broken)):
        assert (best.confidence, best.mti, best.complete) == (UNSURE, "0100", False)


@pytest.mark.parametrize("digits", ["30200000008000000", "302000000080000"])
def test_a_bitmap_of_another_length_beside_elements_is_noted(digits: str) -> None:
    """Its elements are named, and its bitmap is damaged."""
    fields = "\n".join(f"DE {number}: {value}" for number, value in _SALE.fields.items())
    best = guess(f"MTI: 0200\nBitmap: {digits}\n{fields}")
    assert (best.message, best.confidence) == (_SALE, LIKELY)
    assert best.reasons[0].startswith(f"its bitmap has {len(digits)} digits")


@pytest.mark.parametrize("behind", [" sent", "\tok", " -- approved", " (to the host)\n", " "])
def test_words_behind_a_text_form_are_no_part_of_it(behind: str) -> None:
    """As logs have them."""
    raw = build(Message("0200", {**_SALE.fields, 49: "978"}))
    for best in (guess(raw + behind), read(raw + behind)):
        assert (best.complete, best.confidence) == (True, LIKELY)


def test_capitals_behind_a_text_form_may_be_part_of_it() -> None:
    """A length prefix that lost a digit leaves the end of the value."""
    assert not guess(build(_SALE) + " NEW YORK").believed


@pytest.mark.parametrize("divider", [" : ", " = ", ":", " | "])
def test_sizes_between_names_and_values_are_no_numbers(divider: str) -> None:
    """Name, length and value in each line."""
    names = ("Message type", "Processing code", "Amount, transaction", "Transmission date and time")
    pairs = zip(names, ("0200", *_SALE.fields.values()), strict=False)
    best = guess("\n".join(f"{name}{divider}{len(value)}{divider}{value}" for name, value in pairs))
    assert best.message is not None
    assert best.message.fields == {number: _SALE.fields[number] for number in (3, 4, 7)}


@pytest.mark.parametrize("ending", ["", "\r\n", "  tool-1.2.tar.gz", " Mend the parser", ":3f", "Zm9v+/=="])
def test_a_checksum_that_starts_like_a_message_is_none(ending: str) -> None:
    """Four digits and hex: not the begin of a text form, whatever stands behind it."""
    digest = "0200d0f5a590bb0f8057cac76936ba265904298ec055cc81cf768ce05a5731c2"
    for text in (digest, digest.upper(), digest[:40]):
        assert guess(text + ending).message is None, text
        assert guess(f"{text}{ending}\n{digest[::-1]}").message is None, text


@pytest.mark.parametrize("text", ["20261120123045 INFO message type 02", "2026112012304501 [Q2] sent 0200B2"])
def test_a_year_is_no_mti(text: str) -> None:
    """A line of a log that starts with its date."""
    assert read(text).message is None


def test_parts_of_an_element_with_its_own_bitmap_are_put_together_with_it() -> None:
    """Postilion's private data, part by part: bitmap and lengths are not shown, but belong to it."""
    fields = {11: "000001", 123: "510101511344101", "127.2": "0200:000001", "127.20": "20261120"}
    best = guess("MTI: 0200\n" + "\n".join(f"DE {path}: {value}" for path, value in fields.items()))
    assert best.message is not None
    assert best.message[127] == "4000100000000000110200:00000120261120"


@pytest.mark.parametrize("between", ["\n\n", "\n \n", " "])
def test_rows_of_a_dump_apart_or_run_together_are_a_dump(between: str) -> None:
    """With blank lines between them, or in one line, as pages show them."""
    data = encode(_SALE, wire_format("ascii-binary"))
    chunks = [(at, data[at : at + 16]) for at in range(0, len(data), 16)]
    rows = (f"{at:04x} {row.hex(' ')} {'.' * len(row)}" for at, row in chunks)
    assert guess(f"The last column does not matter {between}{between.join(rows)}").message == _SALE


def test_values_in_a_list_may_be_printed_in_hex() -> None:
    """Characters of fixed length in twice as many hex digits, as the bytes are."""
    fields = {**_SALE.fields, 41: b"12340001".hex(), 39: b"00".hex()}
    best = guess("MSGID: 0210\n" + "\n".join(f"{number}- Name: {value}" for number, value in fields.items()))
    assert best.message == Message("0210", {**_SALE.fields, 39: "00"})
    assert best.confidence == LIKELY
    assert "DE 41 was printed in hex" in best.reasons


def test_a_number_in_brackets_behind_a_number_is_a_size() -> None:
    """Number and name, then how long the value is."""
    rows = "\n".join(f"{number}- Name ({len(value)}): {value}" for number, value in _SALE.fields.items())
    assert guess(f"MTI: 0200\n{rows}").message == _SALE


@pytest.mark.parametrize("word", ["None", "VAR", "Numeric"])
def test_any_word_before_the_content_is_a_kind(word: str) -> None:
    """In a listing of Postilion's: kind, content, size, number, value."""
    rows = (f"   [{word}   n         {len(v):03}] {number:03} [{v}]" for number, v in _SALE.fields.items())
    best = guess("    0200:\n    MTI : 0200:\n" + "\n".join(rows))
    assert (best.message, best.confidence) == (_SALE, SURE)


def test_what_still_does_not_fit_is_read_plainly() -> None:
    """Characters left over are no reason for another length of an element before them."""
    message = Message("0810", {7: "0821083216", 11: "015795", 39: "00"})
    best = guess(f"ISO021100055{build(message)}301")
    assert (best.message, best.confidence) == (message, UNSURE)


def test_a_binary_element_of_letters_is_noted() -> None:
    """It may be text with a length, which the paste does not say."""
    plain = wire_format("ascii-binary")
    best = guess(encode(Message("0200", {**_SALE.fields, 52: b"06STRING".hex().upper()}), plain))
    assert best.confidence == LIKELY
    assert "DE 52 is binary, but made of letters" in best.reasons
    mac = Message("0200", {**_SALE.fields, 64: b"12AB34CD".hex().upper()})
    assert guess(encode(mac, plain)).confidence == SURE


def test_a_text_form_begun_in_a_line_is_damage() -> None:
    """Letters in its bitmap and digits behind it: no hex is so, wherever it stops."""
    best = guess(f"// input\n{_RAW[:4]}B220000100000000164111111111111111000000001000\n// and output follows")
    assert (best.mti, best.confidence) == ("0200", UNSURE)


def test_bytes_that_agree_with_a_list_are_the_message() -> None:
    """A list that ends early, beside the bytes, in which there is more."""
    fields = {**_SALE.fields, 22: "A1010125404C101", 24: "100"}
    changed = wire_format("ascii-binary").with_(elements={22: {"format": "an 15"}})
    data = encode(Message("1100", fields, "1993"), changed)
    rows = "\n".join(f"DE {number}: {fields[number]}" for number in (3, 7, 11, 22))
    best = guess(f"Dump:\n{data.hex()}\n\nMTI: 1100\n{rows}")
    assert best.message is not None
    assert best.message.fields == fields


@pytest.mark.parametrize(("outer", "inner"), [(5, 5), (-3, 7), (40, 40), (200, 9)])
@pytest.mark.parametrize("zeros", [b"", b"\0\0"])
def test_a_visa_header_behind_a_wrong_length_is_known(outer: int, inner: int, zeros: bytes) -> None:
    """Both lengths are wrong, and the message behind them is read to its end, unsure."""
    sale = generate("auth", network="VISA", at=AT).message
    body = encode(sale, "visa")
    size = len(body) + 22
    header = bytes([22, 1, 2]) + (size + inner).to_bytes(2, "big") + bytes(17)
    best = guess((size + outer).to_bytes(2, "big") + zeros + header + body)
    assert (best.message, best.complete, best.confidence) == (sale, True, UNSURE)
    assert best.framing[-1] == "Visa header of 22 bytes"

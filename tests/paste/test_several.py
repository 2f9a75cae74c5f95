"""Several messages in one line: what divides them, in text and in hex, framed and not."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from itertools import permutations, product
from operator import xor

import pytest
from support import AT, some, together

from sim.codec import Message, build, parse
from sim.codec.wire import encode, wire_format
from sim.operations import generate, guess
from sim.operations.reading import parse_any
from sim.operations.rewriting import kept, with_message
from sim.paste.reading import LIKELY, SURE, UNSURE
from sim.paste.spellings import hexdump
from tests.guess_score import TEXT, paste, rows
from tests.paste_bytes import WRITTEN
from tests.paste_kinds import NAMED
from tests.spellings import SPELLINGS

DIVIDERS = ("", "|", ";", ",", " ", " | ", "\t", " -> ", " answer: ")
# Written so, two messages may be one, or one a part of the other; and JSON around a dump is no paragraph.
LINES_OF_DIGITS = (
    "vertical",
    "a byte a line",
    "without leading zeros",
    "UTF-16 as characters",
    "cat -v",
    "ELK, dump",
)
FORMATS = ("ascii", "ascii-binary", "bcd", "ebcdic")


def _three() -> list[Message]:
    """An authorization, an echo, a reversal: different lengths, of one version."""
    found: dict[str, Message] = {}
    for row in rows(TEXT):
        text = paste(row)
        if (
            text[:4] in ("0100", "0800", "0400")
            and text[:4] not in found
            and row.get("version", "1987") == "1987"
        ):
            found[text[:4]] = parse(text, "1987")
    assert len(found) == 3
    return list(found.values())


def test_dumps_whose_last_row_is_short_are_all_found() -> None:
    """Of Netty, bars around the offset: one byte alone in a row belongs to its dump."""
    for more in range(3):
        sent = [message.replace(de48="x" * (size + more)) for size in (20, 36) for message in _three()[:1]]
        sent = [one.replace(de11=f"{at:06}") for at, one in enumerate(sent * 2, 1)]
        datas = [encode(one, "bcd") for one in sent]
        text = "\n".join(
            f"08:30:15 READ: {len(one)}B\n{WRITTEN['Netty'](len(one).to_bytes(2, 'big') + one)}"
            for one in datas
        )
        assert [one.message for one in guess(text).messages] == sent


@pytest.mark.parametrize("how", [bytes, "latin-1", hexdump.write, repr])
@pytest.mark.parametrize("width", [0, 2, 4])
def test_text_forms_in_a_stream_are_all_found(width: int, how: str | Callable[[bytes], object]) -> None:
    """Behind lengths in two or four bytes, which may be line ends, or in lines that a literal has: whichever
    of them saves the most bits."""
    for order in permutations(_three()):
        texts = [build(one).encode() for one in order]
        framed = (len(text).to_bytes(width, "big") + text if width else text + b"\n" for text in texts)
        stream = b"".join(framed)
        found = guess(stream.decode(how) if isinstance(how, str) else how(stream))
        assert [one.message for one in found.messages] == list(order), found.read_as
        assert found.confidence in (SURE, LIKELY)


def test_a_message_among_the_words_of_each_line_is_found() -> None:
    """Statements of SQL and rows of Markdown, in hex and in text; and what is not damaged of them."""
    messages = _three()
    for shown in ([build(one) for one in messages], [encode(one, "bcd").hex() for one in messages]):
        for row in ("INSERT INTO t (id, m) VALUES (7, '{}');", "| request | `{}` |"):
            found = guess("\n".join(map(row.format, shown)))
            assert [one.message for one in found.messages] == messages
            assert found.confidence in (SURE, LIKELY)


@together("divider", DIVIDERS)
def test_texts_in_one_line_are_all_found(divider: str) -> None:
    """Text forms one behind the other, whatever divides them."""
    messages = _three()
    found = guess(divider.join(map(build, messages)))
    assert [one.message for one in found.messages] == messages
    assert found.confidence in (SURE, LIKELY)


def test_texts_in_a_line_of_a_log_are_all_found() -> None:
    """Words in front, between and behind; what is behind the last one is said."""
    messages = _three()
    line = "12:01:02 INFO sent " + " got ".join(map(build, messages)) + " after 31 ms"
    found = guess(line)
    assert [one.message for one in found.messages] == messages
    assert "the data after message 3 cannot be read" in found.reasons


@together(
    "name, front, divider",
    some(product(FORMATS, ["", "TPDU", "length"], ["", "|", ", ", " answer "]), 3),
)
def test_hex_in_one_line_is_all_found(name: str, front: str, divider: str) -> None:
    """Bytes in hex one behind the other, with a length or a TPDU in front of each, or with nothing."""
    messages = _three()
    pieces = []
    for message in messages:
        body = encode(message, name)
        head = {"": b"", "TPDU": bytes.fromhex("6000060000"), "length": len(body).to_bytes(2, "big")}[front]
        pieces.append((head + body).hex())
    found = guess(divider.join(pieces))
    assert [one.message.fields for one in found.messages if one.message] == [one.fields for one in messages]


def test_the_one_that_was_read_is_said_to_be_the_first() -> None:
    """Whoever asks for one message is told that there are more."""
    reasons = parse_any("|".join(map(build, _three()))).reasons
    assert reasons[-1] == "it is the first of 3 messages"


def test_a_message_and_rubbish_is_one_message() -> None:
    """What follows begins as a message and cannot be read: it is no second one, and nothing is sure."""
    text = build(_three()[0])
    found = guess(f"{text}|{text[:30]}")
    assert len(found.messages) == 1
    assert found.confidence != SURE


def test_bytes_that_repeat_are_no_messages() -> None:
    """The same pair of digits again and again reads as messages behind each other, and is none for sure."""
    assert guess("0100 " * 200).confidence not in (SURE, LIKELY)


@together("name", FORMATS)
@together("checked", [False, True])
@together("spelled", ["hex", "bytes"])
def test_messages_between_stx_and_etx_are_divided(name: str, checked: bool, spelled: str) -> None:
    """One behind the other with nothing between, an LRC behind each or none: each is read, and stays where
    the first is changed."""
    sent = _three()
    line = b""
    for one in sent:
        body = encode(one, name) + b"\x03"
        line += b"\x02" + body + (bytes([reduce(xor, body)]) if checked else b"")
    found = guess(line.hex() if spelled == "hex" else line)
    assert [one.message.fields for one in found.messages if one.message] == [one.fields for one in sent]
    assert found.confidence in ("sure", "likely")
    held = kept(found)
    assert held is not None
    changed = replace(sent[0], fields={**sent[0].fields, 11: "777777"})
    again = guess(with_message(held, changed).data)
    assert [one.message.fields for one in again.messages if one.message] == [
        one.fields for one in (changed, *sent[1:])
    ]


@together("kind", [*WRITTEN, *SPELLINGS])
def test_a_request_and_its_answer_in_paragraphs_are_both_found(kind: str) -> None:
    """Under a line of words each, or behind a blank line, whatever the writing; where lines are digits alone
    they may be one message, and nothing is lost by that."""
    request, answer = sorted(_three(), key=lambda one: -len(one.fields))[:2]
    write = (WRITTEN | SPELLINGS)[kind]
    shown = [
        write(len(data).to_bytes(2, "big") + data)
        for data in (encode(one, "bcd") for one in (request, answer))
    ]
    found = guess(f"Request:\n{shown[0]}\n\nAnswer of the host:\n{shown[1]}\n").messages
    if kind not in LINES_OF_DIGITS:
        assert [one.message for one in found if one.confidence in (SURE, LIKELY)] == [request, answer]


@pytest.mark.parametrize("name", ["python", "decimal", "base64", "escaped"])
def test_a_request_and_its_answer_in_lines_with_words_are_both_found(name: str) -> None:
    """Whatever prints their bytes, and with words around the lines."""
    messages = _three()[:2]
    datas = [len(data).to_bytes(2, "big") + data for data in (encode(one, "bcd") for one in messages)]
    printed = {
        "python": repr,
        "decimal": lambda data: str([*data]),
        "base64": lambda data: b64encode(data).decode(),
        "escaped": lambda data: '"' + "".join(f"\\x{byte:02x}" for byte in data) + '"',
    }[name]
    found = guess(f"12:01:02 sent: {printed(datas[0])}\n12:01:03 got: {printed(datas[1])}\nwhy?")
    assert [one.message for one in found.messages] == messages


def test_lines_of_a_log_are_each_a_message_also_the_cut_one() -> None:
    """All written alike, with the time in front; what follows the lines is looked for in the whole paste."""
    datas = [encode(message, "bcd") for message in _three() * 3]
    for show in (repr, list, bytes.hex, lambda data: b64encode(data).decode()):
        lines = [f"12:01:0{at} IN {show(data)}" for at, data in enumerate([*datas, datas[0][:60]])]
        messages = guess("\n".join(lines)).messages
        assert [one.message for one in messages[:-1]] == _three() * 3
        assert (messages[-1].mti, messages[-1].complete, messages[-1].confidence) == ("0100", False, "unsure")
        assert len(guess("\n".join([*lines[:2], "then the host was silent"])).messages) == 2


def test_the_lines_of_a_log_may_be_of_several_versions() -> None:
    """A line with an odd value, as the chip data of Amex, is of the version that its MTI names."""
    networks = (("VISA", "1987"), ("AMEX", "1993"), ("VISA", "1987"))
    made = [
        generate("auth", network=name, version=version, entry="chip", at=AT) for name, version in networks
    ]
    lines = [f"12:01:0{at} IN {one.raw}" for at, one in enumerate(made)]
    assert [one.message for one in guess("\n".join(lines)).messages] == [one.message for one in made]


@pytest.mark.parametrize("format", ["bcd", "ascii"])
def test_a_damaged_line_of_hex_leaves_the_others_sure(format: str) -> None:
    """Lines that do not read as one are read apart: one starts otherwise, is cut, or is no message."""
    one, two, three = (encode(message, format).hex() for message in _three())
    for damaged in ("ff" + two[2:], two[:60], "deadbeef" * 8):
        messages = guess("\n".join([one, damaged, three])).messages
        sure = [reading.message for reading in messages if reading.confidence == "sure"]
        assert sure == [_three()[0], _three()[2]]


def test_hex_below_a_question_is_all_found() -> None:
    """The words around two messages do not make them fewer."""
    messages = _three()[:2]
    datas = [encode(one, "bcd") for one in messages]
    shown = [(len(data).to_bytes(2, "big") + data).hex("-") for data in datas]
    question = (
        "I send this to the acquirer by TcpClient and print the bytes of the answer with ToString(b, 0, n):"
    )
    text = f"{question}\n\n    Request:  {shown[0]}\n    Response: {shown[1]}\n\n{question}"
    assert [one.message for one in guess(text).messages] == messages


def test_lines_of_named_elements_are_each_a_message() -> None:
    """A request and its answer, each in one line of a log."""
    two = [parse("08002020000000000000990000123456"), parse("0810202000000200000099000012345600")]
    lines = [
        ", ".join((f"12:01:02 MTI: {one.mti}", *(f"DE{n}: {value}" for n, value in one.fields.items())))
        for one in two
    ]
    assert [one.message for one in guess("\n".join(lines)).messages] == two


def test_base64_in_lines_inside_xml_is_found() -> None:
    """The first line follows the tag; some writers put the CR of each line end as an entity."""
    message = _three()[0]
    digits = b64encode(encode(message, "bcd")).decode()
    for end in ("\n", "&#xD;\n"):
        lines = end.join(digits[at : at + 60] for at in range(0, len(digits), 60))
        assert guess(f'<a>\n<msg encoding="base64">{lines}</msg>\n</a>').message == message


def test_records_behind_each_other_are_each_a_message() -> None:
    """Objects of JSON over several lines, divided by a line's end, a blank line or a comma."""
    messages = _three()
    shown = [json.dumps({"mti": one.mti, "fields": one.fields}, indent=1) for one in messages]
    for between in ("\n", "\n\n", ",\n"):
        assert [one.message for one in guess(between.join(shown)).messages] == messages


def test_elements_of_two_messages_in_paragraphs_are_both_found() -> None:
    """Objects that name elements, each under a line of words; comments of one message divide nothing."""
    request, answer = sorted(_three(), key=lambda one: -len(one.fields))[:2]
    for kind in ("JSON, indented", "Python", "PHP print_r", "number=value|", "(2)(value)", "jPOS Q2 log"):
        paste = f"Request:\n{NAMED[kind](request)}\nAnswer:\n{NAMED[kind](answer)}"
        assert [one.mti for one in guess(paste).messages] == [request.mti, answer.mti], kind


def test_a_message_of_a_list_that_is_unsure_is_not_left_out() -> None:
    """One that only another way of writing reads to its end keeps its place before the others."""
    sale = {3: "000000", 4: "000000250000", 7: "0921073208", 11: "000123", 41: "TERM0001", 49: "704"}
    first = Message("0200", {**sale, 55: "9F2608A1B2C3D4E5F607189F2701809F3602001C"})
    in_bytes = {"format": "b..999", "written": "hex", "counts": "bytes"}
    raw = encode(first, wire_format("ascii").with_(elements={55: in_bytes})).decode()
    whole = build(Message("0210", {**sale, 39: "00"}))
    best = guess("\n".join(f'  "{text}",' for text in (raw, whole, whole)))
    assert [one.mti for one in best.messages] == ["0200", "0210", "0210"]
    assert (best.message, best.confidence) == (first, UNSURE)

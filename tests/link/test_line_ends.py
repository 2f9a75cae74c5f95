"""Where a message ends: a length field, its last element, an end tag, the end of compressed data."""

from __future__ import annotations

import gzip
import random
from typing import Any

import pytest

import sim
from sim.codec import Message
from sim.errors import WireError
from sim.link import line as lines
from sim.link.line import Line

_NAMED = ("rbp", "gzip", "elements", "", "elements tpdu", "elements etx", "xml", "length-3", "etx")
FRAMINGS = [names.split() for names in _NAMED]
ECHO = Message("0800", {7: "1126120000", 11: "000042", 70: "301"}, "1987")
PIN = Message("0200", {2: "4111111111111111", 3: "000000", 11: "000043", 52: "0011223344556677"}, "1987")


@pytest.mark.parametrize("framing", FRAMINGS, ids=lambda names: " ".join(names) or "nothing")
def test_frames_are_cut_out_wherever_the_pieces_end(framing: list[str]) -> None:
    """Three messages, byte by byte or all at once, are each read back as sent."""
    line = Line.of("ascii", framing)
    stream = b"".join(map(line.encode, (ECHO, PIN, ECHO)))
    slow, fast = line.cutter(), line.cutter()
    whole = [one for at in range(len(stream)) for one in slow.feed(stream[at : at + 1])]
    assert [line.decode(one)[0].fields for one in whole] == [ECHO.fields, PIN.fields, ECHO.fields]
    assert list(fast.feed(stream)) == whole
    assert (slow.partial <= 1, fast.partial <= 1) == (True, True)


@pytest.mark.parametrize("framing", FRAMINGS, ids=lambda names: " ".join(names) or "nothing")
def test_a_client_and_a_host_understand_each_other(framing: list[str]) -> None:
    """Our client and host work together with each framing."""
    with (
        sim.host(framing=framing, format="ascii") as host,
        sim.client(host.address, framing=framing, format="ascii") as client,
    ):
        sent = client.send(sim.generate("auth", entry="manual"))
        assert sent.answer is not None
        assert (sent.status, sent.answer[39]) == ("answered", "00")


@pytest.mark.parametrize(
    ("framing", "owner", "reader", "at", "times"),
    [
        ("xml", lines, "xml_end", 0, 1),
        ("gzip", lines, "_unpacked", 1, 1),
        ("elements", lines, "message_size", 0, 2 * 20),
    ],
)
def test_a_frame_that_comes_byte_by_byte_is_not_read_anew_with_each(
    monkeypatch: pytest.MonkeyPatch, framing: str, owner: Any, reader: str, at: int, times: int
) -> None:
    """The work grows with the number of bytes: each is examined once, or once per length and value of an
    element."""
    looked: list[int] = []
    real = getattr(owner, reader)
    monkeypatch.setattr(owner, reader, lambda *given: [looked.append(len(given[at])), real(*given)][1])
    digits = random.Random(1).randbytes(499).hex()
    message = Message("0200", {11: "000042", **dict.fromkeys(range(112, 129), digits)}, "1987")
    message.fields[128] = "00" * 8
    line = Line.of("ascii", framing)
    data, cutter = line.encode(message), line.cutter()
    whole = [one for at in range(len(data)) for one in cutter.feed(data[at : at + 1])]
    assert sum(looked) <= times * len(data)
    assert [line.decode(one)[0].fields for one in whole] == [message.fields]


@pytest.mark.parametrize(
    ("framing", "data"),
    [
        ("rbp", "D04A0004 0100 30383030"),
        ("rbp", "FFFF0004 0000 30383030"),
        ("gzip", "0010 30383030"),
        ("gzip", "0002 " + gzip.compress(b"0800", mtime=0).hex()),
        ("elements", b"GET / HTTP/1.1".hex()),
        ("elements", b"08004000000000000000X1".hex()),
    ],
)
def test_a_stream_in_which_no_frame_can_start_is_refused(framing: str, data: str) -> None:
    """The error is raised at once, without waiting for more bytes."""
    line = Line.of("ascii", framing)
    with pytest.raises(WireError):
        [line.decode(one) for one in line.cutter().feed(bytes.fromhex(data))]


@pytest.mark.parametrize("framing", ["gzip", "elements", "xml", "etx"])
def test_a_frame_without_end_is_given_up(framing: str) -> None:
    """No more is buffered than the largest frame."""
    line = Line.of("ascii", framing)
    begun = {"gzip": b"\xff\xff" + gzip.compress(bytes(99)), "xml": b"<isomsg>", "etx": b"0800"}
    data = begun.get(framing, b"08008000") + b"0" * (line.largest + 1)
    with pytest.raises(WireError):
        list(line.cutter().feed(data))


@pytest.mark.parametrize(
    "text",
    [
        '<isomsg><field id="0" value="0800"/><isomsg id="127"><field id="2" value="1"/></isomsg></isomsg>',
        '<isomsg><field id="0" value="0800"/><field id="x" value="1"/></isomsg>',
        '<isomsg><field id="0" value="0800"/><field id="11" value="1"/></isomsg>',
        '<isomsg><field id="11" value="000042"/></isomsg>',
    ],
)
def test_a_document_that_is_no_message_of_the_line_is_unreadable(text: str) -> None:
    """Subfields in their own fields, an invalid id, a value of the wrong length, or no MTI make a document
    unreadable."""
    line = Line.of("ascii", "xml")
    (data,) = line.cutter().feed(text.encode())
    with pytest.raises(WireError):
        line.decode(data)


def test_a_document_keeps_bytes_and_signs() -> None:
    """Binary values are marked, and XML's special characters escaped."""
    line = Line.of("bcd", "xml")
    message = Message("0200", {11: "000042", 43: '<A&B> "C" \n', 52: "0011223344556677"}, "1987")
    message.fields[43] = message.fields[43].ljust(40)
    data = line.encode(message)
    assert b'<field id="52" value="0011223344556677" type="binary"/>' in data
    (whole,) = line.cutter().feed(b"\r\n" + data)
    assert line.decode(whole)[0].fields == message.fields


def test_an_answer_of_no_message_can_be_sent_on_every_line() -> None:
    """The rule that responds with garbage keeps the framing."""
    rules: Any = [{"action": "garbage"}]
    for framing in ("gzip", "xml", "rbp", "length-2"):
        with (
            sim.host(rules, framing=framing, format="ascii") as host,
            sim.client(host.address, framing=framing, format="ascii", timeout=0.3, reverse=False) as client,
        ):
            assert client.send(sim.generate("auth", entry="manual")).status != "answered"

"""Many binary messages: `sim.read` reads each as `decode` does, from any file, and reports what it
recognized."""

from __future__ import annotations

import io
import json
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import dpkt
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import fewer, some, together, turns

import sim
from sim.codec import Message, build, parse
from sim.codec.wire import WireError, decode, encode, misfits, names, wire_format, wrap
from sim.codec.wire.files import stream_start
from sim.spec import version_of
from sim.tables.columns.captures import Stream
from sim.tables.columns.table import number_of
from tests.support import AT, PARSED
from tests.wire_samples import in_blocks, segment

_PAN = "4111111111111111"
_VECTORS = Path(__file__).parents[1] / "vectors"


@cache
def _messages() -> tuple[Message, ...]:
    made = [parse(row["message"], row["version"]) for row in PARSED]
    return tuple(one for one in made if version_of(one.mti) == one.version)


def _bytes(name: str, times: int = 1) -> list[bytes]:
    """The vectors that a format can encode, encoded."""
    own = wire_format(name).version
    some = [one for one in _messages() if own in (None, one.version) and not misfits(one, name)]
    return [encode(one, name) for one in some] * times


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{} for _ in range(len(table))]
    for key, column in pd.DataFrame(table).reset_index(drop=True).items():
        for at, cell in column.dropna().items():
            rows[int(str(at))][str(key)] = cell
    return rows


def _expected(data: bytes, name: str) -> dict[Any, Any]:
    try:
        message = decode(data, name)
    except WireError as error:
        return {"error": str(error), "error_offset": error.offset}
    return {"mti": message.mti, "version": message.version, **message.fields}


def _found(row: dict[str, Any]) -> dict[Any, Any]:
    if "error" in row:
        return {"error": row["error"], "error_offset": row["error_offset"]}
    fields = {number: cell for key, cell in row.items() if (number := number_of(key))}
    return {"mti": row["mti"], "version": row["version"], **fields}


@together("name", names())
def test_each_row_is_what_decode_reads(name: str) -> None:
    """Every vector in every format, many of a type and some damaged: values, versions and errors as if
    read one by one."""
    datas = some(_bytes(name, 20), 8)
    damaged = [one[:-1] for one in datas[:30]] + [b"\xff" + one for one in datas[:5]] + [b""]
    table = sim.read([*datas, *damaged], format=name, framing=[])
    expected = {one: _expected(one, name) for one in {*datas, *damaged}}
    assert [_found(row) for row in _rows(table)] == [expected[one] for one in [*datas, *damaged]]


def test_versions_side_by_side_share_their_columns() -> None:
    """Messages of two versions with an element of the same width share a column."""
    made = [Message(mti, {3: f"{at:06}", 11: f"{at:06}"}) for at, mti in enumerate(("0800", "1804") * 20)]
    table = sim.read([encode(one, "bcd") for one in made], format="bcd", framing=[])
    assert table["DE3"].tolist() == table["DE11"].tolist() == [one[11] for one in made]


@settings(max_examples=fewer(25), deadline=None)
@given(st.data())
def test_damaged_bytes_of_one_kind_are_read_as_decode_reads_them(data: st.DataObject) -> None:
    """A byte changed anywhere in otherwise equal messages: the same values and errors."""
    name = data.draw(
        st.sampled_from(["bcd", "bcd-f", "ebcdic", "ascii-binary", "visa", "unionpay", "ebcdic-hex"])
    )
    whole = bytearray(data.draw(st.sampled_from(_bytes(name))))
    some = [bytes(whole)] * 20
    for _ in range(12):
        broken = bytearray(whole)
        broken[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
        some.append(bytes(broken))
    table = sim.read(some * 2, format=name, framing=[])
    assert [_found(row) for row in _rows(table)] == [_expected(one, name) for one in some * 2]


def test_a_message_of_which_nothing_can_be_read_in_columns_is_a_row() -> None:
    """The card number is masked within its packed digits."""
    body = encode(Message("0100", {2: "4111111111111111", 3: "000000", 11: "000123"}), "visa").hex()
    header = f"160102{22 + len(body) // 2:04x}{'00' * 17}"
    frame = sim.read(header + body.replace("411111111111", "4111ffffff11"))
    assert frame["error"].iloc[0].startswith("DE 2 ")


def test_validation_and_chunks_are_those_of_the_text_form() -> None:
    """`validate`, `columns` and `chunksize` work with bytes as with text."""
    some = [one for one in _messages() if one.version == "1987" and not misfits(one, "bcd")]
    datas, texts = [encode(one, "bcd") for one in some], [build(one) for one in some]
    ours = sim.read(datas, format="bcd", framing=[], validate=True)
    theirs = sim.read(texts, validate=True)
    assert ours["errors"].tolist() == theirs["errors"].tolist()
    assert ours["network"].tolist() == theirs["network"].tolist()
    parts = list(sim.read(datas, format="bcd", framing=[], chunksize=7))
    assert [len(one) for one in parts[:-1]] == [7] * (len(parts) - 1)
    assert [mti for one in parts for mti in one["mti"].tolist()] == ours["mti"].tolist()
    assert sim.read(datas, format="bcd", framing=[], columns=[11]).columns.tolist().count("DE11") == 1


@pytest.mark.parametrize("blocked", [False, True])
@pytest.mark.parametrize("engine", ["pandas", "dask"])
def test_clearing_files_are_recognised(tmp_path: Path, blocked: bool, engine: str) -> None:
    """Records with four-byte lengths, in blocks of 1014 bytes or not, are recognized."""
    some = _bytes("ipm")[:40]
    data = b"".join(wrap(one, ["length-4"]) for one in some) + bytes(4)
    (tmp_path / "clearing.ipm").write_bytes(in_blocks(data) if blocked else data)
    table: Any = sim.read(tmp_path / "clearing.ipm", format="ipm", engine=engine)  # type: ignore[call-overload]
    if engine == "dask":
        table = table.compute()
    else:
        assert "4-byte length" in table.iso.read_as
        assert ("blocks" in table.iso.read_as) == blocked
    assert table["mti"].tolist() == [decode(one, "ipm").mti for one in some]
    assert table["DE2"].dropna().tolist() == [m[2] for one in some if 2 in (m := decode(one, "ipm"))]


def test_a_found_clearing_file_is_read_without_being_told_anything(tmp_path: Path) -> None:
    """Five records of cardutil's test message: blocks, length and format are recognized."""
    rows = map(json.loads, (_VECTORS / "wire.jsonl").read_text(encoding="utf-8").splitlines())
    data = bytes.fromhex(next(row["data"] for row in rows if row["id"] == "cardutil-1014-file"))
    (tmp_path / "test.ipm").write_bytes(data)
    table = sim.read(tmp_path / "test.ipm")
    assert table["mti"].tolist() == 5 * ["1144"]
    assert table["DE2"].tolist() == 5 * ["4444555544445555"]
    assert table["error"].isna().all()


def _clearing(mark: str = "4-byte", count: int = 12) -> list[bytes]:
    """The records of a clearing file: its header, presentments and its trailer."""
    first, last = (
        {24: "697", 48: "0122001T", 71: "00000001"},
        {24: "695", 48: "030600800000012", 71: "00000012"},
    )
    sale = {
        2: "5555555555554444",
        3: "000000",
        4: "000000001000",
        12: "261120123045",
        24: "200",
        71: "00000002",
    }
    sale |= {31: "25555556324000000000017", 43: f"{mark} SHOP", 48: "0023003CT601480048402", 49: "840"}
    kinds = [("1644", first), *([("1240", sale)] * (count - 2)), ("1644", last)]
    return [encode(Message(mti, fields, "1993"), "ipm") for mti, fields in kinds]


@pytest.mark.parametrize("name", ["length-4", "length-rdw"])
def test_a_clearing_file_is_on_the_clearing_interface(name: str) -> None:
    """Behind any length: private data and rules are those of clearing, in a guess as well."""
    records = _clearing()
    table = sim.read(b"".join(wrap(one, [name]) for one in records))
    assert len(table) == len(records)
    assert [table.iso.message(row).spec.interface for row in table.index] == len(records) * ["ipm"]
    assert {sim.parse(one).attrs["iso"].get("interface") for one in records} == {"ipm"}


def _damage(records: list[bytes]) -> dict[str, tuple[bytes, int, int]]:
    """A clearing file damaged in some way: the bytes, and the rows with and without errors."""
    whole = [wrap(one, ["length-4"]) for one in records]
    cut = whole[5].replace(len(records[5]).to_bytes(4, "big"), (len(records[5]) + 3).to_bytes(4, "big"))
    return {
        "first record": (b"".join([wrap(b"\xff" * 80, ["length-4"]), *whole[1:]]), 1, 11),
        "two first records": (
            b"".join([*(wrap(one[:30], ["length-4"]) for one in records[:2]), *whole[2:]]),
            2,
            10,
        ),
        "impossible length": (b"".join([*whole[:5], b"\x7f\xff\xff\xff", *whole[5:]]), 1, 5),
        "length too long": (b"".join([*whole[:5], cut, *whole[6:]]), 2, 5),
        "end": (b"".join(whole)[:-20], 1, 11),
    }


@pytest.mark.parametrize("kind", _damage(_clearing()))
def test_a_damaged_clearing_file_is_read_as_far_as_it_goes(kind: str) -> None:
    """Its framing and format do not depend on one record: what can be read is, with the error behind it."""
    data, wrong, right = _damage(_clearing())[kind]
    table = sim.read(data)
    assert (int(table["error"].notna().sum()), int(table["error"].isna().sum())) == (wrong, right)
    assert "4-byte length" in table.iso.read_as


def test_a_file_that_ends_in_a_record_says_so(tmp_path: Path) -> None:
    """The complete records are read; the rest is a row with its byte offset."""
    data = b"".join(wrap(one, ["length-2"]) for one in _bytes("bcd")[:3])
    (tmp_path / "cut.bin").write_bytes(data[:-4])
    table = sim.read(tmp_path / "cut.bin", format="bcd")
    assert table["error"].isna().tolist() == [True, True, False]
    assert "a whole message" in table["error"].iloc[2]


def test_bytes_without_any_framing_are_refused(tmp_path: Path) -> None:
    """A binary file without separable messages gives an error that says what to do."""
    (tmp_path / "noise.bin").write_bytes(bytes(range(256)) * 4)
    with pytest.raises(sim.SpecError, match="name"):
        sim.read(tmp_path / "noise.bin")


_ROUND: dict[str, tuple[tuple[str, ...], bytes]] = {
    "nothing": ((), b""),
    "TPDU": (("tpdu",), b""),
    "STX, ETX and check byte": (("stx",), b""),
    "ends of lines": ((), b"\r\n"),
}


@together("around, name", turns(_ROUND, ("bcd", "ebcdic-500", "ascii-binary", "visa")))
def test_binary_messages_without_lengths_end_where_their_elements_do(around: str, name: str) -> None:
    """One or several consecutive messages, with headers, marks or line ends: one row each, in a named or
    recognized format."""
    layers, between = _ROUND[around]
    made = [wrap(one, layers) + between for one in _bytes(name)[:9]]
    # The last in more than is looked at first.
    for count in (1, 9, *((810,) if name == "bcd" else ())):
        data = b"".join(made[:count]) * (count // 9 or 1)
        found = sim.read(data, format=name)
        assert found["error"].isna().all()
        assert len(found) == count
        if not between and count < 10:
            assert sim.read(data)["DE11"].tolist() == found["DE11"].tolist()


def test_where_such_messages_stop_reading_the_rest_is_a_row(tmp_path: Path) -> None:
    """A broken message does not show where it ends, so the rest is one row with its error; if the format
    reads nothing, the error says what to name; neither contains card data."""
    made = _bytes("bcd")[:3]
    table = sim.read(b"".join(made)[:-3], format="bcd")
    assert table["error"].isna().tolist() == [True, True, False]
    much = sim.read(made[0] + b"\xff" * 300_000, format="bcd")
    assert "previous one" in much["error"].tolist()[1]
    card = wrap(encode(Message("0100", {2: _PAN, 11: "000001"}), "bcd"), ["stx"])
    assert sim.read(card, format="bcd", framing=["stx"])["DE2"].tolist() == [_PAN]
    for wrong in ({"format": "ebcdic"}, {"format": "ebcdic-500"}):
        with pytest.raises(sim.SpecError, match="name a different format=") as caught:
            sim.read(io.BytesIO(card), **wrong)
        assert _PAN[6:12] not in str(caught.value)


def test_a_folder_and_a_pattern_name_files(tmp_path: Path) -> None:
    """All files of a folder, or those matching a pattern, sorted by name; each is recognized separately."""
    echo = Message("0800", {3: "990000", 11: "000001"})
    (tmp_path / "b.txt").write_text(build(echo) + "\n", encoding="ascii")
    (tmp_path / "a.bin").write_bytes(b"".join(wrap(encode(echo, "bcd"), ["length-2"]) for _ in range(4)))
    (tmp_path / "c.log").write_text("12:00:01 in " + build(echo) + "\n", encoding="ascii")
    whole = sim.read(tmp_path)
    assert [Path(one).name for one in whole["file"].tolist()] == 4 * ["a.bin"] + ["b.txt", "c.log"]
    assert whole["DE11"].tolist() == 6 * ["000001"]
    assert sim.read(str(tmp_path / "*.txt"))["mti"].tolist() == ["0800"]
    with pytest.raises(FileNotFoundError):
        sim.read(str(tmp_path / "*.nothing"))


_LOGS = {
    "time": "2026-11-20 12:00:{at:02}.123 INFO  {text}",
    "marked": "Nov 20 12:00:{at:02} host switch[{at}]: recv len=0123 msg={text}",
    "quoted": '{{"at": {at}, "message": "{text}"}}',
    "bracketed": "2026-11-20T12:00:{at:02}Z [{text}] from 192.0.2.1",
}


@pytest.mark.parametrize("kind", _LOGS)
@pytest.mark.parametrize("engine", ["pandas", "dask"])
def test_a_message_is_found_in_its_line(tmp_path: Path, kind: str, engine: str) -> None:
    """Times, names and other text around a message: its position is learned from the lines, and other
    lines are left out."""
    some = [one for one in _messages() if one.version == "1987" and 48 not in one and 63 not in one][:60]
    lines = ["2026-11-20 starting up"]
    lines += [_LOGS[kind].format(at=at, text=build(one)) for at, one in enumerate(some)]
    (tmp_path / "switch.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    table: Any = sim.read(tmp_path / "switch.log", engine=engine)  # type: ignore[call-overload]
    if engine == "dask":
        table = table.compute()
    else:
        assert "of the first 61 lines" in table.iso.read_as
        assert table.iso.read_as in repr(table)
    assert table["line"].tolist() == list(range(2, len(some) + 2))
    assert table["error"].isna().all()
    assert table["mti"].tolist() == [one.mti for one in some]


def test_hex_digits_are_found_in_their_lines() -> None:
    """Hex digits after a time: format and framing are guessed once, and reported."""
    some = [one for one in _messages() if one.version == "1987" and not misfits(one, "ebcdic-500")][:30]
    datas = [wrap(encode(one, "ebcdic-500"), ["length-2"]) for one in some]
    lines = [f"12:00:{at:02} <- {one.hex()}" for at, one in enumerate(datas)]
    table = sim.read(io.BytesIO("\n".join(lines).encode()))
    assert table["mti"].tolist() == [one.mti for one in some]
    assert "EBCDIC" in table.iso.read_as
    told = sim.read([one.split()[-1] for one in lines], format="ebcdic-500", framing=["length-2"])
    assert told["mti"].tolist() == table["mti"].tolist()


def test_no_card_number_is_shown_of_bytes_that_do_not_read() -> None:
    """A broken message in EBCDIC or BCD is masked except for MTI and bitmap."""
    message = Message("0100", {2: _PAN, 35: _PAN + "=29122010000012345678", 45: "B" + _PAN + "^X"})
    for name in ("ebcdic", "bcd-ebcdic", "bcd", "ascii-binary"):
        data = encode(message, name)[:-1]
        table = sim.read([data], format=name, framing=[])
        assert table["text"].tolist() == ["0x" + data.hex().upper()]
        for shown in (repr(table), table._repr_html_(), repr(table["text"]), repr(table.T)):
            assert _PAN[6:12] not in shown
            assert encode(message, name).hex().upper()[40:60] not in shown


def _capture(frames: list[bytes], kind: str) -> io.BytesIO:
    file = io.BytesIO()
    writer = dpkt.pcap.Writer(file) if kind == "pcap" else dpkt.pcapng.Writer(file)
    for second, one in enumerate(frames):
        writer.writepkt(one, AT.timestamp() + second)
    file.seek(0)
    return file


@pytest.mark.parametrize("kind", ["pcap", "pcapng"])
@pytest.mark.parametrize("name", ["bcd", "ebcdic-500", "ascii"])
def test_a_capture_gives_both_directions_of_a_connection(kind: str, name: str) -> None:
    """Requests in one direction and responses in the other; segments that split messages, repeat or arrive
    out of order: all messages, by time, with stream and time; other traffic is left out."""
    sent = [one for one in _messages() if one.mti == "0100" and not misfits(one, name)][:9]
    answers = [one.replace(mti="0110", de39="00") for one in sent]
    there = b"".join(wrap(encode(one, name), ["length-2"]) for one in sent)
    back = b"".join(wrap(encode(one, name), ["length-2"]) for one in answers)
    start = (1 << 32) - 100  # the numbers wrap on the way
    pieces = [(at, there[at : at + 61]) for at in range(0, len(there), 61)]
    frames = [segment(start - 1, b"", flags=2), *(segment(start + at, data) for at, data in pieces)]
    frames[3], frames[4] = frames[4], frames[3]
    frames.insert(6, frames[2])
    frames += [segment(7 + at, back[at : at + 500], back=True) for at in range(0, len(back), 500)]
    table = sim.read(_capture(frames, kind))
    assert sorted(table["mti"].tolist()) == sorted(one.mti for one in (*sent, *answers))
    assert set(table["stream"]) == {"192.0.2.1:50000 > 192.0.2.2:8583", "192.0.2.2:8583 > 192.0.2.1:50000"}
    assert table["time"].min() >= pd.Timestamp(AT)
    assert table["line"].tolist() == [*range(1, len(table) + 1)]
    requests = table[table["stream"].str.startswith("192.0.2.1")]
    assert requests["DE11"].tolist() == [one[11] for one in sent]
    assert "2-byte length" in table.iso.read_as
    told = sim.read(_capture(frames, kind), format=name)
    assert told["mti"].tolist() == table["mti"].tolist()


def _sent() -> list[Message]:
    return [one for one in _messages() if one.mti == "0100" and not misfits(one, "bcd")][:9]


def _framed(messages: list[Message]) -> bytes:
    return b"".join(wrap(encode(one, "bcd"), ["length-2"]) for one in messages)


def _stans(frames: list[bytes]) -> list[str]:
    found: list[str] = sim.read(_capture(frames, "pcap"))["DE11"].tolist()
    return found


def test_a_capture_may_begin_in_the_middle() -> None:
    """The opening was not captured: the first segments are out of order, one is missing, one begins inside
    a message. Exactly the complete messages are read."""
    sent, data = _sent(), _framed(_sent())
    stans = [one[11] for one in sent]
    pieces = [segment(at, data[at : at + 61]) for at in range(0, len(data), 61)]
    assert _stans([pieces[1], pieces[0], *pieces[2:]]) == stans
    size = len(_framed(sent[:1]))
    assert _stans([segment(at, data[at : at + 61]) for at in range(size - 20, len(data), 61)]) == stans[1:]
    two = len(_framed(sent[:2]))
    halves = [
        segment(0, data[:two]),
        segment(two, data[two : two + 9]),
        segment(two + 20, data[two + 20 :]),
    ]
    assert _stans([halves[0], halves[2]]) == stans[:2] + stans[3:]


def test_a_captured_segment_begins_with_a_message_whatever_its_bytes_look_like() -> None:
    """The first message contains bytes that would be two messages, and one more than there are."""
    data = bytes.fromhex("0008 FF 0001 0A 0002 0B0C 0003 010203 0002 0A0B")
    assert stream_start(data, [0], None, range(len(data))) == (0, "length-2")
    assert stream_start(data[5:], [0], None, range(len(data))) == (1, "length-2")


def test_hex_lines_in_a_named_format_may_be_numbered_or_framed() -> None:
    """A digit, a thread or the framing of the link before each message."""
    dumps = [encode(one, "nac").hex().upper() for one in _messages() if not misfits(one, "nac")][:6]
    framed = [f"{5 + len(dump) // 2:04X}6000030000{dump}" for dump in dumps]
    for lines in (dumps, [f"{at} {dump}" for at, dump in enumerate(dumps)], framed):
        table = sim.read("\n".join(lines), format="nac")
        assert table["mti"].tolist() == [dump[:4] for dump in dumps]


def test_other_traffic_and_broken_captures() -> None:
    """HTTP in a capture gives no rows; a file that only begins like a capture is an error."""
    other = segment(1, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", back=True)
    table = sim.read(_capture([other], "pcap"))
    assert len(table) == 0
    assert table.iso.read_as == "1 stream in which nothing reads as ISO 8583 left out"
    both = sim.read(_capture([other, segment(1, _framed(_sent()))], "pcap"))
    assert len(both) == len(_sent())
    assert both.iso.read_as.endswith(
        "BCD, odd digits padded left; 1 stream in which nothing reads as ISO 8583 left out"
    )
    with pytest.raises(sim.SpecError, match="a capture"):
        sim.read(io.BytesIO(bytes.fromhex("0a0d0d0a") + b"\xff" * 40))


@given(st.binary(min_size=1, max_size=400), st.randoms(use_true_random=False), st.integers(0, (1 << 32) - 1))
def test_segments_in_any_order_make_the_same_stream(data: bytes, some: Any, first: int) -> None:
    """Segments cut anywhere, some repeated, in any order, give the original messages."""
    whole = b"".join(wrap(data, ["length-2"]) for _ in range(3))
    cuts = sorted({0, len(whole), *(some.randrange(len(whole)) for _ in range(6))})
    segments = [(start, whole[start:end]) for start, end in pairwise(cuts)]
    segments += segments[:2]
    some.shuffle(segments)
    stream = Stream("test", "length-2")
    stream.begin((first - 1) % (1 << 32))
    found = [one for at, piece in segments for one in stream.add(1.0, (first + at) % (1 << 32), piece)]
    found += stream.end()
    assert [one for _, one in found] == [data] * 3

"""Dialects learned from their messages: restored, with evidence for each element and a list of open
questions."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from called import Run
from dialects import dialect, written
from support import MORE

import sim
from sim.codec.wire import catalogue, decode
from sim.codec.wire.framing import strip
from sim.errors import SpecError
from sim.mcp import tools
from tests.interop.pcap import capture

# Formats and seeds of dialects with three or four changes; the first two are learned soonest.
DIALECTS = [("bcd", 5), ("ebcdic", 9), ("bcd", 4), ("ebcdic", 1)]


@pytest.mark.parametrize(("name", "seed"), DIALECTS if MORE else DIALECTS[:2])
def test_a_dialect_of_a_ready_format_is_restored(name: str, seed: int) -> None:
    """The learned format correctly reads messages that were not learned from."""
    own, messages = dialect(name, seed, 24)
    learned = sim.learn([written(one, own) for one in messages[:24]], name="restored").learned
    seen = {number for one in messages[:24] for number in one.fields}
    for one in messages[24:44]:
        if seen.issuperset(one.fields):
            data = written(one, own)
            _, start, end = strip(data, own.frames)
            found = decode(data[start:end], learned, own.version).fields
            # What differs, if any, is what packed digits leave open, and the table says so.
            assert found.keys() == one.fields.keys()


def _echoes(count: int, size: int = 16) -> list[bytes]:
    own = sim.load_format(
        {"extends": "bcd", "title": "Mine", "elements": {"41": {"format": f"ans {size}"}}}, name="mine-here"
    )
    rows = [
        {0: "0800", 3: "990000", 7: f"11{place % 28 + 1:02}123045", 11: f"{7 * place:06}", 41: shop}
        for place, shop in enumerate(f"SHOP {place:03}".ljust(size) for place in range(count))
    ]
    made = [bytes.fromhex(str(sim.build(row, format=own))) for row in rows]
    catalogue._LOADED.pop(own.name)  # a format that nobody has loaded
    return made


def test_each_row_has_its_evidence() -> None:
    """Sizes and counts, never a value; differences from the built-in format are marked, and rare elements
    are open."""
    some = _echoes(20)
    table = sim.learn(some, name="evident").set_index("number")
    assert table.evidence[41] == "16 characters in all 20"
    assert table.differs[41] == "yes"
    assert table.evidence[11] == "6 digits in all 20"
    assert "SHOP" not in str(table.to_dict())
    one_more = bytes.fromhex("0800 2020000000800002 990000 123456") + b"SHOP 999".ljust(16) + b"\x00\x03ABC"
    rare = sim.learn([*some, one_more], name="evident").set_index("number")
    assert rare.open[63] == "in 1 message only"
    assert (table.messages[2], table.open[2]) == (0, "in no message; taken from BCD, odd digits padded left")


def test_what_was_learned_is_a_file_for_every_verb(tmp_path: Path) -> None:
    """The saved file reads the messages with `--format`, and the name works at once."""
    log = tmp_path / "day.log"
    lines = [f"12:30:{place:02} received {one.hex().upper()}" for place, one in enumerate(_echoes(24))]
    log.write_text("\n".join(lines), encoding="utf-8")
    file = tmp_path / "shop.toml"
    run = Run("learn", str(log), "--name", "shop", "--out", str(file))
    assert run.status == 0, run.err
    assert "24 of 24 messages read to their ends" in run.err
    again = sim.load_format(file, name="shop-again")
    message = _echoes(1)[0]
    assert sim.parse(message, format=again).iso[41] == "SHOP 000".ljust(16)
    assert Run("parse", "--format", str(file), message.hex()).status == 0
    catalogue._LOADED.clear()  # what was learned before would be what these messages are near to
    found = tools["learn"](messages=lines, name="shop-tool")
    assert 'format = "ans 16"' in found["toml"]


def test_records_behind_lengths_texts_and_captures_are_sources(tmp_path: Path) -> None:
    """Framed bytes, text with one message per line, a capture, a folder, an open file."""
    some = _echoes(20)
    framed = b"".join(len(one).to_bytes(2, "big") + one for one in some)
    text = "\n".join(one.hex(" ") for one in some)
    captured = capture(some)
    (tmp_path / "day.pcap").write_bytes(captured)
    for source in (framed, text, captured, tmp_path, io.BytesIO(framed)):
        table = sim.learn(source, name="sourced")
        assert "20 of 20" in table.read_as
        assert table.set_index("number")["format"][41] == "ans 16"


def test_what_is_no_dialect_is_refused() -> None:
    """Too few messages, and texts that are not messages."""
    with pytest.raises(SpecError, match="20 or more messages"):
        sim.learn(_echoes(2))
    with pytest.raises(SpecError, match="an MTI and a bitmap in the same place"):
        sim.learn([f"line {place} of a diary, with nothing to read in it" for place in range(20)])
    chance = random.Random(1)
    noise = [
        bytes.fromhex("0200 3020058020C01204") + chance.randbytes(chance.randint(60, 200)) for _ in range(20)
    ]
    with pytest.raises(SpecError, match="none that continues after DE"):
        sim.learn(noise)


def test_a_few_broken_messages_among_good_ones_are_named() -> None:
    """The dialect is learned from the others, and the broken ones are those that it cannot read."""
    some = _echoes(40)
    some[7], some[21] = some[7][:-3], some[21][:20] + b"\x00" + some[21][20:]
    table = sim.learn(some, name="mostly")
    assert "38 of 40" in table.read_as
    assert table.set_index("number")["format"][41] == "ans 16"


def test_formats_loaded_later_are_tried_too(tmp_path: Path) -> None:
    """The user's own format that fits is the nearest, whenever it was loaded."""
    some = _echoes(20)
    assert "near Loaded later" not in sim.learn(some, name="earlier").read_as
    catalogue._LOADED.pop("earlier")
    file = tmp_path / "later.toml"
    text = 'extends = "bcd"\ntitle = "Loaded later"\n[elements.41]\nformat = "ans 16"\n'
    file.write_text(text, encoding="utf-8")
    sim.load_format(file)
    assert "Loaded later" in sim.learn(some, name="after").read_as


def test_a_log_may_have_lines_without_messages() -> None:
    """Every third line tells of a connection or an error."""
    lines = [f"10:00:{at:02} [{at}] RX {one.hex()}" for at, one in enumerate(_echoes(20))]
    for at in range(10):
        lines.insert(3 * at, f"10:00:00 [{at}] connection {at} opened by 192.0.2.{at}")
    assert "20 of 20" in sim.learn("\n".join(lines), name="logged").read_as


def test_packed_digits_of_which_several_are_letters_are_hex_digits() -> None:
    """A prefix that counts the digits of bytes: the learned format itself reads them."""
    row = {"written": "raw", "format": "b..999", "lengths": "bcd", "length_bytes": 2, "counts": "characters"}
    own = sim.load_format({"extends": "ascii", "title": "Mine", "elements": {"60": row}}, name="mine-hex")
    chance = random.Random(2)
    values = [chance.randbytes(chance.randint(9, 40)).hex().upper() for _ in range(20)]
    rows = [{0: "0800", 11: f"{7 * at:06}", 60: value, 70: "301"} for at, value in enumerate(values)]
    sent = [bytes.fromhex(sim.build(row, format=own)) for row in rows]
    catalogue._LOADED.pop(own.name)
    table = sim.learn(sent, name="of-hex")
    assert table.set_index("number")["written"][60] == "packed hex digits"
    assert [decode(one, table.learned)[60] for one in sent] == values

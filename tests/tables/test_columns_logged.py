"""Logs whose messages take several lines: `sim.read` gives one row per message."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from itertools import cycle

import pandas as pd
from pandas.testing import assert_frame_equal
from support import together

import sim
from sim.codec import Message, parse
from sim.codec.wire import encode, misfits, wrap
from tests.octal_dumps import OCTAL
from tests.paste_bytes import WRITTEN
from tests.spellings import hexdump_c, logged_dump, tcpdump_x, wireshark, xxd
from tests.support import PARSED
from tests.wire_samples import segment

_DUMPS = (
    "HxD",
    "rows of 20, decimal offsets",
    "rows between bars",
    "jPOS dump behind a log's first line",
    "rows with box characters",
    "Netty",
    "openssl",
    "hexyl",
    "hexdump",
)


def _packet(data: bytes) -> bytes:
    return segment(1, data)[14:]


def _followed(datas: list[bytes]) -> str:
    """A stream as Wireshark shows it: the other direction indented, with separate offsets for each."""
    rows, reached = [], [0, 0]
    for side, data in zip(cycle((0, 1)), datas):
        for row in hexdump_c(bytes(16) + data).splitlines()[1:-1]:
            at, bytes_shown = int(row[:8], 16) - 16 + reached[side], row[8:]
            rows.append(f"{4 * side * ' '}{at:08x}{bytes_shown}")
        reached[side] += len(data)
    return "\n".join(rows)


def _logged(
    datas: list[bytes], dump: Callable[[bytes], str], front: str = "12:00:01.123 IN 0210 from 4"
) -> str:
    return "".join(f"{front}\n{dump(data)}\n\n" for data in datas)


_DUMPED: dict[str, Callable[[list[bytes]], str]] = {
    "xxd": lambda datas: _logged(datas, xxd),
    "xxd, by itself": lambda datas: "\n".join(map(xxd, datas)),
    "tcpdump": lambda datas: _logged([_packet(one) for one in datas], tcpdump_x, "IP 192.0.2.1 > 192.0.2.2"),
    "Wireshark": lambda datas: _logged([segment(1, one) for one in datas], wireshark),
    "Wireshark, a stream": _followed,
    "a log in front": lambda datas: _logged(datas, logged_dump),
    **{name: partial(_logged, dump=WRITTEN[name]) for name in _DUMPS},
    **{name: partial(_logged, dump=OCTAL[name]) for name in ("od", "od -X")},
}


@together("kind", _DUMPED)
def test_a_dump_of_several_lines_is_one_message(kind: str) -> None:
    """One row per dump, whatever the log has between them, in a text or a file."""
    made = [parse(row["message"], row["version"]) for row in PARSED if row["version"] == "1987"]
    datas = [wrap(encode(one, "bcd"), ["length-2"]) for one in made if not misfits(one, "bcd")][:40:4]
    text = _DUMPED[kind](datas)
    table = sim.read(text)
    each = sim.read(datas, format="bcd", framing=["length-2"])
    assert_frame_equal(pd.DataFrame(table).drop(columns="line"), pd.DataFrame(each).drop(columns="line"))
    assert table["error"].isna().all()
    assert table["line"].is_monotonic_increasing
    told = sim.read(io.BytesIO(text.encode()), format="bcd", chunksize=3)
    assert [len(one) for one in told] == [3, 3, 3, 1]
    assert "dumps" in table.iso.read_as


def test_packets_that_carry_nothing_are_no_messages() -> None:
    """A tcpdump also has the packets that open and acknowledge a connection. Each row has the line number
    of its dump; a truncated one has an error."""
    echo = wrap(encode(Message("0800", {3: "990000", 11: "000001"}), "bcd"), ["length-2"])
    packets = [_packet(b""), _packet(echo), _packet(b""), _packet(echo[:-1]), _packet(echo)]
    table = sim.read(_logged(packets, tcpdump_x))
    assert table["error"].notna().tolist() == [False, True, False]
    assert table["line"].tolist() == [7, 18, 24]


def _xml(fields: dict[int, str], mti: str = "0800") -> str:
    held = {0: mti, **fields} if mti else fields
    rows = "".join(f'    <field id="{number}" value="{value}"/>\n' for number, value in held.items())
    return (
        f'<log realm="channel/192.0.2.1:8000">\n  <isomsg direction="incoming">\n{rows}  </isomsg>\n</log>\n'
    )


def test_messages_in_xml_of_a_log_are_a_row_each() -> None:
    """jPOS log messages, nested ones with their parents; one that has no text form, or is truncated, has
    its elements; a row reports text that is not a message."""
    echo = {3: "990000", 11: "000001"}
    inner = '    <isomsg id="48">\n      <field id="1" value="AB"/>\n    </isomsg>\n  </isomsg>'
    nested = _xml(echo).replace("  </isomsg>", inner)
    log = "started\n" + _xml(echo) + nested + _xml(echo, "") + _xml({**echo, 7: "1" * 11}) + _xml(echo)[:-20]
    table = sim.read(log)
    assert table.iso.read_as == "jPOS XML"
    assert table["line"].tolist() == [3, 10, 20, 26, 34]
    assert table["DE11"].fillna("").tolist() == ["000001", "000001", "", "000001", "000001"]
    assert table["DE48"].dropna().tolist() == ["AB"]
    assert table["error"].notna().tolist() == [False, False, True, False, False]
    assert "field 0" in table["error"].iloc[2]
    assert sim.read(io.BytesIO(log.encode()), validate=True)["valid"].tolist()[:3] == [True, True, False]


def test_no_message_of_a_long_listing_is_lost() -> None:
    """A listing too long to be split has a row for each line, and JSON on one line its own."""
    one = "MTI: 0100\nDE 2: 4111111111111111\nDE 3: 000000\nDE 4: 000000001000\n\n"
    assert sim.read(one * 300)["error"].isna().sum() == 300
    assert len(sim.read(one * 600)) == 4 * 600
    assert sim.read('{"mti": "0800", "11": "000001", "70": "301"}\n' * 1200)["mti"].eq("0800").sum() == 1200


def test_what_stands_in_front_may_change_further_down() -> None:
    """A log whose first lines were all sent, and later ones received: none is lost."""
    texts = [row["message"] for row in PARSED if row["message"].isascii()][:24]
    lines = [f"10:15:{at:02} {'sent' if at < 16 else 'received'} {text}" for at, text in enumerate(texts)]
    found = sim.read(io.BytesIO("\n".join(lines).encode()))
    assert list(found["mti"]) == [text[:4] for text in texts]

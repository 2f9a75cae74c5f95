"""Wireshark reads what went over a loopback line, stream and all, as we do."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sim.link import AsyncClient, AsyncHost, Line
from tests.interop import tshark
from tests.link.ends import message


@pytest.mark.skipif(tshark.PROGRAM is None, reason="tshark is not installed")
def test_a_captured_stream_reads_as_our_own_traffic(tmp_path: Path) -> None:
    """Requests and answers of a session, as both ends wrote them down, made into a capture: the same types,
    bitmaps and elements."""

    async def run() -> list[tuple[bytes, str, str, dict[int, str]]]:
        line = Line.of("ascii", "length-2")
        async with AsyncHost(line) as host, AsyncClient(("127.0.0.1", host.port), line) as client:
            for stan, kind in enumerate(("echo", "auth", "financial", "reversal"), 1):
                assert (await client.send(message(stan, kind))).status == "answered"
            found = []
            for entry in host.traffic:
                seen = host.traffic.message(entry)
                if seen is not None:
                    found.append((entry.data[2:], seen.mti, seen.bitmap, seen.fields))
            return found

    sent = asyncio.run(run())
    assert [mti for _, mti, _, _ in sent] == ["0800", "0810", "0100", "0110", "0200", "0210", "0400", "0410"]
    readings = tshark.read([data for data, *_ in sent], tmp_path)
    differs = tshark.differs("1987")
    for (_, mti, bitmap, fields), reading in zip(sent, readings, strict=True):
        assert reading is not None
        assert (reading.mti, reading.malformed) == (mti, False)
        same = {number for number in fields if number not in differs}
        read = {number: reading.fields.get(number) for number in same}
        assert read == {number: fields[number] for number in same}
        assert reading.bitmap.replace(":", "").upper().removeprefix("0X").startswith(bitmap[:16])

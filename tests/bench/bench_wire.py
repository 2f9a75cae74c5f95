"""How fast files of bytes become a table, beside a loop of pyiso8583 with the same specification.

Messages of four kinds (those of `bench_bulk`) behind two bytes of length, in BCD, EBCDIC and ASCII with a
binary bitmap. pyiso8583 decodes the same bytes one by one, its dicts made a DataFrame. Both are measured in
turn; a ratio is the median of the rounds' ratios.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import iso8583
import pandas as pd
from bench_bulk import messages

import sim
from sim.codec import ParseError, parse
from sim.codec.wire import encode, misfits, wire_format, wrap
from sim.codec.wire.exchange.pyiso import to_pyiso8583

COUNT = 60_000
ROUNDS = 3
FORMATS = ("bcd", "ebcdic-500", "ascii-binary")


def encoded(name: str, count: int) -> list[bytes]:
    """Messages in a format; track data is left out, which pyiso8583 cannot pack."""
    made = []
    for raw in messages(count):
        try:
            message = parse(raw)
        except ParseError:
            continue
        message.fields.pop(35, None)
        if not misfits(message, name):
            made.append(encode(message, name))
    return made


def measured(name: str, folder: Path) -> tuple[float, float, float]:
    """Messages a second that we read and that the loop reads, and the median ratio."""
    datas = encoded(name, COUNT)
    file = folder / f"{name}.bin"
    file.write_bytes(b"".join(wrap(one, ["length-2"]) for one in datas))
    given, _ = to_pyiso8583(wire_format(name), "1987")
    some = datas[: len(datas) // 10]
    ours, theirs = [], []
    for _ in range(ROUNDS):
        start = perf_counter()
        table = sim.read(file, format=name, framing=["length-2"], progress=False)
        ours.append(len(datas) / (perf_counter() - start))
        assert len(table) == len(datas)
        assert table["error"].isna().all()
        start = perf_counter()
        pd.DataFrame([iso8583.decode(one, spec=given)[0] for one in some])
        theirs.append(len(some) / (perf_counter() - start))
    return median(ours), median(theirs), median(a / b for a, b in zip(ours, theirs, strict=True))


def main() -> None:
    """Print a line for each format."""
    with tempfile.TemporaryDirectory() as folder:
        for name in FORMATS:
            ours, theirs, ratio = measured(name, Path(folder))
            sys.stdout.write(
                f"{name:14} sim.read {ours:9,.0f}/s  pyiso8583 {theirs:9,.0f}/s  {ratio:5.1f} x\n"
            )


if __name__ == "__main__":
    main()

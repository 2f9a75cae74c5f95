"""How fast and in how much memory many messages become a table, beside another package and the limit.

300,000 messages of four kinds are read from a list and from a file. The other package reads the same
list in a loop, its dicts made a DataFrame; the limit is pyarrow reading the same columns from a CSV file, on
one thread. All are measured in turn, round by round; a ratio is the median of the rounds' ratios.
"""

from __future__ import annotations

import gc
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from time import perf_counter

import iso8583
import pandas as pd
import pyarrow as pa
import pyarrow.csv
from iso8583.specs import default_ascii

import sim
from sim.codec import Message, build
from sim.operations import generate
from sim.spec.networks import check_digit
from sim.tables.columns.table import label

COUNT = 300_000
ROUNDS = 3
OURS = "sim.read"
_THIRTEEN = (2, 3, 4, 7, 11, 12, 13, 22, 25, 37, 41, 42, 49)
_IINS = ("411111", "555555", "222300", "353011", "601100", "622126")
_AT = datetime(2026, 11, 20, 12, 30, 45, tzinfo=UTC)


def messages(count: int, seed: int = 1) -> list[str]:
    """*count* texts: authorizations of 13 elements, financial messages with chip data, echoes, and
    messages of 30 elements with two bitmaps, one in a thousand cut short. Numbers, amounts and times vary."""
    some = random.Random(seed)
    kinds = [*models().values()]
    made = []
    for at in range(count):
        raw = build(varied(some, kinds[at % len(kinds)]))
        made.append(raw[:-5] if at % 1000 == 999 else raw)
    return made


def models() -> dict[str, Message]:
    """One message of each kind, by name."""
    full = generate("auth", network="VISA", at=_AT).message
    chip = generate("financial", network="VISA", entry="chip", at=_AT).message
    fields = {number: full.get(number) or chip.get(number) for number in _THIRTEEN}
    short = Message(full.mti, {number: value for number, value in fields.items() if value})
    echo = generate("echo", at=_AT).message
    more = {
        **{5: "000000001000", 6: "000000001000", 9: "61000000", 10: "61000000", 15: "1120", 16: "1120"},
        **{18: "5411", 19: "840", 23: "001", 26: "12", 32: "00000100001", 33: "00000100002"},
        **{43: "TEST SHOP                SPRINGFIELD  US", 50: "840", 51: "840", 60: "0", 62: "0" * 20},
        **{95: "0" * 42, 102: "1234567890"},
    }
    long = Message("0100", dict(sorted({**short.fields, **more}.items())[:30]))
    assert len(long.fields) == 30
    return {"13": short, "chip": chip, "echo": echo, "30": long}


def varied(some: random.Random, model: Message) -> Message:
    """*model* with another card, amount, numbers and times."""
    fields = dict(model.fields)
    moment = _AT + timedelta(seconds=some.randrange(86_400))
    values = {
        4: f"{some.randrange(1, 10**6):012}",
        7: f"{moment:%m%d%H%M%S}",
        11: f"{some.randrange(10**6):06}",
        12: f"{moment:%H%M%S}",
        13: f"{moment:%m%d}",
        37: f"{some.randrange(10**12):012}",
        41: f"TERM{some.randrange(10**4):04}",
    }
    fields |= {number: value for number, value in values.items() if number in fields}
    if 4 in fields:  # at a rate of one
        fields |= {number: fields[4] for number in (5, 6) if number in fields}
    if 2 in fields:
        payload = f"{some.choice(_IINS)}{some.randrange(10**9):09}"
        fields[2] = payload + check_digit(payload)
        if 35 in fields:
            fields[35] = fields[2] + fields[35][16:]
    if 55 in fields:  # the chip signs this amount on this day
        for head, value in (
            ("9F2608", f"{some.randrange(16**16):016X}"),
            ("9F0206", fields[4]),
            ("9A03", f"{moment:%y%m%d}"),
        ):
            at = fields[55].index(head) + len(head)
            fields[55] = f"{fields[55][:at]}{value}{fields[55][at + len(value) :]}"
    return Message(model.mti, fields, model.version)


def calls(texts: list[str], folder: Path) -> tuple[dict[str, Callable[[], object]], int]:
    """What is measured, by name, and how many bytes the file has."""
    file, table = folder / "messages.txt", folder / "table.csv"
    file.write_text("\n".join(texts) + "\n", encoding="ascii")
    whole = sim.read(file)
    names = [name for name in whole.columns if name == "mti" or name.startswith("DE")]
    pd.DataFrame(whole)[names].to_csv(table, index=False)
    as_text = pa.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True)
    on_one = pa.csv.ReadOptions(use_threads=False)
    data = [text.encode("ascii") for text in texts]
    check(whole, data)

    def other() -> object:
        rows = []
        for raw in data:
            try:
                rows.append(iso8583.decode(raw, spec=default_ascii)[0])
            except iso8583.DecodeError:
                rows.append({})
        return pd.DataFrame(rows)

    return {
        f"{OURS}, list": lambda: sim.read(texts),
        f"{OURS}, file": lambda: sim.read(file),
        f"{OURS}, file, validate": lambda: sim.read(file, validate=True),
        "pyiso8583": other,
        "pyarrow.csv": lambda: pa.csv.read_csv(table, read_options=on_one, convert_options=as_text),
    }, file.stat().st_size


def check(whole: pd.DataFrame, data: list[bytes]) -> None:
    """Fails where the other package reads another value than we do, in the first thousand messages."""
    for row, raw in enumerate(data[:999]):
        read = iso8583.decode(raw, spec=default_ascii)[0]
        values = {
            label(int(key)): value for key, value in read.items() if key.isdigit() and key not in ("1",)
        }
        assert all(whole[name].iloc[row] == value for name, value in values.items())


def measure(timed: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each, one number a round."""
    seconds: dict[str, list[float]] = {name: [] for name in timed}
    for _ in range(rounds):
        for name, call in timed.items():
            gc.collect()
            start = perf_counter()
            held = call()
            seconds[name].append(perf_counter() - start)
            del held
    return seconds


# What one process needs at most for a table of the file, beyond what it needs for a small one. The highest
# mark of the process itself: what resource.getrusage tells begins with the parent's.
_PEAK = """
import sys, sim
from pathlib import Path

def high():
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1])

sim.read(Path(sys.argv[1]))
before = high()
if sys.argv[3]:
    rows = sum(len(one) for one in sim.read(Path(sys.argv[2]), chunksize=int(sys.argv[3])))
else:
    rows = len(sim.read(Path(sys.argv[2])))
print(high() - before)
"""


def peak(small: Path, file: Path, chunksize: str = "") -> int:
    """Bytes at the peak of reading *file*, beyond those of reading *small*."""
    command = [sys.executable, "-c", _PEAK, str(small), str(file), chunksize]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) * 1024


def main(count: int = COUNT, rounds: int = ROUNDS) -> list[str]:
    """Measure and print the table; gives its lines."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        timed, size = calls(messages(count), folder)
        small, twice = folder / "small.txt", folder / "twice.txt"
        small.write_text("\n".join(messages(100)) + "\n", encoding="ascii")
        text = (folder / "messages.txt").read_text(encoding="ascii")
        twice.write_text(text * 2, encoding="ascii")
        seconds = measure(timed, rounds)
        peaks = [peak(small, folder / "messages.txt"), peak(small, folder / "messages.txt", "20000")]
        peaks.append(peak(small, twice, "20000"))
    lines = _table(seconds, count, size)
    lines += [
        "",
        f"{size / 1e6:.0f} MB in the file. Peak memory, beyond that of reading a hundred messages:",
        f"{peaks[0] / size:.1f} times the file; with chunksize=20,000 {peaks[1] / 1e6:.0f} MB, and",
        f"{peaks[2] / 1e6:.0f} MB for a file twice as long.",
    ]
    print("\n".join(lines))
    return lines


def _table(seconds: dict[str, list[float]], count: int, size: int) -> list[str]:
    head = [
        "what",
        "thousand messages a second",
        "MB a second",
        ": pyiso8583",
        ": pyarrow.csv",
        ": without validate",
    ]
    lines = [f"| {' | '.join(head)} |", "| --- |" + " --: |" * (len(head) - 1)]
    plain = seconds[f"{OURS}, file"]
    for name, own in seconds.items():
        cells = [name, f"{count / median(own) / 1000:.0f}", f"{size / median(own) / 1e6:.0f}"]
        for other in (seconds["pyiso8583"], seconds["pyarrow.csv"], plain):
            cells.append(f"{median(b / a for a, b in zip(own, other, strict=True)):.2f}")
        lines.append(f"| {' | '.join(cells)} |")
    return lines


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

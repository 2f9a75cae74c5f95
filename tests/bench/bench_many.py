"""The rows for many messages at once: what bench_bulk measures, as part of the one table."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench_bulk import COUNT, OURS, ROUNDS, calls, measure, messages, peak
from table import Group, Limit, Row, plain, rate, ratio

QUICK_COUNT, QUICK_ROUNDS = 60_000, 1
CHUNK = 20_000
FILE, CHECKED, FROM_LIST = f"{OURS}, file", f"{OURS}, file, validate", f"{OURS}, list"
PEER, FLOOR = "pyiso8583", "pyarrow.csv"
ASKED = {PEER: 60.0, FLOOR: 0.8}
OF_PLAIN = 0.4
TIMES_INPUT, SAME = 6.0, 1.2  # at most: times the file; times the peak of half the file


def speeds(seconds: dict[str, list[float]], count: int) -> list[Row]:
    """From a list and from a file beside the others; with rules beside without."""
    per = {name: [count / each for each in spent] for name, spent in seconds.items()}
    made = [
        Row(name, rate(per[name]), other, rate(per[other]), ratio(per[name], per[other]), Limit(limit))
        for name in (FROM_LIST, FILE)
        for other, limit in ASKED.items()
    ]
    share = ratio(per[CHECKED], per[FILE])
    made.append(Row(CHECKED, rate(per[CHECKED]), FILE, rate(per[FILE]), share, Limit(OF_PLAIN)))
    return made


def peaks(folder: Path, size: int) -> list[Row]:
    """Peak memory beyond that of reading a hundred messages, of the file and of one twice as long."""
    file, small, twice = folder / "messages.txt", folder / "small.txt", folder / "twice.txt"
    small.write_text("\n".join(messages(100)) + "\n", encoding="ascii")
    twice.write_text(file.read_text(encoding="ascii") * 2, encoding="ascii")
    whole, once, again = peak(small, file), peak(small, file, str(CHUNK)), peak(small, twice, str(CHUNK))
    given = Row(
        "peak memory, file", f"{whole / 1e6:.0f} MB", "the file", f"{size / 1e6:.0f} MB", whole / size,
        Limit(TIMES_INPUT, most=True),
    )  # fmt: skip
    chunked = Row(
        f"peak memory, chunksize={CHUNK:,}, file twice as long", f"{again / 1e6:.0f} MB", "file once",
        f"{once / 1e6:.0f} MB", again / once, Limit(SAME, most=True),
    )  # fmt: skip
    return [given, chunked]


def groups(quick: bool = False) -> Sequence[Group]:
    """Measure everything; what the table says of it."""
    count, rounds = (QUICK_COUNT, QUICK_ROUNDS) if quick else (COUNT, ROUNDS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        timed, size = calls(messages(count), folder)
        made = speeds(measure(timed, rounds), count)
        if not quick:  # of few messages the peak is mostly what is there before the first
            made += peaks(folder, size)
    notes = [
        f"{count:,} mixed messages, {size / 1e6:.0f} MB, median of {rounds} rounds. pyiso8583 is called in",
        "a loop and its dicts made a DataFrame; pyarrow.csv reads the same columns of a CSV, on one thread.",
        "Peak memory is what the process needs beyond reading a hundred messages.",
    ]
    return [Group("Many messages", made, notes)]


if __name__ == "__main__":
    print("\n".join(plain(groups())))

"""Score the guess: over the samples in tests/vectors, and over ones made up, whole and damaged.

    python -m tests.tools.score_guess [how many made up samples]
    python -m tests.tools.score_guess weights [how many]

Prints verdicts by kind of sample, the time a paste takes (processor milliseconds), and one score of 100: a
right answer counts 1 where it is sure, 0.9 where it is likely, 0.5 where it is unsure, and `none` 1 for
what is no message; an answer that is not right and says so counts nothing, one that claims to be likely -2,
to be sure -5. A damaged message cannot be read right: it counts -1 where it is called none, and as the
others where something is claimed.

With `weights`, each weight of `sim/spec/data/weights.csv` is left out in turn, and what the score changes by
is written beside it: what changes nothing there is not settled by these samples.
"""

from __future__ import annotations

import csv
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import cycle, product
from operator import xor
from pathlib import Path
from typing import Any

from sim.codec import Message
from sim.codec.wire import encode, wire_format
from sim.errors import BuildError
from tests.not_iso import pastes
from tests.octal_dumps import OCTAL
from tests.paste_bytes import WRITTEN
from tests.paste_kinds import NAMED
from tests.spellings import SPELLINGS
from tests.wire_samples import FORMATS, Sample, messages, same, samples

_SEED = 20261121
_WEIGHTS = Path(__file__).parents[2] / "sim" / "spec" / "data" / "weights.csv"
_RIGHT = {"sure": 1.0, "likely": 0.9, "unsure": 0.5, "none": 1.0}
_WRONG = {"sure": -5.0, "likely": -2.0}
# As good as nothing, of which there is a logarithm.
_NOTHING = 1e-9
_DAMAGED, _NO_MESSAGE = "damaged", "no message"
# So many samples of each kind are looked at for each weight.
_FEW = 60
# So many elements a message has that is written out.
_FEWEST = 4

# The kind of a sample, whether it is right, the confidence, and seconds.
Judged = tuple[str, bool, str, float]


def made_up(count: int) -> list[tuple[str, Any]]:
    """Messages in every writing, whole and damaged, and pastes that are none, each with its kind."""
    return [
        *(("written", one) for one in _written()),
        *(("named", one) for one in _named()),
        *(("private", one) for one in _private()),
        *(("made up", one) for one in samples(count, _SEED)),
        *((_DAMAGED, one) for one in samples(count, _SEED + 1, damaged=True)),
        *((_NO_MESSAGE, noise) for _, noise in pastes(count, _SEED)),
    ]


def _written() -> Iterator[Sample]:
    """A message in every writing of bytes, in each format in turn."""
    chance = random.Random(_SEED)
    table = WRITTEN | SPELLINGS | OCTAL
    for (kind, write), name in zip(table.items(), cycle(FORMATS)):
        fmt = wire_format(name)
        while True:
            message = chance.choice(messages())
            if fmt.version not in (None, message.version) or len(message.fields) < _FEWEST:
                continue
            try:
                body = encode(message, fmt)
            except BuildError:
                continue
            yield Sample(write(len(body).to_bytes(2, "big") + body), message, f"{kind}, {name}")
            break


def _named() -> Iterator[Sample]:
    """A message in every writing of elements."""
    chance = random.Random(_SEED)
    plain = [one for one in messages() if len(one.fields) >= _FEWEST]
    for kind, write in NAMED.items():
        message = chance.choice(plain)
        yield Sample(write(message), message, kind)


def _private() -> Iterator[Sample]:
    """What links send in private elements: bytes, Chinese, short binary values; between STX and ETX with an
    LRC, right and wrong."""
    chance = random.Random(_SEED)
    bcd = wire_format("bcd")
    plain = [one for one in messages() if one.version == "1987" and 48 in one.fields]
    texts = [
        text.encode("gbk")
        for text in ("\u6d4b\u8bd5\u4fdd\u5355|123", "\u8054\u7cfb\u65b9\u5f0f\u6d4b\u8bd5")
    ]
    for number, data in product((57, 58, 61, 62), [*texts, chance.randbytes(9), chance.randbytes(28)]):
        changed = bcd.with_(elements={number: {"format": "b..999", "written": "raw", "counts": "bytes"}})
        message = chance.choice(plain)
        fields = {**message.fields, number: data.hex().upper()}
        body = encode(Message(message.mti, fields), changed)
        shown = data.decode("gbk") if data in texts else fields[number]
        wanted = Message(message.mti, {**fields, number: shown})
        yield Sample((len(body).to_bytes(2, "big") + body).hex(), wanted, f"DE {number}, {len(data)} bytes")
    for message, wrong in product(plain[:8], (0, 1)):
        body = encode(message, "ascii") + b"\x03"
        framed = b"\x02" + body + bytes([reduce(xor, body) ^ wrong])
        yield Sample(framed.hex(), message, f"STX, ETX, LRC off by {wrong}")


def judged(found: list[tuple[str, Any]], *, all_texts: bool = True) -> Iterator[Judged]:
    """Every sample, guessed: those of the vectors, then those that were *found*."""
    # Imported late: a weight that is tried out must be in its place before the guess is loaded.
    from sim.paste import guess
    from tests.guess_score import FOUND, MADE, TEXT, paste, rows, verdict

    guess("08002020000000000000990000123456")  # what is loaded on first use counts for nobody
    every = [*((name, row) for name in (FOUND, MADE, TEXT)[: 2 + all_texts] for row in rows(name)), *found]
    for kind, one in every:
        given = paste(one) if isinstance(one, dict) else one.paste if isinstance(one, Sample) else one
        started = time.process_time()
        best = guess(given)
        taken = time.process_time() - started
        if isinstance(one, dict):
            right = verdict(one, best) == "right"
        elif isinstance(one, Sample):
            right = best.message is not None and same(best.message, one.message)
        else:
            right = best.confidence == "none"
        yield kind, right, best.confidence, taken


def points(found: Iterable[Judged]) -> float:
    """The score of 100 of all that was *found*."""
    told = [(kind, right, confidence) for kind, right, confidence, _ in found]
    made = sum(_point(*one) for one in told)
    return 100 * made / sum(kind != _DAMAGED for kind, *_ in told)


def _point(kind: str, right: bool, confidence: str) -> float:
    if kind == _DAMAGED and (right or confidence == "none"):
        return 0.0 if right else -1.0
    return _RIGHT[confidence] if right else _WRONG.get(confidence, 0.0)


def main(count: int) -> None:
    """Score everything and print it, a line for each kind of sample, then the one score."""
    every = list(judged(made_up(count)))
    for kind in dict.fromkeys(name for name, *_ in every):
        some = [one for one in every if one[0] == kind]
        counted = Counter(
            f"{'right' if right else 'not right'} {confidence}" for _, right, confidence, _ in some
        )
        times = sorted(seconds for *_, seconds in some)
        at = {"median": 0.5, "p95": 0.95, "worst": 1.0}
        taken = {what: 1000 * times[int(share * (len(times) - 1))] for what, share in at.items()}
        shown = ", ".join(f"{what} {value:.1f} ms" for what, value in taken.items())
        print(f"{kind} ({len(some)}): {dict(sorted(counted.items()))}; {shown}")
    print(f"score: {points(every):.1f} of 100")


def weigh(count: int) -> None:
    """Leave out each weight, and write what the score changes by into the table of weights."""
    with _WEIGHTS.open(encoding="utf-8", newline="") as stream:
        table = list(csv.DictReader(stream))
    found = made_up(count)
    usual = _without("", found)
    for row in table:
        row["without"] = f"{_without(row['name'], found) - usual:+.1f}".replace("-0.0", "+0.0")
        print(f"{row['name']:<20} {row['bits']:>7} {row['without']:>7}", flush=True)
    with _WEIGHTS.open("w", encoding="utf-8", newline="") as stream:
        made = csv.DictWriter(stream, list(table[0]), lineterminator="\n")
        made.writeheader()
        made.writerows(table)


def _without(name: str, found: list[tuple[str, Any]]) -> float:
    """The score without a weight, in a process of its own: weights are read as the guess is loaded."""
    reading, writing = os.pipe()
    if not os.fork():
        from sim.paste.weights import WEIGHTS

        if name:
            WEIGHTS[name] = _NOTHING
        os.write(writing, f"{points(judged(found, all_texts=False))}".encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        said = stream.read()
    os.wait()
    return float(said)


if __name__ == "__main__":
    if sys.argv[1:2] == ["weights"]:
        weigh(int(sys.argv[2]) if len(sys.argv) > 2 else _FEW)
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)

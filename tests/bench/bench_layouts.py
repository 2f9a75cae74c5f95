"""How fast messages are read and judged whose layout was not seen before, and a mix of all kinds.

No two of the new messages have the same bitmap. Each is used once, so that nobody can have learned it; the
others are measured as in bench_codec. All packages get the same messages in turn, round by round.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Sequence
from statistics import median
from time import process_time

import iso8583
import pandas as pd
from bench_bulk import models, varied
from bench_codec import ours, shapes, validator
from iso8583.specs import default_ascii
from table import Group, Limit, Row, plain, rate, ratio

import sim
from sim.codec import Message, build, parse
from sim.operations import validate

ROUNDS, QUICK_ROUNDS = 7, 3
COUNT = 1000  # messages of a round
ALWAYS = (2, 3, 4, 7, 11)
SHARES = {13: 0.6, 22: 0.15, 3: 0.1, 30: 0.1}  # of the mix; the rest are new layouts
READ = 60_000
FRESH = 6000
LAYOUTS = ((50, 0.0, 50.0), (500, 0.0, 25.0), (50, 0.01, 40.0), (50, 0.15, 15.0))
COLD = 10.0  # milliseconds of processor time that a message of 10 KB may cost


def new_layouts(count: int, seed: int = 1) -> list[str]:
    """*count* texts, no two of them with the same bitmap."""
    some = random.Random(seed)
    pool: dict[int, str] = {}
    for model in models().values():
        pool |= model.fields
    others = [number for number in pool if number not in ALWAYS]
    made: dict[tuple[int, ...], str] = {}
    while len(made) < count:
        chosen = tuple(sorted({*ALWAYS, *some.sample(others, some.randrange(5, 18))}))
        if chosen not in made:
            made[chosen] = build(varied(some, Message("0100", {number: pool[number] for number in chosen})))
    return list(made.values())


def timed(call: Callable[[str], object], texts: Sequence[str]) -> float:
    """Messages a second of processor time."""
    start = process_time()
    for text in texts:
        call(text)
    return len(texts) / (process_time() - start)


def compared(
    work: str,
    own: Callable[[str], object],
    peer: str,
    other: Callable[[str], object],
    rounds: Sequence[Sequence[str]],
    asked: float,
) -> Row:
    """One row: *own* and *other* on the messages of each round, once."""
    pairs = [(timed(own, texts), timed(other, texts)) for texts in rounds]
    mine, theirs = [one for one, _ in pairs], [one for _, one in pairs]
    return Row(work, rate(mine), peer, rate(theirs), ratio(mine, theirs), Limit(asked))


def mixes(rounds: int) -> list[list[str]]:
    """Of each round, messages of all shapes in their shares, and new layouts."""
    some, by_size = random.Random(5), {shape.size: shape.raws for shape in shapes()}
    fresh = iter(new_layouts(rounds * COUNT, seed=9))
    sizes, shares = list(SHARES), list(SHARES.values())
    drawn = some.choices([*sizes, 0], [*shares, 1 - sum(shares)], k=rounds * COUNT)
    texts = [some.choice(by_size[size]) if size else next(fresh) for size in drawn]
    return [texts[at : at + COUNT] for at in range(0, len(texts), COUNT)]


def _decoded(text: str) -> object:
    return iso8583.decode(text.encode("ascii"), spec=default_ascii)


def _loop(texts: Sequence[str]) -> object:
    rows = []
    for text in texts:
        try:
            rows.append(iso8583.decode(text.encode("ascii"), spec=default_ascii)[0])
        except iso8583.DecodeError:
            rows.append({})
    return pd.DataFrame(rows)


def _spread(some: random.Random, layouts: int, broken: float) -> list[str]:
    """Many messages of so many layouts, a share of them cut short."""
    kinds = [parse(text) for text in new_layouts(layouts)]
    texts = [build(varied(some, some.choice(kinds))) for _ in range(READ)]
    return [text[: some.randrange(10, len(text))] if some.random() < broken else text for text in texts]


def tables(rounds: int) -> list[Row]:
    """`sim.read` beside the other package in a loop."""
    some, made = random.Random(3), []
    cases = [(f"{size} layouts{f', {share:.0%} broken' if share else ''}", _spread(some, size, share), asked)
             for size, share, asked in LAYOUTS]  # fmt: skip
    for call in (sim.read, _loop):  # tables are read, modules imported
        call(cases[0][1][:FRESH])
    for title, texts, asked in [*cases, ("new layouts", new_layouts(FRESH, seed=4), 2.0)]:
        mine, theirs = [], []
        for _ in range(rounds):
            for call, speeds in ((sim.read, mine), (_loop, theirs)):
                given = texts if call is sim.read else texts[:FRESH]
                gc.collect()
                start = process_time()
                held = call(given)
                speeds.append(len(given) / (process_time() - start))
                del held
        row = Row(
            f"sim.read, {title}", rate(mine), "pyiso8583", rate(theirs), ratio(mine, theirs), Limit(asked)
        )
        made.append(row)
    return made


def _junk(some: random.Random, size: int) -> str:
    bits = "".join(some.choices("0123456789ABCDEF", k=31))
    return f"0100F{bits}{''.join(some.choices('0123456789', k=size))}"


def worst() -> list[Row]:
    """What a message that is meant to be dear costs on average, each of them new, beside a usual one."""
    some = random.Random(7)
    good = shapes()[1].raws
    for text in good * 4:
        ours(text)
    usual = median(1 / timed(ours, [text]) for text in good)
    made = []
    for title, texts in (
        ("broken, random bitmaps, 250 characters", [_junk(some, 216) for _ in range(300)]),
        ("broken, random bitmaps, 10 KB", [_junk(some, 10_000) for _ in range(100)]),
        (
            "1,600 unknown tags, 10 KB",
            [build(Message("2100", {11: f"{at:012}", 55: "DF0100" * 1600}, "2003")) for at in range(60)],
        ),
    ):
        for text in texts[:3]:  # tables are read, modules imported
            validate(text).errors  # noqa: B018
        dear = 1e3 / timed(lambda text: validate(text).errors, texts[3:])
        limit = Limit(COLD, most=True, unit=" ms")
        made.append(Row(f"dear messages: {title}", f"{dear:.2f} ms", limit=limit, figure=dear))
    typical = Row("a usual message of 250 to 460 characters, warm", f"{usual * 1e3:.3f} ms")
    return [*made, typical]


def groups(quick: bool = False) -> Sequence[Group]:
    """Measure everything; what the table says of it."""
    rounds = QUICK_ROUNDS if quick else ROUNDS
    fresh = new_layouts(2 * rounds * COUNT)
    parts = [fresh[at : at + COUNT] for at in range(0, len(fresh), COUNT)]
    check = validator()
    warm = mixes(1)[0]
    for text in warm:
        ours(text)
    rows = [
        compared("parse: new layouts", parse, "pyiso8583", _decoded, parts[:rounds], 1.8),
        compared(
            "parse + validate, six networks: new layouts", ours, "iso8583sim", check, parts[rounds:], 1.5
        ),
        compared("parse + validate, six networks: mixed", ours, "iso8583sim", check, mixes(rounds), 7.0),
        *tables(rounds),
        *worst(),
    ]
    notes = [
        f"{COUNT} messages a round, median of {rounds} rounds, by processor time; no two new messages have",
        "the same bitmap. Mixed: 60% of 13 elements, 15% chip, 10% echo, 10% of 30 elements, 5% new layouts.",
    ]
    return [Group("New layouts, mixed traffic, broken messages", rows, notes)]


if __name__ == "__main__":
    print("\n".join(plain(groups())))

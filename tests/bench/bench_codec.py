"""How fast one message is parsed, built and validated here and by two other packages.

All get the same texts and give a value per data element; each has read and written them right before the
clock starts. They are measured in turn, round by round, so that a busy moment of the machine meets all of
them; a speed is the median of the rounds, a ratio the median of the rounds' ratios.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from timeit import Timer

import iso8583
from bench_bulk import messages
from iso8583.specs import default_ascii
from iso8583sim.core.builder import ISO8583Builder
from iso8583sim.core.parser import ISO8583Parser
from iso8583sim.core.types import CardNetwork, ISO8583Message
from iso8583sim.core.validator import ISO8583Validator
from table import OURS, Group, Limit, Row, plain, rate, ratio

from sim.codec import Message, build, parse
from sim.operations import validate

ROUNDS, QUICK_ROUNDS = 11, 3
SECONDS = 0.1  # of one measurement
VARIANTS = 64  # messages of each shape, with other cards, amounts, numbers and times
PARSE, BUILD, VALIDATE = "parse", "build", "parse + validate, six networks"

# What is asked: (operation, number of elements) -> peer -> times as fast.
ASKED = {
    (PARSE, 13): {"iso8583sim": 15.0, "pyiso8583": 9.0},
    (PARSE, 30): {"iso8583sim": 12.0, "pyiso8583": 8.0},
    (BUILD, 13): {"iso8583sim": 15.0, "pyiso8583": 8.0},
    (VALIDATE, 13): {"iso8583sim": 5.0},
    (VALIDATE, 30): {"iso8583sim": 5.0},
    (VALIDATE, 3): {"iso8583sim": 5.0},
    (VALIDATE, 22): {"iso8583sim": 4.0},
}

Call = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Shape:
    """Messages of one layout: their texts, and the same as records."""

    title: str
    raws: list[str]
    read: list[Message]

    @property
    def size(self) -> int:
        """How many data elements each has."""
        return len(self.read[0].fields)


def shapes() -> list[Shape]:
    """What is measured: one shape per layout of the bulk messages, in their order."""
    found: dict[tuple[str, int], tuple[list[str], list[Message]]] = {}
    for raw in messages(4 * VARIANTS):
        message = parse(raw)
        raws, read = found.setdefault((message.mti, len(message.fields)), ([], []))
        raws.append(raw)
        read.append(message)
    return [
        Shape(f"{mti}, {size} elements, {len(raws[0])} characters", raws, read)
        for (mti, size), (raws, read) in found.items()
    ]


def over(call: Callable[[object], object], items: Iterable[object]) -> Call:
    """*call* on each of *items*, as one call without arguments."""
    held = list(items)

    def run() -> None:
        for item in held:
            call(item)

    return run


def calls(shape: Shape) -> dict[str, dict[str, Call]]:
    """Operation -> package -> call. Fails where a package does not give back what was written."""
    data = [raw.encode("ascii") for raw in shape.raws]
    keyed = [{"t": one.mti} | {str(key): value for key, value in one.fields.items()} for one in shape.read]
    # Without a network, its build checks no network's own rules.
    theirs = [ISO8583Message(mti=one.mti, fields={0: one.mti, **one.fields}) for one in shape.read]
    parser, builder = ISO8583Parser(), ISO8583Builder()
    assert [parse(raw).fields for raw in shape.raws] == [one.fields for one in shape.read]
    assert [parser.parse(raw).fields for raw in shape.raws] == [one.fields for one in theirs]
    for raw, values, other in zip(shape.raws, keyed, theirs, strict=True):
        read = iso8583.decode(raw.encode("ascii"), spec=default_ascii)[0]
        assert {key: read[key] for key in values} == values
        assert bytes(iso8583.encode(dict(values), spec=default_ascii)[0]).decode() == raw
        assert build(parse(raw)) == builder.build(other) == raw
    return {
        PARSE: {
            OURS: over(parse, shape.raws),
            "pyiso8583": over(lambda raw: iso8583.decode(raw, spec=default_ascii), data),
            "iso8583sim": over(parser.parse, shape.raws),
        },
        BUILD: {
            OURS: over(build, shape.read),
            "pyiso8583": over(lambda values: iso8583.encode(dict(values), spec=default_ascii), keyed),
            "iso8583sim": over(builder.build, theirs),
        },
        VALIDATE: {OURS: over(ours, shape.raws), "iso8583sim": over(validator(), shape.raws)},
    }


def ours(raw: str) -> object:
    """What is asked of a message: its own errors, and each network's."""
    report = validate(raw, version="1987")
    return report.errors, [(one.passed, one.errors) for one in report.networks.values()]


def validator() -> Callable[[str], object]:
    """The other package's way to the same: what the message's own rules and each network's say."""
    parser, validator, networks = ISO8583Parser(), ISO8583Validator(), list(CardNetwork)

    def check(raw: str) -> object:
        message = parser.parse(raw)
        return validator.validate_message(message), validator.validate_for_networks(message, networks)

    return check


def measure(timed: dict[str, Call], rounds: int) -> dict[str, list[float]]:
    """Messages a second of each package, one number a round."""
    timers = {name: Timer(call) for name, call in timed.items()}
    counts = {}
    for name, timer in timers.items():
        counts[name] = max(1, round(SECONDS / min(timer.repeat(5, 1))))
    speeds: dict[str, list[float]] = {name: [] for name in timed}
    for _ in range(rounds):
        for name, timer in timers.items():
            speeds[name].append(counts[name] * VARIANTS / timer.timeit(counts[name]))
    return speeds


def rows(shape: Shape, operation: str, speeds: dict[str, list[float]]) -> list[Row]:
    """One row per peer."""
    ours = speeds.pop(OURS)
    asked = ASKED.get((operation, shape.size), {})
    return [
        Row(
            f"{operation}: {shape.title}",
            rate(ours),
            peer,
            rate(theirs),
            ratio(ours, theirs),
            Limit(asked[peer]) if peer in asked else None,
        )
        for peer, theirs in speeds.items()
    ]


def groups(quick: bool = False) -> Sequence[Group]:
    """Measure everything; what the table says of it."""
    rounds = QUICK_ROUNDS if quick else ROUNDS
    measured = [
        row
        for shape in shapes()
        for operation, timed in calls(shape).items()
        for row in rows(shape, operation, measure(timed, rounds))
    ]
    notes = [
        f"median of {rounds} rounds of {SECONDS} s each over {VARIANTS} messages of a shape.",
        "What the packages do is not quite the same: parsing in pyiso8583 also returns the encoded parts,",
        "in iso8583sim it detects the network; iso8583sim checks the content of elements while it builds,",
        "the others only framing. Ours asks each rule once for the same values of the parts that it names.",
    ]
    return [Group("One message", measured, notes)]


if __name__ == "__main__":
    print("\n".join(plain(groups())))

"""What is remembered of messages is true: rules read what they say, and nothing is said because of others."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from random import Random

import pytest
from kept import texts
from mutations import afresh, good, mutated, pairs, told
from recording import Recording
from support import ALL

from sim.codec import Message
from sim.elements import emv, emv_shapes
from sim.elements.pan import account
from sim.judge import kind as kinds
from sim.judge import ways
from sim.judge.agreed import Comparison, Equal
from sim.judge.all_rules import RULES
from sim.judge.engine import CARD, EVERY, ZERO, Rule, codes_of, mask_of
from sim.judge.fine import fine, finer
from sim.judge.kind import KINDS, kind_of
from sim.judge.networks import PREDICATES
from sim.operations import NETWORKS, Report, validate, verdict
from sim.operations.validation import judge
from sim.spec import VERSIONS, spec
from sim.spec import emv as tables

CARDS = {2, 35, 45}
PAIRS = 500 if ALL else 150

# Category, expiry, entry mode, terminal, merchant.
_COPIES = "9F15025411" + "5F2403291231" + "9F390105" + "9F1C08" + "31" * 8 + "9F160F" + "31" * 15

# What neither the vectors nor generate have, for rules that look there.
RARE = [
    # Nothing is asked for beside an element of the network's own.
    Message("0100", {3: "000000", 4: "0" * 12, 25: "00", 61: "0" * 13}, "1987"),
    Message("1100", {3: "000000", 4: "0" * 12, 24: "100", 61: "0" * 13}, "1993"),
    Message("0110", {3: "000000", 38: " " * 6, 39: "00"}),
    Message("0120", {3: "000000", 39: "00", 55: "9F270100"}),
    Message("0100", {3: "000000", 55: "9F2701809C0100"}),
    Message("0100", {14: "2912", 18: "5411", 22: "051", 41: "1" * 8, 42: "1" * 15, 55: _COPIES}),
    Message("1100", {26: "5411", 41: "1" * 8, 42: "1" * 15, 55: _COPIES}, "1993"),
    Message("0110", {3: "000000", 39: "10", 54: "0040840D000000000500"}),
    Message("0100", {2: "4" + "1" * 15, 14: "2912", 45: "B" + "4" + "1" * 15 + "^DOE/JANE^2912201000"}),
    Message("1420", {4: "000000001000", 30: "000000000500" * 2, 49: "840"}, "1993"),
    Message(
        "0100",
        {4: "1" * 12, 5: "1" * 12, 6: "1" * 12, 9: "1" * 8, 10: "1" * 8, 49: "840", 50: "840", 51: "840"},
    ),
    Message("0100", {13: "1120", 15: "1121", 17: "1121"}),
    Message("0110", {4: "1" * 12, 38: "0" * 6, 39: "00", 49: "840"}),
    Message("0100", {3: "000000", 4: "0" * 12, 25: "51", 49: "840"}),
    Message("0100", {2: "5" + "1" * 15, 3: "000000", 4: "0" * 12, 49: "840", 61: "0" * 26}),
    Message("0100", {22: "012", 45: "B" + "4" + "1" * 15 + "^DOE/JANE^2912201000"}),
    Message("0100", {22: "051", 52: "12" * 8, 55: "950500000080009F3403420300"}),
    Message("0100", {35: "4" + "1" * 15 + "=2912201", 52: "12" * 8}),
    Message("0100", {45: "B" + "4" + "1" * 15 + "^DOE/JANE^2912201000", 52: "12" * 8}),
    Message("2100", {21: "1" * spec("2003")[21].width, 74: "1" * spec("2003")[74].width}, "2003"),
]


def _may_read(item: Rule) -> set[int | str]:
    """What a rule may look at, by what it says."""
    may = set(item.reads)
    if CARD in may:
        may |= CARDS
    if ZERO in may:
        may |= {4, 49}  # the currency comes with the amount
    return may


def _present(message: Message) -> int:
    return sum(1 << number for number in message.fields) | message.empty_secondary << 1


def _asked(message: Message) -> list[Rule]:
    """The rules that apply to a message."""
    here = {0, *message.fields, *([1] if message.empty_secondary else [])}
    present = _present(message)
    return [
        item
        for item in _applying(message.version, message.mti)
        if here.issuperset(item.elements) and not item.missing & present
    ]


@cache
def _applying(version: str, mti: str) -> tuple[Rule, ...]:
    return tuple(item for item in RULES if item.applies(version, mti))


def _alone() -> Iterator[Message]:
    """Each element by itself, all its characters 1."""
    for place, version in enumerate(VERSIONS):
        for element in spec(version).elements[1:]:
            size = element.width if element.fixed else min(element.width, 20)
            yield Message(f"{place}100", {element.number: "1" * size}, version)


@pytest.fixture(scope="module")
def many() -> list[Message]:
    """Good messages and ones that differ from them."""
    some = Random(3)
    return [
        *RARE,
        *_alone(),
        *good(),
        *(mutated(some, some.choice(good())) for _ in range(8000 if ALL else 3000)),
    ]


def test_rules_read_what_they_say(many: list[Message]) -> None:
    """No rule looks at an element that it does not declare, and each one it declares is looked at by it in
    some message: what is remembered by the one is not wrong because of the other."""
    seen: dict[int, set[int | str]] = {item.place: set() for item in RULES}
    more: dict[tuple[str, tuple[int, ...]], set[int | str]] = {}
    for message in many:
        for item in _asked(message):
            fields = Recording(message.fields)
            list(item.check(Message(message.mti, fields, message.version, message.empty_secondary)))
            beyond = fields.read - _may_read(item)
            if beyond and EVERY not in item.reads:
                more.setdefault((item.text.id, item.elements), set()).update(beyond)
            seen[item.place] |= fields.read
    needless = {
        (item.text.id, item.versions): left
        for item in RULES
        if (left := item.reads - seen[item.place] - {0, EVERY, CARD, ZERO})
    }
    assert more == {}
    assert needless == {}


def test_rules_say_at_which_elements_they_look_whether_they_are_there(many: list[Message]) -> None:
    """A rule that reads values asks whether an element is there only of those that it names in some way: what
    is remembered of one code, or of chip data beside codes, is true whatever else there is."""
    more: dict[tuple[str, tuple[int, ...]], set[object]] = {}
    for message in many:
        for item in _asked(message):
            if not item.reads or EVERY in item.reads:
                continue
            fields = Recording(message.fields)
            list(item.check(Message(message.mti, fields, message.version, message.empty_secondary)))
            named = item.missing | item.there | mask_of(item.elements)
            beyond = {one for one in fields.looked - _may_read(item) if one == EVERY or not named >> one & 1}
            if beyond and not (EVERY in beyond and item.there):
                more.setdefault((item.text.id, item.elements), set()).update(beyond)
    assert more == {}


def test_rules_on_the_type_look_at_nothing_else(many: list[Message]) -> None:
    """What a rule of the MTI says is the same whatever elements there are."""
    typed = [item for item in RULES if item.elements == (0,)]
    assert typed
    for message in many:
        for item in typed:
            if item.applies(message.version, message.mti):
                bare = Message(message.mti, {}, message.version)
                assert list(item.check(bare)) == list(item.check(message))


def test_conditions_read_codes(many: list[Message]) -> None:
    """The conditions of presence rows look at nothing but codes and which elements there are."""
    for message in many:
        for holds in PREDICATES.values():
            fields = Recording(message.fields)
            holds(Message(message.mti, fields, message.version))
            assert fields.read <= codes_of(message.version)


def test_rules_on_chip_data_read_the_tags_they_say(many: list[Message]) -> None:
    """Another value in a tag that a rule does not declare changes nothing it says."""
    some = Random(5)
    for message in (one for one in many if one.get(55)):
        shape = emv.read(message[55]).shape
        if shape is None:
            continue
        for item in _asked(message):
            if item.tags is None or 55 not in item.reads:
                continue
            text = message[55]
            for tag, place in shape.places.items():
                if tag not in item.tags and some.random() < 0.3:
                    value = "".join(some.choices("0123456789ABCDEF", k=len(text[place])))
                    text = text[: place.start] + value + text[place.stop :]
            other = Message(message.mti, {**message.fields, 55: text}, message.version)
            assert list(item.check(other)) == list(item.check(message)), item.text.id


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_fine_is_not_reported(version: str, many: list[Message]) -> None:
    """Of a value that is surely fine the rules that are spared say nothing."""
    spared = {
        number: [item for item in RULES if item.reads == {number} == set(item.elements)]
        for found, number in finer()
        if found == version
    }
    every = [item for item in RULES if EVERY in item.reads]
    some, met = Random(7), 0
    values = {(n, v) for one in many if one.version == version for n, v in one.fields.items()}
    for number, value in sorted(values):
        element = spec(version)[number]
        for text in (value, mutated(some, Message("0100", {number: value}, version)).get(number)):
            if not text or not fine(version, number)(text) or (element.fixed and len(text) != element.width):
                continue
            met += 1
            for item in (*every, *spared.get(number, [])):
                if version in item.versions:
                    mti = f"{VERSIONS.index(version)}420"
                    assert list(item.check(Message(mti, {number: text}, version))) == []
    assert met > 500


def _with_equal(message: Message, parts: Equal) -> Message:
    """*message* with the second part as the first is."""
    value = message[parts.second]
    start, stop, _ = parts.of_second.indices(len(value))
    value = f"{value[:start]}{message[parts.first][parts.of_first]}{value[stop:]}"
    return message.replace(**{f"de{parts.second}": value})


def test_rules_say_nothing_of_what_agrees(many: list[Message]) -> None:
    """Of chip data that agree with the elements, and of parts that are equal, the rules that are spared say
    nothing."""
    spared = set()
    for message in many:
        shape = emv.read(message[55]).shape if 55 in message else None
        for item in _asked(message):
            if item.equal and {item.equal.first, item.equal.second} <= message.fields.keys():
                like = _with_equal(message, item.equal)
            elif item.agreement and shape:
                like, parts = message, item.agreement(message.version)
                if Comparison(shape, [parts]).doubtful(message.fields, message[55]):
                    continue
            else:
                continue
            spared.add(item.text.id)
            assert list(item.check(like)) == [], (item.text.id, like.version)
    assert spared == {item.text.id for item in RULES if item.agreement or item.equal}


def test_good_messages_are_mostly_fine() -> None:
    """Nearly all values of good messages are surely fine, or that would be of no use."""
    values = [fine(one.version, n)(v) is not None for one in good() for n, v in one.fields.items()]
    assert sum(values) > 0.9 * len(values)


def test_verdicts_are_the_same_whatever_came_before() -> None:
    """Of a message and of one that differs a little, both said twice, each is told what a new kind that
    remembers nothing says: findings, places and errors of the standard and of every network."""
    some, kept = Random(13), 0
    for first, second in pairs(some, PAIRS):
        network = some.choice((None, None, *NETWORKS))
        for message in (first, second, first, second):
            assert told(judge(message, network, NETWORKS)) == afresh(message, network)
            kept += kind_of(message).lasting
    assert kept > PAIRS


def test_verdicts_are_the_same_from_eight_threads() -> None:
    """Threads that judge the same messages at once get what one alone gets."""
    some = Random(17)
    messages = [message for pair in pairs(some, 60) for message in pair] * 2
    alone = [afresh(message, None) for message in messages]
    KINDS.clear()
    verdict.VERDICTS.clear()

    def run(seed: int) -> list[int]:
        order = list(range(len(messages)))
        Random(seed).shuffle(order)
        return [at for at in order if told(judge(messages[at], None, NETWORKS)) != alone[at]]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(run, range(8))) == [[]] * 8


def test_known_shapes_read_as_the_reader_does(many: list[Message]) -> None:
    """Chip data of a shape that came before give the tags that reading them byte by byte gives."""
    met = 0
    for message in (one for one in many if one.get(55)):
        text = message[55]
        emv.read.cache_clear()
        known = emv.read(text)
        emv_shapes._SHAPES.clear()
        emv.read.cache_clear()
        plain = emv.read(text)
        emv_shapes._SHAPES.clear()
        if plain.error is None:
            emv_shapes.remember(text, plain.tags)
            emv.read.cache_clear()
            if (again := emv.read(text)).shape is not None:
                met += 1
                assert again.tags == plain.tags
                assert all(again.first(tag) == plain.first(tag) for tag in plain.firsts)
                assert again.firsts == plain.firsts
        assert (known.layout, len(known.tags)) == (plain.layout, len(plain.tags))
        assert (known.error is None) == (plain.error is None)
    assert met > 100


def test_verdicts_are_kept_without_card_data() -> None:
    """Nothing that is remembered of a message holds its card number, track, PIN block or chip data."""
    KINDS.clear()
    verdict.VERDICTS.clear()
    secrets = set()
    for message in (*good(), *good()):
        judge(message, None, NETWORKS)
        held = {message.get(number) for number in (34, 35, 45, 52, 55)} | {account(message)[1]}
        secrets |= {value for value in held if len(value) >= 12}
    assert secrets
    remembered = (verdict.VERDICTS, KINDS, kinds._CHIP_SAID, ways.OF_CODES)
    kept = "\n".join({text for one in remembered for text in texts(one)})
    assert "a card number of Mastercard" in kept
    assert [one for one in secrets if one in kept] == []


def test_a_verdict_that_says_very_much_is_not_kept() -> None:
    """Chip data of hundreds of unknown tags leave no hundreds of hits behind."""
    verdict.VERDICTS.clear()
    message = Message("0100", {3: "000000", 11: "123456", 55: "DF0100" * 150})
    for _ in range(3):
        report = validate(message)
        assert sum(one.rule == "chip-tag-unknown" for one in report.findings) == 150
    assert len(verdict.VERDICTS) == 0


def test_what_comes_once_is_not_kept() -> None:
    """Random layouts leave no kinds and no verdicts, and push out none that are asked for."""
    KINDS.clear()
    verdict.VERDICTS.clear()
    often = next(message for message in good() if message.mti == "0100")
    some = Random(19)
    free = [element.number for element in spec("1987").elements if not element.fixed]
    for at in range(5 * kinds.KINDS_KEPT):
        judge(Message("0100", dict.fromkeys(sorted(some.sample(free, 9)), "")), None, ())
        if at % 100 == 0:
            judge(often, None, ())
    assert len(KINDS) < 10
    assert len(verdict.VERDICTS) < 10
    assert kind_of(often).lasting


def test_reports_share_what_is_remembered_only() -> None:
    """A report's message is its own, and what is changed in an answer reaches no other."""
    message = next(one for one in good() if one.mti == "0100")
    first: Report = judge(message, None, NETWORKS)
    first.errors.append("another")
    first.networks.clear()
    second = judge(message, None, NETWORKS)
    assert "another" not in second.errors
    assert set(second.networks) == set(NETWORKS)


def test_bits_are_codes() -> None:
    """Every tag of bits that a rule reads is among the codes, so that its reserved bits are remembered."""
    assert all(kinds.chip_codes.are_coded([tag]) for tag in tables.tags() if tables.only_bits(tag))

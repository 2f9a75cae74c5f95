"""What a look sees in a text or message in one go is what its kind sees element by element."""

from __future__ import annotations

import re._parser as sre_parse
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
from mutations import afresh, good, same_layout, told

from sim.codec import Message, ParseError, build, parse
from sim.judge.fine import fine, fine_pattern
from sim.judge.kind import KINDS, Kind, lasting
from sim.judge.look import EARNED, LOOKS, Look, see
from sim.operations import validate
from sim.operations.verdict import VERDICTS
from sim.spec import VERSIONS, spec


def _earned(message: Message) -> tuple[Kind, Look]:
    """The kind of *message* and the look that it gets when enough of them have come."""
    LOOKS[message.version].clear()
    kind = lasting((message.version, message.mti, tuple(message.fields), message.empty_secondary))
    for _ in range(EARNED):
        see(kind, message)
    look = LOOKS[kind.version].get(kind.head)
    assert look is not None
    return kind, look


def test_a_generated_look_is_the_look() -> None:
    """The function generated for a kind that comes often sees in a message, and in its text, what is seen
    element by element; None where that is for the longer way."""
    some, met = Random(11), 0
    for message in good()[::25]:
        kind, look = _earned(message)
        for _ in range(20):
            other = same_layout(some, message)
            for seen in (look("", other), look(build(other))):
                if seen is not None:
                    met += 1
                    assert seen == (kind.look(other), seen[1])
                    assert seen[1] in (None, other)
    assert met > 500


def test_a_generated_look_reads_as_the_reader_does() -> None:
    """Of a text that is cut short, too long or damaged, a generated look says what the same kind sees
    in the message that it is, and nothing where it is none."""
    some, met = Random(23), 0
    for message in good()[::40]:
        (kind, look), whole = _earned(message), build(message)
        for _ in range(60):
            at = some.randrange(len(kind.head), len(whole) + 1)
            text = (
                whole[:at]
                + some.choice(("", "0", "9", "\0", "\n", "A", "\0" * 3))
                + whole[at + some.randrange(3) :]
            )
            seen = look(text)
            try:
                other = parse(text, kind.version)
            except ParseError:
                assert seen is None
            else:
                met += 1
                assert seen is None or seen[0] == kind.look(other)
    assert met > 100


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_fine_has_the_width_of_its_element(version: str) -> None:
    """The pattern of an element of fixed width fits nothing shorter or longer, and none fits a NUL: so pieces
    cannot slip when all are looked at in one go."""
    for element in spec(version).elements:
        pattern = fine_pattern(version, element.number)
        if element.fixed:
            assert sre_parse.parse(pattern).getwidth() == (element.width, element.width)
        assert not fine(version, element.number)("\0" * element.width)


def test_texts_with_a_head_of_their_own() -> None:
    """A bitmap in lower case, and what is no text, are told of as ever when there are looks."""
    message = next(one for one in good() if one.mti == "0100" and any(map(str.isalpha, one.bitmap)))
    raw = build(message)
    for _ in range(EARNED + 2):
        report = validate(raw)
    lower = raw[:4] + raw[4:20].lower() + raw[20:]
    assert told(validate(lower)) == told(report)
    assert validate(lower).message == report.message == message
    for wrong in (5, b"0100", ["0100"], None):
        with pytest.raises(TypeError):
            validate(wrong)  # type: ignore[arg-type]


def test_texts_are_told_of_alike_from_eight_threads() -> None:
    """While looks are being earned and used by several threads, each gets for its texts what is said of their
    messages when nothing is remembered, and a message of its own."""
    some = Random(29)
    layouts = [message for message in good()[::60] if message.version == "1987"][:4]
    texts = [build(same_layout(some, layouts[at % 4])) for at in range(400)]
    messages = {text: parse(text) for text in texts}
    alone = {text: afresh(message, None) for text, message in messages.items()}
    KINDS.clear()
    VERDICTS.clear()
    LOOKS["1987"].clear()

    def run(seed: int) -> list[str]:
        order = texts[:]
        Random(seed).shuffle(order)
        reports = [(text, validate(text, version="1987")) for text in order]
        return [text for text, one in reports if told(one) != alone[text] or one.message != messages[text]]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(run, range(8))) == [[]] * 8
    assert len(LOOKS["1987"]) > 1

"""What the guess costs and promises: work is bounded, noise is none, damage is unsure."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ALL, fewer, turns

from sim.codec import build, parse
from sim.codec.wire import encode, read
from sim.operations import guess
from sim.operations.rewriting import pasted, with_message
from sim.paste import search
from tests.not_iso import pastes
from tests.wire_samples import FORMATS, messages, samples

_HEADS = (
    b"0200" + b"F" * 16,
    b"0200" + b"F" * 32,
    b"\x02\x00" + b"\xff" * 16,
    b"\xf0\xf2\xf0\xf0" + b"\xff" * 16,
)
_TOKENS = (
    b"ISO0234000700200",
    b"[",
    b'{"2":',
    b"(2)(4)",
    b"\\x30",
    b"0x30,",
    b"0100 ",
    b"<isomsg>",
    b"0000: 30 ",
)


_hostile = st.one_of(
    st.builds(
        lambda head, fill: head + fill * 4096,
        st.sampled_from(_HEADS),
        st.sampled_from([b"0", b"1", b"\0", b"A"]),
    ),
    st.builds(lambda token: token * (4096 // len(token)), st.sampled_from(_TOKENS)),
    st.builds(
        lambda head, rest: head + rest, st.sampled_from(_HEADS), st.binary(min_size=500, max_size=4000)
    ),
    st.builds(lambda one, count: one * count, st.binary(min_size=1, max_size=40), st.integers(1, 400)),
)


@settings(max_examples=fewer(60), deadline=None)
@given(_hostile, st.booleans())
def test_the_work_of_a_guess_is_bounded(data: bytes, text: bool) -> None:
    """Whatever is made to look like messages everywhere: the elements that are read are counted, and no more
    than one reading goes on when the count is used up."""
    made: list[search.Work] = []
    first = search.Work.__init__
    with pytest.MonkeyPatch.context() as patch:

        def counted(work: search.Work, left: int = search.MOST_WORK) -> None:
            first(work, left)
            made.append(work)

        patch.setattr(search.Work, "__init__", counted)
        guess(data.decode("latin-1") if text else data)
    one_reading = 192 * 11 * 4
    assert all(work.left > -one_reading for work in made)
    assert len(made) < 40


@pytest.mark.parametrize(
    ("front", "run"),
    turns(
        ("", "[", "<"),
        (
            *(" ", "\t", "\u00a0", " \t", "0", "2: 4\n", "&#48;", "\\x30", "0800822000000000\n"),
            *(f"a{60 * ' '}\n", '#""' * 10 + "\n"),
        ),
    ),
)
def test_a_guess_takes_no_more_than_the_length_of_a_paste(front: str, run: str) -> None:
    """64 KB of blanks, and of what looks like messages: seconds of a worker for none of them."""
    started = time.process_time()
    guess((front + run * (65536 // len(run)))[:65535] + "x")
    assert time.process_time() - started < 2


def test_damaged_lines_take_no_more_work_than_a_hard_paste() -> None:
    """Lines behind a good one, each of them cut: each is still shown, and all of them together
    take no more than a few guesses, not one guess a line."""
    body = encode(next(one for one in messages() if len(one.fields) > 8), "bcd")
    good = body.hex()
    damaged = [good[: len(good) - 2 * (1 + at % 12)] for at in range(80)]
    spent: list[tuple[search.Work, int]] = []
    first = search.Work.__init__
    with pytest.MonkeyPatch.context() as patch:

        def counted(work: search.Work, left: int = search.MOST_WORK) -> None:
            first(work, left)
            spent.append((work, left))

        patch.setattr(search.Work, "__init__", counted)
        found = guess("\n".join([good, *damaged]))
    assert sum(left - work.left for work, left in spent) < 4 * search.MOST_WORK + 81 * 40
    assert len(found.messages) > 70
    assert all(one.confidence == "unsure" for one in found.messages[40:])


def test_what_is_no_message_is_called_none() -> None:
    """Letters, code, logs, hashes, keys, pictures, chip data, other protocols: hardly ever more than unsure,
    and that seldom."""
    tried = 400 if ALL else fewer(150)
    found = Counter(guess(paste).confidence for _, paste in pastes(tried, seed=4))
    assert found["sure"] == 0
    assert found["unsure"] + found["likely"] <= tried // 50


def test_a_damaged_message_is_seldom_called_none() -> None:
    """A byte lost or added, a bit flipped, a cut: what begins as a message is said to be one."""
    found = Counter(
        guess(one.paste).confidence
        for one in samples(150 if ALL else fewer(60), seed=21, damaged=True)
        if not (one.damage.startswith("cut") and int(one.damage.split()[-1]) < 20)
    )
    assert found["none"] <= 0.12 * found.total()


@settings(max_examples=fewer(80), deadline=None)
@given(st.sampled_from(messages()[:120]), st.sampled_from(FORMATS))
def test_what_was_guessed_is_written_back(message: object, name: str) -> None:
    """The format of a candidate that reads to its end writes the same bytes again, and reads them so."""
    try:
        data = encode(message, name)  # type: ignore[arg-type]
    except ValueError:
        return
    best = guess(data)
    if best.message is None or best.written is None or not best.complete:
        return
    body = best.data[best.start : best.end]
    again = encode(best.message, best.written)
    back = read(again, best.written, best.version).message
    assert (back.mti, back.fields) == (best.message.mti, best.message.fields)
    assert len(again) == len(body)


def test_a_paste_edited_keeps_its_form() -> None:
    """A message read out of bytes is written back into them with another trace number."""
    message = next(one for one in messages() if 11 in one.fields and 41 in one.fields)
    held = pasted(b"\x00\x00" + encode(message, "ebcdic"))
    held = pasted(encode(message, "ebcdic")) if held is None else held
    assert held is not None
    changed = parse(held.text, held.version).replace(de11="777777")
    assert with_message(held, changed).text == build(changed)

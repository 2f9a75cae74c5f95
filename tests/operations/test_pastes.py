"""Pastes as threads, logs and tools hold them: the message in them is read, or nothing is claimed."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from sim.codec import Message
from sim.codec.wire import encode, wire_format
from sim.errors import BuildError
from sim.operations import guess
from sim.operations.sureness import LIKELY, SURE
from tests.paste_bytes import WRITTEN
from tests.paste_kinds import NAMED
from tests.wire_samples import FORMATS, messages

_EACH = 2


def _values(message: Message) -> dict[int, str]:
    return {number: value.upper().replace("=", "D").rstrip() for number, value in message.fields.items()}


def _same(one: Message | None, other: Message) -> bool:
    return one is not None and one.mti == other.mti and _values(one) == _values(other)


_PLAIN = [one for one in messages() if len(one.fields) > 3 and one.mti[0] in "012" and one.mti[1] in "1248"]


@pytest.mark.parametrize("kind", NAMED)
def test_elements_that_a_paste_names_are_read(kind: str) -> None:
    """XML, JSON, dictionaries, program text, tables, logs: what is named is read, and is claimed."""
    write: Callable[[Message], str] = NAMED[kind]
    for message in random.Random(kind).sample(_PLAIN, _EACH):
        best = guess(write(message)).best
        assert _same(best.message, message), (kind, best.read_as, best.reasons)
        assert best.confidence in (SURE, LIKELY)


@pytest.mark.parametrize("kind", WRITTEN)
def test_bytes_in_every_writing_are_read(kind: str) -> None:
    """Dumps of every tool, literals of every language, payloads in JSON and XML: the right one, or one that
    is not called sure."""
    chance, right = random.Random(kind), 0
    while right < _EACH:
        message, name = chance.choice(_PLAIN), chance.choice(FORMATS)
        fmt = wire_format(name)
        if fmt.version not in (None, message.version) or message.mti[0] != {"1987": "0", "1993": "1"}.get(
            message.version, "2"
        ):
            continue
        try:
            data = encode(message, fmt)
        except BuildError:
            continue
        best = guess(WRITTEN[kind](len(data).to_bytes(2, "big") + data)).best
        assert best.confidence == LIKELY or _same(best.message, message), (kind, name, best.read_as)
        right += 1

"""Pastes as threads, logs and tools hold them: the message in them is read, or nothing is claimed."""

from __future__ import annotations

import random
from collections.abc import Callable

from support import AT, together

from sim.codec import Message
from sim.codec.wire import encode, wire_format
from sim.errors import BuildError
from sim.operations import generate, guess
from sim.paste.reading import LIKELY, SURE, UNSURE
from tests.octal_dumps import OCTAL
from tests.paste_bytes import WRITTEN
from tests.paste_kinds import NAMED
from tests.wire_samples import FORMATS, messages

_EACH = 2


def _values(message: Message) -> dict[int, str]:
    return {number: value.upper().replace("=", "D").rstrip() for number, value in message.fields.items()}


def _same(one: Message | None, other: Message) -> bool:
    return one is not None and one.mti == other.mti and _values(one) == _values(other)


_PLAIN = [one for one in messages() if len(one.fields) > 3 and one.mti[0] in "012" and one.mti[1] in "1248"]


@together("kind", NAMED)
def test_elements_that_a_paste_names_are_read(kind: str) -> None:
    """XML, JSON, dictionaries, program text, tables, logs: what is named is read, and is claimed."""
    write: Callable[[Message], str] = NAMED[kind]
    for message in random.Random(kind).sample(_PLAIN, _EACH):
        best = guess(write(message))
        assert _same(best.message, message), (kind, best.read_as, best.reasons)
        assert best.confidence in (SURE, LIKELY)


@together("kind", WRITTEN)
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
        best = guess(WRITTEN[kind](len(data).to_bytes(2, "big") + data))
        assert best.confidence == LIKELY or _same(best.message, message), (kind, name, best.read_as)
        right += 1


@together("kind", OCTAL)
def test_dumps_of_characters_and_octal_numbers_are_read(kind: str) -> None:
    """What od prints without being asked for hex is read, and is claimed."""
    message = generate("auth", entry="chip", at=AT).message
    for name in ("ascii", "bcd"):
        best = guess(OCTAL[kind](encode(message, wire_format(name))))
        assert best.message == message, best.read_as
        assert best.confidence in (SURE, LIKELY)


def test_elements_named_in_words_are_likely_a_message() -> None:
    """Names without numbers make a message that is never called sure; money and currencies as people write
    them become what the elements hold. A dump beside the words says more than they do."""
    words = "MTI: 0100\nPAN: 4111111111111111\nAmount: 25.00\nCurrency: USD\nSTAN: 42\nMCC: 5411\n"
    best = guess(words)
    assert (best.confidence, best.format, best.read_as) == (
        LIKELY,
        "elements",
        "elements named in words, likely",
    )
    assert best.message == Message(
        "0100", {2: "4111111111111111", 4: "000000002500", 11: "000042", 18: "5411", 49: "840"}, "1987"
    )
    assert "DE 4 is written with its decimals" in best.reasons
    raw = generate("auth", at=AT).raw
    assert guess(f"{words}Raw: {raw.encode().hex()}").text == raw


def test_a_letter_about_a_payment_is_no_sure_message() -> None:
    """Words beside values that no element has say little."""
    letter = (
        "Message type: 0100 was declined\nAmount: 12.00\nMerchant: ACME\nDate: 2026-11-20\nPhone: 0800 1234\n"
    )
    assert guess(letter).confidence == UNSURE

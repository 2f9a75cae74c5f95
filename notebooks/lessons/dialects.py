"""Notebook 18: dialects."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import sim
from lessons.judging import RIGHT, Exercise, Lesson, Verdict, equal
from sim.codec.wire import encode, wire_format
from sim.codec.wire.formats import Format
from sim.operations.drill.facts import BYTES, Number

_NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
_BASE, _NUMBER, _WIDTH = "ascii-binary", 37, 14


def _echo() -> sim.Message:
    return sim.generate("echo", stan="000042", at=_NOON).iso.to_message()


def _dialect(answer: Any) -> Verdict:
    hint = _unlike(answer)
    return Verdict(hint) if hint else RIGHT


def _unlike(answer: Any) -> str:
    """For a format like another one, but for the width of one element."""
    if not isinstance(answer, Format):
        return "the answer is what `sim.load_format(file)` returns."
    field, plain = answer.layout("1987")[_NUMBER], wire_format(_BASE).layout("1987")[_NUMBER]
    if field is None or plain is None or field.size == plain.size:
        return f"DE {_NUMBER} still has its usual width."
    if not field.fixed or field.size != _WIDTH:
        return f"DE {_NUMBER} should always have {_WIDTH} characters, so its format has no dots."
    echo = _echo()
    if encode(echo, answer) != encode(echo, _BASE):
        return f"a message without DE {_NUMBER} should be encoded as in `{_BASE}`: extend that format."
    return ""


dialects = Lesson(
    "dialects",
    equal(
        lambda: Number(len(encode(_echo(), "ebcdic-hex")), BYTES),
        "write the echo and count: `len(encode(message, ...))`.",
        "In `ebcdic-hex` the bitmap is hex digits, and every character takes a byte.",
        {
            len(encode(_echo(), "ebcdic")): "that is `ebcdic`, whose bitmap is raw bytes.",
        },
    ),
    equal(
        lambda: encode(_echo(), "bcd", framing=["length-4-ascii"])[:4].decode(),
        "four digits, as a text: `encode(message, 'bcd', framing=['length-4-ascii'])[:4]`.",
        "They give the number of bytes of the packed message, which is in the first table of this notebook.",
        {
            f"{len(encode(_echo(), 'bcd')) + 4:04}": "the length does not count itself.",
        },
    ),
    Exercise(_dialect, 'Two keys: `extends`, and in `[elements.37]` a `format` such as `"an 12"`.'),
)

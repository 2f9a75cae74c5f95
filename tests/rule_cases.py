"""Shared by the tests of rules: messages without findings, and the cases of `tests/vectors/rules.jsonl`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support import AT

from sim.codec import Message
from sim.operations import generate
from sim.spec.tables import read_csv

IDS = tuple(row["id"] for row in read_csv("rules_layout"))
# A rule, and the element and offset of its finding; a message without a finding with elements that break the
# rule (0 is the MTI), and a similar one with elements that do not.
CASES: tuple[dict[str, Any], ...] = tuple(
    json.loads(line)
    for line in (Path(__file__).parent / "vectors" / "rules.jsonl").read_text(encoding="utf-8").splitlines()
)
BASES: dict[str, dict[str, Any]] = {
    "auth": {"network": "VISA"},
    "stripe": {"network": "VISA", "entry": "stripe"},
    "chip": {"network": "VISA", "entry": "chip"},
    "Mastercard auth": {"network": "MASTERCARD"},
    "Mastercard stripe": {"network": "MASTERCARD", "entry": "stripe"},
    "reversal": {"message_type": "reversal", "network": "VISA"},
    "echo": {"message_type": "echo"},
}


def sound(base: str, version: str = "1987") -> Message:
    """One of `BASES`: a message without a finding."""
    return generate(**BASES[base], version=version, at=AT).message


def changed(base: str, version: str, elements: dict[str, str | None]) -> Message:
    """A sound message, or "none", with other elements."""
    message = Message("", {}, version) if base == "none" else sound(base, version)
    return message.replace(
        **{f"de{number}" if int(number) else "mti": elements[number] for number in elements}
    )


def auth(version: str = "1987", **values: str | None) -> Message:
    """A keyed purchase authorization without a finding, with other elements."""
    return sound("auth", version).replace(**values)


def undo(version: str = "1987", **values: str | None) -> Message:
    """A full reversal without a finding, with other elements."""
    return sound("reversal", version).replace(**values)


def stripe(version: str = "1987", **values: str | None) -> Message:
    """A swiped purchase authorization without a finding, with other elements."""
    return sound("stripe", version).replace(**values)

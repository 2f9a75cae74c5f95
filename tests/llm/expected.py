"""The descriptions with what their messages must be, and how a message is held against it.

Each row of `descriptions.jsonl` has an `id`, the `description`, the `intent` a good model answers with (value
and words of each property), and what to `expect` of the message.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sim.codec import parse
from sim.operations import Generated, validate

ROWS: tuple[dict[str, Any], ...] = tuple(
    json.loads(line)
    for line in (Path(__file__).parent / "descriptions.jsonl").read_text(encoding="utf-8").splitlines()
)
NOW = datetime(2026, 11, 20, 10, 15, 30, tzinfo=UTC)


def differences(made: Generated, expect: dict[str, Any]) -> list[str]:
    """Where *made* is not as expected: read back from its text, and judged by the rules."""
    version = expect.get("version", "1987")
    message = parse(made.raw, version)
    amount = message.get(4)
    later = version != "1987"
    have = {
        "mti": message.mti,
        "version": made.message.version,
        "network": made.network,
        "processing": message.get(3)[:2],
        "amount": int(amount[-12:]) if amount else None,
        "currency": amount[:3] if version == "2003" else message.get(49),
        "entry": message.get(22)[:2],
        "location": [part for part in expect.get("location", []) if part.upper() in message.get(43).upper()],
        "mcc": message.get(26 if later else 18),
        "terminal": message.get(41).strip(),
        "merchant": message.get(42).strip(),
        "stan": message.get(11)[-6:],
        "local": message.get(13) + message.get(12),
        "sent": message.get(7),
        "last_four": message.get(2)[-4:],
        "expiry": message.get(14),
        "reference": message.get(37),
        "additional": message.get(54),
        "management": message.get(70),
        "original": message.get(90)[: len(expect.get("original", ""))],
        "code": message.get(39),
        "approval": message.get(38) or None,
        "condition": message.get(25),
        "fields": {number: message.get(int(number)) for number in expect.get("fields", {})},
        "has": [number for number in expect.get("has", []) if number in message],
    }
    wrong = [f"{key} {have[key]!r}, not {value!r}" for key, value in expect.items() if have[key] != value]
    return wrong + validate(made.raw, network=made.network, version=version).errors

"""What a table says of how its message was written: what it was read as, where each element stood."""

from __future__ import annotations

from typing import Any

import pandas as pd

from sim.paste.reading import Reading

BYTE_COLUMNS = ("byte_start", "byte_end")
_INTEGER = "Int64"


def said(table: pd.DataFrame, reading: Reading) -> None:
    """Write into *table* what it was read as, and where its elements stood in the bytes; nothing of a text
    form as it stands, and of a message that was given as one."""
    if reading.raw is not None or reading.given is None or reading.message is None:
        return
    told: dict[str, Any] = {
        "read_as": reading.read_as,
        "confidence": reading.confidence,
        "format": reading.format,
        "framing": list(reading.framing),
        "reasons": list(reading.reasons),
        "messages": 1 + len(reading.more),
    }
    table.attrs["iso"] = {**table.attrs["iso"], "recognised": told}
    if reading.data and reading.spans:
        numbers = [None if pd.isna(one) else int(one) for one in table["number"].tolist()]
        spans = [reading.spans.get(-1 if number is None else number) for number in numbers]
        for name, at in zip(BYTE_COLUMNS, (0, 2), strict=True):
            table[name] = pd.Series([span[at] if span else None for span in spans], dtype=_INTEGER)

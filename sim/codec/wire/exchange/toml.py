"""A format as the file that `load_format` reads: what an import gave, to be read and changed by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from sim.codec.wire.formats import Format

_NOT_ROWS = ("name", "extends", "elements", "counts", "odd")


def to_toml(made: Format) -> str:
    """*made* as TOML: every row that it has otherwise than a format that says nothing. It stands alone,
    whatever it was an extension of."""
    plain = Format(name="", title="", source="")
    lines = [f"name = {_value(made.name)}"]
    for one in fields(Format):
        value = getattr(made, one.name)
        if one.name in _NOT_ROWS or one.name.startswith("_"):
            continue
        if value != getattr(plain, one.name) or one.name in ("title", "source"):
            lines.append(f"{one.name} = {_value(value)}")
    for table in ("counts", "odd"):
        lines += _table(table, getattr(made, table))
    for number, row in sorted(made.elements.items()):
        lines += _table(f"elements.{number}", row)
    return "\n".join(lines) + "\n"


def _table(name: str, rows: Mapping[str, Any]) -> list[str]:
    return ["", f"[{name}]", *(f"{key} = {_value(value)}" for key, value in rows.items())] if rows else []


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_value(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    # A JSON text, number or truth value is one of TOML, too.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")

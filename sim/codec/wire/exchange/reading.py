"""JSON files with a specification: whose it is, and its rows."""

from __future__ import annotations

import json
from typing import Any

from sim.codec.wire.exchange.moov import from_moov
from sim.codec.wire.exchange.pyiso import from_pyiso8583, is_pyiso8583
from sim.errors import SpecError


def from_json(text: str, name: str) -> dict[str, Any]:
    """The rows of the format in a JSON document, of moov-io/iso8583 or of pyiso8583. Raises SpecError for
    another, and for what is no JSON."""
    try:
        given = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise SpecError(None, line, "JSON", f"another text in {name}") from None
    if isinstance(given, dict) and is_pyiso8583(given):
        return from_pyiso8583(given, name)
    if isinstance(given, dict) and "fields" in given:
        return from_moov(given, name)
    raise SpecError(None, None, "a specification of moov-io/iso8583 or pyiso8583", f"another table in {name}")

"""Specifications as JSON or as a dict of Python, written out or given: whose it is, and its rows."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from typing import Any

from sim.codec.wire.exchange.moov import from_moov
from sim.codec.wire.exchange.pyiso import from_pyiso8583, is_pyiso8583
from sim.errors import SpecError


def from_json(text: str, name: str) -> dict[str, Any]:
    """The rows of the format in a JSON document, of moov-io/iso8583 or of pyiso8583. Raises SpecError for
    another, and for what is no JSON."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise SpecError(None, line, "JSON", f"another text in {name}") from None
    return from_table(given, name)


def from_python(text: str, name: str) -> dict[str, Any]:
    """The rows of the format in a module of Python that writes a dict of pyiso8583 out; nothing of it is run.
    Raises SpecError where there is none."""
    try:
        values = [node.value for node in ast.parse(text).body if isinstance(node, ast.Assign | ast.AnnAssign)]
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else None
        raise SpecError(None, line, "Python", f"another text in {name}") from None
    for value in values:
        try:
            given = ast.literal_eval(value) if isinstance(value, ast.Dict) else None
        except (ValueError, TypeError, RecursionError, MemoryError):
            continue  # made by what only running it tells
        if isinstance(given, dict) and is_pyiso8583(given):
            return from_pyiso8583(given, name)
    raise SpecError(None, None, "a dict of pyiso8583, written out in full", f"none in {name}")


def from_table(given: object, name: str) -> dict[str, Any]:
    """The rows of the format in a table of moov-io/iso8583 or of pyiso8583, or of a file of our own. Raises
    SpecError for another."""
    if isinstance(given, Mapping) and is_pyiso8583(given):
        return from_pyiso8583(given, name)
    if isinstance(given, Mapping) and "fields" in given:
        return from_moov(given, name)
    if isinstance(given, Mapping) and "extends" in given:
        return dict(given)
    raise SpecError(None, None, "a specification of moov-io/iso8583 or pyiso8583", f"another table, {name}")

"""The built-in formats, and the conversion from rows to a `Format` and back. Every row is checked; an error
names the row and what is allowed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any

from sim.codec.wire.formats import (
    BCD,
    BINARY,
    BYTES,
    CHARACTERS,
    HEX,
    HEXED,
    MAPPED,
    NIBBLES,
    PARTS,
    RAW,
    Format,
)
from sim.codec.wire.framing import frame
from sim.codec.wire.pages import PAGES, SINGLE_BYTE
from sim.errors import SpecError, did_you_mean, quoted_value
from sim.spec import VERSIONS, Spec, spec
from sim.spec.elements import parse_format
from sim.spec.interfaces import interface, interfaces
from sim.spec.tables import names as data_names
from sim.spec.tables import read_toml

_ODD = ("left 0", "left F", "right 0", "right F")
_COUNTS = (CHARACTERS, BYTES)
_MOST_BITS = 192
_LONGEST_PREFIX = 6

# The allowed values of each row, or their type.
_FORMAT_ROWS: dict[str, Any] = {
    "title": str,
    "source": str,
    "note": str,
    "version": VERSIONS,
    "mti": (*SINGLE_BYTE, BCD, HEXED),
    "bitmap": (RAW, HEX),
    "bitmap_bytes": (0, 8, 16, 24),
    "bit_1": bool,
    "third": bool,
    "digits": (*SINGLE_BYTE, BCD, HEXED),
    "text": (*PAGES, HEXED),
    "track": (*SINGLE_BYTE, BCD, HEXED),
    "binary": (RAW, HEX),
    "lengths": (*SINGLE_BYTE, BCD, BINARY, HEX),
    "length_bytes": (0, 1, 2, 3, 4, 6),
    "absent": list,
    "frames": list,
    "interface": str,
}
_TAGS = tuple(
    f"{where} {page} {width}"
    for where in ("front", "inside")
    for page in (*SINGLE_BYTE, RAW)
    for width in (1, 2, 3, 4)
)
# The encoding of one value, of an element or of a part.
_WRITING: dict[str, Any] = {
    "written": (*PAGES, BCD, NIBBLES, RAW, HEX, HEXED, MAPPED, PARTS),
    "page": SINGLE_BYTE,
    "lengths": (*SINGLE_BYTE, BCD, BINARY, HEX),
    "counts": _COUNTS,
    "odd": _ODD,
    "length_digits": range(1, _LONGEST_PREFIX + 1),
    "length_bytes": range(1, _LONGEST_PREFIX + 1),
    "bytes": range(10**_LONGEST_PREFIX),
    "tag": _TAGS,
    "filled": bool,
    "ends": str,
    "halves": bool,
    "cut": str,
    "parts": list,
    "confidence": str,
}
_ELEMENT_ROWS: dict[str, Any] = {"format": str, "name": str, "note": str, "source": str, **_WRITING}
_PART_ROWS: dict[str, Any] = {
    **dict.fromkeys(("path", "name", "format", "codes", "agreed", "sensitive", "confidence", "source"), str),
    **_WRITING,
    "values": dict,
}
_TABLES: dict[str, dict[str, Any]] = {
    "counts": dict.fromkeys(("digits", "text", "track", "binary"), _COUNTS),
    "odd": dict.fromkeys(("fixed", "variable", "track"), _ODD),
}
_WITHOUT_DEFAULT = ("title", "source")


# The user's formats, by name: see `dialects`.
_LOADED: dict[str, Format] = {}


def ready() -> tuple[str, ...]:
    """The names of the built-in formats."""
    return data_names("formats", ".toml")


def names() -> tuple[str, ...]:
    """The names of all formats: built-in, then loaded."""
    return (*ready(), *_LOADED)


def loaded() -> tuple[Format, ...]:
    """The loaded formats, in the order of loading."""
    return tuple(_LOADED.values())


def wire_format(name: Format | str) -> Format:
    """The format *name*, built-in or loaded; a `Format` is returned unchanged. Raises SpecError if unknown.

    >>> wire_format("bcd").digits
    'bcd'
    """
    if isinstance(name, Format):
        return name
    if isinstance(name, str) and name in _LOADED:
        return _LOADED[name]
    if isinstance(name, str) and name in ready():
        return _ready(name)
    description = quoted_value(name) + did_you_mean(name, names())
    raise SpecError(None, None, "a format: " + ", ".join(names()), description)


def interface_table(name: str, version: str, own: Spec | None = None) -> Spec:
    """The element table of interface *name*, for its own version, else for *version*: *own*, if that is one,
    as the table of a format is that extends the interface's. Raises ChoiceError for an unknown interface.

    >>> interface_table("base24", "1987")[41].format, interface_table("iso", "1987")[41].format
    ('ans 16', 'ans 8')
    """
    entry = interface(name)
    chosen = entry.version or version
    if own is not None and (own.interface, own.version) == (name, chosen):
        return own
    fmt = wire_format(entry.format) if entry.format else None
    if fmt is None or fmt.interface != name:
        rows = {"title": entry.title, "source": entry.source, "interface": name}
        fmt = _described(rows, name)
    base = fmt.layout(chosen).dialect or spec(chosen)
    return replace(base, dialect=base.dialect or name, interface=name)


@cache
def _ready(name: str) -> Format:
    return _described(read_toml(f"formats/{name}"), name)


def keep(fmt: Format) -> Format:
    """Register a format by its name, in place of one loaded under that name. Raises SpecError for the name of
    a built-in format."""
    if fmt.name in ready():
        raise SpecError(None, None, "a name that no built-in format uses", quoted_value(fmt.name))
    _LOADED[fmt.name] = fmt
    return fmt


_TAKEN_APART = ("name", "extends", "elements", "left_out", *_TABLES)


def format_of(rows: Mapping[str, Any], name: str) -> Format:
    """The format that *rows* (a parsed TOML file) describe. Raises SpecError naming the first row that is
    unknown or has a value that is not allowed."""
    fmt = _described(rows, name)
    for version in [fmt.version] if fmt.version else VERSIONS:
        fmt.layout(version)
    return fmt


def _described(rows: Mapping[str, Any], name: str) -> Format:
    """The same without building its elements: tests check those of built-in formats, and a run uses few."""
    extends = rows.get("extends")
    base = None if extends is None else _base(extends)
    # The base's note need not be true of this format.
    attributes = {"note": ""} | {key: rows[key] for key in rows if key not in _TAKEN_APART}
    for key, value in attributes.items():
        _check(None, key, _FORMAT_ROWS, value)
    if missing := [key for key in _WITHOUT_DEFAULT if key not in rows]:
        raise SpecError(None, None, f"a {missing[0]} in format {quoted_value(name)}", "none")
    for table, schema in _TABLES.items():
        attributes[table] = dict(getattr(base, table)) if base else {}
        for key, value in _mapping(None, table, rows.get(table, {})).items():
            _check(None, key, schema, value, table)
            attributes[table][key] = value
    attributes["elements"] = dict(base.elements) if base else {}
    if attributes.get("interface") and attributes["interface"] not in interfaces():
        raise SpecError(
            None, None, "interface: " + ", ".join(interfaces()), quoted_value(attributes["interface"])
        )
    link = interface(attributes["interface"]).elements if attributes.get("interface") else {}
    for elements in (link, _mapping(None, "elements", rows.get("elements", {}))):
        for key, row in elements.items():
            number = _number(key)
            attributes["elements"][number] = {
                **attributes["elements"].get(number, {}),
                **_element(number, row),
            }
    attributes["left_out"] = tuple(rows.get("left_out", ()))
    attributes["absent"] = tuple(attributes.get("absent", base.absent if base else ()))
    for number in attributes["absent"]:
        _number(str(number))
    attributes["frames"] = tuple(attributes.get("frames", base.frames if base else ()))
    for layer in attributes["frames"]:
        frame(str(layer))
    return base.with_(name=name, extends=extends, **attributes) if base else Format(name=name, **attributes)


def _base(extends: Any) -> Format | None:
    if extends in VERSIONS:
        return Format(name=extends, title="", source="", version=extends)
    if not isinstance(extends, str):
        raise SpecError(None, None, "extends as the name of a format or a version", quoted_value(extends))
    return wire_format(extends)


def _mapping(number: int | None, key: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise SpecError(number, None, f"{key} as a table", quoted_value(value))
    return value


def _number(key: str) -> int:
    if not (key.isascii() and key.isdigit() and 2 <= int(key[:4]) <= _MOST_BITS):
        raise SpecError(None, None, f"elements.<number>, 2 to {_MOST_BITS}", f"elements.{key}"[:40])
    return int(key)


def _element(number: int, row: Any) -> Mapping[str, Any]:
    for key, value in _mapping(number, f"elements.{number}", row).items():
        _check(number, key, _ELEMENT_ROWS, value)
    if "format" in row:
        _, _, digits = parse_format(number, row["format"])
        if digits > _LONGEST_PREFIX:
            raise SpecError(
                number, None, f"at most {_LONGEST_PREFIX} length digits", quoted_value(row["format"])
            )
    _check_parts(number, row, f"elements.{number}")
    return dict(row)


def _check_parts(number: int, row: Mapping[str, Any], name: str) -> None:
    for index, part in enumerate(row.get("parts", [])):
        where = f"{name}.parts[{index}]"
        for key, value in _mapping(number, f"{name}.parts", part).items():
            _check(number, key, _PART_ROWS, value, where)
        if missing := {"path", "name", "format"} - part.keys():
            raise SpecError(number, None, f"{where} with {' and '.join(sorted(missing))}", "none")
        _check_parts(number, part, where)
    if "cut" in row and "parts" not in row:
        raise SpecError(number, None, f"{name}.parts, which its cut takes apart", "none")


def _check(number: int | None, key: str, schema: Mapping[str, Any], value: Any, table: str = "") -> None:
    name = f"{table}.{key}" if table else key
    if key not in schema:
        raise SpecError(number, None, "a row called " + ", ".join(schema), quoted_value(name))
    allowed = schema[key]
    if isinstance(allowed, type):
        if not isinstance(value, allowed):
            raise SpecError(number, None, f"{name} as {allowed.__name__}", quoted_value(value))
    elif isinstance(value, bool) or value not in allowed:
        choice = " or ".join(map(str, allowed))
        raise SpecError(number, None, f"{name} = {choice}", quoted_value(value))


_NOT_ROWS = ("name", "extends", "elements", "counts", "odd", "left_out", "_layouts")


def to_toml(fmt: Format) -> str:
    """*fmt* as TOML: every row that differs from the defaults. It is complete, whatever *fmt* extends."""
    return _toml(fmt, Format(name="", title="", source=""), {})


def beside_toml(fmt: Format, said: Mapping[int, str]) -> str:
    """*fmt* as TOML that extends its base: only the differences, each element with its comment from *said*.
    If an element lacks a row of the base's, the whole format, as `to_toml` writes it."""
    base = wire_format(fmt.extends or "").with_(note="")
    if any(base.elements.get(number, {}).keys() - row.keys() for number, row in fmt.elements.items()):
        return to_toml(fmt)
    return _toml(fmt, base, said)


def _toml(fmt: Format, base: Format, comments: Mapping[int, str]) -> str:
    """The rows of *fmt* that differ from those of *base*, which it extends if that has a name."""
    lines = [f"name = {toml_value(fmt.name)}"]
    lines += [f"extends = {toml_value(base.name)}"] if base.name else []
    for attribute in fields(Format):
        name, value = attribute.name, getattr(fmt, attribute.name)
        if name not in _NOT_ROWS and (value != getattr(base, name) or name in _WITHOUT_DEFAULT):
            lines.append(f"{name} = {toml_value(value)}")
    for name in _TABLES:
        lines += toml_table(name, _changed(getattr(fmt, name), getattr(base, name)))
    for number, row in sorted(fmt.elements.items()):
        table = toml_table(f"elements.{number}", _changed(row, base.elements.get(number, {})))
        if table and number in comments:
            table[1] += f"  # {comments[number]}"
        lines += table
    return "\n".join(lines) + "\n"


def _changed(rows: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in rows.items() if value != old.get(key)}


def toml_table(name: str, rows: Mapping[str, Any]) -> list[str]:
    """The lines of a TOML table after an empty one; none without *rows*. The name `[cases]` adds to an array
    of tables."""
    return ["", f"[{name}]", *(f"{key} = {toml_value(value)}" for key, value in rows.items())] if rows else []


def toml_value(value: Any) -> str:
    """*value* as TOML in one line."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {toml_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    # JSON strings, numbers and booleans are valid TOML.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")

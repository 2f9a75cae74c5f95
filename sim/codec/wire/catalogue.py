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
from sim.errors import SpecError, did_you_mean, shown
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
    found = shown(name) + did_you_mean(name, names())
    raise SpecError(None, None, "a format: " + ", ".join(names()), found)


def interface_table(name: str, version: str) -> Spec:
    """The element table of interface *name*, for its own version, else for *version*. Raises ChoiceError for
    an unknown interface.

    >>> interface_table("base24", "1987")[41].format, interface_table("iso", "1987")[41].format
    ('ans 16', 'ans 8')
    """
    one = interface(name)
    chosen = one.version or version
    own = wire_format(one.format) if one.format else None
    if own is None or own.interface != name:
        rows = {"title": one.title, "source": one.source, "interface": name}
        own = _described(rows, name)
    base = own.layout(chosen).dialect or spec(chosen)
    return replace(base, dialect=base.dialect or name, interface=name)


@cache
def _ready(name: str) -> Format:
    return _described(read_toml(f"formats/{name}"), name)


def keep(made: Format) -> Format:
    """Register a format by its name, in place of one loaded under that name. Raises SpecError for the name of
    a built-in format."""
    if made.name in ready():
        raise SpecError(None, None, "a name that no built-in format uses", shown(made.name))
    _LOADED[made.name] = made
    return made


_TAKEN_APART = ("name", "extends", "elements", "left_out", *_TABLES)


def format_of(rows: Mapping[str, Any], name: str) -> Format:
    """The format that *rows* (a parsed TOML file) describe. Raises SpecError naming the first row that is
    unknown or has a value that is not allowed."""
    made = _described(rows, name)
    for version in [made.version] if made.version else VERSIONS:
        made.layout(version)
    return made


def _described(rows: Mapping[str, Any], name: str) -> Format:
    """The same without building its elements: tests check those of built-in formats, and a run uses few."""
    extends = rows.get("extends")
    base = None if extends is None else _base(extends)
    # The base's note need not be true of this format.
    told = {"note": ""} | {key: rows[key] for key in rows if key not in _TAKEN_APART}
    for key, value in told.items():
        _check(None, key, _FORMAT_ROWS, value)
    if missing := [key for key in _WITHOUT_DEFAULT if key not in rows]:
        raise SpecError(None, None, f"a {missing[0]} in format {shown(name)}", "none")
    for table, known in _TABLES.items():
        told[table] = dict(getattr(base, table)) if base else {}
        for key, value in _mapping(None, table, rows.get(table, {})).items():
            _check(None, key, known, value, table)
            told[table][key] = value
    told["elements"] = dict(base.elements) if base else {}
    if told.get("interface") and told["interface"] not in interfaces():
        raise SpecError(None, None, "interface: " + ", ".join(interfaces()), shown(told["interface"]))
    link = interface(told["interface"]).elements if told.get("interface") else {}
    for elements in (link, _mapping(None, "elements", rows.get("elements", {}))):
        for key, row in elements.items():
            number = _number(key)
            told["elements"][number] = {**told["elements"].get(number, {}), **_element(number, row)}
    told["left_out"] = tuple(rows.get("left_out", ()))
    told["absent"] = tuple(told.get("absent", base.absent if base else ()))
    for number in told["absent"]:
        _number(str(number))
    told["frames"] = tuple(told.get("frames", base.frames if base else ()))
    for one in told["frames"]:
        frame(str(one))
    return base.with_(name=name, extends=extends, **told) if base else Format(name=name, **told)


def _base(extends: Any) -> Format | None:
    if extends in VERSIONS:
        return Format(name=extends, title="", source="", version=extends)
    if not isinstance(extends, str):
        raise SpecError(None, None, "extends as the name of a format or a version", shown(extends))
    return wire_format(extends)


def _mapping(number: int | None, key: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise SpecError(number, None, f"{key} as a table", shown(value))
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
            raise SpecError(number, None, f"at most {_LONGEST_PREFIX} length digits", shown(row["format"]))
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


def _check(number: int | None, key: str, known: Mapping[str, Any], value: Any, table: str = "") -> None:
    name = f"{table}.{key}" if table else key
    if key not in known:
        raise SpecError(number, None, "a row called " + ", ".join(known), shown(name))
    allowed = known[key]
    if isinstance(allowed, type):
        if not isinstance(value, allowed):
            raise SpecError(number, None, f"{name} as {allowed.__name__}", shown(value))
    elif isinstance(value, bool) or value not in allowed:
        choice = " or ".join(map(str, allowed))
        raise SpecError(number, None, f"{name} = {choice}", shown(value))


_NOT_ROWS = ("name", "extends", "elements", "counts", "odd", "left_out")


def to_toml(made: Format) -> str:
    """*made* as TOML: every row that differs from the defaults. It is complete, whatever *made* extends."""
    plain = Format(name="", title="", source="")
    lines = [f"name = {_toml_value(made.name)}"]
    for one in fields(Format):
        value = getattr(made, one.name)
        if one.name in _NOT_ROWS or one.name.startswith("_"):
            continue
        if value != getattr(plain, one.name) or one.name in ("title", "source"):
            lines.append(f"{one.name} = {_toml_value(value)}")
    for table in ("counts", "odd"):
        lines += _toml_table(table, getattr(made, table))
    for number, row in sorted(made.elements.items()):
        lines += _toml_table(f"elements.{number}", row)
    return "\n".join(lines) + "\n"


def beside_toml(made: Format, said: Mapping[int, str]) -> str:
    """*made* as TOML that extends its base: only the differences, each element with its comment from *said*.
    If an element lacks a row of the base's, the whole format, as `to_toml` writes it."""
    base = wire_format(made.extends or "")
    changed = {number: row for number, row in made.elements.items() if row != base.elements.get(number)}
    if any(base.elements.get(number, {}).keys() - row.keys() for number, row in changed.items()):
        return to_toml(made)
    lines = [f"name = {_toml_value(made.name)}", f"extends = {_toml_value(base.name)}"]
    for one in fields(Format):
        value = getattr(made, one.name)
        plain = one.name in _NOT_ROWS or one.name.startswith("_") or one.name == "note"
        if not plain and (value != getattr(base, one.name) or one.name in _WITHOUT_DEFAULT):
            lines.append(f"{one.name} = {_toml_value(value)}")
    for table in ("counts", "odd"):
        mine, others = getattr(made, table), getattr(base, table)
        lines += _toml_table(table, {key: mine[key] for key in mine if mine[key] != others.get(key)})
    for number, row in sorted(changed.items()):
        old = base.elements.get(number, {})
        head, *rest = _toml_table(f"elements.{number}", {k: v for k, v in row.items() if v != old.get(k)})[1:]
        lines += ["", f"{head}  # {said[number]}" if number in said else head, *rest]
    return "\n".join(lines) + "\n"


def _toml_table(name: str, rows: Mapping[str, Any]) -> list[str]:
    return (
        ["", f"[{name}]", *(f"{key} = {_toml_value(value)}" for key, value in rows.items())] if rows else []
    )


def _toml_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml_value(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    # JSON strings, numbers and booleans are valid TOML.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")

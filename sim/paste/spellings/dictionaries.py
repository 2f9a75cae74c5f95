"""Records: JSON and printed dictionaries, with elements by number, or with strings that contain a message."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sim.paste.spellings.elements import MTI_PATH, Named, collected, path_of

EXAMPLES = (
    (
        '{"mti": "0800", "fields": {"DE003": "990000", "DE011": "000042"}}',
        ("0800", {"3": "990000", "11": "000042"}),
    ),
)
_MOST_DEEP = 6
_SHORTEST_MESSAGE = 20
_MOST_TEXTS = 8
# 'key': 'value', "key": 12 or key=value, as printed by Python, Java and Go.
_PAIR = re.compile(
    r"(?<![\w.:'\"])(?![0-9]{1,2}:[0-9]{2}:[0-9]{2})['\"]?([\w.]{1,32})['\"]?\s{0,2}(?:[:=]|->)\s{0,4}"
    r"(?:b?'([^'\\\r\n]*(?:\\.[^'\\\r\n]*)*)'|b?\"([^\"\\\r\n]*(?:\\.[^\"\\\r\n]*)*)\""
    r"|([^\s,;{}()\[\]'\"|][^,;{}()\[\]'\"|\r\n]*))"
)
# An encoded element in pyiso8583: the length and the value are separate.
_ENCODED = re.compile(r"\{'len': b?'[^'\r\n]{0,80}', 'data': (b?'[^'\r\n]{0,9999}')\}")
_ESCAPE = re.compile(r"\\(?:(['\"\\])|x([0-9A-Fa-f]{2}))")
_FEWEST, _FEWEST_ENCODED, MTI_DIGITS = 3, 2, 4
MOST_RECORDS = 1000
_BETWEEN = re.compile(r"[^{}\[\]]{0,200}(?=[{\[])")
_OF_ELEMENT = re.compile(r"^(?:data_?)?(?:field|element|bit)_?(?=[a-z])")
# The keys of the number and the value in a record of one element.
_RECORD = (
    ("number", "id", "field", "de", "bit", "key", "index"),
    ("value", "data", "val", "text", "content", "v"),
)


def find(text: str) -> Iterator[Named]:
    """The messages whose elements a record in *text* names."""
    records = [collected("JSON", *_pairs(record)) for record in _records(text)]
    if messages := [record for record in records if record]:
        yield from messages
        return
    if is_json(text):
        return  # in other JSON, matching pairs could belong to different records
    text, encoded = _ENCODED.subn(r"\1", text)
    brace = re.search(r"[{\[]|Map\(", text)
    if brace:
        pairs = [
            (path_of(match[1]), _ESCAPE.sub(_unescaped, match[2] or match[3] or "") or match[4] or "")
            for match in _PAIR.finditer(text, brace.start())
        ]
        numbered = [
            (path, value.rstrip() if path == "0" else value) for path, value in pairs if path is not None
        ]
        if len(dict(numbered)) >= (_FEWEST_ENCODED if encoded else _FEWEST) and (
            message := collected("printed dictionary", numbered)
        ):
            yield message


def is_json(text: str) -> bool:
    """Whether all of *text* is one JSON object or list."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def plain_values(text: str) -> list[tuple[str, str]]:
    """Every plain value in the first record of *text*, with its innermost key."""
    record = next(_records(text), None)
    return [] if record is None else [(keys[-1], value) for keys, value in _walk(record, (), 0)]


def _unescaped(match: re.Match[str]) -> str:
    return match[1] or chr(int(match[2], 16))


def texts(text: str) -> list[tuple[str, str]]:
    """The strings in records of *text* that are long enough for a message, with their keys, `message` first,
    as in our service's own requests and responses."""
    strings: list[tuple[str, str]] = []
    for record in _records(text):
        strings += _strings(record, "", 0)
    return sorted(strings, key=lambda pair: pair[0] != "message")[:_MOST_TEXTS]


def _records(text: str) -> Iterator[dict[str, Any]]:
    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    if start < 0 or text[start + 1 : start + 200].lstrip()[:1] not in ('"', "{", "["):
        return
    decoder = json.JSONDecoder()
    for _ in range(MOST_RECORDS):
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            return
        if isinstance(value, list) and all(_is_element(item) for item in value):
            value = {"": value}
        for record in value if isinstance(value, list) else [value]:
            if isinstance(record, dict):
                yield record
        # Another may follow, perhaps after a few words.
        between = _BETWEEN.match(text, end)
        if between is None:
            return
        start = between.end()


def _is_element(record: Any) -> bool:
    """Whether a record describes one element: it has a number and a value."""
    return isinstance(record, dict) and all(any(_plain(key) in those for key in record) for those in _RECORD)


def _plain(key: object) -> str:
    """A key of such a record without a prefix such as `field`: `fieldNumber` is `number`."""
    return _OF_ELEMENT.sub("", str(key).lower())


def _pairs(record: dict[str, Any]) -> tuple[list[tuple[str, str]], str]:
    """Path and value of every element named, and the bitmap if there is one."""
    pairs: list[tuple[str, str]] = []
    bitmap = ""
    for keys, value in _walk(record, (), 0):
        if keys[-1].lower() in ("bitmap", "p"):
            bitmap = value
        path = _path(keys)
        if path == MTI_PATH and record.get(MTI_PATH) == value:
            value = value.zfill(MTI_DIGITS)
        if path:
            pairs.append((path, value))
    return pairs, bitmap


def _path(keys: tuple[str, ...]) -> str | None:
    """`("fields", "43", "1")` is `43.1`: the first number is the element, the rest is inside it."""
    for place, key in enumerate(keys):
        first = path_of(key)
        if first is not None:
            rest = [part if path_of(part) is None else str(path_of(part)) for part in keys[place + 1 :]]
            return ".".join([first, *rest])
    return None


def _walk(value: Any, keys: tuple[str, ...], depth: int) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every plain value with the keys that lead to it. A list of records with numbers counts as a map."""
    if depth > _MOST_DEEP:
        return
    if isinstance(value, dict):
        if keys and path_of(keys[-1]) and (inside := [value[key] for key in _RECORD[1] if key in value]):
            yield from _walk(inside[0], keys, depth + 1)
            return
        for key, inner in value.items():
            yield from _walk(inner, (*keys, str(key)), depth + 1)
    elif isinstance(value, list):
        for inner in value:
            if isinstance(inner, dict):
                lower = {_plain(key): item for key, item in inner.items()}
                number, content = (
                    next((lower[key] for key in those if key in lower), None) for those in _RECORD
                )
                if number is not None and content is not None:
                    yield from _walk(content, (str(number),), depth + 1)
    elif keys and isinstance(value, str | int) and not isinstance(value, bool):
        yield keys, str(value)


def _strings(value: Any, key: str, depth: int) -> Iterator[tuple[str, str]]:
    if depth > _MOST_DEEP:
        return
    if isinstance(value, dict):
        if any(_plain(name) in _RECORD[0] and path_of(str(item)) for name, item in value.items()):
            return  # one element
        if path_of(key) is not None:
            return
        for name, inner in value.items():
            yield from _strings(inner, str(name), depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner, key, depth + 1)
    elif isinstance(value, str) and len(value) >= _SHORTEST_MESSAGE and path_of(key) is None:
        yield key, value


def write(mti: str, fields: Mapping[str, str]) -> str:
    """A JSON object with one key per element."""
    return json.dumps({"mti": mti, **fields})

"""Logs that name one element a line, or many in a line as `(number)(value)`, `number=value|`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sim.codec.wire.dumps.parts import MTI_PATH, Named, collected

_MOST_LINE = 2000
_PAIR = re.compile(r"[(\[]([0-9]{1,3})[)\]]\s?[(\[]([^()\[\]\r\n]*)[)\]]")
_FEWEST_PAIRS = 3
_INLINE = re.compile(
    r"(?:^|(?<=[|;,{&\s\[]))(?:DE|DF|F|P|S|Field|Bit|fld)?[ _.]?0{0,2}"
    r"([1-9][0-9]{0,2}|0)\s?[=:]\s?\[?([^|;&\]}\r\n]{0,999})",
    re.IGNORECASE,
)
_MTI = re.compile(
    r"(?im)(?:\b(?:MTI|msg_?type|message ?type(?: ?(?:indicator|id|identifier))?)\b|^t\b)"
    r"[^0-9\r\n]{0,40}?([0-9]{4})\b"
)
_BITMAP = re.compile(r"(?i)bit ?map[^:=\r\n]{0,40}[:=]\s{0,4}['\"]?([0-9A-F]{32}|[0-9A-F]{16})\b")
# The word in front of a number that makes it an element: at the start of the line, or behind a log's prefix.
_LABEL = re.compile(
    r"(?:^|(?<=[\s\[(|:>,]))(?:"
    r"(?:(?:Data ?Element|Data ?Field|Field|Fld|Bit|DE|DF|F|P|S)[ _.\-#\[(]{0,2}|[\[(#])"
    r"0{0,3}([1-9][0-9]{0,2}|0)(?:\.0{0,2}([0-9A-F]{1,4}))?(?![0-9])"
    # A number by itself; not one of a date or a time.
    r"|(?<![:,])0{0,3}([1-9][0-9]{0,2}|0)(?![0-9]|[.,:/-][0-9]))",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"(?:\]|\))?(?:\s*->|\s*=>|[^:=\r\n]{0,120}?\bvalue\b[ :=]{0,3}|[^:=\r\n]{0,160}?[:=]>?) ?(.*)"
)
_BITS = re.compile(r"\s{0,8}\[\s{0,4}[0-9]+-[0-9]+\]")
_RULER = re.compile(r"\s{0,16}-{3,}")
_QUOTED = re.compile(r"(['\"\[<])(.*)(['\"\]>])[,;]?\s{0,8}")
_CLOSED = {"'": "'", '"': '"', "[": "]", "<": ">"}


def messages(text: str) -> Iterator[Named]:
    """The message whose elements the lines of *text* name, if there is one."""
    pairs = [(str(int(one[1])), one[2]) for one in _PAIR.finditer(text)]
    mti = _MTI.search(text)
    bitmap = _BITMAP.search(text)
    bits = bitmap[1] if bitmap else ""
    if len(pairs) >= _FEWEST_PAIRS:
        head = [(MTI_PATH, mti[1])] if mti else []
        if made := collected("log of (element)(value)", [*head, *pairs], bits):
            yield made
            return
    if mti is None:
        return
    labelled = list(_labelled(text))
    inline = [(str(int(one[1])), one[2].strip()) for one in _INLINE.finditer(text)]
    chosen, name = (labelled, "log with an element a line")
    if len(dict(inline)) > len(dict(labelled)):
        chosen, name = inline, "log of element=value"
    if made := collected(name, [(MTI_PATH, mti[1]), *chosen], bits):
        yield made


def _labelled(text: str) -> Iterator[tuple[str, str]]:
    """Path and value of each line that names an element. Behind `SUBFIELDS` the lines are inside one."""
    block = last = 0
    for raw in text.splitlines():
        line = raw[:_MOST_LINE]
        if _RULER.match(line):
            block = block if last == block else 0
            continue
        label = _LABEL.search(line)
        value = _VALUE.match(line, label.end()) if label else None
        if label is None or value is None or _BITS.match(line) or "itmap" in line:
            continue
        number = int(label[1] or label[3])
        if "SUBFIELDS" in line:
            block = last = number
            continue
        last = number
        if number:
            path = f"{block}.{number}" if block else str(number)
            yield (f"{path}.{label[2]}" if label[2] else path), _unquoted(value[1])


def _unquoted(value: str) -> str:
    match = _QUOTED.fullmatch(value)
    return match[2] if match and _CLOSED[match[1]] == match[3] else value

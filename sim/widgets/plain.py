"""The anatomy as plain text, for terminals, logs and mails: a ruler, the text, what stands where."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from sim.widgets.model import Data, view_of_paste

_LINE = 60
_ROW, _MOST_BYTES = 16, 512
_WIDE = 100
_SIGNS = {"error": "x", "warning": "!", "info": "i", "": " "}


def anatomy_text(
    message: object,
    version: str | None = None,
    network: str | None = None,
    masked: bool = True,
) -> str:
    """The anatomy of *message*, or of a paste of bytes in any spelling, as lines of text: the raw
    text under a ruler, element numbers under it (`'` under a length prefix, `^` at a fault), its bytes, then
    the elements with their meanings.

    Raises as `sim.widgets.model.view` does.
    """
    return text_of(view_of_paste(message, version, network, masked))


def text_of(data: Data) -> str:
    """The same of a view that is there already."""
    lines = [title_of(data), "", *_ruled(data), *_bytes(data), *_table(data)]
    if data["fault"]:
        lines += ["", *_wrapped("x ", data["fault"]["sentence"]), *_wrapped("  ", data["fault"]["hint"])]
    others = [one for one in data["findings"] if not data["fault"]]
    if others:
        lines.append("")
    for one in others:
        lines += _wrapped(f"{_SIGNS[one['severity']]} ", one["sentence"])
    return "\n".join(line.rstrip() for line in lines)


def title_of(data: Data) -> str:
    """The message in one line: `0100 authorization request, ISO 8583:1987, VISA, 150 characters`."""
    parts = [f"{data['mti']} {data['title']}".strip(), f"ISO 8583:{data['version']}", data["network"]]
    size = data["length"]
    return ", ".join(part for part in (*parts, f"{size} character{'' if size == 1 else 's'}") if part)


def label_of(element: Data) -> str:
    """The short name of an element: `MTI`, `bitmap`, its number, `rest`."""
    number = element["number"]
    return {0: "MTI", 1: "bitmap", -1: "rest"}.get(number, str(number))


def _ruled(data: Data) -> Iterator[str]:
    text = "".join(char if char.isprintable() else "?" for char in data["text"])
    under = _marks(data)
    for start in range(0, max(len(text), 1), _LINE):
        here = text[start : start + _LINE]
        yield " " * 7 + "".join(f"{at:<10}" for at in range(start, start + len(here), 10))
        yield f"{start:>5}  {here}"
        yield " " * 7 + under[start : start + _LINE]
    yield ""


def _bytes(data: Data) -> Iterator[str]:
    """The bytes that the message came in, as a dump."""
    held = data["bytes"]
    if held is None:
        return
    yield from _wrapped("  ", f"Bytes, {held['title']}:")
    for at in range(0, min(held["size"], _MOST_BYTES), _ROW):
        pairs = " ".join(
            held["hex"][2 * one : 2 * one + 2] for one in range(at, min(at + _ROW, held["size"]))
        )
        yield f"{at:04X}  {pairs:<{3 * _ROW}} {held['text'][at : at + _ROW]}"
    if held["size"] > _MOST_BYTES:
        yield f"and {held['size'] - _MOST_BYTES} more bytes"
    yield ""


def _marks(data: Data) -> str:
    marks = [" "] * (len(data["text"]) + _LINE)
    for element in data["elements"]:
        if element["state"] == "fault":
            continue
        start, first = element["value_start"], element["start"]
        marks[first:start] = "'" * (start - first)
        label = label_of(element)
        room = max(element["end"] - start, 1)
        label = label if len(label) <= room else "|"
        marks[start : start + len(label)] = label
    if data["fault"]:
        marks[data["fault"]["start"]] = "^"
    return "".join(marks)


def _table(data: Data) -> Iterator[str]:
    for element in data["elements"]:
        head = f"{_SIGNS[element['severity']]} {label_of(element):>6}  {element['name']}"
        if element["format"]:
            head += f" ({element['format']})"
        value = "".join(char if char.isprintable() else "?" for char in element["value"])
        meaning = {"fault": "does not fit", "unread": "not read"}.get(element["state"], element["meaning"])
        yield from _wrapped(" " * 10, f"{value!r}" + (f"  {meaning}" if meaning else ""), head)


def _wrapped(lead: str, text: str, head: str = "") -> list[str]:
    """*text* folded, every line behind *lead*, the first one starting at the margin where lead is a sign."""
    if head:
        one = f"{head}: {text}"
        if len(one) <= _WIDE:
            return [one]
        rest = textwrap.wrap(text, _WIDE, initial_indent=lead, subsequent_indent=lead)
        return [head, *rest]
    return textwrap.wrap(text, _WIDE, initial_indent=lead, subsequent_indent=" " * len(lead))

"""The anatomy without a widget: as static HTML (no script; hover in CSS) and as plain text.

Without style sheets (GitHub, some mail readers) the HTML is still the text, a grid and a table. Nothing in it
is random or unique to a message, so outputs can be compared.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterator
from functools import cache

from sim.errors import counted
from sim.grid import SIGNS, breakable
from sim.widgets.markup import STATIC, joined, markup
from sim.widgets.model import Data, view

_RULER = 60
_MOST_DUMPED = 512
_WIDE = 100
_SIGNS = {"error": "x", "warning": "!", "info": "i", "": " "}


def anatomy_text(
    message: object,
    version: str | None = None,
    network: str | None = None,
    masked: bool = True,
) -> str:
    """Show the anatomy of a message as plain text.

    Parameters
    ----------
    message
        A message in any form, or pasted bytes in any notation.
    version
        One of `sim.VERSIONS`. Default: from the MTI.
    network
        One of `sim.NETWORKS`. Default: the card's.
    masked
        Whether card data is masked.

    Returns
    -------
    str
        The raw text between a ruler and element numbers (`'` under a length prefix, `^` at a fault), its
        bytes, then the elements with their meanings, in lines.

    Raises
    ------
    TypeError
        *message* is not a message.
    BuildError
        An element cannot be written.
    ChoiceError
        Unknown version or network.

    Examples
    --------
    >>> from sim.widgets import anatomy_text
    >>> anatomy_text("08002020000000000000990000123456").splitlines()[0]
    '0800 network management request, ISO 8583:1987, 32 characters'
    """
    return text_of(view(message, version, network, masked))


def text_of(data: Data) -> str:
    """The text of a view."""
    lines = [title_of(data), "", *_ruled(data), *_dump(data), *_listed(data)]
    if data["fault"]:
        lines += ["", *_wrapped("x ", data["fault"]["sentence"]), *_wrapped("  ", data["fault"]["hint"])]
    elif data["findings"]:
        lines.append("")
        for finding in data["findings"]:
            lines += _wrapped(f"{_SIGNS[finding['severity']]} ", finding["sentence"])
    return "\n".join(line.rstrip() for line in lines)


def title_of(data: Data) -> str:
    """The message in one line: `0100 authorization request, ISO 8583:1987, VISA, 150 characters`."""
    parts = [f"{data['mti']} {data['title']}".strip(), f"ISO 8583:{data['version']}", data["network"]]
    return ", ".join(filter(None, (*parts, counted(data["length"], "character"))))


def label_of(element: Data) -> str:
    """The short name of an element: `MTI`, `bitmap`, its number, `rest`."""
    number = element["number"]
    return {0: "MTI", 1: "bitmap", -1: "rest"}.get(number, str(number))


def _ruled(data: Data) -> Iterator[str]:
    text = "".join(char if char.isprintable() else "?" for char in data["text"])
    under = _marks(data)
    for start in range(0, max(len(text), 1), _RULER):
        line = text[start : start + _RULER]
        yield " " * 7 + "".join(f"{at:<10}" for at in range(start, start + len(line), 10))
        yield f"{start:>5}  {line}"
        yield " " * 7 + under[start : start + _RULER]
    yield ""


def _dump(data: Data) -> Iterator[str]:
    """A dump of the bytes that the message came in."""
    byte_view = data["bytes"]
    if byte_view is None:
        return
    yield from _wrapped("  ", f"Bytes, {byte_view['title']}:")
    for at in range(0, min(byte_view["size"], _MOST_DUMPED), _ROW):
        pairs = _pairs(byte_view, at, min(at + _ROW, byte_view["size"]))
        yield f"{at:04X}  {pairs:<{3 * _ROW}} {byte_view['text'][at : at + _ROW]}"
    if byte_view["size"] > _MOST_DUMPED:
        yield f"and {byte_view['size'] - _MOST_DUMPED} more bytes"
    yield ""


def _pairs(byte_view: Data, start: int, end: int) -> str:
    return " ".join(byte_view["hex"][2 * at : 2 * at + 2] for at in range(start, end))


def _marks(data: Data) -> str:
    marks = [" "] * (len(data["text"]) + _RULER)
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


def _listed(data: Data) -> Iterator[str]:
    for element in data["elements"]:
        head = f"{_SIGNS[element['severity']]} {label_of(element):>6}  {element['name']}"
        if element["format"]:
            head += f" ({element['format']})"
        value = "".join(char if char.isprintable() else "?" for char in element["value"])
        meaning = _meaning(element)
        yield from _wrapped(" " * 10, f"{value!r}" + (f"  {meaning}" if meaning else ""), head)


def _meaning(element: Data) -> str:
    return str({"fault": "does not fit", "unread": "not read"}.get(element["state"], element["meaning"]))


def _wrapped(lead: str, text: str, head: str = "") -> list[str]:
    """*text* wrapped, each line after *lead*; the first starts at the margin if lead is a sign."""
    if head:
        line = f"{head}: {text}"
        if len(line) <= _WIDE:
            return [line]
        rest = textwrap.wrap(text, _WIDE, initial_indent=lead, subsequent_indent=lead)
        return [head, *rest]
    return textwrap.wrap(text, _WIDE, initial_indent=lead, subsequent_indent=" " * len(lead))


_HUES = 6
_LINE = 10
_ROW, _MOST_BYTES = 16, 1024
_PICTURES = {code: 0x2400 + code for code in range(0x20)} | {0x7F: 0x2421}
_HOT = "{background:#ffd54d!important;color:#111!important;outline:1px solid #111}"


def anatomy_html(
    message: object,
    version: str | None = None,
    network: str | None = None,
    masked: bool = True,
) -> str:
    """Show the anatomy of a message as HTML.

    Parameters
    ----------
    message
        A message in any form, or pasted bytes in any notation.
    version
        One of `sim.VERSIONS`. Default: from the MTI.
    network
        One of `sim.NETWORKS`. Default: the card's.
    masked
        Whether card data is masked.

    Returns
    -------
    str
        Self-contained HTML. Pointing at an element, its characters, its bytes or its bit highlights all of
        them.

    Raises
    ------
    TypeError
        *message* is not a message.
    BuildError
        An element cannot be written.
    ChoiceError
        Unknown version or network.

    Examples
    --------
    >>> from sim.widgets import anatomy_html
    >>> "iso-anatomy-page" in anatomy_html("08002020000000000000990000123456")
    True
    """
    return page(view(message, version, network, masked))


def page(data: Data) -> str:
    """The HTML of a view."""
    numbers = [element["number"] for element in data["elements"]]
    fault = data["fault"]
    lights = "".join(
        f'.iso-anatomy-page:has([data-n="{number}"]:hover) [data-n="{number}"]{_HOT}' for number in numbers
    )
    parts = [
        f"<style>{_style()}{lights}</style>",
        '<div class="iso-anatomy-page">',
        markup("p", markup("b", title_of(data))),
        f'<p class="raw"><code>{_raw(data)}</code></p>',
        *_bytes(data),
        *([_fault(fault)] if fault else []),
        *_grid(data),
        *_table(data),
        "</div>",
    ]
    return "\n".join(parts)


@cache
def _style() -> str:
    return " ".join((STATIC / "page.css").read_text(encoding="utf-8").split())


def visible(text: str) -> str:
    """*text* with control characters as their pictures, one character each."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text.translate(_PICTURES))


def _raw(data: Data) -> str:
    hues = {element["number"]: at % _HUES for at, element in enumerate(data["elements"])}
    cells = []
    for segment in data["segments"]:
        start, text = segment["start"], visible(segment["text"])
        names = f"{segment['kind']} h{hues[segment['number']]}"
        first = start - start % _LINE if text else start
        for line in range(first, start + len(text), _LINE):  # cut at the marks of the ruler
            at = max(line, start)
            tick = {"data_o": str(at)} if at == line else {}
            piece = text[at - start : line + _LINE - start]
            cells.append(markup("span", piece, names, data_n=str(segment["number"]), **tick))
    return "<wbr>".join(cells)


def _bytes(data: Data) -> Iterator[str]:
    """The bytes with offsets and printable characters, if the message came in bytes."""
    byte_view = data["bytes"]
    if byte_view is None:
        return
    hues = {element["number"]: at % _HUES for at, element in enumerate(data["elements"])}
    size = byte_view["size"]
    yield markup("p", joined(markup("b", "Bytes"), f" {size}: {byte_view['title']}"))
    yield '<pre class="bytes">'
    for at in range(0, min(size, _MOST_BYTES), _ROW):
        end = min(at + _ROW, size)
        pairs = "".join(_runs(byte_view, at, end, hues))
        blanks = "   " * (_ROW - (end - at))
        yield f"{at:04X}  {pairs}{blanks} {html.escape(visible(byte_view['text'][at:end]))}"
    if size > _MOST_BYTES:
        yield f"and {size - _MOST_BYTES} more bytes"
    yield "</pre>"


def _runs(byte_view: Data, at: int, end: int, hues: dict[int, int]) -> Iterator[str]:
    """The bytes between two offsets, an element for each span."""
    for span in byte_view["spans"]:
        start, stop = max(at, span["start"]), min(end, span["end"])
        if start >= stop:
            continue
        pairs, number = _pairs(byte_view, start, stop), span["number"]
        if number is None:
            yield markup("span", pairs, span["kind"], title=span["label"]) + " "
        else:
            yield markup("span", pairs, f"{span['kind']} h{hues.get(number, 0)}", data_n=str(number)) + " "


def _fault(fault: Data) -> str:
    return markup("p", joined(markup("b", f"✖ {fault['sentence']}."), f" {fault['hint']}"), "fault")


def _grid(data: Data) -> Iterator[str]:
    if not data["cells"]:
        return
    yield '<table class="bits" aria-label="Bitmap"><tbody>'
    for at in range(0, len(data["cells"]), 16):
        row = "".join(_cell(cell) for cell in data["cells"][at : at + 16])
        yield f"<tr>{row}</tr>"
    yield "</tbody></table>"


def _cell(cell: Data) -> str:
    number = cell["number"]
    if not cell["set"]:
        return markup("td", str(number))
    return markup("td", markup("b", f"{number}●"), "on", data_n=str(number), title=cell["name"])


def _table(data: Data) -> Iterator[str]:
    heads = "".join(f"<th>{head}</th>" for head in ("", "DE", "Name", "Format", "Value", "Meaning"))
    yield f'<table class="elements"><thead><tr>{heads}</tr></thead><tbody>'
    for at, element in enumerate(data["elements"]):
        yield _row(element, at % _HUES)
    for finding in () if data["fault"] else data["general"]:
        sentence = html.escape(finding["sentence"])
        yield f"<tr><td>{SIGNS[finding['severity']]}</td><td></td><td colspan=4>{sentence}</td></tr>"
    yield "</tbody></table>"


def _row(element: Data, hue: int) -> str:
    meaning = _meaning(element)
    lines = [html.escape(visible(meaning))] if meaning else []
    if element["state"] == "read":
        lines += [
            f"{SIGNS[finding['severity']]} {html.escape(finding['sentence'])}"
            for finding in element["findings"]
        ]
    value = breakable(visible(element["value"]))
    cells = (
        SIGNS[element["severity"]],
        label_of(element),
        html.escape(element["name"]),
        html.escape(element["format"]),
        f"<code>{value}</code>",
        "<br>".join(lines) + _parts(element),
    )
    drawn = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr class="h{hue}" data-n="{element["number"]}">{drawn}</tr>'


def _parts(element: Data) -> str:
    """Subfields and tags, collapsed."""
    if not element["children"]:
        return ""
    lines = []
    for child in element["children"]:
        indent = "\N{NO-BREAK SPACE}" * 4 * child["depth"]
        line = f"{indent}<b>{html.escape(child['label'])}</b> {html.escape(child['name'])}: "
        line += f"<code>{breakable(visible(child['value']))}</code> {html.escape(visible(child['meaning']))}"
        lines.append(f"<li>{line.rstrip()}</li>")
    return f"<details><summary>{counted(len(lines), 'part')}</summary><ul>{''.join(lines)}</ul></details>"

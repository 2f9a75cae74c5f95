"""How tables look: a grid of texts, drawn as HTML for pages or as plain text for a terminal.

Only this module draws tables. A row is one line: text without room ends in an ellipsis, and is complete in
the title, which a page shows under the pointer. Names, and what is wrong and why, wrap over as many lines as
needed. Short columns are as wide as necessary; long ones share the rest by importance. Colors come from the
surrounding theme and are never the only sign; nothing is random, so that outputs can be compared.
"""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sim.visible import visible

NUMBER, VALUE, TEXT, SEVERITY = "n", "v", "t", "s"
GAP = "…"
SIGNS = {"error": "✖", "warning": "▲", "info": "ℹ", "": ""}
# The importance of a column among those that share the remaining room.
_WEIGHTS = {
    **{"message": 1.8, "sentence": 1.8, "what": 1.8, "checks": 1.8, "hint": 1.1},
    **{"carried_by": 1.8, "name": 1.7, "value": 1.2, "source": 0.3, "note": 0.7},
}
_MATTERS = 1.5  # a column of this weight has room for half a sentence on any screen
# Columns that together are the main content of a table: sentences about one message.
_TOLD = tuple(
    map(frozenset, (("severity", "message"), ("message", "hint"), ("finding", "hint"), ("reasons",)))
)
# The column whose texts often begin alike (Card acceptor ...), so that truncating them loses too much.
_NAME = "name"
_LONG = 26  # characters; longer text may be truncated
_SHORT_ENOUGH = 12  # never truncated
_FULL = 90  # characters beyond which a column needs no more room
# No screen shows more on one line, and this limits columns without a style sheet; the title has everything.
_MOST_DRAWN = {VALUE: 80, TEXT: 200}
_MOST_TITLE = 4000
# A long word may break after this many characters.
_WORD = re.compile(r"\S{16}(?=\S{9})")
_WIDEST_PLAIN = 80
_TITLE_WIDTH = 100
_PADDING = 3  # the width of a cell's padding in characters, with some reserve
_ROW = "table.dataframe.iso8583"
# A sentence, and the numbers of the elements it is about.
Sentence = tuple[str, Sequence[int]]
LINKED = "iso-linked"
_LIT = "{background: #ffd54d !important; color: #111 !important}"
_STYLE = (
    f"{_ROW} {{table-layout: auto; width: 100%; margin-left: 0}} "
    f"{_ROW} :is(th, td) {{text-align: left; vertical-align: baseline; padding: 3px 8px; line-height: 1.45;"
    " white-space: nowrap; max-width: none} "
    f"{_ROW} :is(th, td).n {{text-align: right; font-variant-numeric: tabular-nums}} "
    f"{_ROW} td.v {{font-family: var(--jp-code-font-family, monospace); white-space: pre}} "
    f"{_ROW} td.w {{max-width: 0; min-width: 8em; overflow: hidden; text-overflow: ellipsis}} "
    f"{_ROW} td.m {{min-width: 22em}} "
    f"{_ROW} td.b {{min-width: 9em; white-space: normal}} "
    f"{_ROW} tbody th {{font-weight: normal; opacity: 0.75}} "
    f"{_ROW} wbr {{display: none}}"
)
_WHOLE = f"{_ROW} td.p {{min-width: 12em; white-space: normal}}"
_REASONS = "reasons"  # a paragraph next to many short columns
_ROOM = f"{_ROW} td.p.r {{min-width: 26em}}"
_SEVERITIES = (
    f"{_ROW} td.s {{font-weight: 600}} "
    + " ".join(
        f"{_ROW} td.{name} {{color: color-mix(in srgb, var(--jp-{theme}-color1, {usual}) 72%, "
        "var(--jp-ui-font-color0, CanvasText))}"
        for name, theme, usual in (
            ("error", "error", "#c62828"),
            ("warning", "warn", "#b35c00"),
            ("info", "info", "#1565c0"),
        )
    )
    + f" {_ROW} tr.failing > * {{background: "
    "color-mix(in srgb, var(--jp-error-color1, #c62828) 12%, transparent)}"
)


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as texts. `kinds` says how each column is drawn: n number, v value, t text, s severity;
    `failing` are the positions of rows to highlight; `label_header` is None if rows have no labels;
    `links` has the link of a text in the column with that header; `numbers` are the data elements in the
    rows, if sentences refer to them."""

    headers: tuple[str, ...]
    kinds: tuple[str, ...]
    labels: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    label_header: str | None = ""
    note: str = ""
    failing: frozenset[int] = frozenset()
    links: Mapping[tuple[str, str], str] = field(default_factory=dict)
    numbers: tuple[int | None, ...] = ()


def style(table: Grid) -> str:
    """The style sheet for *table*. It has no commas outside brackets, because some programs that strip
    style sheets from a page leave the commas."""
    return (
        _STYLE
        + (f" {_WHOLE}" if any(_never_truncated(header, table.headers) for header in table.headers) else "")
        + (f" {_ROOM}" if _REASONS in table.headers else "")
        + (f" {_SEVERITIES}" if SEVERITY in table.kinds or table.failing else "")
    )


def as_html(table: Grid, title: str = "", summary: Sequence[Sentence] = ()) -> str:
    """The grid as an HTML table, with *title* as a paragraph above it, and the sentences *summary* as another
    one, which highlight the rows they are about."""
    numbers = [number for number in table.numbers if number is not None] if summary else []
    lines = [f"<style>{style(table)}{lighting(numbers)}</style>"]
    if title:
        lines.append(f"<p>{html.escape(visible(title))}</p>")
    if summary:
        lines.append(told_html(summary))
    lines.append(table_html(table))
    if table.note:
        lines.append(f"<p>{html.escape(table.note)}</p>")
    if summary:
        lines = [f'<div class="{LINKED}">', *lines, "</div>"]
    return "\n".join(lines)


def told_html(sentences: Sequence[Sentence]) -> str:
    """Sentences as a paragraph; each is tagged with the numbers of its elements."""
    spans = (
        f'<span tabindex="0" data-about="{" ".join(map(str, about))}">{html.escape(visible(sentence))}</span>'
        if about
        else html.escape(visible(sentence))
        for sentence, about in sentences
    )
    return f'<p class="iso-summary">{" ".join(spans)}</p>'


def lighting(numbers: Iterable[int]) -> str:
    """The style sheet that highlights the elements of a sentence while it is hovered or focused, and the
    sentences about an element while that is hovered: elements with `data-n` inside `LINKED`."""
    return "".join(
        f' .{LINKED}:has([data-about~="{number}"]:is(:hover, :focus)) [data-n="{number}"] {_LIT}'
        f' .{LINKED}:has([data-n="{number}"]:hover) [data-about~="{number}"] {_LIT}'
        for number in numbers
    )


def table_html(table: Grid) -> str:
    """The `<table>` element."""
    columns = [(header, *(row[at] for row in table.rows)) for at, header in enumerate(table.headers)]
    needs = [max(map(len, texts)) for texts in columns]
    long = [
        need > _LONG and kind not in (NUMBER, SEVERITY) for need, kind in zip(needs, table.kinds, strict=True)
    ]
    labelled = table.label_header is not None
    widths = [min(need, _MOST_DRAWN.get(kind, need)) for need, kind in zip(needs, table.kinds, strict=True)]
    widths += [max(map(len, table.labels), default=0)] if labelled else []
    room = sum(widths) + _PADDING * len(widths)
    # The length that suffices for nine of ten rows: one long value takes no room from the other columns.
    usual = [sorted(map(len, texts))[len(texts) * 9 // 10] for texts in columns]
    shares = _shares(table.headers, usual, long)
    cols = "".join(f'<col style="width:{share}%">' if share else "<col>" for share in shares)
    names = [
        _names(name, table.headers) if cut_short else ""
        for name, cut_short in zip(table.headers, long, strict=True)
    ]
    heads = zip(table.headers, table.kinds, strict=True)
    cells = "".join(f'<th class="{kind}">{html.escape(text)}</th>' for text, kind in heads)
    corner = ""
    if labelled:
        corner = f"<th>{html.escape(table.label_header)}</th>" if table.label_header else "<td></td>"
    lines = [
        f'<table border="0" class="dataframe iso8583" style="max-width:{room}ch">',
        *([f"<colgroup>{'<col>' if labelled else ''}{cols}</colgroup>"] if any(shares) else []),
        f"<thead><tr>{corner}{cells}</tr></thead>",
        "<tbody>",
        *(_html_row(table, at, names) for at in range(len(table.rows))),
        "</tbody>",
        "</table>",
    ]
    return "\n".join(lines)


def _names(header: str, headers: Sequence[str]) -> str:
    """The CSS classes of a long column."""
    if _never_truncated(header, headers):
        return "w p r" if header == _REASONS else "w p"
    if header == _NAME:
        return "w b"
    return "w m" if _WEIGHTS.get(header, 1) > _MATTERS else "w"


def _never_truncated(header: str, headers: Sequence[str]) -> bool:
    """Whether the column *header* is never truncated."""
    return any(header in group and group.issubset(headers) for group in _TOLD)


def _shares(headers: Sequence[str], needs: Sequence[int], long: Sequence[bool]) -> list[int]:
    """The share of the room for each long column, in percent; 0 for the others."""
    weights = [
        max(min(need, _FULL), _SHORT_ENOUGH) * _WEIGHTS.get(name, 1.0) if cut else 0.0
        for name, need, cut in zip(headers, needs, long, strict=True)
    ]
    total = sum(weights)
    return [round(100 * weight / total) if weight else 0 for weight in weights]


def _html_row(table: Grid, at: int, names: Sequence[str]) -> str:
    row = table.rows[at]
    links = (table.links.get(key, "") for key in zip(table.headers, row, strict=True))
    cells = "".join(map(_html_cell, row, table.kinds, names, links))
    label = "" if table.label_header is None else f"<th>{html.escape(table.labels[at])}</th>"
    failing = ' class="failing"' if at in table.failing else ""
    number = table.numbers[at] if table.numbers else None
    linked = "" if number is None else f' data-n="{number}"'
    return f"<tr{failing}{linked}>{label}{cells}</tr>"


def _html_cell(text: str, kind: str, names: str, link: str = "") -> str:
    """A cell; *names* are the CSS classes of a column that may be truncated, *link* is the target of its
    text."""
    if kind == SEVERITY:
        tone = f" {text}" if text in SIGNS else ""
        return f'<td class="s{tone}">{html.escape(signed(text))}</td>'
    if not names:
        return f'<td class="{kind}">{_linked(text, link)}</td>'
    tooltip = f' title="{html.escape(cut(text, _MOST_TITLE))}"' if len(text) > _SHORT_ENOUGH else ""
    drawn = cut(text, _MOST_DRAWN.get(kind, len(text)))
    return f'<td class="{kind} {names}"{tooltip}>{_linked(drawn, link)}</td>'


def _linked(text: str, link: str) -> str:
    """*text* for a page, linked to *link* if there is one, in a new tab."""
    label = breakable(text)
    return f'<a href="{html.escape(link)}" target="_blank" rel="noopener">{label}</a>' if link else label


class Page:
    """HTML without any other representation that a front end could show instead."""

    def __init__(self, html: str) -> None:
        self._html = html

    def _repr_html_(self) -> str:
        return self._html


def breakable(text: str) -> str:
    """*text*, already `visible`, as markup. Where style sheets are stripped (an untrusted notebook, a
    repository's page), a long word may break, because it would push the next columns off the screen.
    Elsewhere `style` keeps it on one line: browsers would break there even without wrapping."""
    return html.escape(_WORD.sub("\\g<0>\0", text)).replace("\0", "<wbr>")


def signed(severity: str) -> str:
    """A severity with its sign."""
    return f"{SIGNS[severity]} {severity}".strip() if severity in SIGNS else severity


def cut(text: str, width: int) -> str:
    """*text*, truncated to *width* characters."""
    return text if len(text) <= width else text[: width - 1] + GAP


def as_plain(table: Grid, title: str = "") -> str:
    """The grid as lines of text, with *title* above them."""
    columns, kinds = [], [*table.kinds]
    if table.label_header is not None:
        columns.append([table.label_header, *table.labels])
        kinds.insert(0, NUMBER if all(map(str.isdecimal, table.labels)) else TEXT)
    for at, (header, kind) in enumerate(zip(table.headers, table.kinds, strict=True)):
        texts = [row[at] for row in table.rows]
        columns.append([header, *(map(signed, texts) if kind == SEVERITY else texts)])
    drawn = [_justified(texts, kind) for texts, kind in zip(columns, kinds, strict=True)]
    lines = ["  ".join(cells).rstrip() for cells in zip(*drawn, strict=True)]
    above = [*textwrap.wrap(title, _TITLE_WIDTH), ""] if title else []
    return "\n".join([*above, *lines, *(["", table.note] if table.note else [])])


def _justified(texts: Sequence[str], kind: str) -> list[str]:
    cells = [cut(text, _WIDEST_PLAIN) for text in texts]
    width = max(map(len, cells))
    return [text.rjust(width) if kind == NUMBER else text.ljust(width) for text in cells]

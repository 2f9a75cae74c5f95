"""What the makers of pages share: files, anchors, tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

# The column of a table that is no column, but the place of its row to link to.
PLACE = "#"


def put(path: Path, lines: Iterable[str]) -> None:
    """Write a page; its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def anchor(name: str) -> str:
    """What *name* is called in an address."""
    return re.sub(r"[^a-z0-9-]+", "-", name.lower()).strip("-")


def toctree(pages: Iterable[str], *, hidden: bool = False) -> list[str]:
    """A list of pages that belong to this one."""
    return ["```{toctree}", ":maxdepth: 1", *([":hidden:"] if hidden else []), "", *pages, "```", ""]


def table(rows: Sequence[dict[str, object]], *, ready: Sequence[str] = (), search: bool = True) -> list[str]:
    """A table of HTML, of the columns that hold anything; those in *ready* hold HTML already, `PLACE` says
    what a row is called in an address. It can be searched where it has more than a few rows."""
    if not rows:
        return []
    columns = [name for name in rows[0] if name != PLACE and any(str(row.get(name, "")) for row in rows)]
    head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in columns)
    lines = []
    for row in rows:
        texts = {name: str(row.get(name, "")) for name in columns}
        cells = "".join(f"<td>{texts[n] if n in ready else escape(texts[n])}</td>" for n in columns)
        place = f' id="{escape(str(row[PLACE]))}"' if PLACE in row else ""
        lines.append(f"<tr{place}>{cells}</tr>")
    kind = "wide searchable" if search and len(rows) > 8 else "wide"
    body = "\n".join(lines)
    return [
        f'<div class="{kind}"><table><thead><tr>{head}</tr></thead><tbody>',
        body,
        "</tbody></table></div>",
        "",
    ]


def records(frame: Any) -> list[dict[str, Any]]:
    """The rows of a table of ours, card data hidden, empty cells as empty text."""
    shown = frame.masked() if hasattr(frame, "masked") else frame
    return list(shown.astype(object).where(shown.notna(), "").to_dict("records"))

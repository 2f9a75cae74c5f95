"""HTML elements (a tag, its content, escaped unless it is markup, and attributes), the scripts and style
sheets of the widgets, and their static replacement."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

STATIC = Path(__file__).parent / "static"


def script(*names: str) -> str:
    """The named files of `static` as one module, since a widget can have only one."""
    return "\n".join((STATIC / f"{name}.js").read_text(encoding="utf-8") for name in names)


def bundled(original: Any, plain: str, page: str) -> Any:
    """The mime bundle *original* by a widget's class, with text and HTML for viewers without widgets."""
    bundle, *more = original if isinstance(original, tuple) else (original,)
    bundle = {**bundle, "text/plain": plain, "text/html": page}
    return (bundle, *more) if more else bundle


class Markup(str):
    """Text that already is HTML."""

    __slots__ = ()


def markup(tag: str, text: str, classes: str = "", **attributes: str) -> Markup:
    """An element that contains *text*. A trailing underscore of an attribute's name is dropped, others become
    hyphens.

    >>> markup("p", "a < b", "note", data_n="2")
    '<p class="note" data-n="2">a &lt; b</p>'
    """
    attrs = {"class": classes} if classes else {}
    attrs |= {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    written = "".join(f' {name}="{html.escape(value)}"' for name, value in attrs.items())
    return Markup(f"<{tag}{written}>{text if isinstance(text, Markup) else html.escape(text)}</{tag}>")


def joined(*parts: str) -> Markup:
    """Elements and texts in sequence."""
    return Markup("".join(part if isinstance(part, Markup) else html.escape(part) for part in parts))


def wrong(problem: str, tag: str = "span") -> str:
    """A problem as an element; empty if there is none."""
    return markup(tag, f"✖ {problem}", "iso-problem", role="alert") if problem else ""


def hint(words: str, *, news: bool = False) -> str:
    """A note as a paragraph, empty for no words; *news* is announced by screen readers."""
    attributes = {"role": "status"} if news else {}
    return markup("p", words, "iso-hint", **attributes) if words else ""

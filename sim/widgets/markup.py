"""Elements of HTML (a tag, what is in it, escaped unless it is markup itself, and attributes), the scripts
and styles of the widgets, and what stands for them where they do not run.
"""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

STATIC = Path(__file__).parent / "static"


def script(*names: str) -> str:
    """The named files of `static` as the one module a widget can have."""
    return "\n".join((STATIC / f"{name}.js").read_text(encoding="utf-8") for name in names)


def bundled(made: Any, plain: str, page: str) -> Any:
    """What a widget is shown by, as its class has *made* it, with text and HTML for where no widget runs."""
    bundle, *more = made if isinstance(made, tuple) else (made,)
    if bundle is None:
        return None
    bundle = {**bundle, "text/plain": plain, "text/html": page}
    return (bundle, *more) if more else bundle


class Markup(str):
    """A text that is HTML already."""

    __slots__ = ()


def markup(tag: str, text: str, classes: str = "", **attributes: str) -> Markup:
    """An element with *text* in it. A name of an attribute may end in an underscore, and has hyphens for the
    others.

    >>> markup("p", "a < b", "note", data_n="2")
    '<p class="note" data-n="2">a &lt; b</p>'
    """
    named = {"class": classes} if classes else {}
    named |= {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    written = "".join(f' {name}="{html.escape(value)}"' for name, value in named.items())
    return Markup(f"<{tag}{written}>{text if isinstance(text, Markup) else html.escape(text)}</{tag}>")


def joined(*parts: str) -> Markup:
    """Elements and texts one after the other."""
    return Markup("".join(part if isinstance(part, Markup) else html.escape(part) for part in parts))


def wrong(problem: str, tag: str = "span") -> str:
    """What is wrong, as an element; empty where nothing is."""
    return markup(tag, f"✖ {problem}", "iso-problem", role="alert") if problem else ""


def hint(words: str, *, news: bool = False) -> str:
    """What is worth knowing, as a paragraph; *news* is read aloud as it appears. Empty for no words."""
    said = {"role": "status"} if news else {}
    return markup("p", words, "iso-hint", **said) if words else ""

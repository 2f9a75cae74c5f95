"""The page of GET /docs: one HTML text with everything in it, so that it works offline.

The page is drawn in the browser from the OpenAPI document that it carries.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from html import escape
from pathlib import Path
from typing import Any

_PAGE = Path(__file__).with_name("page")


def page(document: dict[str, Any]) -> tuple[str, str]:
    """The HTML for an OpenAPI *document*, and the Content-Security-Policy to send with it: the page's own
    style and script may run, and only this server may be called."""
    style, script = _read("docs.css"), _read("docs.js")
    html = _read("docs.html")
    # The document is data: "<" is escaped, so that no text in it can end the element that holds it.
    data = json.dumps(document).replace("<", "\\u003c")
    title = escape(document["info"]["title"])
    for mark, text in (("title", title), ("style", style), ("document", data), ("script", script)):
        html = html.replace(f"{{{{{mark}}}}}", text)
    allowed = {"default-src": "'none'", "style-src": _hash(style), "script-src": _hash(script)}
    allowed |= {"connect-src": "'self'", "base-uri": "'none'", "form-action": "'none'"}
    allowed |= {"frame-ancestors": "'none'"}
    return html, "; ".join(f"{name} {value}" for name, value in allowed.items())


def _read(name: str) -> str:
    return (_PAGE / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

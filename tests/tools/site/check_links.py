"""What leads nowhere in a built site, and what it would load from elsewhere: `check_links.py SITE`.

Needs no network and nothing but Python. Anchors count, and so do the notebooks that a link opens in
JupyterLite; where a link to another host leads is not looked at.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

_LINKS = {
    "a": "href",
    "link": "href",
    "img": "src",
    "script": "src",
    "iframe": "src",
    "source": "src",
    "object": "data",
}
_URL = re.compile(r"""(?:url\(|@import)\s*["']?([^"')\s;]+)""")


class _Page(HTMLParser):
    """The links of a page, and the places in it that can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self.places: set[str] = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.places |= {value for key in ("id", "name") if (value := given.get(key))}
        if link := given.get(_LINKS.get(tag, "")):
            self.links.append((tag, link))


@cache
def _page(path: Path) -> _Page:
    return _Page(path.read_text(encoding="utf-8"))


def why_wrong(site: Path, path: Path, tag: str, link: str) -> str:
    """Why *link* on the page *path* leads nowhere; empty when it does not."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return "" if tag == "a" or parts.scheme == "data" else "loaded from elsewhere"
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    target = target / "index.html" if target.is_dir() else target
    lite = site / "lite"
    if not target.is_relative_to(site) or not target.is_file():
        return "no such file"
    if target.is_relative_to(lite):
        missing = [
            one for one in parse_qs(parts.query).get("path", []) if not (lite / "files" / one).is_file()
        ]
        return f"not in JupyterLite: {', '.join(missing)}" if missing else ""
    if parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in _page(target).places:
        return "no such place"
    return ""


def _styles(site: Path) -> Iterator[str]:
    """What style sheets would load from elsewhere."""
    for path in site.rglob("*.css"):
        for link in _URL.findall(path.read_text(encoding="utf-8")):
            if link.startswith(("http:", "https:", "//")):
                yield f"{path.relative_to(site)}: {link}: loaded from elsewhere"


def report(site: Path) -> int:
    """Print what is wrong, and how much was looked at. 0 when nothing is wrong."""
    site = site.resolve()
    pages = [path for path in site.rglob("*.html") if not path.is_relative_to(site / "lite")]
    found = [
        f"{path.relative_to(site)}: {link}: {why}"
        for path in pages
        for tag, link in dict.fromkeys(_page(path).links)
        if (why := why_wrong(site, path, tag, link))
    ]
    found += _styles(site) if not (site / "lite").is_dir() else []
    count = sum(len(_page(path).links) for path in pages)
    print(*found, f"{len(pages)} pages, {count} links, {len(found)} broken or from elsewhere", sep="\n")
    return int(bool(found) or not pages)


if __name__ == "__main__":
    sys.exit(report(Path(sys.argv[1])))

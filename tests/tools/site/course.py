"""The pages of the course: the notebooks with their stored outputs, nothing is run."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Any

from writing import anchor, put, toctree

TRY_IT = '<a class="try-it" href="{up}lite/lab/index.html?path={page}">{text}</a>'
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")
_CELL = re.compile(r"(<td[^>]*>)([a-z0-9-]+)(</td>)")


def write(notebooks: Path, folder: Path, lite: Path | None, rules: Collection[str]) -> None:
    """A page for each notebook with a number, and their list, below *folder*."""
    shutil.copytree(notebooks / "images", folder / "images")
    pages = sorted(notebooks.glob("[0-9]*.ipynb"))
    for path in pages:
        book = json.loads(path.read_text(encoding="utf-8"))
        for cell in book["cells"]:
            for output in cell.get("outputs", []):
                _link_rules(output, rules)
        if lite and (lite / "files" / path.name).is_file():
            text = TRY_IT.format(up="../", page=path.name, text="Try it in the browser")
            book["cells"].insert(1, {"cell_type": "markdown", "id": "try-it", "metadata": {}, "source": text})
        for target in _linked(book):
            source = notebooks / target
            if source.parent == notebooks and source.is_file() and source not in pages:
                shutil.copy(source, folder / target)
        put(folder / path.name, [json.dumps(book, indent=1, ensure_ascii=False)])
    beside = sorted(notebooks.glob("*.md"))
    for path in beside:
        here = {page.name for page in (*pages, *beside)}
        put(folder / path.name, [_kept_links(path.read_text(encoding="utf-8"), here)])
    put(
        folder / "index.md",
        [
            "# The course",
            "",
            "One idea in each notebook, with exercises that are checked immediately. These pages show",
            "the stored outputs; `make lab` opens them in JupyterLab, where every cell can be changed.",
            "",
            *toctree([path.stem for path in (*pages, *beside)]),
        ],
    )


def _linked(book: dict[str, Any]) -> set[str]:
    """What the text of a notebook leads to: files beside it go with its page."""
    texts = ("".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "markdown")
    return {found[2].partition("#")[0] for text in texts for found in _LINK.finditer(text)} - {""}


def _kept_links(text: str, here: Collection[str]) -> str:
    """Links to other pages of the course stay; what leads elsewhere in the checkout is only named."""

    def kept(found: re.Match[str]) -> str:
        target = found[2].partition("#")[0]
        return found[0] if not target or target in here or ":" in target else found[1]

    return _LINK.sub(kept, text)


def _link_rules(output: dict[str, Any], rules: Collection[str]) -> None:
    """A cell that names a rule leads to the rule's page."""
    html = output.get("data", {}).get("text/html")
    if html is None:
        return
    text = "".join(html)

    def linked(found: re.Match[str]) -> str:
        if found[2] not in rules:
            return found[0]
        return f'{found[1]}<a href="../rules/{anchor(found[2])}.html">{found[2]}</a>{found[3]}'

    output["data"]["text/html"] = _CELL.sub(linked, text)

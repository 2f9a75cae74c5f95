"""Slides from notebooks: one page each that needs no network, to be shown in a browser or printed.

A piece of text and the cells behind it make a slide. Arrow keys, Space, Page Up and Page Down turn the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import HTMLExporter
from nbformat.v4 import new_notebook
from pygments.formatters import HtmlFormatter

from sim.files import write_text
from teaching.editions import SOURCE, Book

NAMES = ("01_mti", "02_bitmap", "03_length_prefixes")
_SETUP = "%xmode"  # how the cell begins that only prepares the notebook
_PAGE = Path(__file__).parent / "slides.html"


def slides(book: Book) -> Iterator[list[Any]]:
    """The cells of *book*, slide by slide: a text with the code that follows it."""
    slide: list[Any] = []
    for cell in book.cells:
        if cell.cell_type == "markdown" and slide:
            yield slide
            slide = []
        if not cell.source.startswith(_SETUP):
            slide.append(cell)
    yield slide


def page(path: Path) -> str:
    """The slides of the notebook at *path* as one page of HTML."""
    book = nbformat.read(path, as_version=4)
    writer = HTMLExporter(template_name="basic", exclude_input_prompt=True, exclude_output_prompt=True)
    parts = []
    for cells in slides(book):
        html, _ = writer.from_notebook_node(new_notebook(cells=cells, metadata=book.metadata))
        parts.append(f"<section>{html}</section>")
    title = book.cells[0].source.splitlines()[0].lstrip("# ")
    text = _PAGE.read_text(encoding="utf-8").replace("{{code}}", HtmlFormatter().get_style_defs(".highlight"))
    return text.replace("{{title}}", escape(title)).replace("{{slides}}", "\n".join(parts))


def make(target: Path) -> list[Path]:
    """Write the slides of the first notebooks into the folder *target*. Gives the files."""
    target.mkdir(parents=True, exist_ok=True)
    made = []
    for name in NAMES:
        made.append(target / f"{name}.slides.html")
        write_text(made[-1], page(SOURCE / f"{name}.ipynb"))
        print(made[-1].name, flush=True)
    return made

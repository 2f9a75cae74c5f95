"""The notebooks as pages without a kernel, as `jupyter nbconvert --to html` makes them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from support import some

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
_MEMORY_ADDRESS = re.compile(r"object at 0x[0-9a-f]+")
_HIDDEN = re.compile(r"<(script|style)\b.*?</\1>", re.DOTALL)


@pytest.fixture(scope="module")
def exporter() -> Any:
    """The exporter of nbconvert, which comes with the notebook application."""
    return pytest.importorskip("nbconvert").HTMLExporter()


@pytest.mark.filterwarnings("ignore")  # of nbconvert's own parts
@pytest.mark.parametrize("path", some(NOTEBOOKS, 4), ids=lambda path: path.stem)
def test_a_notebook_reads_well_without_a_kernel(exporter: Any, path: Path) -> None:
    """The page has everything that a cell shows: no widget that needs a kernel, no bare object repr, no
    external picture."""
    book = nbformat.read(path, as_version=4)
    shown = [output for cell in book.cells for output in cell.get("outputs", []) if "data" in output]
    page, _ = exporter.from_notebook_node(book)
    text = _HIDDEN.sub("", page)
    assert text.count("jp-OutputArea-output") >= len(shown)
    assert "vnd.jupyter.widget-view" not in text
    assert not _MEMORY_ADDRESS.search(text)
    assert not re.search(r"""<(img|link|iframe)\b[^>]*(src|href)=["']https?:""", text)

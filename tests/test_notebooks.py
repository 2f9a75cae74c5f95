"""The stored notebooks were run in order and completely, without traces of a machine. nbval compares their
outputs, and runs every notebook in `notebooks/`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import nbformat
import pytest
from support import together

from sim.spec.tables import read_csv
from tests.tools.refresh_notebooks import FOLDER, check, refresh

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MOST_CELLS = 25

_WIDGETS = """\
import ipywidgets
box = ipywidgets.HBox([ipywidgets.Text("0800"), ipywidgets.Label("MTI")])
box"""


@together("path", NOTEBOOKS, label=lambda path: path.stem)
def test_a_notebook_was_run_in_order(path: Path) -> None:
    """Every code cell has its number and only announced errors; otherwise nbval would compare nothing."""
    assert check(path) == []


@together("path", NOTEBOOKS, label=lambda path: path.stem)
def test_a_notebook_has_one_idea(path: Path) -> None:
    """No notebook has more than 25 cells, and the first one says what it is about."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert len(cells) <= MOST_CELLS
    assert cells[0]["cell_type"] == "markdown"


@together("path", NOTEBOOKS, label=lambda path: path.stem)
def test_no_stored_output_shows_a_card_number(path: Path) -> None:
    """Stored outputs mask the cards that a notebook works with."""
    cards = {row["pan"] for row in read_csv("networks/test_cards")}
    outputs = [
        out
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        for out in cell.get("outputs", ())
    ]
    shown = set(re.findall(r"[0-9]{12,}", json.dumps(outputs)))
    assert not cards & shown


@together("path", NOTEBOOKS, label=lambda path: path.stem)
def test_prose_names_what_the_cells_use(path: Path) -> None:
    """`module.name` in a text is of a module or variable of the notebook, and changes with its name."""
    texts = {"code": "", "markdown": ""}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        texts[cell["cell_type"]] += "".join(cell["source"])
    roots = set(re.findall(r"`([a-z_]+)\.[a-z_]+[`(]", texts["markdown"]))
    assert roots <= {"sim", "panel", *re.findall(r"\w+", texts["code"])}


def test_there_is_a_notebook_to_start_with() -> None:
    """`make lab` opens 00_start_here.ipynb."""
    assert FOLDER / "00_start_here.ipynb" in NOTEBOOKS


def _store(path: Path, *sources: str) -> None:
    book = nbformat.v4.new_notebook()
    book.cells = [nbformat.v4.new_code_cell(source, id=f"c{n}") for n, source in enumerate(sources)]
    nbformat.write(book, path)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the kernel's client
def test_two_runs_store_the_same_bytes(tmp_path: Path) -> None:
    """Two runs store the same bytes, even with widgets, of which only the static part is stored, and
    without paths, as in tracebacks."""
    path = tmp_path / "widgets.ipynb"
    _store(path, "1 + 1", _WIDGETS, "import pathlib\npathlib.Path(b'')")
    book = nbformat.read(path, as_version=4)
    book.cells[-1].metadata["tags"] = ["raises-exception"]
    nbformat.write(book, path)
    refresh(path)
    first = path.read_bytes()
    refresh(path)
    assert path.read_bytes() == first
    assert b"widget-view" not in first
    assert b"HBox" in first
    assert b"TypeError" in first
    assert b"pathlib.py" not in first
    assert check(path) == []


def test_a_cell_that_was_not_run_is_told(tmp_path: Path) -> None:
    """A notebook with cells that were never run is reported."""
    path = tmp_path / "new.ipynb"
    _store(path, "1 + 1")
    assert check(path) == ["new.ipynb, code cell 1: run as None, not in order"]


def test_an_error_needs_a_tag(tmp_path: Path) -> None:
    """A stored error is reported unless the cell is tagged raises-exception."""
    path = tmp_path / "error.ipynb"
    book = nbformat.v4.new_notebook()
    cell = nbformat.v4.new_code_cell("1 / 0", id="c0", execution_count=1)
    cell.outputs = [nbformat.v4.new_output("error", ename="ZeroDivisionError", evalue="", traceback=[])]
    book.cells = [cell]
    nbformat.write(book, path)
    assert check(path) == ["error.ipynb, code cell 1: an error, but no raises-exception tag"]
    cell.metadata["tags"] = ["raises-exception"]
    nbformat.write(book, path)
    assert check(path) == []

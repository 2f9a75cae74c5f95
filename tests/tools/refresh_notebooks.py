"""Run the notebooks and store their outputs so that two runs give the same bytes.

`python tests/tools/refresh_notebooks.py [--check] [NOTEBOOK ...]`: without names, all of `notebooks/`.
With --check nothing is run: a cell that was never run, or out of order, is told, since nbval compares nothing
for a cell without an execution count.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "notebooks"
EXPECTED_ERROR = "raises-exception"  # the tag of a cell that is meant to fail
_VIEW = "application/vnd.jupyter.widget-view+json"
_TIMEOUT = 300.0


def refresh(path: Path) -> None:
    """Run the notebook at *path* in its folder and write it back, without anything that differs by run,
    interpreter or machine. Raises nbclient's CellExecutionError for an error that no tag announces."""
    book = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(path.parent)}}
    client = NotebookClient(
        book, timeout=_TIMEOUT, kernel_name="python3", record_timing=False, resources=where
    )
    client.execute()
    for cell in book.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            if output.output_type == "error":  # a traceback names folders of this machine
                output.traceback = [f"{output.ename}: {output.evalue}"]
    book.metadata["kernelspec"] = {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    }
    book.metadata["language_info"] = {"name": "python"}
    nbformat.write(_without_widgets(book), path)


def _without_widgets(book: Any) -> Any:
    """The notebook without live widgets: what is stored is the text and HTML they show beside, which every
    page can show, with no kernel and no state of a megabyte."""
    book.metadata.pop("widgets", None)
    for cell in book.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(_VIEW, None)
    return book


def check(path: Path) -> list[str]:
    """What is wrong with the stored notebook: cells not run in order, errors that no tag announces."""
    book = nbformat.read(path, as_version=4)
    wrong = []
    code = [cell for cell in book.cells if cell.cell_type == "code" and cell.source.strip()]
    for count, cell in enumerate(code, 1):
        place = f"{path.name}, code cell {count}"
        if cell.execution_count != count:
            wrong.append(f"{place}: run as {cell.execution_count}, not in order")
        failed = any(output.output_type == "error" for output in cell.outputs)
        if failed and EXPECTED_ERROR not in cell.metadata.get("tags", []):
            wrong.append(f"{place}: an error, but no {EXPECTED_ERROR} tag")
    return wrong


def main() -> int:
    """Refresh or check the notebooks named on the command line. Returns 1 when a check finds something."""
    parser = argparse.ArgumentParser(description="Run the notebooks and store their outputs.")
    parser.add_argument(
        "--check", action="store_true", help="run nothing, tell cells that were not run in order"
    )
    parser.add_argument("notebooks", nargs="*", type=Path, help="by default all of them")
    options = parser.parse_args()
    paths = options.notebooks or sorted(FOLDER.glob("*.ipynb"))
    if options.check:
        wrong = [line for path in paths for line in check(path)]
        print(*wrong, sep="\n", end="\n" if wrong else "")
        return int(bool(wrong))
    for path in paths:
        print(f"running {path.name}", flush=True)
        refresh(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())

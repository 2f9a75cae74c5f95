"""Notebooks in a Jupyter server: opened as the kernel expects, stored without machine-dependent data."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from pathlib import Path
from typing import Any

import nbformat
from ipykernel.ipkernel import IPythonKernel
from jupyter_server.services.contents.manager import AsyncContentsManager
from nbformat.sign import NotebookNotary

from server.notebooks import Notebooks

ROOT = Path(__file__).parents[2]
START = "00_start_here.ipynb"


def _keeping(folder: Path) -> Notebooks:
    signed = NotebookNotary(data_dir=str(folder), db_file=":memory:", secret=b"a test")
    return Notebooks(root_dir=str(folder), notary=signed)


def test_a_notebook_is_handed_out_with_the_words_of_its_kernel(tmp_path: Path) -> None:
    """What JupyterLab would write is already there; the rest, and the file, are unchanged."""
    file = Path(shutil.copy(ROOT / "notebooks" / START, tmp_path))
    before = file.read_bytes()
    files = _keeping(tmp_path)
    model = asyncio.run(files.get(START, require_hash=True))
    assert model["content"]["metadata"]["language_info"] == IPythonKernel.language_info
    stored = json.loads(before)
    assert model["content"]["cells"][0]["source"] == "".join(stored["cells"][0]["source"])
    assert file.read_bytes() == before
    assert model["hash"] == asyncio.run(files.get(START, content=False, require_hash=True))["hash"]


def test_a_notebook_saved_unchanged_is_the_file_it_was(tmp_path: Path) -> None:
    """After opening and saving, no Python release is stored, and the notebook is still trusted."""
    file = Path(shutil.copy(ROOT / "notebooks" / START, tmp_path))
    before = json.loads(file.read_bytes())
    files = _keeping(tmp_path)
    files.notary.sign(nbformat.read(file, as_version=4))

    async def resave() -> None:
        model = await files.get(START)
        await files.save(model, START)

    asyncio.run(resave())
    assert json.loads(file.read_bytes()) == before
    assert files.notary.check_signature(nbformat.read(file, as_version=4))


def test_other_kernels_and_files_are_left_alone(tmp_path: Path) -> None:
    """A notebook of another kernel or of none, text and folders are unchanged."""
    language = {"name": "R", "version": "4.4"}
    books: dict[str, dict[str, Any]] = {
        "r.ipynb": {"kernelspec": {"name": "ir", "display_name": "R"}, "language_info": language},
        "bare.ipynb": {},
    }
    for name, metadata in books.items():
        book = {"cells": [], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
        (tmp_path / name).write_text(json.dumps(book), encoding="utf-8")
    (tmp_path / "notes.txt").write_text("text", encoding="utf-8")
    files = _keeping(tmp_path)

    async def read() -> None:
        for name, metadata in books.items():
            model = await files.get(name)
            assert model["content"]["metadata"] == metadata
            await files.save(model, name)
            assert json.loads((tmp_path / name).read_text(encoding="utf-8"))["metadata"] == metadata
        assert (await files.get("notes.txt"))["content"] == "text"
        assert {one["name"] for one in (await files.get(""))["content"]} == {*books, "notes.txt"}

    asyncio.run(read())


def test_make_lab_and_binder_hand_notebooks_out_so() -> None:
    """Both configurations that open the repository's notebooks name the class, and a server accepts it."""
    assert issubclass(Notebooks, AsyncContentsManager)
    name = f"{Notebooks.__module__}.{Notebooks.__qualname__}"
    for place in ("Makefile", "binder/postBuild"):
        assert re.search(rf"contents_manager_class\W+{re.escape(name)}\b", (ROOT / place).read_text()), place

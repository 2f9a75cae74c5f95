"""Notebooks in a Jupyter server: opening one does not change it.

JupyterLab writes the kernel's language information, including the exact Python version, into a notebook with
different metadata (`language_info`), and so marks a notebook as changed that was only opened. This manager
fills in the information of the notebook's future kernel when it opens, and stores only the name of the
language: a notebook saved on another Python differs only in what the user changed.

    jupyter lab --ServerApp.contents_manager_class=server.notebooks.Notebooks
"""

from __future__ import annotations

from functools import cache
from typing import Any

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

NATIVE = "python3"  # the kernel that runs on the Python of the Jupyter server itself
_KEPT = {"name": "python"}


class Notebooks(AsyncLargeFileManager):
    """The files of a folder, stored as by Jupyter's own manager, except for the language of notebooks."""

    async def get(self, path: str, *args: Any, **options: Any) -> dict[str, Any]:
        """The file at *path*, as the parent returns it; a notebook gets its kernel's language information."""
        # The parent has computed trust and hash from the file as stored.
        model: dict[str, Any] = await super().get(path, *args, **options)
        if model["type"] == "notebook" and _is_native(model["content"]):
            model["content"]["metadata"]["language_info"] = _language_of_the_kernel()
        return model

    def check_and_sign(self, nb: Any, path: str = "", **options: Any) -> None:
        """Sign *nb* in its stored form: every notebook passes here before it is stored or trusted."""
        if _is_native(nb):
            nb["metadata"]["language_info"] = dict(_KEPT)
        super().check_and_sign(nb, path, **options)


def _is_native(book: Any) -> bool:
    metadata = book.get("metadata", {}) if isinstance(book, dict) else {}
    kernel = metadata.get("kernelspec")
    return isinstance(kernel, dict) and kernel.get("name") == NATIVE


@cache
def _language_of_the_kernel() -> dict[str, Any]:
    """The language information of this Python's kernel, read with the first notebook."""
    from ipykernel.ipkernel import IPythonKernel

    return dict(IPythonKernel.language_info)

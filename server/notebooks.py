"""Notebooks as a Jupyter server hands them out and keeps them: opening one changes nothing.

JupyterLab writes what the kernel says of its language, the exact Python among it, into a notebook whose
metadata differ from it (`language_info`), and so marks a notebook as changed that somebody only opened. Here
it gets the words of the kernel it will have with the notebook, and what is kept has the name of the language
alone: a notebook saved on another Python differs in nothing but what somebody changed.

    jupyter lab --ServerApp.contents_manager_class=server.notebooks.Notebooks
"""

from __future__ import annotations

from functools import cache
from typing import Any

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

NATIVE = "python3"  # the kernel that runs on the Python of the Jupyter server itself
_KEPT = {"name": "python"}


class Notebooks(AsyncLargeFileManager):
    """The files of a folder, as Jupyter's own manager keeps them; of notebooks, the language apart."""

    async def get(self, path: str, *args: Any, **options: Any) -> dict[str, Any]:
        """The file at *path*, as the parent gives it; in a notebook stands what its kernel will say."""
        # Trust and the hash of what is stored were asked of the file as it stands.
        model: dict[str, Any] = await super().get(path, *args, **options)
        if model["type"] == "notebook" and _is_native(model["content"]):
            model["content"]["metadata"]["language_info"] = _language_of_the_kernel()
        return model

    def check_and_sign(self, nb: Any, path: str = "", **options: Any) -> None:
        """Sign *nb* as it is kept: every notebook passes here before it is stored or trusted."""
        if _is_native(nb):
            nb["metadata"]["language_info"] = dict(_KEPT)
        super().check_and_sign(nb, path, **options)


def _is_native(book: Any) -> bool:
    metadata = book.get("metadata", {}) if isinstance(book, dict) else {}
    kernel = metadata.get("kernelspec")
    return isinstance(kernel, dict) and kernel.get("name") == NATIVE


@cache
def _language_of_the_kernel() -> dict[str, Any]:
    """What the kernel of this Python says of its language; asked for with the first notebook."""
    from ipykernel.ipkernel import IPythonKernel

    return dict(IPythonKernel.language_info)

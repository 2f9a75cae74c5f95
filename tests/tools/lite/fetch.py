"""Fetch what a JupyterLite site is made of: `python tests/tools/lite/fetch.py FOLDER`.

FOLDER gets `pyodide/`, Python for the browser, from npm's registry, and `wheels/`, the packages that run in
it. The kernel that is installed says which Pyodide it wants. All packages are pure Python; a package that
another one needs and that is not in the list is told by `build.py`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

from jupyterlite_pyodide_kernel.constants import PYODIDE_PYTHON_VERSION, PYODIDE_VERSION

_KERNEL = (
    *("asttokens", "comm", "decorator", "executing", "ipython", "ipython-pygments-lexers", "jedi"),
    *("matplotlib-inline", "micropip", "packaging", "parso", "prompt_toolkit", "pure-eval", "pygments"),
    *("stack-data", "traitlets", "typing-extensions", "wcwidth"),
)
_WIDGETS = ("anywidget", "ipywidgets", "jupyterlab_widgets", "psygnal")
_TABLES = ("importlib-resources<6", "tqdm")  # what a registry of codes needs, and what reads many messages
_PROJECT = Path(__file__).parents[3] / "pyproject.toml"
_NOT_SERVED = (".map", ".d.ts", ".html")


def _npm() -> str:
    """The program: the system's, or that of this environment, where a package brings it."""
    own = Path(sys.executable).parent
    return shutil.which("npm") or shutil.which("npm", path=str(own)) or sys.exit("npm was not found")


def fetch_pyodide(folder: Path) -> None:
    """Unpack the npm package into *folder* without what a site does not serve."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    name = f"pyodide@{PYODIDE_VERSION}"
    packed = subprocess.run(
        [_npm(), "pack", "--silent", name], cwd=folder.parent, check=True, capture_output=True, text=True
    )
    archive = folder.parent / packed.stdout.split()[-1]
    with tarfile.open(archive) as files:
        files.extractall(folder.parent, filter="data")
    archive.unlink()
    shutil.rmtree(folder, ignore_errors=True)
    (folder.parent / "package").rename(folder)
    for path in folder.iterdir():
        if path.name.endswith(_NOT_SERVED):
            path.unlink()


def needed() -> list[str]:
    """What this toolkit itself needs, as its project says."""
    wanted: list[str] = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    return wanted


def fetch_wheels(folder: Path) -> None:
    """Download the packages as wheels for any platform."""
    shutil.rmtree(folder, ignore_errors=True)
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"),
        *("--only-binary=:all:", "--platform=any", f"--python-version={PYODIDE_PYTHON_VERSION}"),
        *("--implementation=py", f"--dest={folder}", *_KERNEL, *_WIDGETS, *_TABLES, *needed()),
    ]
    subprocess.run(command, check=True)


def main() -> None:
    """Fetch both."""
    folder = Path(sys.argv[1]).resolve()
    fetch_pyodide(folder / "pyodide")
    fetch_wheels(folder / "wheels")


if __name__ == "__main__":
    main()

"""Is all in the wheel and the sdist that belongs there, and nothing else? `contents.py WHEEL SDIST`."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("sim", "server")
# What an sdist must hold to be built and tested from.
TOP = ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "Makefile", "tests/conftest.py")


def ours() -> set[str]:
    """The files of the packages, as they stand in the checkout."""
    found = (path for room in PACKAGES for path in (ROOT / room).rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in found if "__pycache__" not in path.parts}


def main(wheel: str, sdist: str) -> int:
    """Compare; say what differs. Returns the exit status."""
    with zipfile.ZipFile(wheel) as file:
        inside = {name for name in file.namelist() if ".dist-info/" not in name}
    with tarfile.open(sdist) as packed:
        source = {name.partition("/")[2] for name in packed.getnames()}
    wrong = [f"not in the wheel: {name}" for name in sorted(ours() - inside)]
    wrong += [f"in the wheel: {name}" for name in sorted(inside - ours())]
    wrong += [f"not in the sdist: {name}" for name in sorted({*ours(), *TOP} - source)]
    wrong += [
        f"in the sdist: {name}" for name in sorted(source) if name.endswith((".pyc", ".ipynb_checkpoints"))
    ]
    wrong += [f"not in the wheel: {room}/py.typed" for room in PACKAGES if f"{room}/py.typed" not in inside]
    print("\n".join(wrong) or f"{len(inside)} files in the wheel, {len(source)} in the sdist.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

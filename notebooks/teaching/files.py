"""Files that are whole or not there: written beside their place, and moved into it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def put(path: Path, text: str) -> None:
    """Write *text* to *path*; where it cannot be written, what was there before stays."""
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    beside = Path(name)
    try:
        with os.fdopen(number, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        beside.chmod(0o644)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise

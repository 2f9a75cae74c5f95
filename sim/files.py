"""Files that the toolkit writes: beside their place, and moved there when they are whole. A full disk or a
stopped program leaves what stood there before."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replaced(path: str | Path) -> Iterator[Path]:
    """Where to write what is to stand at *path*: a new file beside it, moved into its place at the end and
    taken away where the writing fails. What is no file (a pipe, `/dev/stdout`) is written to itself, and so
    is one in a folder that takes no new files."""
    place = Path(path)
    target = place.resolve() if place.is_symlink() else place
    written_over = target.is_file()
    if (target.exists() and not written_over) or (written_over and not os.access(target.parent, os.W_OK)):
        yield target
        return
    # The ending stays the last: writers go by it.
    new = target.with_name(f".{target.stem[:100]}.{os.getpid()}{target.suffix}")
    try:
        try:
            yield new
        except OSError as error:
            if error.filename == str(new):  # the name that the caller knows
                error.filename = str(place)
            raise
        if written_over:
            shutil.copymode(target, new)
        new.replace(target)
    finally:
        new.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Have the file at *path* hold *text*, in UTF-8."""
    with replaced(path) as new:
        new.write_text(text, encoding="utf-8")

"""Files: whether there is one, and those that the toolkit writes: each is written next to its destination and
moved there when complete, so that a full disk or a stopped program leaves the old file."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Unlike those of `Path`, False for too long a name, and for a character that no name has.
is_file, is_folder = os.path.isfile, os.path.isdir


@contextmanager
def replaced(path: str | Path) -> Iterator[Path]:
    """The path to write to instead of *path*: a new file next to it, moved into place at the end, or
    removed if writing fails. A path that is not a file (a pipe, `/dev/stdout`), or in a folder that allows
    no new files, is written directly."""
    place = Path(path)
    target = place.resolve() if place.is_symlink() else place
    written_over = target.is_file()
    if (target.exists() and not written_over) or (written_over and not os.access(target.parent, os.W_OK)):
        yield target
        return
    # Keep the file extension, which determines the format in some writers.
    new = target.with_name(f".{target.stem[:100]}.{os.getpid()}{target.suffix}")
    try:
        try:
            yield new
        except OSError as error:
            if error.filename == str(new):  # report the name that the caller knows
                error.filename = str(place)
            raise
        if written_over:
            shutil.copymode(target, new)
        new.replace(target)
    finally:
        new.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write *text* to the file at *path*, in UTF-8."""
    with replaced(path) as new:
        new.write_text(text, encoding="utf-8")

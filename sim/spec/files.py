"""Files that a caller names: what is no name of a file, or no text, is an error of the argument."""

from __future__ import annotations

from pathlib import Path

from sim.errors import OptionError, shown

_LONGEST = 4096  # characters: more than any path of Linux, macOS or Windows has


def path_of(option: str, given: str | Path) -> Path:
    """*given* as a path. Raises OptionError naming *option* where no file can have that name.

    >>> path_of("suite", "lab.toml").suffix
    '.toml'
    """
    text = str(given)
    if not text or "\0" in text or len(text) > _LONGEST or not _encodable(text):
        raise OptionError(option, "the name of a file, or its text", shown(text))
    return Path(given)


def text_of(option: str, given: str | Path) -> str:
    """The text of a caller's file. Raises OptionError naming *option* where it is no UTF-8 text, OSError
    where there is none."""
    path = path_of(option, given)
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise OptionError(option, "UTF-8 text", f"other bytes in {path.name}") from None


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True

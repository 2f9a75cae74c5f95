"""Files that a caller names: an invalid file name, or a file that is not text, is an error of the
argument, and no error repeats a card number that was passed as a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from sim.errors import OptionError, quoted_value
from sim.masking import mask_words

_NO_NAME = re.compile("[\0\ud800-\udfff]")
_LONGEST = 4096  # characters: more than any path of Linux, macOS or Windows has
_LONGEST_NAME = 255  # characters of a file or folder name in it


def path_of(option: str, given: str | Path) -> Path:
    """*given* as a path. Raises OptionError that names *option* if no file can have that name.

    >>> path_of("suite", "lab.toml").suffix
    '.toml'
    """
    if not isinstance(given, str | PathLike):
        raise OptionError(option, "the name of a file, or its text", quoted_value(given))
    text = str(given)
    longest = max(map(len, Path(text).parts), default=0)
    if not text or _NO_NAME.search(text) or len(text) > _LONGEST or longest > _LONGEST_NAME:
        raise OptionError(option, "the name of a file, or its text", quoted_value(text))
    return Path(given)


def text_of(option: str, given: str | Path) -> str:
    """The text of a caller's file. Raises OptionError that names *option* if it is not UTF-8, OSError if
    it does not exist."""
    path = path_of(option, given)
    try:
        with masked_names():
            return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise OptionError(option, "UTF-8 text", f"other bytes in {mask_words(path.name)}") from None


@contextmanager
def masked_names() -> Iterator[None]:
    """Inside, an OSError names its file with card numbers masked: a card number passed as a path is most
    likely to be a file that does not exist.

    >>> with masked_names():
    ...     open("4111111111111111")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: '411111******1111'
    """
    try:
        yield
    except OSError as error:
        error.args = tuple(mask_words(item) if isinstance(item, str) else item for item in error.args)
        for name in ("strerror", "filename"):
            if (value := getattr(error, name)) is not None:
                setattr(error, name, mask_words(str(value)))
        raise

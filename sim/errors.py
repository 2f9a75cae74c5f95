"""The exceptions of the toolkit.

One tree under `IsoError`, which is a `ValueError`: `ParseError` speaks of text that came in
(`WireError` of bytes), `BuildError` of elements to be written, `SpecError` of the toolkit's own tables.
Every error locates: field, offset, expected, found. Texts never hold card data: `found` is a
count, a length prefix or an already masked value.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

MTI_FIELD = 0
BITMAP_FIELD = 1


def element_label(field: int | None) -> str:
    """How a sentence names a data element: `MTI`, `bitmap`, `DE 4`, or `message` for the whole."""
    if field is None:
        return "message"
    return {MTI_FIELD: "MTI", BITMAP_FIELD: "bitmap"}.get(field, f"DE {field}")


@lru_cache(maxsize=4096)
def locate(field: int | None, offset: int | None, expected: str, found: str, unit: str = "offset") -> str:
    """The one sentence in which errors and findings say what is wrong where; *unit* is what *offset*
    counts, `byte` where it is no character of the text form.

    >>> locate(4, 36, "n 12", "7 characters")
    'DE 4 at offset 36: expected n 12, found 7 characters'
    """
    place = element_label(field) + ("" if offset is None else f" at {unit} {offset}")
    return f"{place}: expected {expected}, found {found}"


class IsoError(ValueError):
    """Base of all errors. `field` 0 is the MTI, 1 the bitmap, None the message as a whole;
    `offset` counts characters of the text form from 0, in a `WireError` bytes, in a `SpecError` lines
    from 1."""

    unit = "offset"

    def __init__(
        self,
        field: int | None,
        offset: int | None,
        expected: str,
        found: str,
        partial: Any = None,
    ) -> None:
        super().__init__(locate(field, offset, expected, found, self.unit))
        self.field = field
        self.offset = offset
        self.expected = expected
        self.found = found
        self.partial = partial

    def __reduce__(self) -> tuple[Any, ...]:
        # ValueError would rebuild from its one text argument and lose the attributes.
        return type(self), (self.field, self.offset, self.expected, self.found, self.partial)


class ParseError(IsoError):
    """A text is not a message of its version. `partial` is the Message read up to the misfit,
    or None where not even the MTI and bitmap could be read. `part` says what does not fit: the `mti`, the
    `bitmap`, a length `prefix`, a `value` or the `end` of the text; `wanted` how many characters it has."""

    def __init__(
        self,
        field: int | None,
        offset: int | None,
        expected: str,
        found: str,
        partial: Any = None,
        part: str = "",
        wanted: int = 0,
    ) -> None:
        super().__init__(field, offset, expected, found, partial)
        self.part = part
        self.wanted = wanted

    def __reduce__(self) -> tuple[Any, ...]:
        made, given = super().__reduce__()
        return made, (*given, self.part, self.wanted)


class WireError(ParseError):
    """Bytes are not a message of their format: a ParseError whose `offset` counts bytes from 0."""

    unit = "byte"


class BuildError(IsoError):
    """Elements cannot be written as a message: a value of the wrong length, an unknown element, an
    option of generate that cannot be met (then `option` is its name)."""

    option: str | None = None

    @classmethod
    def of_option(cls, option: str, field: int | None, expected: str, found: str) -> BuildError:
        """The error of an option that cannot be met; *field* is the element it would fill."""
        error = cls(field, None, f"{option} as {expected}", found)
        error.option = option
        return error


class SpecError(IsoError):
    """A table is not what the code expects: an unknown version, a bad row. In a file of somebody's own
    `offset` is the line."""

    unit = "line"

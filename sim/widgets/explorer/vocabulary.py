"""The names of a log's columns in a filter."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from dataclasses import dataclass

from sim.masking import mask_words
from sim.operations.search import elements_called
from sim.spec.elements import spec

# Common names of columns, and the columns meant, of which the first that a message has counts.
NAMES: dict[str, tuple[str, ...]] = {
    "card": ("DE2", "DE35"),
    "pan": ("DE2", "DE35"),
    "amount": ("DE4",),
    "stan": ("DE11",),
    "expiry": ("DE14",),
    "mcc": ("DE18",),
    "entry": ("DE22",),
    "rrn": ("DE37",),
    "approval": ("DE38",),
    "response": ("DE39",),
    "terminal": ("DE41",),
    "merchant": ("DE42", "DE43"),
    "currency": ("DE49",),
    "chip": ("DE55",),
    "verdict": ("verdict",),
}
_LAST = 128
ELEMENT = re.compile(r"(?:DE|F|field|bit)?[ -]?0*([1-9][0-9]{0,2})", re.IGNORECASE)
_PART = re.compile(r"(?:DE|field)[ -]?0*([1-9][0-9]{0,2})[./]([0-9A-Za-z.]+)", re.IGNORECASE)


class FilterError(ValueError):
    """A filter without a meaning; the text says why and shows no card number."""

    def __init__(self, text: str) -> None:
        super().__init__(mask_words(text))


@dataclass(frozen=True)
class Vocabulary:
    """The names of a log's columns: `columns` of its table, `versions` of its messages."""

    columns: Collection[str]
    versions: tuple[str, ...]

    def named(self, name: str) -> tuple[str, ...]:
        """The columns that *name* means, if any. Raises FilterError for an unknown element or a part."""
        name = " ".join(name.casefold().split())
        if part := _PART.fullmatch(name):
            number, path = part[1], part[2].upper()
            why = f"a filter sees whole elements; try DE{number}~{path} or a text."
            raise FilterError(f"DE{number}.{path}: {why}")
        if element := ELEMENT.fullmatch(name):
            number = int(element[1])
            if not 2 <= number <= _LAST:
                if name[0].isdigit():  # a text
                    return ()
                raise FilterError(f"There is no DE{number}; elements are DE2 to DE{_LAST}.")
            return (f"DE{number}",)
        if name in NAMES:
            return NAMES[name]
        if name in self.columns:
            return (name,)
        if "_" in name or not name:
            return ()
        return tuple(f"DE{number}" for number in elements_called(name, self.versions))

    def unknown(self, name: str) -> FilterError:
        """The error for an unknown name, with a suggestion."""
        words = " ".join(name.replace("_", " ").casefold().split())
        near = [f"DE{number}" for number in elements_called(words, self.versions)]
        for column in difflib.get_close_matches(words, [*NAMES, *self.columns], 1, 0.75):
            near += NAMES.get(column, (column,))
        hint = f"; did you mean {near[0]}?" if near else f'. To search for the text, quote it: "{name}".'
        return FilterError(f"There is no column {name}{hint}")

    def is_amount(self, column: str) -> bool:
        """Whether *column* contains amounts in minor units, signed or not."""
        if not column.startswith("DE"):
            return False
        elements = [spec(version)[int(column[2:])] for version in self.versions]
        return any(
            element.content in ("n", "x+n") and element.name.casefold().startswith("amount")
            for element in elements
        )

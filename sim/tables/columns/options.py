"""How messages are read: the options of `sim.read`, checked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from sim.codec.wire import Format, interface_table
from sim.errors import OptionError, quoted_value
from sim.operations.search import elements_called
from sim.spec import VERSIONS, Spec
from sim.spec.spellings import several
from sim.tables.columns.lines import Finder, finder

Selector = int | str

_ACCOUNTS = frozenset({2, 35, 45})  # the elements that identify the network
ALL = range(2, 129)
_COLUMNS = "a data element 2 to 128, as 4, 'DE4' or its name"


@dataclass(frozen=True, slots=True)
class Options:
    """How messages are read; see `sim.read`. *files* adds the column with the file name."""

    version: str | None = None
    network: str | None = None
    validate: bool = False
    columns: Iterable[Selector] | None = None
    start: int | None = None
    pattern: str | re.Pattern[str] | None = None
    files: bool = False
    format: Format | str | None = None
    framing: tuple[str, ...] | None = None
    interface: str = ""

    def checked(self) -> Options:
        """The same options with the elements as numbers. Raises OptionError for an unknown element,
        ValueError if *start* and *pattern* are both given."""
        finder(self.start, self.pattern)
        return replace(self, columns=self.numbers)

    @property
    def numbers(self) -> tuple[int, ...] | None:
        """The elements that get a column; None for all that occur."""
        if self.columns is None:
            return None
        tables = tables_of(self.interface).values()
        names = several("columns", self.columns, _COLUMNS)
        return tuple(dict.fromkeys(number for name in names for number in self._numbers_of(name, tables)))

    def _numbers_of(self, column: Selector, tables: Iterable[Spec]) -> list[int]:
        """The elements called *column*: 4, "DE4", or a name in the version (else in any) or in one of
        *tables*, in any letter case. Raises OptionError for an unknown one."""
        name = str(column).casefold()
        own = {at.number for table in tables for at in table.elements if at.name.casefold() == name}
        numbers = own.union(elements_called(str(column), (self.version,) if self.version else VERSIONS))
        if not numbers or isinstance(column, bool):
            raise OptionError("columns", _COLUMNS, quoted_value(column))
        return sorted(numbers)

    @property
    def find(self) -> Finder:
        """A function that finds the message in each line."""
        return finder(self.start, self.pattern)

    @property
    def unlocated(self) -> bool:
        """Whether the position of the message in its line is unknown."""
        return self.start is None and self.pattern is None

    @property
    def wanted(self) -> frozenset[int] | None:
        """The elements to read, None for all."""
        return None if self.numbers is None or self.validate else frozenset(self.numbers) | _ACCOUNTS


def tables_of(interface: str) -> dict[str, Spec]:
    """The element tables of an *interface*, by version; empty if none is given."""
    return {version: interface_table(interface, version) for version in VERSIONS} if interface else {}

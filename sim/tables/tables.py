"""The tables of the notebook interface: DataFrames that mask card data in every display.

Cells contain the true values, because the message table is the message; `repr`, HTML, `to_string`, `style`
and the like show masked ones, also for columns, rows and everything else that pandas derives from a table.
Exports (`to_csv`, `to_dict`, `to_json`, `tolist`) and single cells give the true values.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from sim.grid import Grid, Page, as_html, as_plain
from sim.masking import mask_piece
from sim.masking.texts import LONG_HEX, STAR
from sim.tables import render
from sim.tables.argument import facts_of
from sim.tables.card_data import (
    CardData,
    CardDataType,
    Cover,
    Secret,
    differ,
    least,
    shown_cell,
    shown_column,
    shown_labels,
    shown_values,
)

if TYPE_CHECKING:
    from sim.paste.reading import Reading

    _Series = pd.Series[Any]
else:
    _Series = pd.Series

NUMBER = "number"
INTEGER = "Int64"
# Not the Arrow-backed strings: those refuse a lone surrogate, and any text must give a table.
TEXT = pd.StringDtype("python", na_value=np.nan)
_NUMBERS = frozenset({"number", "field", "start", "end", "exponent"})
_SHORT = 6


def columns_of(
    names: Sequence[str], rows: Sequence[Sequence[object]], counts: Collection[str] = ()
) -> dict[str, pd.Series]:
    """Rows as columns with fixed dtypes (nullable integers, texts, and integers for *counts*), even without
    rows."""
    cells = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    dtypes = ("int64" if name in counts else INTEGER if name in _NUMBERS else TEXT for name in names)
    return {
        name: pd.Series(list(column), dtype=dtype)
        for name, column, dtype in zip(names, cells, dtypes, strict=True)
    }


def columns_from(
    items: Iterable[Any],
    columns: Iterable[str] | Mapping[str, str | Callable[[Any], object]],
    counts: Collection[str] = (),
) -> dict[str, pd.Series]:
    """*items* as columns: each is the attribute of that name, or the attribute or function that *columns*
    gives for it."""
    sources = columns if isinstance(columns, Mapping) else {name: name for name in columns}
    readers = [attrgetter(source) if isinstance(source, str) else source for source in sources.values()]
    rows = [[_cell(read(item)) for read in readers] for item in items]
    return columns_of([*sources], rows, counts)


def _cell(value: object) -> object:
    """A word of an enumeration as a text; several texts as one."""
    if isinstance(value, tuple):
        return ", ".join(value)
    return str(value) if isinstance(value, StrEnum) else value


@dataclass(frozen=True)
class TextsShown:
    """How known texts are masked; others by their appearance, and every long run of hex digits entirely."""

    pairs: frozenset[tuple[str, str]]

    @cached_property
    def _masked_by_text(self) -> dict[str, str]:
        texts: dict[str, str] = {}
        for text, masked in self.pairs:
            # A short value may mean something else elsewhere.
            elsewhere = text in texts and len(text) <= _SHORT
            texts[text] = text if elsewhere else least([masked, texts.get(text, masked)])
        return texts

    def __call__(self, text: str) -> str:
        known = self._masked_by_text.get(text)
        return mask_piece(LONG_HEX.sub(_hidden, text)) if known is None else known


def _hidden(run: re.Match[str]) -> str:
    return run[0] if run[0].isdecimal() else STAR * len(run[0])


class _Display:
    """Shared by `Table` and `Column`: every display uses `masked()`."""

    if TYPE_CHECKING:

        def masked(self) -> Any: ...

    def to_string(self, *args: Any, **kwargs: Any) -> Any:
        return render.printable(self.masked()).to_string(*args, **kwargs)

    def to_markdown(self, *args: Any, **kwargs: Any) -> Any:
        return render.printable(self.masked()).to_markdown(*args, **kwargs)

    def to_latex(self, *args: Any, **kwargs: Any) -> Any:
        return self.masked().to_latex(*args, **kwargs)

    def _repr_latex_(self) -> Any:
        return self.masked()._repr_latex_()

    def _repr_data_resource_(self) -> Any:
        return self.masked()._repr_data_resource_()


class Column(_Display, _Series):
    """A column or row of a `Table`."""

    @property
    def _constructor(self) -> type[Column]:
        return Column

    @property
    def _constructor_expanddim(self) -> type[Table]:
        return Table

    def value_counts(self, *args: Any, **kwargs: Any) -> Any:
        return Column(super().value_counts(*args, **kwargs))  # pandas returns a plain Series

    def masked(self) -> pd.Series[Any]:
        """The masked cells as a plain Series."""
        column = shown_column(pd.Series(self))
        column.index = shown_labels(column.index)
        return column.rename(shown_cell(column.name))  # type: ignore[call-overload, no-any-return]

    def __repr__(self) -> str:
        return repr(render.printable(self.masked()))


class Table(_Display, pd.DataFrame):  # describe is final in the stubs
    """A DataFrame displayed in this project's layout, with card data masked."""

    # Columns with values of data elements, and columns of texts that are already masked.
    _value_columns: tuple[str, ...] = ()
    _safe_columns: tuple[str, ...] = ()
    # Columns that a display omits if they are empty or all zeros, and those that it always omits.
    _when_empty: tuple[str, ...] = ()
    _never: tuple[str, ...] = ()
    _nothing = ""
    _rules = ""  # the column of rule ids, if any
    # Objects of the table, such as its exchange; `attrs` are copied deeply and written to files.
    _metadata = ["held"]  # noqa: RUF012, pandas wants a list
    held: Mapping[str, Any] = {}

    @property
    def _constructor(self) -> Callable[..., Any]:
        return type(self)

    @property
    def _constructor_sliced(self) -> Callable[..., Any]:
        return Column

    def _version_of(self, column: str) -> str:
        """The version that the values of *column* are read as."""
        return "1987"

    def _shown_values(self, column: str) -> list[object]:
        """The cells of one value column, each masked as its row's data element."""
        plain = pd.DataFrame(self)
        numbers, values = plain[NUMBER].tolist(), plain[column].tolist()
        shown = shown_values(numbers, values, self._version_of(column), facts_of(self))
        # A row taken out of its table may contain the PAN, which only the whole table can recognize.
        return [
            least([str(masked), cell.shown]) if isinstance(cell, Secret) else masked
            for masked, cell in zip(shown, plain[column], strict=True)
        ]

    def to_dict(self, *args: Any, **kwargs: Any) -> Any:
        return self.plain().to_dict(*args, **kwargs)

    def plain(self) -> pd.DataFrame:
        """The table as a plain DataFrame, whose texts are not masked."""
        frame = pd.DataFrame(self).copy(deep=False)
        for at, texts in enumerate(self.dtypes):
            if isinstance(texts, CardDataType):
                frame.isetitem(at, frame.iloc[:, at].astype("str").array)
        return frame

    def covering(self) -> Self:
        """The table, with value columns that mask themselves in everything that pandas derives from them."""
        for column in self._numbered():
            texts = pd.DataFrame(self)[column]
            pairs = zip(texts.tolist(), self._shown_values(column), strict=True)
            known = frozenset((text, str(masked)) for text, masked in pairs if isinstance(text, str))
            self[column] = CardData(texts.array, Cover(frozenset({TextsShown(known)})))
        return self

    def _numbered(self) -> tuple[str, ...]:
        """The value columns whose rows have an element number."""
        labels = self.columns
        if not labels.is_unique or NUMBER not in labels:
            return ()
        return tuple(column for column in self._value_columns if column in labels)

    def masked(self) -> pd.DataFrame:
        """The table as a plain DataFrame with masked cells."""
        plain = pd.DataFrame(self).copy(deep=False)
        plain.attrs = {}
        for at, (before, cells) in enumerate(self._masked_columns()):
            if differ(cells, before):
                # Arrow strings reject a lone surrogate.
                column: Any = pd.Series(cells, index=plain.index, dtype=object)
                plain.isetitem(at, column)
        plain.index = shown_labels(plain.index)
        plain.columns = shown_labels(plain.columns)
        return plain

    def _masked_columns(self) -> Iterator[tuple[list[Any], list[Any]]]:
        """The cells of each column, and the same masked."""
        plain, numbered = pd.DataFrame(self), self._numbered()
        for at, label in enumerate(plain.columns):
            cells = list(plain.iloc[:, at])
            if label in numbered:
                yield cells, self._shown_values(str(label))
            elif numbered and label in self._safe_columns:
                yield cells, cells
            else:
                yield cells, [shown_cell(cell) for cell in cells]

    def left_out(self) -> set[str]:
        """Columns that displays omit: empty ones, and those that another one repeats."""
        empty = {name for name in self._when_empty if name in self.columns and not self._has_text(name)}
        return empty | set(self._never) if "message" in self.columns else empty

    def _has_text(self, column: str) -> bool:
        cells = pd.DataFrame(self)[column]  # of a comparison, two columns
        return bool((cells.notna() & (cells != "") & (cells != 0)).to_numpy().any())

    def _title(self) -> str:
        complete = all(column in self.columns for column in (*self._when_empty, *self._value_columns))
        return self._nothing if complete and not len(self) else ""

    def __repr__(self) -> str:
        return as_plain(self.drawn(), self.heading()) if len(self) else self.heading()

    def _repr_html_(self) -> str:
        if not len(self):
            return f"<p>{html.escape(self.heading())}</p>"
        return as_html(self.drawn(), self.heading())

    def drawn(self) -> Grid:
        """The grid that a display draws: card data masked; of a long table only the rows at both ends."""
        return self._drawn(*render.shown_rows(len(self), len(self.columns)))

    def drawn_of(self, places: Sequence[int]) -> Grid:
        """The grid of the rows at *places*, counted from 0."""
        return self._drawn(places)

    def _drawn(self, rows: Sequence[int | None], note: str = "") -> Grid:
        return render.grid(self.masked(), self.left_out(), rows, note, self._rules)

    def heading(self) -> str:
        """The text above the rows of a display, or instead of rows if there are none."""
        if len(self):
            return self._title()
        return self._title() or f"No rows. Columns: {', '.join(map(str, self.columns))}"

    def _display_(self) -> Any:
        # marimo calls this first; its own viewer of DataFrames would show unmasked cells.
        return Page(self._repr_html_())

    def to_html(self, *args: Any, **kwargs: Any) -> Any:
        return self.masked().to_html(*args, **kwargs)

    def to_csv(self, *args: Any, **kwargs: Any) -> Any:
        """Write the true values as CSV; a text that a spreadsheet would read as a formula gets an
        apostrophe in front, which `sim.read` removes."""
        return render.without_formulas(self).to_csv(*args, **kwargs)

    def to_excel(self, *args: Any, **kwargs: Any) -> Any:  # type: ignore[misc]  # final in the stubs
        """Write the true values as a workbook, as `to_csv` does."""
        return render.without_formulas(self).to_excel(*args, **kwargs)

    @property
    def style(self) -> Any:
        from sim.tables.styling import styler

        return styler(self.masked())


def held(table: pd.DataFrame, name: str) -> Any:
    """An object of the table. Raises TypeError if pandas made the table of several."""
    objects: Mapping[str, Any] = getattr(table, "held", {})
    if name not in objects:
        raise TypeError(f"no {name} here: this table was joined of others, or read from a file")
    return objects[name]


class View:
    """The `.iso` of *table*: properties of the whole, computed from its current rows."""

    def __init__(self, table: pd.DataFrame) -> None:
        self._table = table

    @property
    def _facts(self) -> dict[str, Any]:
        return facts_of(self._table)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f".iso has no {name!r}; it has {', '.join(self._names())}")

    def _names(self) -> Iterator[str]:
        cls = type(self)
        return (f"{name}()" if callable(getattr(cls, name)) else name for name in dir(cls) if name[0] != "_")

    def __repr__(self) -> str:
        return f"<iso: {', '.join(self._names())}>"


class AskedTable(Table):
    """A table of several messages about which a language model can be asked."""

    if TYPE_CHECKING:

        def _together(self) -> tuple[list[tuple[str, Reading]], str, Iterable[int]]:
            """The name and reading of each message, what the rules say about all of them, and the elements
            in which two differ."""

    def ask(
        self, question: str, *, language: str = "en", provider: str | None = None, model: str | None = None
    ) -> str:
        """Ask a language model about the messages.

        Parameters
        ----------
        question
            "Why was it reversed, and what remains held?"
        language
            Language of the answer: en, de, es, pt or fr.
        provider
            The language model provider to ask; see `sim.llm.status()`.
        model
            Name of the provider's model. Default: the provider's usual one.

        Returns
        -------
        str
            The answer. A sentence that the messages contradict is struck out (~~...~~); one that they
            do not prove comes at the end, as not checked. If none is supported, the rules explain.

        Raises
        ------
        OptionError
            *question* is not a text, or is too long.
        LlmError
            The language model failed or is not available.
        """
        from sim import models
        from sim.models.telling import Together

        parts, summary, differing = self._together()
        both = Together(tuple(parts), summary, frozenset(differing))
        return models.explain(both, provider=provider, model=model, ask=question, language=language).summary


_PLAIN, _HTML = "text/plain", "text/html"


def guard_displays(formatter: Any) -> None:
    """Make IPython's *formatter* (`shell.display_formatter`) show tables and their columns only by their
    own text and HTML. Everything else is displayed as before."""
    usual = formatter.format

    def shown(
        obj: object, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        if not isinstance(obj, Table | Column):
            usual_bundle: tuple[dict[str, Any], dict[str, Any]] = usual(obj, include, exclude)
            return usual_bundle
        bundle = {_PLAIN: repr(obj)}
        # A terminal shell does not use HTML.
        if isinstance(obj, Table) and formatter.formatters[_HTML].enabled:
            bundle[_HTML] = obj._repr_html_()
        kinds = set(bundle if include is None else include) - set(exclude or ())
        return {kind: text for kind, text in bundle.items() if kind in kinds}, {}

    formatter.format = shown

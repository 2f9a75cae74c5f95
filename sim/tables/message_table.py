"""One message as a table, and its `.iso` view.

Whatever follows from the rows is computed at every call, so that it stays true after an edit; the rest
(source, notes, explicit choices) is kept in `attrs`. Row labels, 0 to n, look like element numbers but are
not: `table.iso[4]` is the element.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from sim import operations
from sim.codec import Message, ParseError, build
from sim.elements.card import chosen_network
from sim.errors import BITMAP_FIELD, BuildError, size
from sim.grid import as_html
from sim.operations import chosen_version, copying, explain
from sim.operations.anatomy import READ, UNREAD, Anatomy, Place, dissect
from sim.operations.explanation import SOURCE_RULES, Told, explain_so_far
from sim.operations.rewriting import shown_text
from sim.paste.reading import TEXT_TITLE, Reading
from sim.spec import spec
from sim.tables.argument import digest, facts_of, is_pinned, leniently, readable, take
from sim.tables.card_data import element_number
from sim.tables.tables import INTEGER, NUMBER, Table, View, columns_of

COLUMNS = ("number", "name", "format", "value", "meaning", "start", "end", "finding", "hint")
BYTE_COLUMNS = ("byte_start", "byte_end")
_DERIVED = ("name", "format", "meaning", "start", "end", "value")


class RawMessage(str):
    """The text of a message. It is the complete text wherever it is used as one (`print`, `==`, slices,
    files, JSON); only its repr, which notebooks store as a cell's output, omits the elements.

    >>> RawMessage("08002020000000000000990000123456")
    RawMessage('08002020000000000000…', 32 characters, masked; print() shows it all)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        note = f"{size(self)}, masked; print() shows it all"
        view = dissect(str(self), chosen_version(str(self), None))
        if view.fault is not None:
            return f"RawMessage({note})"  # an apparent MTI and bitmap may be a card number
        return f"RawMessage('{view.shown_text[: view.places[1].end]}…', {note})"


class MessageTable(Table):
    """One message, one row per data element, as `sim.parse` describes it: change a cell, and the message
    changes. `.iso` has the properties of the whole message."""

    _value_columns = ("value",)
    _safe_columns = ("name", "format", "meaning", "finding", "hint")
    _when_empty = ("finding", "hint")

    if TYPE_CHECKING:

        @property
        def iso(self) -> MessageView: ...

    def _version_of(self, column: str) -> str:
        if version := facts_of(self).get("version"):
            return str(version)
        cells = zip(*(pd.DataFrame(self)[name].tolist() for name in (NUMBER, "value")), strict=True)
        texts = (value for number, value in cells if element_number(number) == 0)
        mti = next((text for text in texts if isinstance(text, str)), "")
        return chosen_version(mti, None) if mti else str(facts_of(self).get("read_as", "1987"))

    def _title(self) -> str:
        if not self._has_all_rows():
            return ""
        summary = MessageView(self).summary if facts_of(self).get("explained") else ""
        return "\n".join(filter(None, (self._head(), summary)))

    def _repr_html_(self) -> str:
        if not (len(self) and facts_of(self).get("explained") and self._has_all_rows()):
            return super()._repr_html_()
        # HTML can link each sentence to the rows it is about.
        numbers = tuple(element_number(cell) for cell in pd.DataFrame(self)[NUMBER].tolist())
        drawn = self.drawn()
        linked = drawn if len(drawn.rows) != len(numbers) else replace(drawn, numbers=numbers)
        return as_html(linked, self._head(), MessageView(self).sentences)

    def _head(self) -> str:
        """How the input was read, and whether it has more messages; empty for a single text form."""
        facts = facts_of(self)
        read_as = f"Read as {MessageView(self).read_as}." if "recognised" in facts else ""
        count = facts.get("messages", 1)
        more = f"The first of {count} messages: use sim.read for all of them." if count > 1 else ""
        return f"{read_as} {more}".strip()

    def _has_all_rows(self) -> bool:
        """Whether no row was removed since the table was made."""
        return len(self) == facts_of(self).get("rows") and bool(self._numbered())


class MessageView(View):
    """The message in the rows of a table. Everything is computed from the current rows."""

    def __getitem__(self, number: int) -> str:
        """The value of an element by its number, as `table.iso[4]`; 0 is the MTI. Raises KeyError if the
        message does not have it."""
        places = self._places(number)
        if not places:
            raise KeyError(f"the message has no DE {number}")
        return str(self._table["value"].tolist()[places[0]])

    def __setitem__(self, number: int, value: str) -> None:
        """Set the value of an element in the table, as `table.iso[4] = "000000002500"`; a new element gets
        a row. (To remove one, leave its row out: `table[table["number"] != 60]`.) Raises ValueError for the
        bitmap, which follows from the elements, TypeError for a value that is not a text."""
        if number == BITMAP_FIELD:
            raise ValueError("the bitmap is derived from the elements; set an element instead")
        if not isinstance(value, str):
            hint = f"a text, as in .iso[{number}] = {str(value)!r}" if isinstance(value, int) else "a text"
            raise TypeError(f"DE {number}: expected {hint}, found {type(value).__name__}")
        places = self._places(number)
        if places:
            self._write(places[0], "value", value)
        else:
            self._insert(number, value)
        self._update(number)

    def _places(self, number: int) -> list[int]:
        """The positions of the rows of element *number*. Raises TypeError if it is not a number."""
        if isinstance(number, bool) or not isinstance(number, int):
            raise TypeError(f"an element has a number, as in .iso[4], not {type(number).__name__}")
        cells = pd.DataFrame(self._table)["number"].tolist()
        return [at for at, cell in enumerate(cells) if element_number(cell) == number]

    def _write(self, at: int, column: str, value: str) -> None:
        cells = self._table[column].copy()
        cells.iloc[at] = value
        self._table[column] = cells.array

    def _insert(self, number: int, value: str) -> None:
        """Add a row at the position of its number. Raises SpecError for an unknown element."""
        table = self._table
        _ = spec(self._facts.get("version") or "1987")[number]
        label = max((at for at in table.index if isinstance(at, int)), default=-1) + 1
        row: Any = {"number": number, "value": value}
        table.loc[label] = [row.get(column, pd.NA) for column in table.columns]
        order = pd.Series(table["number"].array).argsort(kind="stable")
        for column in table.columns:
            table[column] = table[column].iloc[order].array

    def _update(self, number: int) -> None:
        """Update the columns that follow from the values. While the rows are not a message, the new value of
        element *number* has no meaning, and the other rows do not change."""
        table, facts = self._table, {**self._facts, "rows": len(self._table)}
        try:
            reading = self._reading()
            reading.whole()
        except (BuildError, ParseError):
            for at in self._places(number) if "meaning" in table.columns else ():
                self._write(at, "meaning", "")
        else:
            fresh = table_of(reading)
            for column in _DERIVED if len(fresh) == len(table) else ():
                if column in table.columns:
                    table[column] = fresh[column].array
            facts["bitmap"] = facts_of(fresh).get("bitmap", facts.get("bitmap"))
        table.attrs["iso"] = facts

    @property
    def message(self) -> RawMessage:
        """The raw text; for a broken message, its joined pieces. Raises BuildError that names the element
        whose value is invalid."""
        reading = self._reading()
        if reading.complete and reading.message is not None and reading.raw is None:
            return RawMessage(build(reading.message))
        return RawMessage(shown_text(reading))

    def to_message(self) -> Message:
        """The message as a `Message`. Raises BuildError if the rows are not a message."""
        return readable(self._reading())

    @property
    def mti(self) -> str:
        """The message type indicator."""
        return leniently(self._table).mti

    @property
    def version(self) -> str:
        """The version the message is read as: the chosen one, otherwise that of its MTI."""
        return leniently(self._table).version

    @property
    def network(self) -> str | None:
        """The chosen network, otherwise the card's; None if neither is known."""
        return chosen_network(leniently(self._table), self._facts.get("network"))

    @property
    def source(self) -> str:
        """Where the message or its summary came from: `template`, `rules`, `llm:<provider>/<model>`;
        empty for a text that was parsed."""
        facts = self._facts
        return str(facts["told_by"]) if self._model_summary() else str(facts.get("source", ""))

    @property
    def read_as(self) -> str:
        """What the paste was recognized as, in one line: notation, framing, format and confidence; `text
        form` for the text form."""
        return str(self._facts.get("recognised", {}).get("read_as", TEXT_TITLE))

    @property
    def notes(self) -> tuple[str, ...]:
        """What was assumed when the message was generated, one sentence each."""
        return tuple(self._facts.get("notes", ()))

    @property
    def plan(self) -> Table | None:
        """The plan of the description that the message was generated from; None, because this one was not."""
        return None

    @property
    def exchange(self) -> Table | None:
        """The exchange in the description that the message was generated from; None, as for `plan`."""
        return None

    @property
    def lossless(self) -> bool | None:
        """None, because this message was not converted."""
        return None

    @property
    def summary(self) -> str:
        """The message in plain English; for a text that does not parse, what could be read. A language
        model's text is kept until a cell is changed."""
        return " ".join(sentence.sentence for sentence in self.sentences)

    @property
    def sentences(self) -> tuple[Told, ...]:
        """The sentences of the summary, each with the numbers of its elements (0 is the MTI); a model's
        text, and that of a broken message, is one sentence without numbers."""
        try:
            words = self._model_summary()
            if not words:
                return explain(self.to_message(), network=self._facts.get("network")).told
        except BuildError:
            words = self._so_far()
        return (Told(words, ()),)

    @property
    def valid(self) -> bool:
        """Whether neither the standard nor the message's own network finds an error."""
        try:
            reading = self._reading()
        except BuildError:
            return False
        return operations.verdict_on(reading).valid

    def to_dict(self, *, masked: bool = True) -> dict[str, str]:
        """The message as `{"mti": "0800", "11": "000042"}`, as `sim.build` accepts it; `{"text",
        "version"}` of a text that does not parse. Card numbers are replaced by test cards; with *masked*
        False, card data is in clear."""
        return copying.as_dict(self._copied(masked))

    def to_json(self, *, masked: bool = True) -> str:
        """The message as JSON; see `to_dict`."""
        return copying.as_json(self._copied(masked))

    def to_python(self, *, masked: bool = True) -> str:
        """The `sim.build` call that makes the message."""
        return copying.as_python(self._copied(masked))

    def to_html(self) -> str:
        """The table as a self-contained page, with card data masked."""
        table = str(getattr(self._table, "_repr_html_", self._table.to_html)())
        return copying.page(table, f"ISO 8583 message {self.mti}".rstrip())

    def _copied(self, masked: bool) -> copying.Copied:
        reading = self._reading()
        content = dissect(reading).content
        return copying.copied_from(content, version=reading.version, network=reading.network, masked=masked)

    def _so_far(self) -> str:
        """What could be read of a broken text; empty if the rows are not even a text."""
        try:
            reading = self._reading()
        except BuildError:
            return ""
        return explain_so_far(reading)

    def _model_summary(self) -> str:
        """The language model's summary, as long as the rows are still the same message."""
        facts = self._facts
        if "told" not in facts:
            return ""
        # A broken text has no message to compare with.
        if facts["told_of"] and digest(build(self.to_message())) != facts["told_of"]:
            return ""
        return str(facts["told"])

    def _reading(self) -> Reading:
        return take(self._table)


def table_of(given: Reading, *, source: str = "", notes: Iterable[str] = ()) -> MessageTable:
    """The message table of a reading, as far as it could be read; *source* is empty for a text that was
    parsed."""
    view = dissect(given)
    facts: dict[str, Any] = {"version": given.version if is_pinned(given) else None, "read_as": view.version}
    facts |= {"network": given.network, "source": source, "notes": list(notes)}
    if dialect := view.message.dialect:
        facts["dialect"] = dialect.dialect
        facts |= {"interface": dialect.interface} if dialect.interface else {}
    if given.kind:
        facts["kind"] = given.kind
    if view.fault is not None:
        facts |= {"broken": True, "failing": view.fault.field, "unread": sorted(view.unread)}
        if not view.is_text and (error := given.error):
            names = ("field", "offset", "expected", "found")
            facts["stopped"] = {name: getattr(error, name) for name in names}
    else:
        facts |= {"bitmap": view.message.bitmap, "explained": source == SOURCE_RULES}
    table = MessageTable(columns_of(COLUMNS, [row_of(view, place) for place in view.places]))
    if given.more:
        facts["messages"] = 1 + len(given.more)
    if given.raw is None and given.given is not None and given.message is not None:
        facts["recognised"] = {
            "read_as": given.read_as,
            "confidence": given.confidence,
            "format": given.format,
            "framing": list(given.framing),
            "reasons": list(given.reasons),
        }
        if given.data and given.spans:
            spans = [given.spans.get(place.number) for place in view.places]
            for name, at in zip(BYTE_COLUMNS, (0, 2), strict=True):
                table[name] = pd.Series([span[at] if span else None for span in spans], dtype=INTEGER)
    table.attrs["iso"] = facts | {"rows": len(table)}
    return table.covering()


def row_of(view: Anatomy, place: Place) -> tuple[object, ...]:
    """A place as a row of the message table; unread text has no number. A finding is at the place where
    reading stopped, or at an invalid value."""
    read = place.state == READ
    fault = view.fault if place is view.stop else view.misfits.get(place.number)
    return (
        None if place.number == UNREAD else place.number,
        view.name(place),
        view.format(place),
        view.value(place) if read else view.raw[place.start : place.end] if view.is_text else None,
        view.meaning(place),
        place.start if view.is_text else None,
        place.end if view.is_text else None,
        fault.message if fault else "",
        fault.hint if fault else "",
    )

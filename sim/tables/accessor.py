"""The `.iso` accessor: what belongs to a whole message or to a whole report, beside the rows.

Beside each property stands a typed function or method: pandas' accessors are unknown to type
checkers on plain DataFrames. What the rows can tell is computed from them at every call, so that it
stays true after an edit; the rest (source, notes, what was chosen explicitly) is kept in `attrs`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from sim.codec import Message, build
from sim.errors import BuildError
from sim.judge.finding import rule_page
from sim.operations import copying, explain
from sim.operations.anatomy import dissect
from sim.operations.choosing import chosen_network
from sim.operations.explanation import Told, explain_so_far
from sim.operations.verdict import verdict_on
from sim.paste.reading import TEXT_TITLE, Reading
from sim.tables.addressing import element, set_element
from sim.tables.argument import digest, facts_of, leniently, readable, take, text_of
from sim.tables.raw import RawMessage

if TYPE_CHECKING:
    from sim.tables.columns.table import MessagesView
    from sim.tables.converting import NotesTable


class MessageView:
    """The message that the rows of a table are. Everything is computed from the rows as they are now."""

    def __init__(self, table: pd.DataFrame) -> None:
        self._table = table

    def __getitem__(self, number: int) -> str:
        """The value of an element by its number, as `table.iso[4]`; 0 is the MTI. Raises KeyError for one
        that the message does not have."""
        return element(self._table, number)

    def __setitem__(self, number: int, value: str) -> None:
        """Write the value of an element into the table, as `table.iso[4] = "000000002500"`; one that it does
        not have gets a row. Raises ValueError for the bitmap, which follows from the elements."""
        set_element(self._table, number, value)

    @property
    def message(self) -> RawMessage:
        """The raw text; of a broken message its pieces in a row. Raises BuildError naming the element
        whose value does not fit."""
        given = self._given()
        if given.complete and given.message is not None and given.raw is None:
            return RawMessage(build(given.message))
        return RawMessage(text_of(given))

    def to_message(self) -> Message:
        """The message as a `Message`. Raises BuildError when the rows are no message."""
        return readable(self._given())

    @property
    def mti(self) -> str:
        """The message type indicator."""
        return leniently(self._table).mti

    @property
    def version(self) -> str:
        """The version the message is read as: the one chosen, else the one its MTI names."""
        return leniently(self._table).version

    @property
    def network(self) -> str | None:
        """The network chosen, else the one of the card in the rows; None for neither."""
        return chosen_network(leniently(self._table), facts_of(self._table).get("network"))

    @property
    def source(self) -> str:
        """Where the message or its summary came from: `template`, `rules`, `llm:<provider>/<model>`;
        empty for a text that was parsed."""
        facts = facts_of(self._table)
        return str(facts["told_by"]) if self._told() else str(facts.get("source", ""))

    @property
    def read_as(self) -> str:
        """What the paste was recognised as, in one line: spelling, framing, format and how sure that is;
        `text form` for a text that needed no guess."""
        return str(facts_of(self._table).get("recognised", {}).get("read_as", TEXT_TITLE))

    @property
    def notes(self) -> tuple[str, ...]:
        """What was assumed when the message was made, a sentence each."""
        return tuple(facts_of(self._table).get("notes", ()))

    @property
    def lossless(self) -> bool | None:
        """None: this message was not converted."""
        return None

    @property
    def summary(self) -> str:
        """The message in plain English; of a text that does not parse, what could be read of it. What a
        language model said of it holds until a cell is changed, then the rules speak."""
        return " ".join(one.sentence for one in self.sentences)

    @property
    def sentences(self) -> tuple[Told, ...]:
        """The sentences of the summary, each with the numbers of the elements it speaks of (0 is the MTI);
        what a model wrote, and what is said of a broken text, is one sentence without."""
        try:
            words = self._told()
            if not words:
                return explain(self.to_message(), network=facts_of(self._table).get("network")).told
        except BuildError:
            words = self._so_far()
        return (Told(words, ()),)

    @property
    def valid(self) -> bool:
        """Whether neither the standard nor the message's own network finds an error."""
        try:
            given = self._given()
        except BuildError:
            return False
        return verdict_on(given).valid

    def to_dict(self, *, masked: bool = True) -> dict[str, str]:
        """The message as `{"mti": "0800", "11": "000042"}`, fit for `sim.build`; `{"text",
        "version"}` of a text that does not parse. Test cards stand in for card numbers; *masked* False gives
        card data in clear."""
        return copying.as_dict(self._copied(masked))

    def to_json(self, *, masked: bool = True) -> str:
        """The same as JSON."""
        return copying.as_json(self._copied(masked))

    def to_python(self, *, masked: bool = True) -> str:
        """The call of `sim.build` that makes the message."""
        return copying.as_python(self._copied(masked))

    def to_html(self) -> str:
        """The table as a page of its own, which asks for nothing else; card data masked."""
        table = str(getattr(self._table, "_repr_html_", self._table.to_html)())
        return copying.page(table, f"ISO 8583 message {self.mti}".rstrip())

    def _copied(self, masked: bool) -> copying.Copied:
        given = self._given()
        content = dissect(given).content
        return copying.held(content, version=given.version, network=given.network, masked=masked)

    def _so_far(self) -> str:
        """What could be read of a broken text; nothing where the rows are not even one text."""
        try:
            given = self._given()
        except BuildError:
            return ""
        return explain_so_far(given)

    def _told(self) -> str:
        """What a language model said of the message, as long as the rows are still that message."""
        facts = facts_of(self._table)
        if "told" not in facts or digest(build(self.to_message())) != facts["told_of"]:
            return ""
        return str(facts["told"])

    def _given(self) -> Reading:
        return take(self._table)

    def __repr__(self) -> str:
        names = "message, mti, version, network, read_as, source, summary, sentences, valid, notes, lossless"
        return f"<iso: {names}, to_message(), to_dict(), to_json(), to_python(), to_html()>"


class ConvertedView(MessageView):
    """A message in another version, and what became of the original's elements."""

    @property
    def notes(self) -> NotesTable:  # type: ignore[override]  # more than sentences
        """A row for each element of the original: `number`, `to`, `action`, `note`."""
        from sim.tables.converting import notes_table

        return notes_table(facts_of(self._table)["conversion"])

    @property
    def lossless(self) -> bool:
        """Whether converting back gives the original."""
        return bool(facts_of(self._table)["lossless"])


class FindingsView:
    """The verdict that the rows of a findings table belong to; rows filtered away do not change it."""

    def __init__(self, table: pd.DataFrame) -> None:
        self._table = table

    @property
    def valid(self) -> bool:
        """Whether neither the standard nor the message's own network finds an error."""
        facts = facts_of(self._table)
        return bool(facts["valid"]) if "valid" in facts else "error" not in set(self._table["severity"])

    @property
    def errors(self) -> list[str]:
        """The errors as sentences."""
        facts = facts_of(self._table)
        if "errors" in facts:
            return list(facts["errors"])
        rows = self._table[self._table["severity"] == "error"]
        return [str(sentence) for sentence in rows["message"].tolist()]

    @property
    def urls(self) -> list[str]:
        """The page about the rule of each row, on the site of documentation that `SIM_DOCS` names; empty
        texts where no site is known."""
        return [rule_page(rule) for rule in self._table["rule"].tolist()]

    @property
    def version(self) -> str:
        """The version the message was read as; empty when unknown."""
        return str(facts_of(self._table).get("version", ""))

    @property
    def network(self) -> str | None:
        """The message's own network, given or detected."""
        network = facts_of(self._table).get("network")
        return str(network) if network else None

    @property
    def networks(self) -> pd.DataFrame:
        """What each network asked says, a row each: `network`, `passed`, and how many `errors` and
        `warnings`. No rows when the text does not parse: nothing could be checked."""
        from sim.tables.tables import Table

        rows = facts_of(self._table).get("networks", [])
        columns = {"network": "str", "passed": "bool", "errors": "int64", "warnings": "int64"}
        return Table(rows, columns=list(columns)).astype(columns)

    def __repr__(self) -> str:
        return "<iso: valid, errors, urls, version, network, networks>"


def view(table: pd.DataFrame) -> MessageView | FindingsView | MessagesView:
    """The `.iso` of *table*. Raises AttributeError when it is no message, no findings and no list of
    messages."""
    from sim.tables.columns.table import MessagesView

    labels = {*table.columns, *table.index.names}
    if {"number", "value"} <= labels:
        return ConvertedView(table) if "conversion" in facts_of(table) else MessageView(table)
    if {"severity", "rule", "message"} <= labels:
        return FindingsView(table)
    if {"line", "mti", "version"} <= labels:
        return MessagesView(table)
    # AttributeError, so that hasattr(table, "iso") answers and Python's own lookup goes on.
    raise AttributeError(
        ".iso needs a message table (columns number and value), a findings table (severity, rule, message) "
        "or a table of messages (line, mti, version)"
    )


# pandas calls whatever is registered with the DataFrame; its stubs know classes only.
pd.api.extensions.register_dataframe_accessor("iso")(view)  # type: ignore[type-var]

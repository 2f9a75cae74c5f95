"""Plans as tables: what a description asks for, before anything is made."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from sim.codec import build
from sim.exchanges.composing import plan_of
from sim.exchanges.plan import Made, Plan, shown
from sim.operations import building
from sim.paste.reading import TEXT
from sim.tables.argument import take
from sim.tables.message_table import MessageTable, table_of
from sim.tables.tables import Table, columns_of

if TYPE_CHECKING:
    from sim.codec.wire import Format

_COLUMNS = ("step", "call", "option", "value", "words", "note")


class PlanTable(Table):
    """A plan, a row per option: the `step` and its `call`, the `option`, its `value`, the `words` that it
    follows from. Rows with a `note` say what was assumed and what was not understood."""

    _when_empty = ("note",)
    _nothing = "Nothing was understood."

    @property
    def plan(self) -> Plan:
        """The plan itself."""
        made: Plan = self.attrs["iso"]["plan"]
        return made

    @property
    def code(self) -> str:
        """The calls that make the same in a cell, today and tomorrow."""
        return self.plan.code

    def run(self, *, partial: bool = False) -> tuple[MessageTable, ...]:
        """Make the messages.

        Parameters
        ----------
        partial
            Make what is clear, though something was not understood.

        Returns
        -------
        tuple of MessageTable
            The messages, in order.

        Raises
        ------
        UnclearError
            Something that matters was not understood (`words`), or cannot be made (`not_possible`).
        """
        return tuple(message_of(one, self) for one in self.plan.run(partial=partial))


def plan(description: str) -> PlanTable:
    """Plan what a description asks for: the calls that make it.

    The description is read by rules, offline: amounts, currencies, codes, labelled elements, dates, networks,
    purposes, card entries, decisions, places, counts and their order; in English, the frame in German,
    Spanish, Portuguese and French, too. What is not understood is said, never guessed.

    Parameters
    ----------
    description
        What to make, such as "Visa contactless 12.50 EUR in Lyon, declined for insufficient funds".

    Returns
    -------
    PlanTable
        A row per option, with the words that it follows from; `.code` is the calls, `.run()` makes the
        messages.

    Raises
    ------
    OptionError
        *description* is no text, or longer than 2,000 characters.

    Examples
    --------
    >>> import sim
    >>> plan = sim.plan("Visa purchase of 25 EUR, NSF")
    >>> [message.iso.mti for message in plan.run()]
    ['0100', '0110']
    >>> print(plan.code)
    request = sim.generate('auth', network='VISA', currency='EUR', amount_minor_units=2500)
    answer = sim.respond(request, '51')
    """
    return plan_table(plan_of(description))


def plan_table(made: Plan) -> PlanTable:
    """The table of a plan."""
    rows: list[tuple[object, ...]] = []
    for number, step in enumerate(made.steps, 1):
        options = dict(step.options) or {"": ""}
        rows += [
            (str(number), step.call, name, shown(str(value)), shown(step.words.get(name, "")), "")
            for name, value in options.items()
        ]
    rows += [("", "", "", "", "", f"Assumed: {note}") for note in made.notes]
    rows += [("", "", "", "", shown(words), "Not understood") for words in made.unclear]
    if made.not_possible:
        rows.append(("", "", "", "", "", f"Not possible: {made.not_possible}"))
    table = PlanTable(columns_of(_COLUMNS, rows))
    table.attrs["iso"] = {"plan": made}
    return table


def message_of(made: Made, plan: PlanTable, format: Format | str | None = None) -> MessageTable:
    """The table of a message that a plan made, with the elements of *format*."""
    left: tuple[str, ...] = ()
    raw = made.raw
    if format is not None and not made.broken:
        message, left = building.in_format(made.message, format)
        raw = build(message)
    given = take(raw, made.message.version, made.network, TEXT)
    notes = (*(f"{note}." for note in plan.plan.notes), *made.notes, *left)
    table = table_of(given, source=plan.plan.source, notes=notes)
    table.attrs["iso"]["plan"] = plan.plan
    return table


def described(
    description: str, version: str | None, at: datetime | None, format: Format | str | None
) -> MessageTable:
    """The message that *description* is about, read by rules: the last of its plan. *version* and *at* hold
    where it names none. Raises UnclearError."""
    table = plan_table(plan_of(description, version=version, at=at))
    return message_of(table.plan.run()[-1], table, format)

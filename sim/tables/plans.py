"""Plans as tables: what a description asks for, before anything is made."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from sim.codec import build
from sim.exchanges.composing import plan_of
from sim.exchanges.plan import HOST, Plan, masked_description, shown_value
from sim.operations import building
from sim.paste.reading import TEXT
from sim.tables.argument import take
from sim.tables.exchanges import ExchangeTable, exchange_table
from sim.tables.message_table import MessageTable, MessageView, table_of
from sim.tables.tables import Table, columns_of, held

if TYPE_CHECKING:
    from sim.codec.wire import Format

_COLUMNS = ("step", "call", "option", "value", "words", "note")


class PlanTable(Table):
    """A plan, one row per option: the `step` and its `call`, the `option`, its `value`, and the `words` it
    comes from. Rows with a `note` list what was assumed and what was not understood."""

    _when_empty = ("note",)
    _nothing = "Nothing was understood."

    @property
    def plan(self) -> Plan:
        """The plan itself."""
        plan: Plan = held(self, "plan")
        return plan

    @property
    def code(self) -> str:
        """The same calls as Python code."""
        return self.plan.code

    def then(self, description: str) -> PlanTable:
        """Continue the plan.

        Parameters
        ----------
        description
            What changes or follows: "the same, contactless", "reverse it", "refund half of it", "ten of
            these, every third declined"; of a list "the second one declined", else it is about the last.

        Returns
        -------
        PlanTable
            The whole plan.
        """
        return plan_table(plan_of(description, before=self.plan))

    def run(self, *, partial: bool = False) -> Any:
        """Make the exchange, or start the host or run the suite that was described.

        Parameters
        ----------
        partial
            Make what is clear even if something was not understood.

        Returns
        -------
        ExchangeTable
            The messages in order; `.iso.messages` are their tables. For a host or a suite, the result of
            `sim.host` or `sim.run_suite`.

        Raises
        ------
        UnclearError
            Something that matters was not understood (`words`) or is not possible (`not_possible`).
        """
        if not self.plan.makes_messages and not self.plan.unclear:
            # Most plans make messages and need no connection.
            from sim.tables.link import host
            from sim.tables.runs import run_suite

            [step] = self.plan.steps
            return host(**step.options) if step.call == HOST else run_suite(**step.options)
        run = self.plan.run(partial=partial)
        return exchange_table(run.exchange, run.texts)


def plan(description: str, *, provider: str | None = None, model: str | None = None) -> PlanTable:
    """Plan the calls that carry out a description.

    The description is read by rules, offline: amounts, currencies, codes, labeled elements, dates,
    networks, purposes, card entries, decisions, places, counts and their order; in English, and the
    essentials in German, Spanish, Portuguese and French. Anything not understood is reported, never
    guessed.

    Parameters
    ----------
    description
        What to make, e.g. "Visa contactless 12.50 EUR in Lyon, declined for insufficient funds".
    provider
        The language model provider that restates it, from any language, in words that the rules understand;
        see `sim.llm.status()`. Default: the rules alone.
    model
        Name of the provider's model. Default: the provider's usual one.

    Returns
    -------
    PlanTable
        A row per option, with the words behind it; `.code` is the Python code, `.run()` makes the exchange,
        `.then("reverse it")` continues from it.

    Raises
    ------
    OptionError
        *description* is not a text, or is longer than 2,000 characters.
    LlmError
        The language model failed or is not available.

    Examples
    --------
    >>> import sim
    >>> plan = sim.plan("Visa purchase of 25 EUR, NSF")
    >>> plan.run()["mti"].tolist()
    ['0100', '0110']
    >>> print(plan.then("the same, approved, then reverse it").code)
    exchange = sim.exchange(
        'purchase',
        message_type='auth',
        then='reversal',
        network='VISA',
        amount_minor_units=2500,
        currency='EUR',
    )
    """
    if provider is None and model is None:
        return plan_table(plan_of(description))
    from sim import models

    return plan_table(models.plan(description, provider=provider, model=model))


def plan_table(plan: Plan) -> PlanTable:
    """The table of a plan."""
    rows = [
        (str(number), call, name, shown_value(name, value), masked_description(words), "")
        for number, call, name, value, words in plan.rows()
    ]
    rows += [("", "", "", "", words, note) for words, note in plan.reports]
    table = PlanTable(columns_of(_COLUMNS, rows))
    table.held = {"plan": plan}
    return table


class DescribedView(MessageView):
    """A message that was generated from a description."""

    @property
    def plan(self) -> PlanTable:
        """The plan of the description."""
        return plan_table(held(self._table, "plan"))

    @property
    def exchange(self) -> ExchangeTable:
        """The exchange in the description."""
        return exchange_table(held(self._table, "exchange"), held(self._table, "texts"))


def described(
    description: str,
    version: str | None,
    at: datetime | None,
    format: Format | str | None,
    *,
    provider: str | None,
    model: str | None,
) -> MessageTable:
    """The message that *description* is about, the last one of its plan, with the elements of *format*. A
    language model makes the plan if one is named or configured, otherwise the rules do. *version* and *at*
    are defaults. Raises UnclearError or LlmError."""
    from sim import models

    plan = models.plan_of_any(description, provider=provider, model=model, version=version, at=at)
    run = plan.run()
    message, raw = run.exchange.steps[run.subject].message, run.text(run.subject)
    left: tuple[str, ...] = ()
    if format is not None and run.subject not in run.texts:
        fitted, left = building.in_format(message, format)
        raw = build(fitted)
    notes = (*(f"{note}." for note in plan.notes), *run.exchange.notes, *left, *filter(None, (plan.cost,)))
    reading = take(raw, message.version, run.exchange.network, TEXT)
    table = table_of(reading, source=plan.source, notes=notes)
    table.held = {"plan": plan, "exchange": run.exchange, "texts": run.texts}
    return table

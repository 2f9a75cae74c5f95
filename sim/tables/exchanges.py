"""Exchanges as tables, one row per message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from sim.codec import Message
from sim.elements.money import amount
from sim.exchanges import Exchange, findings, make, tell
from sim.exchanges.amounts import minor_units
from sim.operations import validate
from sim.operations.asked import moment
from sim.spec.codes import alpha_of
from sim.spec.networks import answer as code_of
from sim.spec.words import (
    AnyInterface,
    AnyMoment,
    AnyNetwork,
    AnyVersion,
    Entry,
    Making,
    MessageType,
    Outcome,
    Purpose,
)
from sim.tables.argument import check_words, take
from sim.tables.findings_table import FINDING_COLUMNS
from sim.tables.message_table import MessageTable, table_of
from sim.tables.tables import INTEGER, AskedTable, Table, View, columns_from, columns_of, held

if TYPE_CHECKING:
    from typing import Unpack

    from sim.codec.wire import Format
    from sim.paste.reading import Reading

_COLUMNS = ("step", "time", "direction", "role", "of", "mti", "stan", "amount", "currency", "code", "meaning")


class ExchangeTable(AskedTable):
    """An exchange, one row per message, as `sim.exchange` describes it, with its story above the table."""

    _when_empty = ("of", "amount", "currency", "code", "meaning")
    _nothing = "No messages."

    @property
    def iso(self) -> ExchangeView:
        """The view of the whole exchange: `exchange`, `messages`, `findings`, `summary`, `notes`, `left`."""
        return ExchangeView(self)

    def _title(self) -> str:
        return self.iso.summary if self.held else ""

    def _together(self) -> tuple[list[tuple[str, Reading]], str, Iterable[int]]:
        exchange = self.iso.exchange
        steps = enumerate(exchange.steps, 1)
        parts = [(f"{at}: {step.role}", take(step.message, None, exchange.network)) for at, step in steps]
        return parts, tell(exchange), ()


class ExchangeView(View):
    """The view of a whole exchange."""

    @property
    def exchange(self) -> Exchange:
        """The exchange itself, as `client.send` and suites accept it."""
        exchange: Exchange = held(self._table, "exchange")
        return exchange

    @property
    def messages(self) -> list[MessageTable]:
        """The messages, each as a table."""
        network, texts = self.exchange.network, held(self._table, "texts")
        messages = enumerate(self.exchange.messages)
        return [table_of(take(texts.get(at, message), None, network)) for at, message in messages]

    @property
    def findings(self) -> pd.DataFrame:
        """The findings on each message and between them: `step` (from 1), and the columns of `validate`."""
        exchange = self.exchange
        pairs = [
            (at, finding)
            for at, step in enumerate(exchange.steps)
            for finding in validate(step.message, network=exchange.network).findings
        ]
        rows = sorted([*pairs, *findings(exchange)], key=lambda pair: pair[0])
        steps = columns_of(("step",), [(at + 1,) for at, _ in rows])
        return Table(steps | columns_from((finding for _, finding in rows), FINDING_COLUMNS))

    @property
    def summary(self) -> str:
        """What happened, in a sentence or two, and what is now held, charged or credited."""
        return tell(self.exchange)

    @property
    def left(self) -> dict[str, int]:
        """What remains, in minor units: `held`, `charged`, `credited`, and `unknown` if a response is
        missing."""
        left = self.exchange.left
        return {name: getattr(left, name) for name in ("held", "charged", "credited", "unknown")}

    @property
    def notes(self) -> list[str]:
        """What was assumed."""
        return list(self.exchange.notes)


def exchange(
    purpose: Purpose | MessageType | str = "purchase",
    *,
    outcome: Outcome | str = "approved",
    approved_minor_units: int | None = None,
    then: str | Iterable[str | Mapping[str, Any]] = "",
    message_type: MessageType | str | None = None,
    network: AnyNetwork | None = None,
    pan: str | int | None = None,
    amount_minor_units: int = 1000,
    currency: str | int = "840",
    stan: str | int = "123456",
    version: AnyVersion | None = None,
    at: AnyMoment | None = None,
    entry: Entry | str | None = None,
    format: Format | str | None = None,
    interface: AnyInterface | None = None,
    **options: Unpack[Making],
) -> ExchangeTable:
    """Make an exchange: a request, its outcome, and the messages that follow.

    Each message has the data that links it to the others: approval code, transaction id, trace id, original
    data elements. The messages that follow are answered as an issuer would.

    Parameters
    ----------
    purpose
        As in `generate`. Also sign_on, sign_off, key_exchange or echo.
    outcome
        approved, partial, declined, timeout (no response), late (a response after the timeout), or a response
        code such as 51.
    approved_minor_units
        Amount approved with outcome partial. Default: half of the amount.
    then
        Messages that follow, as words in a text or a list: repeat, increment, completion, reversal,
        reversal_advice (0420), partial_reversal, refund, original_credit, sign_on, sign_off, key_exchange,
        echo. A word may have an amount in minor units, a reason and an outcome: `increment:5000`,
        `partial_reversal:6000` (the amount that remains), `reversal:misdispense`,
        `completion:4000:timeout`. A message that is repeated got no response. In Python, each may also be a
        mapping: `step`, `amount_minor_units`, `reason`, `outcome`.
    message_type
        As in `generate`. Default: an authorization (auth) if the purpose and the network have one; UnionPay
        authorizes and posts with a single message (financial).
    network
        As in `generate`.
    pan
        As in `generate`.
    amount_minor_units
        As in `generate`.
    currency
        As in `generate`.
    stan
        STAN of the first message, six digits; later messages have the next ones.
    version
        As in `generate`.
    at
        Date and time of the first message, as in `generate`. Default: now.
    entry
        As in `generate`.
    format
        The wire format, as in `generate`; elements it does not have are left out of each message.
    interface
        As in `generate`.
    options
        Further options of a payment, as in `generate`.

    Returns
    -------
    ExchangeTable
        A row per message: `step` (from 1), `time` (UTC), `direction` (sent or received by the first
        message's sender), `role` (request, advice, increment, completion, reversal, repeat, answer, late
        answer, acknowledgement), `of` (the step that it responds to, repeats, reverses, completes or
        increases), `mti`, `stan`, `amount` (minor units), `currency`, `code` and `meaning` of DE 39.
        `.iso.summary` is the story, `.iso.messages` the message tables, and `.iso.exchange` the exchange
        that a client can send.

    Raises
    ------
    ChoiceError
        A word is not one of the choices.
    OptionError
        A step cannot follow, an amount does not fit, or an option is invalid.

    Examples
    --------
    >>> import sim
    >>> made = sim.exchange("preauthorization", amount_minor_units=10000, then="completion:8000")
    >>> made["role"].tolist()
    ['request', 'answer', 'completion', 'answer']
    >>> made.iso.left["charged"]
    8000
    """
    arguments = dict(locals())
    more = arguments.pop("options")
    check_words(more, arguments)
    result = make(**arguments | {"at": moment(at)}, **more)
    if format is not None:
        result = result.in_format(format)
    return exchange_table(result)


def exchange_table(source: Exchange, texts: Mapping[int, str] | None = None) -> ExchangeTable:
    """*source* as a table; *texts* are the texts of broken messages, by position."""
    rows = [_row(source, at) for at in range(len(source.steps))]
    table = pd.DataFrame(rows, columns=pd.Index(_COLUMNS))
    words = ("direction", "role", "mti", "stan", "currency", "code", "meaning")
    table = table.astype({**dict.fromkeys(("step", "of", "amount"), INTEGER), **dict.fromkeys(words, "str")})
    table["time"] = pd.to_datetime(table["time"], utc=True)
    result = ExchangeTable(table)
    result.held = {"exchange": source, "texts": dict(texts or {})}
    return result


def _row(source: Exchange, at: int) -> tuple[object, ...]:
    step = source.steps[at]
    message: Message = step.message
    money = amount(message)
    code = message.get(39) or None
    where = "response" if step.is_answer else "request"
    row = code_of(code, message.version, source.network, where=where) if code else None
    return (
        at + 1,
        step.at,
        source.direction(at),
        step.role,
        None if step.of is None else step.of + 1,
        message.mti,
        message.get(11) or None,
        minor_units(message) if money else None,
        alpha_of(money[1]) if money and money[1] else None,
        code,
        row.meaning if row else None,
    )

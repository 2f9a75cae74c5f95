"""The verbs of the package's interface, with messages as DataFrames."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from sim import operations
from sim.codec import Message
from sim.codec import build as build_text
from sim.errors import OptionError, quoted_value
from sim.operations import Generated, building
from sim.operations.anatomy import READ, differences, dissect
from sim.operations.asked import generated, moment
from sim.operations.explanation import SOURCE_RULES
from sim.operations.rewriting import masked
from sim.spec.spellings import network_named, template_word, version_named
from sim.spec.words import (
    OF_A_MODEL,
    AnyInterface,
    AnyMoment,
    AnyNetwork,
    AnyVersion,
    Entry,
    MessageType,
    Payment,
    Purpose,
    ReversalReason,
)
from sim.tables.argument import MessageArgument, check_words, digest, facts_of, from_elements, readable, take
from sim.tables.card_data import CardData, Cover
from sim.tables.message_table import COLUMNS, MessageTable, RawMessage, row_of, table_of
from sim.tables.tables import AskedTable, TextsShown, columns_of, held

if TYPE_CHECKING:
    from datetime import tzinfo
    from typing import Unpack

    from sim.codec.wire import Format
    from sim.paste.reading import Reading

_DIFF_COLUMNS = ("number", "name", "a", "b", "meaning_a", "meaning_b")
_NAME, _VALUE, _MEANING = (COLUMNS.index(name) for name in ("name", "value", "meaning"))


def parse(
    raw: MessageArgument | bytes,
    *,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    interface: AnyInterface | None = None,
    format: Format | str | None = None,
) -> MessageTable:
    """Show the data elements of a message and what they mean.

    Checks only the framing; `validate` checks everything else. Input that is not the text form is identified:
    hex, dumps, literals, base64, log lines, jPOS XML, with any framing and in any format; `.iso.read_as` says
    what it was.

    Parameters
    ----------
    raw
        A message in any form: its raw text, a message table, a `Message`.
    version
        One of `sim.VERSIONS`. Default: from the MTI.
    network
        One of `sim.NETWORKS`, whose code meanings to use. Default: the card's.
    interface
        The interface of the link, one of `sim.interfaces()`; `iso` is the standard alone. Default: the
        format's, otherwise the card brand's own.
    format
        The wire format, one of `sim.formats()`, or `text`. Default: recognized.

    Returns
    -------
    MessageTable
        A row per data element: `number` (0 MTI, 1 bitmap, missing for unread text), `name`, `format`, `value`
        as received, `meaning`, `start` and `end`, its limits, including the length prefix, in characters of
        the text form from 0, missing if there is no text form, and for faults `finding` and `hint`. If
        the input was bytes, `byte_start` and `byte_end` are positions in the paste. A broken text gives a
        table as well: the elements read, the piece that does not fit with its finding and hint, and the
        unread rest. Elements of the wrong length have findings, too.

    Raises
    ------
    TypeError
        *raw* is not a message.
    ChoiceError
        Unknown version, network or interface.
    SpecError
        Unknown format.

    Examples
    --------
    >>> import sim
    >>> table = sim.parse("08002020000000000000990000123456")
    >>> table["number"].tolist()
    [0, 1, 3, 11]
    >>> sim.parse("0800202000000000000099000012")["finding"].iloc[-1]
    'DE 11 at offset 26: expected n 6, found 2 characters'
    """
    return table_of(take(raw, version, network, format, interface))


def explain(
    message: MessageArgument | bytes,
    *,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    interface: AnyInterface | None = None,
    format: Format | str | None = None,
    llm: bool = False,
    provider: str | None = None,
    model: str | None = None,
    ask: str = "",
    language: str = "en",
) -> MessageTable:
    """Explain a message in plain English.

    Parameters
    ----------
    message
        A message in any form that `parse` takes. A broken text gives its pieces but no summary.
    version
        One of `sim.VERSIONS`. Default: from the MTI.
    network
        One of `sim.NETWORKS`. Default: the card's.
    interface
        The interface of the link, one of `sim.interfaces()`; `iso` is the standard alone. Default: the
        format's, otherwise the card brand's own.
    format
        The wire format, one of `sim.formats()`, or `text`. Default: recognized.
    llm
        Have a language model write the summary. It sees the elements with card data masked. A sentence that
        the message contradicts is struck out (~~...~~); one that it does not prove, such as advice, comes
        at the end, as not checked.
    provider
        The language model provider to ask; see `sim.llm.status()`.
    model
        Name of the provider's model. Default: the provider's usual one.
    ask
        A question for the language model, e.g. "Why was it declined, and what do I do next?"
    language
        Language of the model's answer: en, de, es, pt or fr.

    Returns
    -------
    MessageTable
        A row per data element, shown with the summary above it, which is also `.iso.summary`.

    Raises
    ------
    TypeError
        *message* is not a message.
    ChoiceError
        Unknown version, network, interface or language.
    SpecError
        Unknown format.
    OptionError
        *ask* is not a text, or is too long.
    LlmError
        The language model failed or is not available.

    Examples
    --------
    >>> import sim
    >>> bool(sim.explain(sim.generate("auth")).iso.summary)
    True
    """
    reading = take(message, version, network, format, interface)
    if not llm:
        return table_of(reading, source=SOURCE_RULES)
    from sim import models

    explanation = models.explain(
        reading, network=reading.network, provider=provider, model=model, ask=ask, language=language
    )
    table = table_of(reading, source=SOURCE_RULES)
    # The model's text describes this message; after an edit the rules explain again.
    intact = reading.message is not None and not reading.misfits
    described = digest(build_text(explanation.message)) if intact else ""
    facts = {"told": explanation.summary, "told_by": explanation.source, "told_of": described}
    table.attrs["iso"] |= facts
    return table


def generate(
    message_type: MessageType | str = "auth",
    *,
    network: AnyNetwork | None = None,
    pan: str | int | None = None,
    amount_minor_units: int = 1000,
    currency: str | int = "840",
    stan: str | int = "123456",
    version: AnyVersion | None = None,
    at: AnyMoment | None = None,
    purpose: Purpose | str = "purchase",
    entry: Entry | str | None = None,
    merchant: str | None = None,
    city: str | None = None,
    country: str | int | None = None,
    mcc: str | int | None = None,
    terminal: str | None = None,
    acquirer: str | int | None = None,
    expiry: str | int | None = None,
    timezone: str | tzinfo | None = None,
    format: Format | str | None = None,
    interface: AnyInterface | None = None,
    description: str | None = None,
    provider: str | None = None,
    model: str | None = None,
    **payment: Unpack[Payment],
) -> MessageTable:
    """Generate a valid test message.

    Parameters
    ----------
    message_type
        auth (0100), financial (0200), echo (0800), advice (0120), reversal (0400), financial_advice (0220),
        sign_on, sign_off or key_exchange (0800), settlement (0500), settlement_advice (0520), file_update
        (0302), or the network's equivalent; also an MTI, or a purpose, which means the usual message for
        it.
    network
        One of `sim.NETWORKS`, in any letter case, or the network's full name. Default: the card's, or VISA
        without *pan*.
    pan
        12 to 19 digits, used as given even if they are wrong. Default: the network's test card.
    amount_minor_units
        The amount in the smallest unit of *currency*: 1000 is 10.00 in USD and 1000 yen in JPY.
    currency
        ISO 4217 code, three digits or three letters.
    stan
        Systems trace audit number (DE 11), six digits.
    version
        One of `sim.VERSIONS`. Default: that of the MTI, if *message_type* is one, otherwise that of
        *format*, otherwise that of the network's own interface: 1993 for Amex and Discover, 1987 for the
        others.
    at
        Date and time: a datetime, a date (midnight) or ISO 8601 text; without a time zone it is UTC.
        Default: now. Local times are the merchant's; see *timezone*.
    purpose
        purchase, cash, quasi_cash, cashback, refund, balance, verification (of an account), preauthorization,
        incremental, completion, recurring, instalment, pin_change, account_funding (AFT), original_credit
        (OCT) or dcc (a purchase in the cardholder's currency).
    entry
        How the card was read: manual, stripe, chip, contactless, ecommerce, fallback (the stripe of a chip
        card), moto (mail or telephone order) or stored (card on file). Default: the usual one of the
        purpose: chip for a purchase.
    merchant
        Merchant name in DE 43.
    city
        Merchant city in DE 43.
    country
        Merchant country in DE 43 (ISO 3166 code).
    mcc
        Merchant category code, four digits. Default: the purpose's, otherwise inferred from *merchant* (a
        hotel, a pharmacy), otherwise a general store's.
    terminal
        Terminal ID, DE 41.
    acquirer
        Acquirer ID, DE 32, up to 11 digits.
    expiry
        Expiry date of the card, YYMM.
    timezone
        The merchant's zone: `Europe/Berlin`, an offset such as `+05:30`, or a tzinfo. Default: that of *at*
        unless it is UTC, otherwise the country's (that of its capital or largest city, if it has several).
    format
        The wire format whose elements to use; it may be a dialect of your own. Elements it does not have are
        left out, and `.iso.notes` says so. Default: the version's own elements.
    interface
        The interface of the link, one of `sim.interfaces()`: it determines the message's elements; the card
        is still *network*'s. Default: the interface of *format*, otherwise the network's own.
    description
        A description in plain English, read by rules or, if one is named or configured, by a language
        model; see `plan`. It overrides all other options except *version*, *at* and *format*.
    provider
        The language model provider to ask; see `sim.llm.status()`.
    model
        Name of the provider's model. Default: the provider's usual one.
    payment
        Further options of a payment:

        - `pin`: whether to send a PIN (DE 52, a block that no key decrypts). Default: only at an ATM.
        - `cvv2`: card verification value to check.
        - `postal_code`: the cardholder's postal code, for address verification (AVS).
        - `address`: the cardholder's street address, for address verification (AVS).
        - `three_d_secure`: result of 3-D Secure with its ECI: authenticated, attempted or none.
        - `token`: whether the card number is a payment token, with its cryptogram.
        - `store_card`: whether the merchant stores the card for later payments.
        - `initiator`: who initiated a payment with a stored card: merchant (default) or cardholder.
        - `instalments`: number of installments, 2 to 99.
        - `partial_approval`: whether the terminal accepts a partial approval.
        - `cashback_minor_units`: cash part of the amount for purpose cashback. Default: half.
        - `final_amount_minor_units`: amount that remains after a partial reversal.
        - `reason`: why a message is reversed: customer, timeout, misdispense, malfunction or partial.
        - `merchant_amount_minor_units`: price in the merchant's own currency for purpose dcc. Default: four
          fifths of the amount.
        - `merchant_currency`: the merchant's own currency for purpose dcc. Default: GBP, for a merchant in
          London.
        - `merchant_id`: merchant ID, DE 42.

    Returns
    -------
    MessageTable
        A row per data element; `.iso.notes` says what was assumed.

    Raises
    ------
    ChoiceError
        A word is not among the choices. The error names the argument, the choices and the nearest one.
    OptionError
        An option is invalid, or options conflict; the error says what is accepted.
    UnclearError
        Something that matters in *description* was not understood, or is not possible.
    LlmError
        The language model failed or is not available.

    Examples
    --------
    >>> import sim
    >>> echo = sim.generate("echo", stan="000042")
    >>> echo.iso.mti, echo.iso.to_message()[11]
    ('0800', '000042')
    >>> sim.generate("refund", network="visa", currency="eur", at="2026-11-20").iso.mti
    '0200'
    >>> paid = sim.generate(entry="ecommerce", three_d_secure="authenticated", at="2026-11-20")
    >>> paid.iso.to_message()[60]
    '01000000054'
    """
    options = {name: value for name, value in locals().items() if name not in ("payment", *OF_A_MODEL)}
    if not isinstance(description, str | None):
        raise OptionError("description", "a text", quoted_value(description))
    if description and description.strip():
        from sim.tables.plans import described

        edition = version_named(version) if version else None
        return described(description, edition, moment(at), format, provider=provider, model=model)
    check_words(payment, options)
    result = generated(**options, **payment)
    table = _table_of_result(result, None if network is None else network_named(network), format)
    when = moment(at)
    table.attrs["iso"]["at"] = when and when.isoformat()
    return table


def respond(
    request: MessageArgument | bytes,
    code: str | int | None = None,
    *,
    approval: str | None = None,
    amount_minor_units: int | None = None,
    balance_minor_units: int | None = None,
    at: AnyMoment | None = None,
    format: Format | str | None = None,
    interface: AnyInterface | None = None,
) -> MessageTable:
    """Build a response to a request.

    The response is an issuer's: the decision and whatever was requested, such as verification results, a
    balance or data for the chip.

    Parameters
    ----------
    request
        The message to respond to, in any form.
    code
        The response code, DE 39. Default: approved.
    approval
        The approval code (DE 38). Default: that of *request*, else a sample value.
    amount_minor_units
        Amount approved, if less than requested.
    balance_minor_units
        Balance to return for a balance inquiry. Default: a sample value.
    at
        Date and time of the response, as in `generate`, if the response has its own. Default: those that
        *request* was generated for, else now.
    format
        The wire format of *request*. Default: recognized. With a format, the response has that format's
        elements, as in `generate`; others are left out, with a note.
    interface
        The interface of the link, as in `validate`; it determines the response's elements. Default: the
        interface of *request*.

    Returns
    -------
    MessageTable
        The response.

    Raises
    ------
    BuildError
        The message has no response, or *code* or *approval* has the wrong length.
    OptionError
        More is approved than requested, or an amount is invalid.

    Examples
    --------
    >>> import sim
    >>> answer = sim.respond(sim.generate("auth"), approval="000042")
    >>> answer.iso.mti, answer.iso.to_message()[38]
    ('0110', '000042')
    """
    reading = take(request, format=format, interface=interface)
    request_time = None if isinstance(request, str | bytes | Message) else facts_of(request).get("at")
    response = operations.respond(
        readable(reading),
        code,
        approval=approval,
        amount_minor_units=amount_minor_units,
        balance_minor_units=balance_minor_units,
        at=moment(request_time if at is None else at),
        network=reading.network,
    )
    return _table_of_result(response, reading.network, format)


def reverse(
    request: MessageArgument | bytes,
    *,
    answer: MessageArgument | bytes | None = None,
    reason: ReversalReason | str | None = None,
    stan: str | None = None,
    at: AnyMoment | None = None,
    final_amount_minor_units: int | None = None,
    format: Format | str | None = None,
    interface: AnyInterface | None = None,
) -> MessageTable:
    """Build a reversal of a message, in full or in part, with the original's data elements.

    Parameters
    ----------
    request
        An authorization or financial request or advice, in any form.
    answer
        Its response, if any; the reversal takes from it the approval code, the approved amount and the
        network's transaction id (Visa DE 62.2, Mastercard DE 48.63).
    reason
        customer (canceled), timeout (no response), misdispense (no cash, or only the final amount),
        malfunction (suspected) or partial. Default: partial with a final amount, otherwise customer.
    stan
        STAN of the reversal, six digits. Default: the next one, or the original's on links whose reversals
        repeat it (`nac`, `unionpay-pos`).
    at
        Date and time of the reversal, as in `generate`. Default: the original's.
    final_amount_minor_units
        Amount that remains after a partial reversal.
    format
        The wire format of *request*. Default: recognized. With a format, the reversal has that format's
        elements, as in `generate`; others are left out, with a note.
    interface
        The interface of the link, as in `validate`. Default: that of *request*.

    Returns
    -------
    MessageTable
        The reversal.

    Raises
    ------
    BuildError
        *request* is not an authorization or financial request, or *answer* is not its response.
    ChoiceError
        *reason* is not one of the choices.
    OptionError
        *at* is not a date and time, or more would remain than was approved.

    Examples
    --------
    >>> import sim
    >>> request = sim.generate("financial", network="VISA")
    >>> undone = sim.reverse(request, answer=sim.respond(request), reason="timeout")
    >>> undone.iso.mti, undone.iso.to_message()[63][-4:]
    ('0400', '2502')
    """
    reading = take(request, format=format, interface=interface)
    reversal = operations.reverse(
        readable(reading),
        answer=None if answer is None else readable(take(answer, format=format)),
        reason=None if reason is None else template_word("reason", reason),
        stan=stan,
        at=moment(at),
        final_amount_minor_units=final_amount_minor_units,
        network=reading.network,
    )
    return _table_of_result(reversal, reading.network, format)


def _table_of_result(result: Generated, network: str | None, format: Format | str | None) -> MessageTable:
    message, left = building.in_format(result.message, format or building.TEXT)
    return table_of(take(message, None, network), source=result.source, notes=(*result.notes, *left))


def build(
    fields: MessageArgument | Mapping[Any, str] | bytes,
    *,
    version: AnyVersion | None = None,
    format: Format | str | None = None,
) -> RawMessage:
    """Build a message from its data elements, as text or in a wire format.

    Parameters
    ----------
    fields
        A message in any form, or a dict of `0` (or `"mti"`) and data element numbers. The bitmap follows
        from them.
    version
        One of `sim.VERSIONS`. Default: from the MTI.
    format
        The wire format to write it in, as hexadecimal digits without framing. Default: the text form.

    Returns
    -------
    RawMessage
        A str whose repr omits the elements, so that a notebook stores no card number; `print` shows all of
        it.

    Raises
    ------
    BuildError
        An element cannot be written; the error names it, what was expected and what was found.
    ChoiceError
        Unknown version.

    Examples
    --------
    >>> import sim
    >>> print(sim.build({"mti": "0800", 3: "990000", 11: "123456"}))
    08002020000000000000990000123456
    """
    if isinstance(fields, Mapping):
        msg = from_elements(fields, version)
    else:
        # *format* is that of the result, and of no other input.
        source = building.named_format(format) if isinstance(fields, Message) else None
        msg = readable(take(fields, version, format=source))
    written = RawMessage(building.written(msg, format))
    if notes := building.told_otherwise(msg, format):
        warnings.warn(f"what bytes do not tell: {'; '.join(notes)}", stacklevel=2)
    return written


def mask(
    message: MessageArgument | bytes, *, version: AnyVersion | None = None, format: Format | str | None = None
) -> str:
    """Mask card data in a message, for a ticket or an e-mail.

    A PAN keeps its first 6 and last 4 digits; track data, PIN blocks and the card data in chip data are
    masked entirely. Lengths and offsets do not change. In a dump or other notation of bytes, only those of
    card data are masked, or everything if the notation does not show which these are; in text that cannot be
    read to its end, every long run of digits.

    Parameters
    ----------
    message
        A message in any form.
    version
        One of `sim.VERSIONS`. Default: from the MTI.
    format
        Wire format of *message*; the result is its text form. Default: *message* as given.

    Returns
    -------
    str
        The text, as long as the message's.

    Raises
    ------
    TypeError
        *message* is not a message.
    ChoiceError
        Unknown version.

    Examples
    --------
    >>> import sim
    >>> sim.mask("0100400000000000000016" + "4111111111111111")
    '0100400000000000000016411111******1111'
    """
    if format is None and isinstance(message, str):  # keep the text as given
        return masked(message[:], version)
    return dissect(take(message, version, None, format)).shown_text


class DiffTable(AskedTable):
    """The data elements in which two messages differ, side by side: `number`, `name`, `a`, `b`,
    `meaning_a`, `meaning_b`; an element that one message does not have is missing there."""

    _value_columns = ("a", "b")
    _safe_columns = ("name", "meaning_a", "meaning_b")
    _nothing = "No differences."

    def _version_of(self, column: str) -> str:
        return str(facts_of(self).get(column, "1987"))

    def _together(self) -> tuple[list[tuple[str, Reading]], str, Iterable[int]]:
        numbers = [int(number) for number in self["number"].dropna()]
        summary = f"They differ in {', '.join(f'DE {number}' for number in numbers) or 'nothing'}."
        return list(zip("ab", held(self, "sides"), strict=True)), summary, numbers


def diff(
    a: MessageArgument | bytes, b: MessageArgument | bytes, *, format: Format | str | None = None
) -> DiffTable:
    """Compare two messages element by element, also across versions.

    Parameters
    ----------
    a, b
        Messages in any form that `parse` takes.
    format
        The wire format, one of `sim.formats()`, or `text`. Default: recognized.

    Returns
    -------
    DiffTable
        `number`, `name`, `a`, `b`, `meaning_a`, `meaning_b`; empty when they are equal. An element that one
        message lacks is missing in its columns. The bitmap, which depends on the elements, is omitted.

    Raises
    ------
    TypeError
        One of them is not a message.

    Examples
    --------
    >>> import sim
    >>> one, two = (sim.generate("echo", stan=stan) for stan in ("000001", "000002"))
    >>> sim.diff(one, two)["number"].tolist()[-1]
    11
    """
    readings = [take(message, format=format) for message in (a, b)]
    sides = [dissect(each) for each in readings]
    rows: list[tuple[object, ...]] = []
    for difference in differences(*sides):
        places = zip(sides, (difference.a, difference.b), strict=True)
        cells = [row_of(side, place) if place else None for side, place in places]
        names = dict.fromkeys(str(cell[_NAME]) for cell in cells if cell)
        values, meanings = ([cell[at] if cell else None for cell in cells] for at in (_VALUE, _MEANING))
        number = difference.number if difference.number >= 0 else None
        rows.append((number, " / ".join(names), *values, *meanings))
    table = DiffTable(columns_of(_DIFF_COLUMNS, rows))
    table.attrs["iso"] = {name: side.version for name, side in zip("ab", sides, strict=True)}
    table.held = {"sides": readings}
    # Any row of both messages, for a table with some of them.
    pairs = {
        (view.value(place), view.covered[place.number][1])
        if place.state == READ
        else (view.raw[place.start : place.end], "".join(view.covered[place.number]))
        for view in sides
        for place in view.places
    }
    cover = Cover(frozenset({TextsShown(frozenset(pairs))}))
    return table.assign(**{name: CardData(table[name].array, cover) for name in "ab"})

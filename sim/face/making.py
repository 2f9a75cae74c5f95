"""New messages: generate one, answer one, reverse one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import tzinfo
    from typing import Unpack

    from sim.codec.wire import Format
    from sim.spec.words import (
        AnyMoment,
        AnyNetwork,
        AnyVersion,
        Entry,
        MessageType,
        Payment,
        Purpose,
    )
    from sim.tables import ConvertedTable, MessageArgument, MessageTable

# What only a language model is asked with.
OF_A_MODEL = ("description", "provider", "model")


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
    description: str | None = None,
    provider: str | None = None,
    model: str | None = None,
    **payment: Unpack[Payment],
) -> MessageTable:
    """Make a valid test message.

    Parameters
    ----------
    message_type
        auth (0100), financial (0200), echo (0800), advice (0120), reversal (0400), financial_advice (0220),
        sign_on, sign_off or key_exchange (0800), settlement (0500), settlement_advice (0520), file_update
        (0302), or what the network uses instead; also the MTI itself, or a purpose, which stands for the
        usual message with it.
    network
        One of `sim.NETWORKS`, in any letter case, or its name in words. None is the card's, or VISA when
        *pan* is None, too.
    pan
        12 to 19 digits, used as given, also when they are wrong. None is the network's test card.
    amount_minor_units
        The amount in the smallest unit of *currency*: 1000 is 10.00 in USD and 1000 yen in JPY.
    currency
        Three digits or three letters of ISO 4217.
    stan
        The systems trace audit number, six digits.
    version
        One of `sim.VERSIONS`. None is the one of the MTI, where *message_type* is one, else that of *format*,
        else the one that the network's own interface speaks: 1993 at Amex and Discover, 1987 at the others.
    at
        The moment: a datetime, a date (its midnight) or a text in ISO 8601; without time zone it is taken
        as UTC. None is now. Local times are those of the merchant: see *timezone*.
    purpose
        purchase, cash, cashback, refund, balance, verification (of an account), preauthorization,
        incremental, completion, recurring, instalment, pin_change, account_funding (AFT), original_credit
        (OCT) or dcc (a purchase in the cardholder's currency).
    entry
        How the card was read: manual, stripe, chip, contactless, ecommerce, fallback (the stripe of a chip
        card), moto (mail or telephone order) or stored (card on file). None is the usual one of the
        purpose: chip for a purchase.
    merchant
        The merchant's name, in DE 43.
    city, country
        The place in DE 43; the country as ISO 3166 code.
    mcc
        The merchant category code, four digits. None is the purpose's, else what *merchant* tells (a hotel,
        a pharmacy), else any shop's.
    terminal
        The terminal id, DE 41.
    acquirer
        The acquirer's id, DE 32, up to 11 digits.
    expiry
        The card's expiry, four digits YYMM.
    timezone
        The merchant's zone: `Europe/Berlin`, an offset such as `+05:30`, or a tzinfo. None is that of *at*,
        where it has one other than UTC, else that of the country, the capital's or largest city's where it
        has several.
    format
        The wire format, a dialect of one's own perhaps, that has its elements. What has no place there is
        left out, and `.iso.notes` says so. None is the version.
    description
        Plain English, from which a language model chooses the options instead. It overrides all others
        but *version*, *at* and *format*.
    provider, model
        The language model to ask; see `sim.llm.status()`.
    payment
        What else a payment carries:

        - `pin`: whether the PIN is sent (DE 52, a block that no key opens). Without it: at a cash machine.
        - `cvv2`: the verification value printed on the card, to be checked.
        - `postal_code`, `address`: the cardholder's, to be checked (AVS).
        - `three_d_secure`: authenticated, attempted or none: what came of 3-D Secure, with its ECI.
        - `token`: whether the card number is a token, with its cryptogram.
        - `store_card`: whether the card's data are stored for later payments.
        - `initiator`: merchant (usual) or cardholder: who began a payment with a stored card.
        - `instalments`: how many, 2 to 99.
        - `partial_approval`: whether the terminal takes an approval of a part.
        - `cashback_minor_units`: how much of the amount is cash, for purpose cashback; usual is half of it.
        - `final_amount_minor_units`: what stays of the amount in a partial reversal.
        - `merchant_amount_minor_units`, `merchant_currency`: the merchant's own price, for purpose dcc; usual
          are four fifths of the number, and pounds, as the sample shop is in London then.
        - `merchant_id`: DE 42.

    Returns
    -------
    MessageTable
        A row per data element; `.iso.notes` says what was assumed.

    Raises
    ------
    ChoiceError
        A word is none of those to choose from. The error names the argument, the choices and the nearest.
    OptionError
        Another option cannot be met, or options do not go together; the error says what would do.
    LlmError
        A language model was asked for in vain.

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
    '05000000054'
    """
    options = {name: value for name, value in locals().items() if name not in ("payment", *OF_A_MODEL)}
    from sim import tables

    if not isinstance(description, str | None):
        from sim.errors import OptionError, shown

        raise OptionError("description", "a text", shown(description))
    if description and description.strip():
        return tables.generate_by_model(
            description, provider=provider, model=model, version=version or "1987", at=at, format=format
        )
    _check_words(payment, options)
    return tables.generate(**options, **payment)


def _check_words(payment: Mapping[str, object], own: Mapping[str, object]) -> None:
    """Raise OptionError for the first word of *payment* that `generate` does not know, with the nearest."""
    from sim.errors import OptionError, closest
    from sim.operations.details import LIMITS
    from sim.spec.words import Payment

    known = (*own, *Payment.__annotations__)
    spellings = {name.split("_")[0]: name for name in known} | {name: name for name in known}
    for name in payment:
        if name not in known and name not in LIMITS:
            raise OptionError(name, "one of " + ", ".join(known), "no option", None, closest(name, spellings))


def respond(
    request: MessageArgument | bytes,
    code: str | None = None,
    *,
    amount_minor_units: int | None = None,
    balance_minor_units: int | None = None,
    format: Format | str | None = None,
) -> MessageTable:
    """Answer a request or an advice, as an issuer does: the decision, and what was asked for, such as results
    of checks, a balance or an answer to the chip.

    Parameters
    ----------
    request
        The message to answer, in any form.
    code
        The response code, DE 39; None approves.
    amount_minor_units
        How much is approved, where that is less than was asked for.
    balance_minor_units
        The balance that a balance inquiry is answered with; None is a sample value.
    format
        The wire format that *request* is in, where it is known; None guesses. The response has the elements
        of a format that is given, as in `generate`: what has no place there is left out, and `.iso.notes`
        says so.

    Returns
    -------
    MessageTable
        The response.

    Raises
    ------
    BuildError
        Nothing answers such a message, or *code* has the wrong length.
    OptionError
        More is approved than was asked for, or an amount is none.

    Examples
    --------
    >>> import sim
    >>> sim.respond(sim.generate("auth"), "51").iso.mti
    '0110'
    """
    from sim import tables

    return tables.respond(
        request,
        code,
        amount_minor_units=amount_minor_units,
        balance_minor_units=balance_minor_units,
        format=format,
    )


def reverse(
    original: MessageArgument | bytes,
    *,
    stan: str | None = None,
    at: AnyMoment | None = None,
    final_amount_minor_units: int | None = None,
    format: Format | str | None = None,
) -> MessageTable:
    """Undo a message: the reversal of *original*, in full or in part, with the original's data elements.

    Parameters
    ----------
    original
        An authorization or a financial message, in any form.
    stan
        The reversal's own trace number, six digits; None is the next one.
    at
        The reversal's own moment, as in `generate`; None is the original's.
    final_amount_minor_units
        What stays of the amount, where only a part is undone.
    format
        The wire format that *original* is in, where it is known; None guesses. The reversal has the elements
        of a format that is given, as in `generate`: what has no place there is left out, and `.iso.notes`
        says so.

    Returns
    -------
    MessageTable
        The reversal.

    Raises
    ------
    BuildError
        *original* is no authorization and no financial message.
    OptionError
        *at* is no moment, or more would stay than there was.

    Examples
    --------
    >>> import sim
    >>> sim.reverse(sim.generate("financial")).iso.mti
    '0400'
    """
    from sim import tables

    final = final_amount_minor_units
    return tables.reverse(original, stan=stan, at=at, final_amount_minor_units=final, format=format)


def convert(
    message: MessageArgument | bytes,
    to: AnyVersion,
    *,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    at: AnyMoment | None = None,
    format: Format | str | None = None,
) -> ConvertedTable:
    """Write a message in another version of the standard, with a word on each of its elements.

    Elements are renumbered, reformatted, split and merged; what the new version has no place for is lost,
    what the old one did not carry is filled in. Source: the annotations of the ISO 20022 card message
    dictionary; the rows of `sim/spec/data/conversion` name theirs.

    Parameters
    ----------
    message
        A message in any form.
    to
        The version to write it in, one of `sim.VERSIONS`.
    version
        The version it is in; None reads it off the MTI.
    network
        The network whose rules it is to keep; None is the card's.
    at
        The clock, local time: years and centuries that the message does not carry are those nearest to
        it. None is now.
    format
        The wire format that *message* is in, where it is known; None guesses.

    Returns
    -------
    ConvertedTable
        The message in version *to*. `.iso.notes` is a table with a row for each element of the original, 0
        for the MTI: `to` which elements it went, the `action` (kept, reformatted, moved, split, merged,
        filled, lost) and a `note`. `.iso.lossless` says whether converting back gives the original.

    Raises
    ------
    BuildError
        *message* cannot be read or written.
    ChoiceError
        No version or network is called that.

    Examples
    --------
    >>> import sim
    >>> table = sim.convert("0800822000000000000004000000000000001120093000123456301", "1993")
    >>> table.iso.mti, table.iso.lossless
    ('1804', True)
    >>> table.iso.notes["action"].tolist()
    ['reformatted', 'kept', 'kept', 'moved']
    """
    from sim import tables

    return tables.convert(message, to, version=version, network=network, at=at, format=format)

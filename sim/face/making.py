"""New messages: generate one, answer one, reverse one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.frames import MessageArgument, MessageTable
    from sim.spec.words import AnyMoment, AnyNetwork, AnyVersion, Entry, MessageType, Purpose


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
    entry: Entry | str = "manual",
    description: str | None = None,
    provider: str | None = None,
    model: str | None = None,
) -> MessageTable:
    """Make a valid test message.

    Parameters
    ----------
    message_type
        auth (0100), financial (0200), echo (0800), advice (0120) or reversal (0400, or what the network
        uses instead); also the MTI itself, or a purpose, which stands for a financial message with it.
    network
        One of `sim.NETWORKS`, in any letter case, or its name in words. None is the card's, or VISA when
        *pan* is None, too.
    pan
        12 to 19 digits, used as given, also when they are wrong. None takes the network's test card.
    amount_minor_units
        The amount in the smallest unit of *currency*: 1000 is 10.00 in USD and 1000 yen in JPY.
    currency
        Three digits or three letters of ISO 4217.
    stan
        The systems trace audit number, six digits.
    version
        One of `sim.VERSIONS`. None is the one of the MTI, where *message_type* is one, else the one that
        the network's own interface speaks: 1993 at Amex and Discover, 1987 at the others.
    at
        The moment at the merchant: a datetime, a date (its midnight) or a text in ISO 8601; without time
        zone it is taken as UTC. None is now.
    purpose
        purchase, cash, cashback, refund or balance.
    entry
        How the card was read: manual, stripe, chip, contactless or ecommerce.
    description
        Plain English, from which a language model chooses the options instead. It overrides all others
        but *version* and *at*.
    provider, model
        The language model to ask; see `sim.llm.status()`.

    Returns
    -------
    MessageTable
        A row per data element; `.iso.notes` says what was assumed.

    Raises
    ------
    ChoiceError
        A word is none of those to choose from. The error names the argument, the choices and the nearest.
    OptionError
        Another option cannot be met.
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
    """
    from sim import frames

    if description and description.strip():
        return frames.generate_by_model(
            description, provider=provider, model=model, version=version or "1987", at=at
        )
    return frames.generate(
        message_type,
        network=network,
        pan=pan,
        amount_minor_units=amount_minor_units,
        currency=currency,
        stan=stan,
        version=version,
        at=at,
        purpose=purpose,
        entry=entry,
    )


def respond(request: MessageArgument, code: str | None = None) -> MessageTable:
    """Answer a request or an advice.

    Parameters
    ----------
    request
        The message to answer, in any form.
    code
        The response code, DE 39; None approves.

    Returns
    -------
    MessageTable
        The response.

    Raises
    ------
    BuildError
        Nothing answers such a message, or *code* has the wrong length.

    Examples
    --------
    >>> import sim
    >>> sim.respond(sim.generate("auth"), "51").iso.mti
    '0110'
    """
    from sim import frames

    return frames.respond(request, code)


def reverse(
    original: MessageArgument, *, stan: str | None = None, at: AnyMoment | None = None
) -> MessageTable:
    """Undo a message: the reversal of *original* in full, with the original's data elements.

    Parameters
    ----------
    original
        An authorization or a financial message, in any form.
    stan
        The reversal's own trace number, six digits; None is the next one.
    at
        The reversal's own moment, as in `generate`; None is the original's.

    Returns
    -------
    MessageTable
        The reversal.

    Raises
    ------
    BuildError
        *original* is no authorization and no financial message.
    OptionError
        *at* is no moment.

    Examples
    --------
    >>> import sim
    >>> sim.reverse(sim.generate("financial")).iso.mti
    '0400'
    """
    from sim import frames

    return frames.reverse(original, stan=stan, at=at)


def convert(
    message: MessageArgument,
    to: AnyVersion,
    *,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    at: AnyMoment | None = None,
) -> MessageTable:
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

    Returns
    -------
    MessageTable
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
    from sim import frames

    return frames.convert(message, to, version=version, network=network, at=at)

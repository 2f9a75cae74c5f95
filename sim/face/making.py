"""New messages: generate one, answer one, reverse one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from sim.frames import MessageArgument, MessageTable


def generate(
    message_type: str = "auth",
    *,
    network: str | None = None,
    pan: str | None = None,
    amount_minor_units: int = 1000,
    currency: str = "840",
    stan: str = "123456",
    version: str = "1987",
    at: datetime | None = None,
    purpose: str = "purchase",
    entry: str = "manual",
    description: str | None = None,
    provider: str | None = None,
    model: str | None = None,
) -> MessageTable:
    """Make a valid test message.

    *message_type* is auth (0100), financial (0200), echo (0800), advice (0120) or reversal (0400).
    *network* is one of `sim.NETWORKS`; None is the card's, or VISA when *pan* is None too.
    *pan* has 12 to 19 digits and is used as given, also one that is wrong; None takes the network's
    test card. *amount_minor_units* counts the smallest unit of *currency* (1000 in USD is 10.00, in
    JPY 1000 yen); *currency* is three digits or letters of ISO 4217. *stan* has six digits. *version*
    is one of `sim.VERSIONS`. *at* is the moment at the merchant, without time zone taken as UTC; None
    is now. *purpose* is purchase, cash, cashback, refund or balance; *entry* manual, stripe, chip,
    contactless or ecommerce.

    *description*, plain English, has a language model choose the options instead (see `sim.llm.status()`
    for *provider* and *model*); it overrides the others but *version* and *at*.

    Gives a message table; `.iso.notes` says what was assumed. Raises BuildError for an option that
    cannot be met, an LlmError where a model was asked for in vain.

    >>> import sim
    >>> echo = sim.generate("echo", stan="000042")
    >>> echo.iso.mti, echo.iso.to_message()[11]
    ('0800', '000042')
    """
    from sim import frames

    if description and description.strip():
        return frames.generate_by_model(description, provider=provider, model=model, version=version, at=at)
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

    *code* is the response code, DE 39; None approves. Gives the response as a message table.
    Raises BuildError when nothing answers such a message, or *code* has the wrong length.

    >>> import sim
    >>> sim.respond(sim.generate("auth"), "51").iso.mti
    '0110'
    """
    from sim import frames

    return frames.respond(request, code)


def reverse(
    original: MessageArgument, *, stan: str | None = None, at: datetime | None = None
) -> MessageTable:
    """Undo a message: the reversal of *original* in full, with the original's data elements.

    *stan* is the reversal's own trace number, None the next one; *at* its own moment, None the
    original's. Gives a message table. Raises BuildError when *original* is no authorization and no
    financial message.

    >>> import sim
    >>> sim.reverse(sim.generate("financial")).iso.mti
    '0400'
    """
    from sim import frames

    return frames.reverse(original, stan=stan, at=at)

"""One message: parse, explain, validate, build, diff, mask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sim.frames import DiffTable, FindingsTable, MessageArgument, MessageTable, RawMessage


def parse(raw: MessageArgument, *, version: str | None = None, network: str | None = None) -> MessageTable:
    """Split a message into MTI, bitmap and data elements, and say what each of them means.

    *version* is one of `sim.VERSIONS`; None reads it off the MTI. *network* chooses that network's
    meanings; None is the card's. Gives a message table: a row per data element, offsets counted in
    characters from 0.

    Only framing is judged here. A broken text gives a table as well: what was read, the piece that
    misfits with its finding and hint, the unread rest. Raises TypeError for what is no message
    argument, SpecError for an unknown version or network.

    >>> import sim
    >>> table = sim.parse("08002020000000000000990000123456")
    >>> table["number"].tolist()
    [0, 1, 3, 11]
    >>> sim.parse("0800202000000000000099000012")["finding"].iloc[-1]
    'DE 11 at offset 26: expected n 6, found 2 characters'
    """
    from sim import frames

    return frames.parse(raw, version=version, network=network)


def explain(
    message: MessageArgument,
    *,
    version: str | None = None,
    network: str | None = None,
    llm: bool = False,
    provider: str | None = None,
    model: str | None = None,
) -> MessageTable:
    """Say in plain English what a message is about.

    Gives the message table, shown with a summary above it, which is also `.iso.summary`. *version*
    None reads it off the MTI; *network* None is the card's. A broken text gives its pieces, as
    `parse` does, and no summary. Raises as `parse` does.

    *llm* True asks a language model, which sees the elements with card data hidden; *provider* and
    *model* choose it (see `sim.llm.status()`). Then a broken text raises BuildError, and a model asked
    for in vain an LlmError.

    >>> import sim
    >>> bool(sim.explain(sim.generate("auth")).iso.summary)
    True
    """
    from sim import frames

    if llm:
        return frames.explain_by_model(
            message, version=version, network=network, provider=provider, model=model
        )
    return frames.explain(message, version=version, network=network)


def validate(
    message: MessageArgument,
    *,
    against: Iterable[str] = (),
    network: str | None = None,
    version: str | None = None,
) -> FindingsTable:
    """Check a message by the standard's rules and by its network's.

    *network* is the message's own; None is the card's. *against* names other networks whose findings
    to list as well; they never make the message invalid. *version* None reads it off the MTI. Gives a
    findings table, empty when all is well; `.iso.valid` is the verdict, `.iso.networks` what each
    network says. A broken text or a bad cell is a finding. Raises TypeError for what is no message
    argument, SpecError for an unknown version or network.

    >>> import sim
    >>> report = sim.validate("0800202000000000000099000012")
    >>> report.iso.valid, len(report)
    (False, 1)
    """
    from sim import frames

    return frames.validate(message, against=against, network=network, version=version)


def build(fields: MessageArgument | Mapping[Any, str], *, version: str | None = None) -> RawMessage:
    """Write a message as text: MTI, bitmap, data elements.

    *fields* is a message in any form, or a dict of `0` (or `"mti"`) and data element numbers; the
    bitmap follows from them. *version* None reads it off the MTI. The text is a str whose repr
    leaves the elements out, so that no card number stays in a notebook; `print` shows it all.
    Raises BuildError naming the element, what was expected and what was found.

    >>> import sim
    >>> print(sim.build({"mti": "0800", 3: "990000", 11: "123456"}))
    08002020000000000000990000123456
    """
    from sim import frames

    return frames.build(fields, version=version)


def diff(a: MessageArgument, b: MessageArgument) -> DiffTable:
    """Put the data elements in which two messages differ side by side, also across versions.

    Gives a table of `number`, `name`, `a`, `b`, `meaning_a`, `meaning_b`, empty when they are equal;
    an element that one of them lacks is missing there. The bitmap follows from the elements and is
    left out. Raises as `parse` does.

    >>> import sim
    >>> one, two = (sim.generate("echo", stan=stan) for stan in ("000001", "000002"))
    >>> sim.diff(one, two)["number"].tolist()[-1]
    11
    """
    from sim import frames

    return frames.diff(a, b)


def mask(message: MessageArgument, *, version: str | None = None) -> str:
    """Star out the card data of a message, so that its text can go into a ticket or a mail.

    A PAN keeps its first 6 and last 4 digits; track data, PIN blocks and chip data keep nothing. The
    layout stays, so that lengths and offsets can still be followed. A broken text keeps no long run
    of digits. Raises as `parse` does.

    >>> import sim
    >>> sim.mask("0100400000000000000016" + "4111111111111111")
    '0100400000000000000016411111******1111'
    """
    from sim import frames

    return frames.mask(message, version=version)

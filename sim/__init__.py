"""ISO 8583 in Jupyter: generate, explain and validate card-payment messages, for testing and teaching.

>>> import sim
>>> message = sim.generate("auth", network="VISA", amount_minor_units=2500)
>>> sim.validate(message).iso.valid
True

A message is always any of three: its raw text, a message table, or a `Message`. The message table
is the message: change a cell, and build, explain or validate it. Only test card numbers belong
here; whatever is displayed hides them, what is exported does not.

Nothing heavy is imported before a function is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Literal

    from matplotlib.axes import Axes

    from sim.codec import BuildError, IsoError, Message, ParseError
    from sim.errors import SpecError
    from sim.frames import DiffTable, FindingsTable, MessageArgument, MessageTable, RawMessage, Table
    from sim.frames.bulk import read
    from sim.frames.negative import break_message, cases, faults
    from sim.spec import VERSIONS
    from sim.spec.networks import NETWORKS

__version__ = "0.1.0"

__all__ = [
    "NETWORKS",
    "VERSIONS",
    "BuildError",
    "IsoError",
    "Message",
    "ParseError",
    "SpecError",
    "__version__",
    "break_message",
    "build",
    "cases",
    "codes",
    "diff",
    "explain",
    "faults",
    "fields",
    "generate",
    "mask",
    "parse",
    "plot",
    "read",
    "respond",
    "reverse",
    "rules",
    "show",
    "validate",
]

# Where names live that are resolved on first use (PEP 562).
_HOMES = {
    "NETWORKS": "sim.spec.networks",
    "VERSIONS": "sim.spec",
    "BuildError": "sim.errors",
    "IsoError": "sim.errors",
    "Message": "sim.codec",
    "ParseError": "sim.errors",
    "SpecError": "sim.errors",
    "break_message": "sim.frames.negative",
    "cases": "sim.frames.negative",
    "faults": "sim.frames.negative",
    "read": "sim.frames.bulk",
    "show": "sim.frames.show",
}


def __getattr__(name: str) -> Any:
    if name == "widgets":
        return import_module("sim.widgets")
    if name == "llm":
        return import_module("sim.frames.llm")
    if name not in _HOMES:
        raise AttributeError(f"module 'sim' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *globals()})


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

    >>> echo = generate("echo", stan="000042")
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

    >>> respond(generate("auth"), "51").iso.mti
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

    >>> reverse(generate("financial")).iso.mti
    '0400'
    """
    from sim import frames

    return frames.reverse(original, stan=stan, at=at)


def parse(raw: MessageArgument, *, version: str | None = None, network: str | None = None) -> MessageTable:
    """Split a message into MTI, bitmap and data elements, and say what each of them means.

    *version* is one of `sim.VERSIONS`; None reads it off the MTI. *network* chooses that network's
    meanings; None is the card's. Gives a message table: a row per data element, offsets counted in
    characters from 0.

    Only framing is judged here. A broken text gives a table as well: what was read, the piece that
    misfits with its finding and hint, the unread rest. Raises TypeError for what is no message
    argument, SpecError for an unknown version or network.

    >>> table = parse("08002020000000000000990000123456")
    >>> table["number"].tolist()
    [0, 1, 3, 11]
    >>> parse("0800202000000000000099000012")["finding"].iloc[-1]
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

    >>> bool(explain(generate("auth")).iso.summary)
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

    >>> report = validate("0800202000000000000099000012")
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

    >>> print(build({"mti": "0800", 3: "990000", 11: "123456"}))
    08002020000000000000990000123456
    """
    from sim import frames

    return frames.build(fields, version=version)


def diff(a: MessageArgument, b: MessageArgument) -> DiffTable:
    """Put the data elements in which two messages differ side by side, also across versions.

    Gives a table of `number`, `name`, `a`, `b`, `meaning_a`, `meaning_b`, empty when they are equal;
    an element that one of them lacks is missing there. The bitmap follows from the elements and is
    left out. Raises as `parse` does.

    >>> diff(generate("echo", stan="000001"), generate("echo", stan="000002"))["number"].tolist()[-1]
    11
    """
    from sim import frames

    return frames.diff(a, b)


def mask(message: MessageArgument, *, version: str | None = None) -> str:
    """Star out the card data of a message, so that its text can go into a ticket or a mail.

    A PAN keeps its first 6 and last 4 digits; track data, PIN blocks and chip data keep nothing. The
    layout stays, so that lengths and offsets can still be followed. A broken text keeps no long run
    of digits. Raises as `parse` does.

    >>> mask("0100400000000000000016" + "4111111111111111")
    '0100400000000000000016411111******1111'
    """
    from sim import frames

    return frames.mask(message, version=version)


def plot(
    messages: MessageArgument | Iterable[MessageArgument],
    kind: Literal["traffic", "responses", "presence", "amounts"] = "traffic",
    ax: Axes | None = None,
) -> Axes:
    """Draw many messages: a table with a row for each, as `read` gives, or a list of messages.

    *kind* is `traffic` (how many when, by network and MTI), `responses` (response codes by network),
    `presence` (which data elements stand in which MTI) or `amounts` (how large, by currency, in its own
    decimals). *ax* is the Axes to draw on, None makes a figure. Gives the Axes. No card data is drawn;
    broken messages are counted beneath. Raises ImportError without matplotlib (extra `plot`), ValueError
    for another kind, TypeError for what is no message.

    >>> plot([generate("auth"), generate("echo")], "presence").get_title(loc="left")
    'Data elements present'
    """
    from sim import frames

    return frames.plot(messages, kind, ax)


def fields(version: str = "1987", network: str | None = None) -> Table:
    """Give the data dictionary: the data elements of one version of ISO 8583.

    Columns: `number`, `name`, `format` (the standard's notation: `n 6`, `n..19`, `ans..999`, `b 8`),
    `pattern` (of dates), `note`, `source`; with *network* also `required_in`, the MTIs that must have
    the element, and `network_format`, what the network expects of it. Raises SpecError for an
    unknown version or network.

    >>> fields("1993").set_index("number").loc[39, "format"]
    'n 3'
    """
    from sim import frames

    return frames.fields(version, network)


def codes(name: str | None = None) -> Table:
    """Give a code list, such as `response_code`, `countries` or `currencies`; without *name* the names
    of all lists and how many codes each has. Raises SpecError for an unknown name.

    >>> response = codes("response_code")
    >>> response.loc[response["code"] == "51", "meaning"].iloc[0]
    'not sufficient funds'
    """
    from sim import frames

    return frames.codes(name)


def rules() -> Table:
    """Give the catalogue of rules.

    Columns: `rule` (as findings name it), `network` (empty where it is the standard's or all networks'
    own), `severity`, `checks`, `source`, `hint`, `example` (a fault for `break_message`). Raises nothing.

    >>> "framing" in rules()["rule"].tolist()
    True
    """
    from sim import frames

    return frames.rules()

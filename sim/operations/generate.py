"""Build a valid test message from options; answer one; reverse one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sim.codec import BuildError, Message, build
from sim.codec.walk import is_digits
from sim.elements import mti as mtis
from sim.elements.pan import detect_network
from sim.operations.details import sample_note
from sim.operations.options import Options, check
from sim.operations.recipes import RECIPES, Context, approved, original_data
from sim.spec import lookup, spec
from sim.spec.networks import default_card, detect
from sim.spec.tables import read_toml

SOURCE_TEMPLATE = "template"  # our choice: the contract leaves the values of `source` open
DEFAULT_NETWORK = "VISA"  # our choice: the test card when neither network nor PAN is given

# What a response repeats from its request, beside its own answer: the elements by which the two are
# matched, the amount, and the institutions.
_ECHOED = {
    "1987": (2, 3, 4, 7, 11, 12, 13, 24, 32, 33, 37, 41, 42, 49, 70, 90, 100),
    "1993": (2, 3, 4, 7, 11, 12, 24, 32, 33, 37, 41, 42, 49, 56, 100),
    "2003": (2, 3, 4, 7, 11, 12, 24, 32, 33, 37, 41, 42, 56, 100),
}
# What a reversal repeats from the message it undoes.
_KEPT = {
    "1987": (2, 3, 4, 12, 13, 14, 18, 19, 22, 23, 25, 32, 33, 37, 38, 41, 42, 43, 48, 49, 60, 61, 100),
    "1993": (2, 3, 4, 12, 14, 22, 23, 26, 32, 33, 37, 38, 41, 42, 43, 49, 100),
    "2003": (2, 3, 4, 12, 14, 22, 23, 26, 32, 33, 37, 38, 41, 42, 100),
}


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated message. `network` is the one asked for, else the card's; `notes` say what was
    assumed where the options left it open."""

    message: Message
    network: str | None
    source: str
    notes: tuple[str, ...] = ()

    @property
    def raw(self) -> str:
        """The message as text."""
        return build(self.message)

    @property
    def mti(self) -> str:
        """The message type indicator."""
        return self.message.mti


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
    details: Mapping[str, str] | None = None,
) -> Generated:
    """A valid test message.

    *message_type* is auth (0100), financial (0200), echo (0800), advice (0120) or reversal (0400, or
    what the network and version use instead). *at* is the moment at the merchant (naive: UTC; None:
    now). *purpose* and *entry* say what for and how the card was read. A PAN is used as given, also
    one that fails its check digit or is of another network. *details* fix what is else a sample value:
    terminal, merchant, name, city, country, mcc, expiry ... (`details.LIMITS`). Raises BuildError for
    an option that cannot be met.
    """
    options = check(
        message_type, network, pan, amount_minor_units, currency, stan, version, at, purpose, entry, details
    )
    if options.kind == "echo":
        return _echo(options)
    notes = []
    card = options.pan
    if card is None:
        card = default_card(options.network or DEFAULT_NETWORK).pan
        notes.append(f"No card was given: the {options.network or DEFAULT_NETWORK} test card is used.")
    found = detect(card)
    chosen = options.network or (found.network if found else None)
    context = Context(options, chosen, card)
    message = _fill(context, _numbers(context))
    if options.purpose == "cashback" and "cashback" not in options.details:
        notes.append("How much of the amount is cash was not given: half of it is.")
    notes.append(sample_note(options.details))
    return Generated(message, chosen, SOURCE_TEMPLATE, tuple(notes))


def _echo(options: Options) -> Generated:
    """A link test carries no card; the network is the one asked for, if any."""
    context = Context(options, options.network, "")
    numbers = [*context.kind[options.version], *context.dialect.get("echo_add", [])]
    return Generated(_fill(context, numbers), options.network, SOURCE_TEMPLATE)


def _numbers(context: Context) -> list[int]:
    options, dialect = context.options, context.dialect
    numbers = [*context.kind[options.version], *context.entry["elements"]]
    if options.kind == "reversal" and "reversal_reason" in dialect:
        numbers.append(39)
    if "cashback" in options.details or options.purpose == "cashback":
        numbers.append(54)
    return [number for number in numbers if number not in dialect.get("drop", [])]


def _fill(context: Context, numbers: list[int]) -> Message:
    options, dialect = context.options, context.dialect
    values = {number: RECIPES[number](context) for number in numbers}
    if options.kind != "echo":
        added = {**dialect.get("add", {}), **dialect.get(f"add_{options.entry}", {})}
        for number, text in added.items():
            postal = f"{context.sample['postal']:<10}"
            values[int(number)] = text.format(**{**context.sample, "postal": postal})
    mti = context.kind["mti"][options.version]
    if options.kind == "reversal":
        mti = dialect.get("reversal", mti)
    return Message(mti, dict(sorted(values.items())), options.version)


def respond(request: Message, code: str | None = None, *, approval: str | None = None) -> Generated:
    """The response to *request*: its MTI by the request -> response rule, what is echoed, the answer.

    *code* is DE 39; None approves. *approval* is DE 38 of an approval. Raises
    BuildError where nothing answers such a message or the code has the wrong length.
    """
    answer_mti = mtis.response_mti(request.mti)
    if answer_mti is None:
        raise BuildError(0, 2, "a request or an advice", f"MTI {request.mti}")
    version = request.version
    width = spec(version)[39].width
    answer = approved(version, request.mti[1]) if code is None else code
    if len(answer) != width:
        raise BuildError(39, None, spec(version)[39].format, f"{len(answer)} characters")
    fields = {number: request[number] for number in _ECHOED[version] if number in request}
    fields[39] = answer
    known = lookup("response_code", answer, version=version)
    if request.mti[1] in "12" and known and known.kind == "approved":
        fields[38] = approval or request.get(38) or str(read_toml("templates")["sample"]["approval"])
    message = Message(answer_mti, dict(sorted(fields.items())), version)
    return Generated(message, _network_of(request), SOURCE_TEMPLATE)


def reverse(original: Message, *, stan: str | None = None, at: datetime | None = None) -> Generated:
    """The message that undoes *original* in full: what it repeats, original data elements, reason.

    *stan* and *at* are the reversal's own; without them the next number and the original's own
    transmission time. Raises BuildError when *original* is no authorization or financial message.
    """
    if original.mti[1] not in "12":
        raise BuildError(0, 1, "an authorization or financial message", f"MTI {original.mti}")
    version = original.version
    network = _network_of(original)
    context = Context(
        check("reversal", network, None, 0, "840", "000000", version, at, "purchase", "manual"), network, ""
    )
    fields = {number: original[number] for number in _KEPT[version] if number in original}
    width = spec(version)[11].width
    fields[11] = (stan or _next(original.get(11))).zfill(width)
    fields[7] = RECIPES[7](context) if at else original.get(7) or RECIPES[7](context)
    moment = original.get(7 if version == "1987" else 12)
    data = original_data(version, original.mti, original.get(11), moment, original.get(32), original.get(33))
    fields[90 if version == "1987" else 56] = data
    if version != "1987":
        fields[24], fields[25] = str(context.kind["function"]), str(context.kind["reason"])
    elif reason := context.dialect.get("reversal_reason"):
        fields[39] = str(reason)
    mti = context.dialect.get("reversal", context.kind["mti"][version])
    return Generated(Message(mti, dict(sorted(fields.items())), version), network, SOURCE_TEMPLATE)


def _next(stan: str) -> str:
    """The STAN after *stan*, six digits, 000001 after 999999."""
    if not is_digits(stan):
        raise BuildError(11, None, "digits in the original's STAN", f"{len(stan)} characters")
    return f"{int(stan) % 999_999 + 1:06}"


def _network_of(message: Message) -> str | None:
    found = detect_network(message)
    return found.network if found else None

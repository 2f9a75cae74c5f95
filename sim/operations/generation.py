"""Build a valid test message from options; answer one; reverse one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from sim.codec import BuildError, Message, build
from sim.codec.walk import is_digits
from sim.elements import mti as mtis
from sim.elements.pan import detect_network
from sim.operations.details import sample_note
from sim.operations.options import Setting, check_numbers, dialect_of, settle
from sim.operations.recipes import FIXED, VARIED, Context, Varied, approved, clock, original_data
from sim.spec import lookup, number_of, spec
from sim.spec.networks import NETWORKS, default_card, detect
from sim.spec.networks import network as network_of
from sim.spec.tables import read_toml

DEFAULT_VERSION = "1987"  # where no network, whose own version it would be, is known
SOURCE_TEMPLATE = "template"  # our choice: the contract leaves the values of `source` open
DEFAULT_NETWORK = NETWORKS[0]  # our choice: the test card when neither network nor PAN is given

# What a response repeats from its request, beside its own answer: the elements by which the two are
# matched, the amount, and the institutions.
_ECHOED = {
    "1987": (2, 3, 4, 7, 11, 12, 13, 24, 32, 33, 37, 41, 42, 49, 70, 90, 100),
    "1993": (2, 3, 4, 7, 11, 12, 24, 32, 33, 37, 41, 42, 49, 56, 100),
    "2003": (2, 3, 4, 7, 11, 12, 24, 32, 33, 37, 41, 42, 56, 100),
}
# Never kept beyond the authorization, so no reversal has them.
_TRACKS = (35, 45)
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
    version: str | None = "1987",
    at: datetime | None = None,
    purpose: str = "purchase",
    entry: str = "manual",
    details: Mapping[str, str] | None = None,
) -> Generated:
    """A valid test message.

    *message_type* is auth (0100), financial (0200), echo (0800), advice (0120) or reversal (0400, or
    what the network and version use instead). *at* is the moment at the merchant (naive: UTC; None:
    now). *purpose* and *entry* say what for and how the card was read. A PAN is used as given, also
    one that fails its check digit or is of another network. *version* None is the one that the network's
    own interface speaks: 1993 at Amex and Discover. *details* fix what is else a sample value:
    terminal, merchant, name, city, country, mcc, expiry ... (`details.LIMITS`). Raises OptionError for
    an option that cannot be met.
    """
    check_numbers(pan, amount_minor_units, stan)
    chosen, card = network, pan
    if message_type == "echo":
        card = ""  # a link test carries no card
    elif card is None:
        chosen = DEFAULT_NETWORK if network is None else network
    elif network is None:
        found = detect(card)
        chosen = found.network if found else None
    version = native_version(chosen, None) if version is None else version
    template = _template(message_type, chosen, version, purpose, entry, currency, details)
    if card is not None:
        return template.generated(card, amount_minor_units, stan, at)
    note = f"No card was given: the {chosen} test card is used."
    return template.generated(default_card(str(chosen)).pan, amount_minor_units, stan, at, note)


def native_version(network: str | None, pan: str | None) -> str:
    """The version that the own interface of *network* speaks, else of the network of card number *pan*;
    1987 where neither is known."""
    if network is None and pan:
        found = detect(pan)
        network = found.network if found else None
    return network_of(network).native_version if network in NETWORKS else DEFAULT_VERSION


@dataclass(frozen=True, slots=True)
class Template:
    """What all messages of one setting have in common. `fields` are the elements, ascending, empty where
    they vary; `varied` pairs each of those with its recipe; `notes` are those of every such message."""

    setting: Setting
    mti: str
    fields: Mapping[int, str]
    varied: tuple[tuple[int, Varied], ...]
    notes: tuple[str, ...]

    def generated(
        self, card: str, amount_minor_units: int, stan: str, at: datetime | None, *notes: str
    ) -> Generated:
        """The message with this card, amount and STAN at this moment."""
        setting = self.setting
        version = setting.version
        context = Context(setting, card, amount_minor_units, stan, clock(version, at))
        fields = dict(self.fields)
        for number, recipe in self.varied:
            fields[number] = recipe(context)
        message = Message(self.mti, fields, version)
        return Generated(message, setting.network, SOURCE_TEMPLATE, notes + self.notes)


def _template(
    kind: str,
    network: str | None,
    version: str,
    purpose: str,
    entry: str,
    currency: str,
    details: Mapping[str, str] | None = None,
) -> Template:
    """The template of a setting. Raises OptionError for an option that cannot be met."""
    options = (kind, network, version, purpose, entry, currency)
    if details:
        return _make_template(*options, details)
    try:
        return _kept_template(*options)
    except TypeError:  # an option that cannot be looked up, such as a list
        return _make_template(*options)


def _make_template(*options: Any) -> Template:
    setting = settle(*options)
    kind, dialect = setting.kinds, setting.dialect
    numbers, texts = _numbers(setting), own_elements(setting)
    texts |= {number: FIXED[number](setting) for number in numbers if number in FIXED and number not in texts}
    fields = {number: texts.get(number, "") for number in sorted({*numbers, *texts})}
    varied = tuple((number, VARIED[number]) for number in fields if number not in texts)
    mti = kind["mti"][setting.version]
    if setting.kind == "reversal":
        mti = dialect.get("reversal", mti)
    return Template(setting, mti, fields, varied, _notes(setting))


# Without details, whose values are the caller's own: what is kept is made of the names of options alone.
_kept_template = lru_cache(maxsize=512)(_make_template)


def _numbers(setting: Setting) -> list[int]:
    kind, dialect = setting.kinds, setting.dialect
    if setting.kind == "echo":
        return [*kind[setting.version], *dialect.get("echo_add", [])]
    numbers = [*kind[setting.version], *setting.entries["elements"]]
    if setting.kind == "reversal":
        numbers = [number for number in numbers if number not in _TRACKS]
    if setting.kind == "reversal" and "reversal_reason" in dialect:
        numbers.append(39)
    if "cashback" in setting.details or setting.purpose == "cashback":
        numbers.append(54)
    return [number for number in numbers if number not in dialect.get("drop", [])]


def own_elements(setting: Setting) -> dict[int, str]:
    """The elements that the network's dialect has of its own."""
    if setting.kind == "echo":
        return {}
    dialect, sample = setting.dialect, setting.sample
    texts = {
        **dialect.get("add", {}),
        **dialect.get(f"add_{setting.entry}", {}),
        **dialect.get(f"add_{setting.kind}", {}),
    }
    values = {**sample, "postal": f"{sample['postal']:<10}"}
    return {int(number): text.format(**values) for number, text in texts.items()}


def _notes(setting: Setting) -> tuple[str, ...]:
    """What was assumed where the options left it open."""
    if setting.kind == "echo":
        return ()
    sample = sample_note(setting.details)
    if setting.purpose == "cashback" and "cashback" not in setting.details:
        return "How much of the amount is cash was not given: half of it is.", sample
    return (sample,)


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
    answer = approved(version, *request.mti[1:3]) if code is None else code
    if len(answer) != width:
        raise BuildError(39, None, spec(version)[39].format, f"{len(answer)} characters")
    fields = {number: request[number] for number in _ECHOED[version] if number in request}
    fields[39] = answer
    known = lookup("response_code", answer, version=version)
    if request.mti[1] in "12" and known and known.kind == "approved":
        fields[38] = approval or request.get(38) or str(read_toml("templates")["sample"]["approval"])
    network = _network_of(request)
    dialect = dialect_of(network, version) if request.mti[1] in "12" else {}
    fields |= {number: request[number] for number in dialect.get("answer_repeats", ()) if number in request}
    if "answer_settles" in dialect and 13 in request:
        fields[dialect["answer_settles"]] = request[13]
    message = Message(answer_mti, dict(sorted(fields.items())), version)
    return Generated(message, network, SOURCE_TEMPLATE)


def reverse(original: Message, *, stan: str | None = None, at: datetime | None = None) -> Generated:
    """The message that undoes *original* in full: what it repeats, original data elements, reason.

    *stan* and *at* are the reversal's own; without them the next number and the original's own
    transmission time. Raises BuildError when *original* is no authorization or financial message.
    """
    if original.mti[1] not in "12":
        raise BuildError(0, 1, "an authorization or financial message", f"MTI {original.mti}")
    version = original.version
    network = _network_of(original)
    template = _template("reversal", network, version, "purchase", "manual", "840")
    setting = template.setting
    fields = {number: original[number] for number in _KEPT[version] if number in original}
    width = spec(version)[11].width
    fields[11] = (stan or _next(original.get(11))).zfill(width)
    sent = "" if at else original.get(7)
    fields[7] = sent or clock(version, at).elements[7]
    moment = original.get(number_of("sent-of-original", version))
    data = original_data(version, original.mti, original.get(11), moment, original.get(32), original.get(33))
    fields[number_of("original", version)] = data
    if version != "1987":
        fields[24], fields[25] = str(setting.kinds["function"]), str(setting.kinds["reason"])
    elif reason := setting.dialect.get("reversal_reason"):
        fields[39] = str(reason)
    message = Message(template.mti, dict(sorted(fields.items())), version)
    return Generated(message, network, SOURCE_TEMPLATE)


def _next(stan: str) -> str:
    """The STAN after *stan*, six digits, 000001 after 999999."""
    if not is_digits(stan):
        raise BuildError(11, None, "digits in the original's STAN", f"{len(stan)} characters")
    return f"{int(stan) % 999_999 + 1:06}"


def _network_of(message: Message) -> str | None:
    found = detect_network(message)
    return found.network if found else None

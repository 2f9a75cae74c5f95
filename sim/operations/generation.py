"""Build a valid test message from options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import Any

from sim.codec import Message, build
from sim.operations.filling import Outline, Values, filled, holding, parts_of
from sim.operations.merchants import chosen_category, note_of, zone_named
from sim.operations.options import Setting, check_numbers, dialect_of, sample_note, settle
from sim.operations.recipes import Context, clock, known_values, maker, varies
from sim.spec.interfaces import Interface
from sim.spec.interfaces import interface as interface_of
from sim.spec.networks import NETWORKS, default_card, detect
from sim.spec.networks import network as network_of
from sim.spec.recipes import recipes
from sim.spec.spellings import DEFAULT_VERSION
from sim.spec.tables import read_toml

SOURCE_TEMPLATE = "template"  # our choice: the contract leaves the values of `source` open
DEFAULT_NETWORK = NETWORKS[0]  # our choice: the test card when neither network nor PAN is given

# Track data may not be stored after authorization, so reversals do not have it.
_TRACKS = (35, 45)


@dataclass(slots=True)
class Generated:
    """A generated message. `network` is the requested one, otherwise the card's; `notes` list the
    assumptions. Not frozen, because one is created per message."""

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
    details: Mapping[str, Any] | None = None,
    interface: str | None = None,
) -> Generated:
    """A valid test message.

    *message_type* is auth (0100), financial (0200), echo (0800), advice (0120) or reversal (0400, or what
    the network and version use instead). *at* is the date and time at the merchant (naive: UTC; None: now).
    *purpose* and *entry* say what it is for and how the card was read. A PAN is used as given, even if its
    check digit is wrong or it belongs to another network. *version* None is that of the network's own
    interface: 1993 for Amex and Discover. *details* set what otherwise has a sample value: terminal,
    merchant, name, city ... (the details and options of `templates.toml`). *interface* is what the link
    speaks, if it is not the network's own: its rows say what the message has, the card stays the network's.
    Raises OptionError for an option that cannot be met, ChoiceError for an unknown interface.
    """
    check_numbers(pan, amount_minor_units, stan)
    chosen, card = network, pan
    kinds = read_toml("templates")["kinds"]
    if isinstance(message_type, str) and kinds.get(message_type, {}).get("cardless"):
        card = ""
    elif card is None:
        chosen = DEFAULT_NETWORK if network is None else network
    elif network is None:
        detection = detect(card)
        chosen = detection.network if detection else None
    link = None if interface is None else interface_of(interface)
    version = native_version(chosen, None) if version is None else version
    version = (link and link.version) or version
    owner = chosen if link is None else link.maker
    brand = None if owner == chosen else chosen or DEFAULT_NETWORK
    template = template_of(message_type, owner, version, purpose, entry, currency, details, brand)
    note = () if card is not None else (f"No card was given, so the {chosen} test card is used.",)
    card = default_card(str(chosen)).pan if card is None else card
    sample = template.generated(card, amount_minor_units, stan, at, *note)
    return sample if link is None else _sent_on(replace(sample, network=chosen), link, template.setting)


def _sent_on(sample: Generated, link: Interface, setting: Setting) -> Generated:
    """The message *sample*, as sent on *link*: without elements that it cannot carry, with those it adds."""
    # Most messages use their network's own interface and need no format.
    from sim.codec.wire import interface_table
    from sim.operations.building import in_format

    message, lost = in_format(sample.message, link.format) if link.format else (sample.message, ())
    dialect = interface_table(link.name, message.version)
    if link.network:
        rows = holding((row for row in recipes(link.name, message.version) if row.network), setting.words)
        added = {number: parts[""] for number, parts in parts_of(rows).items()}
        message = replace(message, fields=dict(sorted((message.fields | added).items())))
    return replace(sample, message=replace(message, dialect=dialect), notes=(*sample.notes, *lost))


def native_version(network: str | None, pan: str | None) -> str:
    """The version of the interface of *network*, else of the network of card number *pan*; 1987 if neither is
    known."""
    if network is None and pan:
        detection = detect(pan)
        network = detection.network if detection else None
    return network_of(network).native_version if network in NETWORKS else DEFAULT_VERSION


@dataclass(frozen=True, slots=True)
class Template:
    """What all messages of one setting share, including their `notes`."""

    setting: Setting
    known: Values
    mti: str
    outline: Outline
    notes: tuple[str, ...]
    zone: tzinfo

    def zone_at(self, at: datetime | None) -> tzinfo:
        """The merchant's time zone: as requested, else that of *at* if not UTC, else that of its country."""
        zone = at.tzinfo if at is not None and "timezone" not in self.setting.details else None
        return self.zone if zone is None or zone == UTC else zone

    def generated(
        self, card: str, amount_minor_units: int, stan: str, at: datetime | None, *notes: str
    ) -> Generated:
        """The message with this card, amount, STAN and time."""
        setting = self.setting
        version = setting.version
        context = Context(
            setting, self.known, card, amount_minor_units, stan, clock(version, at, self.zone_at(at))
        )
        message = Message(self.mti, self.outline.written(context, {}), version)
        return Generated(message, setting.network, SOURCE_TEMPLATE, notes + self.notes)


def template_of(
    kind: str,
    network: str | None,
    version: str,
    purpose: str,
    entry: str,
    currency: str,
    details: Mapping[str, Any] | None,
    brand: str | None = None,
) -> Template:
    """The template of a setting. Raises OptionError for an option that cannot be met."""
    options = (kind, network, version, purpose, entry, currency, details or None, brand)
    if details:
        return _make_template(*options)
    try:
        return _kept_template(*options)
    except TypeError:  # an unhashable option, such as a list
        return _make_template(*options)


def _make_template(*options: Any) -> Template:
    setting = settle(*options)
    values, usual = known_values(setting), read_toml("templates")["elements"]
    fields: dict[int, str] = {}
    varied: list[tuple[int, Callable[[Context], str]]] = []
    for number in sorted({*_numbers(setting), *setting.parts}):
        base = {"": usual[str(number)]} if str(number) in usual else {}
        parts = base | setting.parts.get(number, {})
        if varies(parts, values):
            fields[number] = ""
            varied.append((number, maker(number, parts, setting)))
        elif text := filled(number, "", parts, values, setting.version, setting.network):
            fields[number] = text
    zone = zone_of_setting(setting)
    return Template(setting, values, setting.mti, Outline(fields, varied), _notes(setting), zone)


# Not for details, whose values are the caller's: the cache keeps only names of options.
_kept_template = lru_cache(maxsize=1024)(_make_template)


def _numbers(setting: Setting) -> list[int]:
    """The elements that the message type, the card entry and the purpose require."""
    numbers = list(setting.kinds[setting.version])
    if setting.alone:
        return numbers
    without = _TRACKS if setting.kind == "reversal" else ()
    numbers += [number for number in setting.entries["elements"] if number not in without]
    return [*numbers, 54] if setting.purpose == "cashback" else numbers


def own_elements(template: Template) -> dict[int, str]:
    """The elements that the network's recipes add to the usual ones, if the same for every card."""
    usual, fields = _numbers(template.setting), template.outline.fields
    return {number: text for number, text in fields.items() if text and number not in usual}


def zone_of_setting(setting: Setting) -> tzinfo:
    """The time zone of the merchant: as requested, else that of its country; UTC for messages without one."""
    zone = setting.details.get("timezone")
    return zone_named(zone or ("UTC" if setting.alone else setting.sample["zone"]))


def _own_or_standard(setting: Setting) -> tuple[str, ...]:
    """A note if a network's message follows the plain standard because its layout is not public."""
    name = setting.network
    if name not in NETWORKS or any(row.network and row.mentions(setting.kind) for row in setting.rows):
        return ()
    network = network_of(name)
    if setting.kind == "echo" and network.echo.confidence != "unsourced":
        return ()
    return (
        f"No public source describes {network.title}'s layout of this message, so it follows the standard.",
    )


def _notes(setting: Setting) -> tuple[str, ...]:
    """The assumptions for what the options leave open."""
    if setting.alone:
        return _own_or_standard(setting)
    notes = []
    if setting.purpose == "cashback" and "cashback" not in setting.details:
        notes.append("The cash back amount was not given, so it is half of the amount.")
    if category := chosen_category(setting.details, setting.purpose):
        notes.append(note_of(category))
    of_version = setting.entries.get("notes", {})
    of_network = dialect_of(setting.network, setting.version).get("notes", {})
    notes += filter(None, (of_version.get(setting.version), of_network.get(setting.entry)))
    return (*notes, sample_note(setting.details))

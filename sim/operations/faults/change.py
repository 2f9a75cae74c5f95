"""Faults, broken messages, the small changes that the fault tables consist of, and the messages that they
start from."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from typing import Any

from sim.codec import Message
from sim.judge import Severity
from sim.operations.answering import respond, reverse
from sim.operations.generation import generate
from sim.operations.recipes import approved
from sim.parts import chip_data
from sim.spec.networks import NETWORKS, check_digit, default_card, luhn_ok
from sim.spec.tables import read_toml

CONTENT, FRAMING, EXCHANGE = "content", "framing", "exchange"


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to break a message. `rule` is the id of the rule that finds it, `what` a sentence that
    describes it. It applies to `versions` of the standard and to `network` (empty: any). `kinds` are the
    messages used to demonstrate it. `group` is `content` if the text still parses, `framing` if not, and
    `exchange` for a fault between messages, which no single message can have."""

    id: str
    rule: str
    what: str
    versions: tuple[str, ...]
    kinds: tuple[str, ...]
    group: str
    network: str = ""


@dataclass(frozen=True, slots=True)
class Broken:
    """A broken message and the one finding it must cause: `rule`, `severity`, `field` (0 the MTI, 1 the
    bitmap, None the whole message), `path` down to a tag, `start` in `raw` (None where something is
    missing). Read it as `version` on the link of `network`; `original` is the text before the fault, `kind`
    the kind of message that was broken (empty for the caller's own). `also` names the few rules that may
    report the same about another element."""

    fault: str
    rule: str
    what: str
    original: str = dataclasses.field(repr=False)
    raw: str = dataclasses.field(repr=False)
    version: str
    network: str | None
    severity: Severity
    field: int | None
    path: str
    start: int | None
    kind: str = ""
    also: tuple[str, ...] = ()


# Applies a fault to a message of a network; None if it does not apply, BuildError if the result cannot be
# written.
Attempt = Callable[[Message, str | None], Broken | None]


Row = Mapping[str, Any]

_CARD_ELEMENTS = (2, 35, 45)
_CHIP = 55
_SHORTEST = 12  # digits; no network's card is that short
_FILLER = "A"


@cache
def bases() -> Mapping[str, Row]:
    """The messages that demonstrate faults, by name."""
    table: Mapping[str, Row] = read_toml("faults")["bases"]
    return table


@lru_cache(maxsize=1024)
def base(name: str, network: str, version: str, at: datetime) -> tuple[Message, str | None]:
    """The message of base *name* as *network* sends it, and the network whose rules apply."""
    row = bases()[name]
    chosen = network if row.get("network", True) else None
    message = generate(
        row["type"],
        network=chosen,
        version=version,
        at=at,
        pan=row.get("pan"),
        entry=row.get("entry", "manual"),
        purpose=row.get("purpose", "purchase"),
        details=row.get("details"),
    ).message
    if row.get("then") == "respond":
        message = respond(message, row.get("code", {}).get(version)).message
    elif row.get("then") == "reverse":
        message = reverse(message).message
    changed = change(row, message, chosen)
    return (message if changed is None else changed[0]), chosen


def prepared(row: Row, message: Message) -> Message:
    """The valid message a fault starts from: *message* `with` and `without` the elements in its row."""
    edits = {"set": row.get("with", {}), "drop": row.get("without", ()), "add_tags": row.get("with_tags", "")}
    changed = change(edits, message, None)
    return message if changed is None else changed[0]


def change(row: Row, message: Message, network: str | None) -> tuple[Message, int] | None:
    """*message* with the changes of *row*, and the position of the first match of `sub` in its element; None
    if they are impossible or change nothing."""
    swapped = _swapped(message, str(row["swap"]), network) if "swap" in row else message
    edited = None if swapped is None else _with_parts(row, _with_elements(row, swapped))
    return None if edited is None or edited[0] == message else edited


def _with_elements(row: Row, message: Message) -> Message:
    """*message* with changes of whole elements, MTI and version."""
    context = {
        "pan": message.get(2),
        "expiry": message.get(14),
        "approved": approved(message.version, message.mti[1]),
    }
    values: dict[str, str | None] = {f"de{number}": None for number in row.get("drop", ())}
    values |= {f"de{number}": value.format_map(context) for number, value in row.get("set", {}).items()}
    values |= {f"de{number}": _FILLER * size for number, size in row.get("fill", {}).items()}
    mask = row.get("mti", "xxxx")
    mti = "".join(old if new == "x" else new for new, old in zip(mask, message.mti, strict=True))
    result = message.replace(mti=mti, **values)
    version, empty = row.get("read_as", message.version), row.get("empty_secondary", message.empty_secondary)
    dialect = result.dialect if version == result.version else None
    return Message(result.mti, result.fields, version, empty and not message.has_secondary, dialect)


def _with_parts(row: Row, message: Message) -> tuple[Message, int] | None:
    """*message* with changes of characters in one element and of tags in DE 55."""
    matched = 0
    if "put" in row:
        number, at, text = row["put"]
        value = message.get(number)
        at = at + len(value) if at < 0 else at
        if not 0 <= at <= len(value) - len(text):
            return None
        message = message.replace(**{f"de{number}": value[:at] + text + value[at + len(text) :]})
    if "sub" in row:
        number, pattern, text = row["sub"]
        match = re.search(pattern, message.get(number)) if number in message else None
        if match is None:
            return None
        value, matched = message[number], match.start()
        message = message.replace(**{f"de{number}": value[:matched] + text + value[match.end() :]})
    if row.get("tags") or row.get("add_tags"):
        return _with_tags(row, message, matched)
    return message, matched


def _with_tags(row: Row, message: Message, matched: int) -> tuple[Message, int] | None:
    try:
        tags = [(tag.tag, tag.value) for tag in chip_data.read_tags(message[_CHIP]) if not tag.depth]
    except (KeyError, chip_data.TlvError):
        return None
    changes = row.get("tags", {})
    if not set(changes) <= {name for name, _ in tags}:
        return None
    kept = [(name, changes.get(name, value)) for name, value in tags]
    text = chip_data.write_tags([(name, value) for name, value in kept if value]) + row.get("add_tags", "")
    return message.replace(de55=text), matched


def _swapped(message: Message, how: str, network: str | None) -> Message | None:
    """*message* with another card number everywhere."""
    pan = message.get(2)
    if not (pan.isascii() and pan.isdigit() and luhn_ok(pan)):
        return None
    if how == "check-digit":
        new = pan[:-1] + str((int(pan[-1]) + 1) % 10)
    elif how == "too-short":
        new = pan[: _SHORTEST - 1] + check_digit(pan[: _SHORTEST - 1])
    else:
        new = default_card(next(name for name in NETWORKS if name != network)).pan
    values = {number: message[number].replace(pan, new) for number in _CARD_ELEMENTS if number in message}
    if any(len(value) > message.spec[number].width for number, value in values.items()):
        return None
    return message.replace(**{f"de{number}": value for number, value in values.items()})

"""The tables of chip data (EMV books 1 to 4): tags, what their bits and values mean, what they contain.

Reads `data/emv/*.csv`. A tag without a row is unknown, not wrong: networks and issuers have their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from sim.errors import SpecError
from sim.spec.networks import NETWORKS, network_value
from sim.spec.tables import read_csv

_FORMAT = re.compile(r"(?P<content>[a-z]+)(?: ?(?:\d+-)?(?:\.\.)?(?P<high>\d+))?")
# Application identifiers start with five bytes that name their owner (ISO/IEC 7816-5).
_RID = 10


@dataclass(frozen=True, slots=True)
class TagSpec:
    """One tag of the dictionary. `format` is EMV's notation (`n 6`, `cn..19`, `b`), `minimum` and
    `maximum` count bytes (None: no bound), `usage` is request, response or empty.

    `content` is the type of the value: `n` digits padded with 0 on the left, `cn` digits padded with F on the
    right, `an` and `ans` characters, `b` bytes; `digits` is the most digits of an `n` or `cn` value, None if
    the format gives none.
    """

    tag: str
    name: str
    format: str
    content: str
    digits: int | None
    minimum: int
    maximum: int | None
    usage: str
    source: str


def _tag(row: Mapping[str, str]) -> TagSpec:
    match = _FORMAT.fullmatch(row["format"])
    if match is None:
        raise SpecError(None, None, f"the format of tag {row['tag']}", repr(row["format"]))
    content, most = match["content"], match["high"]
    return TagSpec(
        tag=row["tag"],
        name=row["name"],
        format=row["format"],
        content=content,
        digits=int(most) if most and content in ("n", "cn") else None,
        minimum=int(row["min"]),
        maximum=int(row["max"]) if row["max"] else None,
        usage=row["usage"],
        source=row["source"],
    )


@cache
def tags() -> Mapping[str, TagSpec]:
    """All tags of the dictionary, by tag in upper-case hex. Raises SpecError for a bad row."""
    return {row["tag"]: _tag(row) for row in read_csv("emv/tags")}


@cache
def own_tags() -> Mapping[str, Mapping[str, TagSpec]]:
    """The networks' definitions of tags that each payment system defines for itself, by tag, then network."""
    specs: dict[str, dict[str, TagSpec]] = {}
    for row in read_csv("emv/own"):
        specs.setdefault(row["tag"], {})[row["network"]] = _tag(row)
    return specs


def tag_of(tag: str, network: str | None) -> TagSpec | None:
    """The definition of *tag*: the network's own, else the dictionary's; None if it is in neither.

    >>> tag_of("9F7C", "MASTERCARD").name, tag_of("9F7C", "JCB").name
    ('Merchant custom data', 'Partner discretionary data')
    """
    return own_tags().get(tag, {}).get(network or "") or tags().get(tag)


@cache
def _bits() -> Mapping[str, Mapping[tuple[int, int], str]]:
    meanings: dict[str, dict[tuple[int, int], str]] = {}
    for row in read_csv("emv/bits"):
        meanings.setdefault(row["tag"], {})[int(row["byte"]), int(row["bit"])] = row["meaning"]
    return meanings


def bits(tag: str) -> Mapping[tuple[int, int], str]:
    """What the bits of *tag* mean, by (byte from 1, bit 8 to 1); empty for a tag that is not a bit field.

    >>> bits("95")[3, 6]
    'PIN try limit exceeded'
    """
    return _bits().get(tag, {})


@cache
def _values() -> Mapping[tuple[str, str, str], str]:
    return {(row["tag"], row["part"], row["code"]): row["meaning"] for row in read_csv("emv/values")}


def value(tag: str, part: str, code: str) -> str:
    """What *code* means in *part* of *tag*; empty if it is not in the table.

    >>> value("9F34", "method", "1E")
    'signature'
    """
    return _values().get((tag, part, code), "")


@cache
def only_bits(tag: str) -> bool:
    """Whether *tag* is bits only: each has a meaning or is reserved, and there are no coded values."""
    return tag in _bits() and all(tag != coded for coded, _, _ in _values())


@cache
def _roles() -> Mapping[str, str]:
    return {row["tag"]: row["role"] for row in reversed(read_csv("emv/roles"))}


def role(tag: str) -> str:
    """The role of a tag beyond its format: it contains a `pan`, a `track`, a `name`, a `pin` or a `script`
    command, or is needed to verify the `cryptogram`. Empty for all others."""
    return _roles().get(tag, "")


@cache
def with_role(name: str) -> tuple[str, ...]:
    """The tags with this role, in table order."""
    return tuple(row["tag"] for row in read_csv("emv/roles") if row["role"] == name)


@cache
def _commands() -> Mapping[str, str]:
    return {row["code"]: row["meaning"] for row in read_csv("emv/commands")}


def command(code: str) -> str:
    """What an issuer's script command does, by its instruction byte; empty if unknown.

    >>> command("1E")
    'application block'
    """
    return _commands().get(code, "")


@cache
def _owners() -> Mapping[str, str]:
    return {network_value(name, "aid")[:_RID]: name for name in NETWORKS}


def owner(aid: str) -> str | None:
    """The network that application *aid* (hex) belongs to, by its first five bytes; None if unknown.

    >>> owner("A0000000031010")
    'VISA'
    """
    return _owners().get(aid[:_RID])

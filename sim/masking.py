"""What a person, a log or a language model may see of card data.

The one place that decides: PAN first 6 and last 4 digits; track data, PIN blocks, verification
codes and chip data not at all. Which element holds what is a row of `data/sensitive.csv`.
Source: PCI DSS 4.0, requirements 3.3 and 3.4.
"""

from __future__ import annotations

import re
from functools import cache

from sim.spec.elements import spec
from sim.spec.luhn import luhn_ok
from sim.spec.tables import read_csv

_PAN_RUN = re.compile(r"(?<![0-9])[0-9]{13,19}(?![0-9])")
_LONG_RUN = re.compile(r"[0-9A-Fa-f=]{13,}")
# Shorter than this, first 6 and last 4 would show nearly all of it.
_SHORTEST_SHOWN = 13
# Verification codes and account numbers in the two-digit id, two-digit length, data lists of DE 48.
_HIDDEN_TAGS = frozenset({"01", "21", "92"})


def mask_pan(pan: str) -> str:
    """A card number with the middle starred out; all of it when it is shorter than 13.

    >>> mask_pan("4111111111111111")
    '411111******1111'
    >>> mask_pan("41111111")
    '********'
    """
    if len(pan) < _SHORTEST_SHOWN:
        return "*" * len(pan)
    return pan[:6] + "*" * (len(pan) - 10) + pan[-4:]


@cache
def _kinds(version: str) -> dict[int, str]:
    rows = read_csv("sensitive")
    return {int(row["number"]): row["kind"] for row in rows if version in row["versions"].split("|")}


def is_sensitive(number: int, version: str) -> bool:
    """Whether the element always holds card data, a PIN or key material in this version."""
    return _kinds(version).get(number) in ("pan", "hidden", "account")


def mask(number: int, value: str, version: str = "1987", pan: str = "") -> str:
    """*value* of data element *number* as it may be shown; *pan* is hidden wherever it stands.

    >>> mask(35, "4111111111111111=29122010000012345678")
    '[37 characters hidden]'
    >>> mask(41, "TERM0001")
    'TERM0001'
    """
    kind = _kinds(version).get(number)
    if kind == "hidden":
        return f"[{len(value)} characters hidden]"
    if kind == "pan":
        return mask_pan(value)
    if len(pan) >= 12 and pan in value:
        value = value.replace(pan, mask_pan(pan))
    if kind == "account":
        return _LONG_RUN.sub(lambda run: mask_pan(run[0]), value)
    if kind == "tagged":
        value = _mask_tags(value)
    content = spec(version)[number].content if 1 <= number <= 128 else "ans"
    return value if content in ("n", "x+n") else _mask_pans(value)


def mask_text(text: str) -> str:
    """Text whose layout is unknown, such as what a broken message has left unread: every run of 13
    or more digits or hex digits keeps its first 6 and last 4.

    >>> mask_text("164111111111111111000000")
    '164111**************0000'
    """
    return _LONG_RUN.sub(lambda run: mask_pan(run[0]), text)


def _mask_pans(value: str) -> str:
    return _PAN_RUN.sub(lambda run: mask_pan(run[0]) if luhn_ok(run[0]) else run[0], value)


def _mask_tags(value: str) -> str:
    """Hide the data of `_HIDDEN_TAGS` where *value* is a list of id, length, data, with or without
    one letter in front; leave it as it is where it is no such list."""
    head = 1 if value[:1].isalpha() else 0
    parts, at = [value[:head]], head
    while at < len(value):
        tag, size = value[at : at + 2], value[at + 2 : at + 4]
        end = at + 4 + int(size) if size.isascii() and size.isdigit() and len(size) == 2 else -1
        if end < 0 or end > len(value):
            return value
        data = value[at + 4 : end]
        parts.append(tag + size + ("*" * len(data) if tag in _HIDDEN_TAGS else data))
        at = end
    return "".join(parts)

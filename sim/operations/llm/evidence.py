"""What a model is shown of a message: its elements masked, with meanings, and what the rules found.

Never the raw text. Card numbers stand with their first 6 and last 4 digits; track data, PIN blocks,
verification codes, account numbers and chip data not at all, nor copies of them in other elements.
"""

from __future__ import annotations

import re
from typing import Any

from sim.codec import Message
from sim.elements import tlv
from sim.elements.meaning import meaning
from sim.elements.pan import account
from sim.elements.track import pan_of_track_1, read_track_2
from sim.masking import is_sensitive, mask, mask_pan, mask_text
from sim.operations.llm.cards import hide
from sim.operations.validation import Report
from sim.spec import spec

LONGEST_VALUE = 120
_MOST_FINDINGS = 20
_SHORTEST_SECRET = 6
# Chip data tags with the card number, track data, the holder's name, PIN data or a cryptogram.
_SECRET_TAGS = frozenset(("5A", "57", "56", "9F6B", "5F20", "9F0B", "9F1F", "9F20", "99", "9F26", "9F4B"))
_LABELLED = re.compile(
    r"\b(cvv2?|cvc2?|cav2?|csc|cid|pin|pan|track ?[123]?)([\W_]{1,4})([0-9A-F]{3,})", re.IGNORECASE
)
_OPEN = ("ans", "ansb", "as", "an", "anp", "ns", "z")


def evidence(message: Message, network: str | None, report: Report) -> dict[str, Any]:
    """The table of *message* and the findings of *report*, as plain data."""
    secrets = _secrets(message)
    rows = [{"element": "MTI", "value": message.mti, "meaning": meaning(message, 0, network)}]
    for number in sorted(message.fields):
        said = meaning(message, number, network)
        row = {
            "element": f"DE {number}",
            "name": message.spec[number].name,
            "value": _value(message, number, secrets),
            "meaning": _scrub(hide(said) if is_open(message, number) else said, secrets)[: 3 * LONGEST_VALUE],
        }
        rows.append({key: value for key, value in row.items() if value})
    findings = [
        {
            "severity": str(found.severity),
            "element": f"DE {found.path}" if found.field and found.field > 1 else found.name,
            "expected": _scrub(hide(found.expected), secrets)[:LONGEST_VALUE],
            "hint": _scrub(hide(found.hint), secrets)[: 2 * LONGEST_VALUE],
        }
        for found in report.findings[:_MOST_FINDINGS]
    ]
    return {
        "version": f"ISO 8583:{message.version}",
        "network": network or "unknown",
        "elements": rows,
        "findings": findings,
        "valid": report.valid,
    }


def is_open(message: Message, number: int) -> bool:
    """Whether the element takes free text, which a stranger may have typed."""
    return message.spec[number].content in _OPEN


def _value(message: Message, number: int, secrets: list[re.Pattern[str]]) -> str:
    """The value as it may be sent: of sensitive elements the card number alone, masked."""
    value, version = message[number], message.version
    element = spec(version)[number]
    if number == 2 and message.mti[1:2] != "8":
        return mask_pan(value)
    if is_sensitive(number, version):
        return f"[{len(value)} characters hidden]"
    if element.binary and number != 22:
        return f"[{len(value)} hex digits]"
    shown = _scrub(mask(number, value, version, account(message)[1]), secrets)
    if is_open(message, number):
        shown = hide(shown)
        shown = mask_text(_LABELLED.sub(lambda hit: hit[1] + hit[2] + "*" * len(hit[3]), shown))
    if len(shown) > LONGEST_VALUE:
        shown = f"{shown[:LONGEST_VALUE]}[{len(shown) - LONGEST_VALUE} more characters]"
    return shown


def _secrets(message: Message) -> list[re.Pattern[str]]:
    """The card data of *message*, to be found again wherever else it stands."""
    version = message.version
    found = {value for number, value in message.fields.items() if is_sensitive(number, version)}
    pans = {account(message)[1], message.get(2)}
    if track := read_track_2(message.get(35)):
        pans.add(track.pan)
        found.add(re.split("[=D]", message.get(35), maxsplit=1)[1])
    pans.add(pan_of_track_1(message.get(45)))
    found.update(message.get(45).split("^"))
    for tag in _tags(message):
        if tag.tag in _SECRET_TAGS:
            found |= {tag.value, tag.value.rstrip("F"), _characters(tag.value)}
    found |= {turned for text in found if (turned := _turned(text))}
    made = [re.compile(re.escape(text), re.IGNORECASE) for text in found if len(text) >= _SHORTEST_SECRET]
    # A card number also with other characters between its digits.
    made += [re.compile(r"[\W_]{0,3}".join(pan)) for pan in pans if len(pan) >= _SHORTEST_SECRET]
    return made


def _characters(value: str) -> str:
    """The text that hex digits stand for, as names do; empty where they stand for none."""
    try:
        return bytes.fromhex(value).decode("ascii").strip()
    except ValueError:
        return ""


def _turned(name: str) -> str:
    """A cardholder's name, surname/first name, as a person writes it; empty for anything else."""
    surname, slash, first = name.partition("/")
    return f"{first.strip()} {surname.strip()}" if slash and name.replace("/", "").strip() else ""


def _tags(message: Message) -> list[tlv.Tag]:
    try:
        return list(tlv.walk(tlv.read(message.get(55), strict=False)))
    except tlv.TlvError:
        return []


def _scrub(text: str, secrets: list[re.Pattern[str]]) -> str:
    for secret in secrets:
        text = secret.sub("[hidden]", text)
    return "".join(char if char.isprintable() else " " for char in text)

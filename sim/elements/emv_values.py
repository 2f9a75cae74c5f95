"""What the value of one chip data tag says, in words (EMV book 3, annex C; book 4, annex A).

Every function takes a value in upper-case hex and gives empty text where the value says nothing. None
of these tags holds card data.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sim.elements import dates, money
from sim.elements.words import say_country
from sim.spec import emv, lookup, merchant_category
from sim.spec.networks import network


def count(number: int, noun: str) -> str:
    """A number with its noun: `1 byte`, `2 bytes`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def characters(value: str) -> str:
    """Hex as the characters it stands for; empty when one is not printable ASCII.

    >>> characters("3030")
    '00'
    """
    decoded = bytes.fromhex(value).decode("latin-1")
    return decoded if decoded.isascii() and decoded.isprintable() else ""


def set_bits(value: str) -> list[tuple[int, int]]:
    """The bits that are set in *value* (hex): (byte from 1, bit 8 to 1), the most significant first."""
    octets = bytes.fromhex(value)
    return [
        (at, bit)
        for at, octet in enumerate(octets, 1)
        if octet
        for bit in range(8, 0, -1)
        if octet >> bit - 1 & 1
    ]


def bits_set(tag: str, value: str) -> list[str]:
    """What the bits that are set in *value* (hex) of *tag* mean; a bit without a meaning is called
    reserved where the tag is nothing but bits.

    >>> bits_set("95", "0000208000")
    ['PIN try limit exceeded', 'over the floor limit']
    """
    meanings = emv.bits(tag)
    reserved = emv.only_bits(tag)
    return [
        meanings.get(place) or f"byte {place[0]} bit {place[1]} (reserved)"
        for place in set_bits(value)
        if reserved or place in meanings
    ]


def cryptogram(value: str) -> str:
    """The cryptogram information data (9F27) in words; empty for a value that is not one byte.

    >>> cryptogram("80")
    'ARQC, online authorization requested'
    """
    if len(value) != 2:
        return ""
    bits = f"{int(value, 16):08b}"
    parts = [emv.value("9F27", "cryptogram", bits[:2]) or "reserved type of cryptogram"]
    parts += bits_set("9F27", value)
    if bits[5:] != "000":
        parts.append(emv.value("9F27", "reason", bits[5:]) or "reserved reason")
    return "; ".join(parts)


def cvm_parts(value: str) -> tuple[str, str, str]:
    """The method, condition and result of CVM results (9F34) in words; each empty when unknown."""
    if len(value) != 6:
        return "", "", ""
    method = f"{int(value[:2], 16) & 0x3F:02X}"
    codes = (("method", method), ("condition", value[2:4]), ("result", value[4:]))
    first, second, third = (emv.value("9F34", part, code) for part, code in codes)
    return first, second, third


def cvm_results(value: str) -> str:
    """CVM results (9F34) in words; empty for a value that is not three bytes.

    >>> cvm_results("1E0300")
    'signature, if the terminal supports the method: unknown'
    """
    if len(value) != 6:
        return ""
    method, condition, result = cvm_parts(value)
    said = method or f"method {int(value[:2], 16) & 0x3F:02X} of the payment system or issuer"
    said += f", {condition}" if condition else ""
    return f"{said}: {result or 'reserved result ' + value[4:]}"


_ON_DEVICE = 0x0200  # byte 1 bit 2 of the interchange profile


def on_device(results: str, profile: str) -> str:
    """Who verified the cardholder where CVM *results* (9F34) speak of a device of their own, as the
    interchange *profile* (82) tells it from a card; empty where they do not.

    >>> on_device("010002", "1B80"), on_device("010002", "1980")
    ("the cardholder's own device (CDCVM)", '')
    """
    able = len(profile) == 4 and int(profile, 16) & _ON_DEVICE
    return emv.value("9F34", "device", results) if able else ""


def response_code(value: str) -> str:
    """The authorisation response code (8A) with its meaning: the terminal's own, else DE 39 of 1987."""
    code = characters(value)
    found = lookup("response_code", code, version="1987")
    meaning = emv.value("8A", "result", code) or (found.meaning if found else "")
    return f"{code}, {meaning}" if meaning else f"{code or value}, not in the list"


def application(aid: str) -> str:
    """Whose application an AID (hex) is; empty when it is of no network here."""
    owner = emv.owner(aid)
    return f"{network(owner).title} application" if owner else ""


def _terminal_type(value: str) -> str:
    parts = (emv.value("9F35", "operator", value[:1]), emv.value("9F35", "environment", value[1:]))
    return f"{parts[0]}'s terminal, {parts[1]}" if all(parts) else "not in the list"


def transaction_type(value: str) -> str:
    """The transaction type (9C): EMV's own words, else those of DE 3; empty when unknown."""
    found = lookup("transaction_type", value, version="1987")
    return emv.value("9C", "type", value) or (found.meaning if found else "")


def three_digits(value: str) -> str:
    """A country or currency code out of its two bytes, which start with a 0; others as they are.

    >>> three_digits("0840")
    '840'
    """
    return value[1:] if len(value) == 4 and value[0] == "0" else value


def numeric_country(value: str) -> str:
    """The country of a code written as two bytes (9F1A, 5F28)."""
    return say_country(three_digits(value))


def _currency(value: str) -> str:
    return money.say_currency(three_digits(value))


def _entry_mode(value: str) -> str:
    found = lookup("pos_entry_mode", value, version="1987")
    return found.meaning if found else ""


def _counter(value: str) -> str:
    return f"transaction {int(value, 16)} of this card" if value else ""


def _tries(value: str) -> str:
    left = int(value or "0", 16)
    return f"{left} PIN {'try' if left == 1 else 'tries'} left" if value else ""


def _authentication(value: str) -> str:
    # Method 1 of book 2, section 8.2: an eight-byte cryptogram, then the response code.
    code = characters(value[16:])
    return f"cryptogram of 8 bytes, response code {response_code(value[16:])}" if len(code) == 2 else ""


MEANINGS: dict[str, Callable[[str], str]] = {
    "4F": application,
    "84": application,
    "8A": response_code,
    "91": _authentication,
    "9A": partial(dates.told, "YYMMDD"),
    "9C": transaction_type,
    "5F24": partial(dates.told, "YYMMDD"),
    "5F25": partial(dates.told, "YYMMDD"),
    "5F28": numeric_country,
    "5F2A": _currency,
    "9F06": application,
    "9F15": merchant_category,
    "9F17": _tries,
    "9F1A": numeric_country,
    "9F21": partial(dates.told, "hhmmss"),
    "9F27": cryptogram,
    "9F34": cvm_results,
    "9F35": _terminal_type,
    "9F36": _counter,
    "9F39": _entry_mode,
    "9F42": _currency,
}

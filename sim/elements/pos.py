"""Point of service: DE 22 in its three forms (n 3, an 12, b 16), as codes and in words."""

from __future__ import annotations

from sim.codec import Message
from sim.spec import Code, lookup, lookup_anywhere

# ISO 8583:2003 DE 22: four strings of 32 bits.
_PARTS = ("22-1", "22-2", "22-3", "22-4")
_PART_WIDTH = 8
_NAMES_1993 = (
    "card data input capability",
    "cardholder authentication capability",
    "card capture capability",
    "operating environment",
    "cardholder presence",
    "card presence",
    "card data input mode",
    "cardholder authentication method",
    "cardholder authentication entity",
    "card data output capability",
    "terminal output capability",
    "PIN capture capability",
)
_INPUT_MODE = 7
_AUTHENTICATION = 8


def _entry_mode(value: str) -> Code | None:
    """The 1987 entry mode: the standard's, else a network's, since no two of them differ on one."""
    mode = value[:2]
    return lookup("pos_entry_mode", mode, version="1987") or lookup_anywhere(
        "pos_entry_mode", mode, version="1987"
    )


def entry_mode(message: Message) -> str:
    """How the card number got into the message, in words; empty when DE 22 does not say.

    >>> entry_mode(Message("0100", {22: "051"}))
    'chip'
    """
    value = message.get(22)
    if message.version == "1987":
        found = _entry_mode(value)
    elif message.version == "1993":
        found = lookup("pos_data_code", value[6:7], version="1993", position=_INPUT_MODE)
    else:
        return _words(bits_2003(value), "22-1")
    return found.meaning if found else ""


def entry_kind(message: Message) -> str:
    """The kind of a 1987 entry mode: `chip`, `contactless`, `magnetic stripe`, `manual` ...; for 1993
    from position 7 and for 2003 from the bits of part 1; empty when unknown."""
    value = message.get(22)
    if message.version == "1987":
        found = _entry_mode(value)
        return found.kind if found else ""
    if message.version == "1993":
        return _KIND_1993.get(value[6:7], "")
    bits = bits_2003(value).get("22-1", ())
    return next((kind for bit, kind in _KIND_2003.items() if bit in bits), "")


# 1993 position 7 and 2003 part 1 in the kinds of the 1987 list (conversion of DE 22).
_KIND_1993 = {
    "1": "manual",
    "2": "magnetic stripe",
    "3": "bar code",
    "4": "ocr",
    "5": "chip",
    "6": "manual",
}
_KIND_2003 = {6: "chip", 5: "magnetic stripe", 4: "bar code", 3: "manual", 7: "credential on file"}


def bits_2003(value: str) -> dict[str, tuple[int, ...]]:
    """The bits set in each part of a 2003 DE 22 (32 hex digits), bit 1 the most significant;
    empty when the value is not 32 hex digits."""
    try:
        parts = {
            name: int(value[index * _PART_WIDTH : (index + 1) * _PART_WIDTH], 16)
            for index, name in enumerate(_PARTS)
        }
    except ValueError:
        return {}
    return {
        name: tuple(bit for bit in range(1, 33) if number >> (32 - bit) & 1) for name, number in parts.items()
    }


def _words(bits: dict[str, tuple[int, ...]], part: str) -> str:
    known = (lookup("pos_data_bits", str(bit), version="2003", position=part) for bit in bits.get(part, ()))
    return ", ".join(code.meaning for code in known if code)


def meanings_2003(value: str) -> list[str]:
    """What each part of a 2003 DE 22 says, in words; parts without a known bit are left out."""
    bits = bits_2003(value)
    return [words for part in bits if (words := _words(bits, part))]


def say(message: Message) -> str:
    """DE 22 in words.

    >>> say(Message("0100", {22: "051"}))
    '05 chip, 1 terminal can accept PIN'
    """
    value = message.get(22)
    if message.version == "1987":
        mode = _entry_mode(value)
        capability = lookup("pin_entry_capability", value[2:3], version="1987")
        return (
            f"{value[:2]} {mode.meaning if mode else 'unknown entry mode'}, "
            f"{value[2:3]} {capability.meaning if capability else 'unknown PIN capability'}"
        )
    if message.version == "1993":
        texts = []
        for position, (name, code) in enumerate(zip(_NAMES_1993, value, strict=False), start=1):
            found = lookup("pos_data_code", code, version="1993", position=position)
            texts.append(
                f"{name} {code}" + (f" {found.meaning}" if found else " (not in the standard's list)")
            )
        return "; ".join(texts)
    return "; ".join(meanings_2003(value)) or "no known bit set"


def authentication(message: Message) -> str:
    """How the cardholder was verified, as far as DE 22 says; empty when it does not."""
    value = message.get(22)
    if message.version == "1993":
        found = lookup("pos_data_code", value[7:8], version="1993", position=_AUTHENTICATION)
        return found.meaning if found else ""
    if message.version == "2003":
        return _words(bits_2003(value), "22-2")
    return ""

"""What each data element of a message means, in words: the `meaning` column.

One small function per element; which one serves which element of which version is the table
`_SAYERS`. An element without a decoder has no meaning beyond its name and value. Never holds
card data in clear.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache, partial

from sim.codec import Message
from sim.elements import dates, emv, groups, money, mti, pos, subfields
from sim.elements.answer import answer
from sim.elements.pan import luhn_ok
from sim.masking import cover_value, mask, mask_pan, tells_itself
from sim.spec import country, lookup, merchant_category, spec
from sim.spec.networks import detect

Sayer = Callable[[Message, int, str | None], str]


def meaning(message: Message, number: int, network: str | None = None) -> str:
    """What data element *number* of *message* says; 0 is the MTI, 1 the bitmap. Empty when its
    value needs no decoding. *network* chooses that network's code lists.

    >>> meaning(Message("0110", {39: "51"}), 39)
    'not sufficient funds'
    """
    if number == 0:
        return _mti(message)
    if number == 1:
        return _bitmap(message)
    sayer = _sayers(message.version).get(number) or _parts
    return sayer(_covered(message, number), number, network)


def _covered(message: Message, number: int) -> Message:
    """*message*, its element without the card data in it, where what is said of it would repeat that."""
    if tells_itself(number, message.version):
        return message
    shown = cover_value(number, message[number], message.version, message.get(2))
    return message if shown == message[number] else replace(message, fields={**message.fields, number: shown})


def _mti(message: Message) -> str:
    parts = mti.split(message.mti)
    version = f"ISO 8583:{parts.version}" if parts.version else "no known version"
    name = parts.name or " ".join(part for part in (parts.message_class, parts.function) if part)
    # A response keeps the originator of its request: the digit says who began.
    by = "begun by" if mti.is_response(message.mti) else "from"
    origin = parts.origin and f"{by} the {parts.origin}"
    return ", ".join(part for part in (version, name, origin) if part)


def _bitmap(message: Message) -> str:
    count = len(message.fields)
    return f"{count} data element{'' if count == 1 else 's'}: " + ", ".join(map(str, sorted(message.fields)))


def _pan(message: Message, number: int, network: str | None) -> str:
    pan = message[number]
    if mti.is_network_management(message.mti):
        return "group or member id, not a card"
    if not (pan.isascii() and pan.isdigit()):
        return "no card number: it has other characters than digits"
    found = detect(pan)
    card = f"{found.brand if found else 'unknown brand'} card {mask_pan(pan)}"
    if found and len(pan) not in found.range.lengths:
        return f"{card}, wrong length: {len(pan)} digits"
    if luhn_ok(pan):
        return f"{card}, check digit right"
    return f"{card}, check digit wrong" + (
        f", which {found.brand} allows" if found and not found.range.luhn else ""
    )


def _processing_code(message: Message, number: int, network: str | None) -> str:
    if message.dialect is not None:
        return _three_codes(message, network)
    return _kept_codes(message[number], message.version, network)


# Few values, none of them card data, in every message.
@lru_cache(maxsize=1024)
def _kept_codes(value: str, version: str, network: str | None) -> str:
    return _three_codes(Message("", {3: value}, version), network)


def _three_codes(message: Message, network: str | None) -> str:
    texts = []
    leads = (("", "transaction type"), ("; from ", "account type"), (", to ", "account type"))
    for told, (lead, what) in zip(subfields.unfold(message, 3, network), leads, strict=False):
        said = f"unknown {what}" if told.meaning == subfields.NOT_LISTED else told.meaning
        texts.append(f"{lead}{told.shown} {said}")
    return "".join(texts)


def _amount(message: Message, number: int, network: str | None) -> str:
    return money.say(message, number)


def _date(message: Message, number: int, network: str | None) -> str:
    pattern = message.spec[number].pattern
    said = dates.say(pattern, message[number])
    zone = " UTC" if number == 7 else ""
    return "" if said == message[number] else said + zone


def _rate(message: Message, number: int, network: str | None) -> str:
    return money.say_rate(message[number])


def _country(message: Message, number: int, network: str | None) -> str:
    found = country(message[number])
    return found.name if found else "not an ISO 3166 code"


def _merchant(message: Message, number: int, network: str | None) -> str:
    return merchant_category(message[number]) or "not in the ISO 18245 list"


def _currency(message: Message, number: int, network: str | None) -> str:
    return money.say_currency(message[number]) or "not an ISO 4217 code"


def _code(name: str, message: Message, number: int, network: str | None) -> str:
    found = lookup(name, message[number], version=message.version, network=network)
    return found.meaning if found else f"not in the list of {name.replace('_', ' ')}s"


def _response(message: Message, number: int, network: str | None) -> str:
    found = answer(message[number], message.version, network)
    return found.meaning if found else "not in the list of response codes"


def _service_code(message: Message, number: int, network: str | None) -> str:
    found = (
        lookup("service_code", digit, position=position)
        for position, digit in enumerate(message[number], start=1)
    )
    return "; ".join(code.meaning for code in found if code)


def _pos(message: Message, number: int, network: str | None) -> str:
    return pos.say(message, network)


def _hidden(text: str, message: Message, number: int, network: str | None) -> str:
    return text


def _track_2(message: Message, number: int, network: str | None) -> str:
    return "track 2 of the magnetic stripe or its chip equivalent, hidden"


def _chip(message: Message, number: int, network: str | None) -> str:
    return emv.headline(message[number], network)


def _original(message: Message, number: int, network: str | None) -> str:
    return groups.say_original(message[number], message.version)


def _additional(message: Message, number: int, network: str | None) -> str:
    return groups.say_additional_amounts(message[number], message.version, network)


def _location(message: Message, number: int, network: str | None) -> str:
    return groups.say_location(mask(number, message[number], message.version), message.version)


def _first_amount(message: Message, number: int, network: str | None) -> str:
    """The amount that an element of several begins with."""
    amounts = [told for told in subfields.unfold(message, number) if told.part.cell.codes == "amount"]
    said = subfields.first_amount(message, number)
    return f"{amounts[0].name.partition(',')[0]} {said}" if said else ""


def _only_amount(message: Message, number: int, network: str | None) -> str:
    return next((told.meaning for told in subfields.unfold(message, number) if told.name == "amount"), "")


def _parts(message: Message, number: int, network: str | None) -> str:
    return subfields.say(message, number, network)


_COMMON: dict[int, Sayer] = {
    2: _pan,
    3: _processing_code,
    4: _amount,
    5: _amount,
    6: _amount,
    8: _amount,
    9: _rate,
    10: _rate,
    19: _country,
    20: _country,
    22: _pos,
    35: _track_2,
    36: partial(_hidden, "track 3 of the magnetic stripe, hidden"),
    39: _response,
    40: _service_code,
    43: _location,
    45: partial(_hidden, "track 1 of the magnetic stripe, hidden"),
    52: partial(_hidden, "encrypted PIN block, hidden"),
    54: _additional,
    55: _chip,
    64: partial(_hidden, "message authentication code"),
    128: partial(_hidden, "message authentication code"),
}
_SAYERS: dict[str, dict[int, Sayer]] = {
    "1987": {
        18: _merchant,
        21: _country,
        25: partial(_code, "pos_condition"),
        26: partial(_code, "pin_capture"),
        **dict.fromkeys((28, 29, 30, 31, 97), _only_amount),
        49: _currency,
        50: _currency,
        51: _currency,
        66: partial(_code, "settlement"),
        68: _country,
        69: _country,
        70: partial(_code, "network_management"),
        90: _original,
        91: partial(_code, "file_update"),
        95: _first_amount,
    },
    "1993": {
        18: _merchant,
        26: _merchant,
        21: _country,
        24: partial(_code, "function_code"),
        25: partial(_code, "reason_code"),
        30: _first_amount,
        49: _currency,
        50: _currency,
        51: _currency,
        56: _original,
        68: _country,
        69: _country,
        70: _country,
        91: _country,
        92: _country,
        97: _only_amount,
    },
    "2003": {
        26: _merchant,
        24: partial(_code, "function_code"),
        25: partial(_code, "reason_code"),
        30: _first_amount,
        56: _original,
    },
}


@cache
def _sayers(version: str) -> dict[int, Sayer]:
    dated: dict[int, Sayer] = {element.number: _date for element in spec(version).elements if element.pattern}
    return {**_COMMON, **dated, **_SAYERS[version]}

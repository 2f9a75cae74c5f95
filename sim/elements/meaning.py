"""What each data element of a message means, in words: the `meaning` column.

One small function per element; which one serves which element of which version is the table
`_SAYERS`. An element without a decoder has no meaning beyond its name and value. Never holds
card data in clear.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

from sim.codec import Message
from sim.elements import dates, emv, money, mti, pos, subfields
from sim.masking import cover_value, mask, mask_pan, tells_itself
from sim.spec import lookup, spec
from sim.spec.codes import say_country, say_merchant
from sim.spec.networks import answer, detect, luhn_ok

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
    shown, sayer = _covered(message, number), _sayers(message.version).get(number)
    return sayer(shown, number, network) if sayer else subfields.say(shown, number, network)


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
    texts = []
    leads = (("", "transaction type"), ("; from ", "account type"), (", to ", "account type"))
    for told, (lead, what) in zip(subfields.unfold(message, 3, network), leads, strict=False):
        said = f"unknown {what}" if told.meaning == subfields.NOT_LISTED else told.meaning
        texts.append(f"{lead}{told.shown} {said}")
    return "".join(texts)


def _date(message: Message, number: int, network: str | None) -> str:
    said = dates.told(message.spec[number].pattern, message[number])
    return f"{said} UTC" if said and number == 7 else said


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


def _first_amount(message: Message, number: int, network: str | None) -> str:
    """The amount that an element of several begins with."""
    amounts = [told for told in subfields.unfold(message, number) if told.part.cell.codes == "amount"]
    said = subfields.first_amount(message, number)
    return f"{amounts[0].name.partition(',')[0]} {said}" if said else ""


def _of_value(say: Callable[[str], str]) -> Sayer:
    """What looks at the value alone."""
    return lambda message, number, network: say(message[number])


def _plainly(text: str) -> Sayer:
    """What says the same of every value."""
    return lambda message, number, network: text


def _amount(message: Message, number: int, network: str | None) -> str:
    return money.say(message, number)


def _only_amount(message: Message, number: int, network: str | None) -> str:
    return next((told.meaning for told in subfields.unfold(message, number) if told.name == "amount"), "")


def _original(message: Message, number: int, network: str | None) -> str:
    return mti.say_original(message[number], message.version)


_country, _merchant = _of_value(say_country), _of_value(say_merchant)
_COMMON: dict[int, Sayer] = {
    2: _pan,
    3: _processing_code,
    **dict.fromkeys((4, 5, 6, 8), _amount),
    **dict.fromkeys((9, 10), _of_value(money.say_rate)),
    **dict.fromkeys((19, 20), _country),
    22: lambda message, number, network: pos.say(message, network),
    35: _plainly("track 2 of the magnetic stripe or its chip equivalent, hidden"),
    36: _plainly("track 3 of the magnetic stripe, hidden"),
    39: _response,
    40: _service_code,
    43: lambda message, number, network: pos.say_location(
        mask(number, message[number], message.version), message.version
    ),
    45: _plainly("track 1 of the magnetic stripe, hidden"),
    52: _plainly("encrypted PIN block, hidden"),
    54: lambda message, number, network: money.say_additional_amounts(
        message[number], message.version, network
    ),
    55: lambda message, number, network: emv.headline(message[number], network),
    **dict.fromkeys((64, 128), _plainly("message authentication code")),
}
_SAYERS: dict[str, dict[int, Sayer]] = {
    "1987": {
        18: _merchant,
        **dict.fromkeys((21, 68, 69), _country),
        25: partial(_code, "pos_condition"),
        26: partial(_code, "pin_capture"),
        **dict.fromkeys((28, 29, 30, 31, 97), _only_amount),
        **dict.fromkeys((49, 50, 51), _of_value(money.say_currency)),
        66: partial(_code, "settlement"),
        70: partial(_code, "network_management"),
        90: _original,
        91: partial(_code, "file_update"),
        95: _first_amount,
    },
    "1993": {
        **dict.fromkeys((18, 26), _merchant),
        **dict.fromkeys((21, 68, 69, 70, 91, 92), _country),
        24: partial(_code, "function_code"),
        25: partial(_code, "reason_code"),
        30: _first_amount,
        **dict.fromkeys((49, 50, 51), _of_value(money.say_currency)),
        56: _original,
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

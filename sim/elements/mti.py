"""The message type indicator: four digits for version, class, function and originator; and the original
data elements, with which a message refers to another one."""

from __future__ import annotations

from dataclasses import dataclass

from sim.elements import dates
from sim.parts.layout import fitting
from sim.spec import lookup, number_of, version_of

_RESPONSE_FUNCTION = {"0": "1", "2": "3", "6": "7"}
# A response answers the message, not its repeat: 0101 and 0100 both get 0110.
_WITHOUT_REPEAT = {"0": "0", "1": "0", "2": "2", "3": "2", "4": "4", "5": "4"}
_REPEAT = {origin: repeat for repeat, origin in _WITHOUT_REPEAT.items() if repeat != origin}
_RESPONSES = frozenset("13")
_REPEATS = frozenset("135")


@dataclass(frozen=True, slots=True)
class MessageType:
    """The parts of an MTI. `name` is the usual name of the combination, empty if there is none; `kind` is
    request, response, advice and so on."""

    mti: str
    version: str | None
    message_class: str
    function: str
    origin: str
    name: str
    kind: str


def split(mti: str) -> MessageType:
    """The parts of *mti*; digits without a meaning have empty texts.

    >>> split("0421").message_class
    'reversal or chargeback'
    """
    version = version_of(mti)
    row = lookup("message_types", mti[1:], version=version or "1987")
    parts = (
        lookup(name, digit, version=version or "1987")
        for name, digit in zip(("mti_class", "mti_function", "mti_origin"), f"{mti[1:4]:3}", strict=True)
    )
    # A reserved digit has a row but no meaning.
    message_class, function, origin = (
        part.meaning if part and part.kind != "reserved" else "" for part in parts
    )
    name, kind = (row.meaning, row.kind) if row else ("", "")
    return MessageType(mti, version, message_class, function, origin, name, kind)


def response_mti(mti: str) -> str | None:
    """The MTI of the response to *mti*: 0100 -> 0110, 0421 -> 0430; None if there is no response.

    A response has no repeat marker, so adding ten would be wrong for repeats.

    >>> response_mti("0101"), response_mti("0110")
    ('0110', None)
    """
    function, origin = _RESPONSE_FUNCTION.get(mti[2:3]), _WITHOUT_REPEAT.get(mti[3:4])
    return mti[:2] + function + origin if function and origin else None


def repeat_mti(mti: str) -> str:
    """The MTI of the repeat of *mti*: 0100 -> 0101; that of a repeat is unchanged.

    >>> repeat_mti("0420"), repeat_mti("0421")
    ('0421', '0421')
    """
    return mti[:3] + _REPEAT.get(mti[3:4], mti[3:4])


def is_response(mti: str) -> bool:
    """Whether the function digit means a response, to a request (1) or an advice (3)."""
    return mti[2:3] in _RESPONSES


def is_repeat(mti: str) -> bool:
    """Whether the originator digit marks a repeat of an earlier message."""
    return mti[3:4] in _REPEATS


def advice_mti(mti: str) -> str:
    """The MTI of the advice that reports what the request *mti* asks for: 0400 -> 0420.

    >>> advice_mti("0400"), advice_mti("0420")
    ('0420', '0420')
    """
    return f"{mti[:2]}2{mti[3:]}" if mti[2:3] == "0" else mti


def is_advice(mti: str) -> bool:
    """Whether the function digit means an advice (2), which reports what has already happened."""
    return mti[2:3] == "2"


def is_network_management(mti: str) -> bool:
    """Whether the message manages the connection (x8xx) and so has no card."""
    return mti[1:2] == "8"


@dataclass(frozen=True, slots=True)
class Original:
    """The message that a reversal or advice refers to. `when` is its DE 7 (MMDDhhmmss, UTC) in 1987, its
    DE 12 (local) in other versions, and `at` the offset of that; IDs have no leading zeros."""

    mti: str
    stan: str
    when: str
    pattern: str
    at: int
    acquirer: str
    forwarder: str


def read_original(value: str, version: str) -> Original | None:
    """The parts of DE 90 (1987) or DE 56 (1993, 2003); None if it is too short or not digits."""
    reading = fitting(version, number_of("original", version), value)
    if reading is None:
        return None
    mti, stan, when, *ids = reading.parts
    acquirer, forwarder = ([part.value.lstrip("0") for part in ids] + ["", ""])[:2]
    return Original(mti.value, stan.value, when.value, when.cell.argument, when.start, acquirer, forwarder)


def say_original(value: str, version: str) -> str:
    """Original data elements in words.

    >>> say_original("0100123456112010153000000000001" + "0" * 11, "1987")
    'MTI 0100, STAN 123456, 20 November, 10:15:30, acquirer 1'
    """
    original = read_original(value, version)
    if original is None:
        return ""
    text = f"MTI {original.mti}, STAN {original.stan}, {dates.say(original.pattern, original.when)}"
    return text + (f", acquirer {original.acquirer}" if original.acquirer else "")

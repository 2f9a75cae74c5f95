"""A message as text that shows no card data by itself: `RawMessage` and `mask`."""

from __future__ import annotations

from sim.codec import Message, ParseError, bitmap, parse
from sim.masking import mask, mask_text
from sim.operations import chosen_version
from sim.spec import version_of


class RawMessage(str):
    """The text of a message. It is the true text wherever it is used as one (`print`, `==`, slices,
    files, JSON); only its repr, which notebooks store as a cell's output, leaves the elements out.

    >>> RawMessage("08002020000000000000990000123456")
    RawMessage('08002020000000000000…', 32 characters, masked; print() shows it all)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        size = f"{len(self)} character{'' if len(self) == 1 else 's'}, masked; print() shows it all"
        try:
            message = parse(str(self), chosen_version(str(self), None))
        except ParseError:
            return f"RawMessage({size})"  # what looks like MTI and bitmap may be a card number
        return f"RawMessage('{message.mti}{message.bitmap}…', {size})"


def masked_text(raw: str, version: str) -> str:
    """*raw* with card data starred out, as long as it was and laid out as it was. A text that does not
    parse is masked by its looks: all long runs of digits."""
    try:
        message = parse(raw, version)
    except ParseError as error:
        if error.partial is None or version_of(raw) is None:
            return mask_text(raw)
        # What looks like a bitmap may be a card number behind an MTI.
        end = 36 if bitmap.has_secondary(raw[4]) else 20
        return raw[:4] + mask(0, raw[4:end], version) + mask_text(raw[end:])
    return message.mti + message.bitmap + "".join(_masked_values(message))


def _masked_values(message: Message) -> list[str]:
    elements, pan = message.spec, message.get(2)
    parts = []
    for number, value in sorted(message.fields.items()):
        prefix = elements[number].prefix
        shown = mask(number, value, message.version, pan)
        # What is hidden altogether is named, "[16 characters hidden]"; stars keep the layout.
        stars = shown if len(shown) == len(value) else "*" * len(value)
        parts.append((f"{len(value):0{prefix}}" if prefix else "") + stars)
    return parts

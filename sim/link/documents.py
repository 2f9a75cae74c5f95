"""Messages as XML documents, as some links carry them: `<isomsg>` with a `<field>` for each element.

What is binary is marked so and given in hex digits; which elements are, the format of the line says.
"""

from __future__ import annotations

import re
from xml.sax.saxutils import quoteattr

from sim.codec import Message
from sim.codec.wire.formats import HEX, RAW, Field, Format
from sim.errors import WireError, quoted
from sim.spec import version_of

_TAG = re.compile(rb"<(/?)isomsg\b[^<>]*?(/?)>")
_MTI = "0"
_BITMAPS = ("-1", "1", "65")
_ENTITIES = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def end_of(data: bytes, depth: int = 0) -> tuple[int, int]:
    """Where the first document in *data* ends, 0 where it has not come whole, and how many documents are open
    then; *depth* were open in front of *data*.

    >>> end_of(b"<isomsg><isomsg/>"), end_of(b"</isomsg><isomsg>", 1)
    ((0, 1), (9, 0))
    """
    for tag in _TAG.finditer(data):
        depth += 0 if tag[2] else -1 if tag[1] else 1
        if depth <= 0:
            return tag.end(), 0
    return 0, depth


def written(message: Message, fmt: Format) -> bytes:
    """*message* as a document and the end of a line.

    >>> from sim.codec.wire import wire_format
    >>> print(written(Message("0800", {11: "000042"}), wire_format("ascii")).decode(), end="")
    <isomsg>
      <field id="0" value="0800"/>
      <field id="11" value="000042"/>
    </isomsg>
    """
    layout = fmt.layout(message.version)
    lines = ["<isomsg>", f'  <field id="0" value="{message.mti}"/>']
    for number, value in sorted(message.fields.items()):
        kind = ' type="binary"' if _binary(layout[number]) else ""
        lines.append(f'  <field id="{number}" value={quoteattr(value, _ENTITIES)}{kind}/>')
    return "\n".join([*lines, "</isomsg>", ""]).encode("ascii", "xmlcharrefreplace")


def _binary(field: Field | None) -> bool:
    return field is not None and (field.content == "b" or field.written in (RAW, HEX))


def read(data: bytes, version: str | None = None) -> Message:
    """The message of a document. Raises WireError for one without an MTI, and for an element in parts."""
    from sim.paste.spellings.xml import tags  # few links need it

    fields: dict[int, str] = {}
    mti, depth = "", 0
    for name, attributes, _ in tags(data.decode("utf-8", "replace")):
        own = attributes.get("id", "")
        if name == "isomsg":
            depth += 1
            if depth > 1:
                number = int(own) if own.isdecimal() else None
                raise WireError(number, None, "a value", "parts, each in a field of its own")
        elif name == "field" and own == _MTI:
            mti = attributes.get("value", "")
        elif name == "field" and own not in _BITMAPS:
            if not own.isdecimal() or len(own) > len("192"):
                raise WireError(None, None, "the id of a field, 0 to 192", quoted(own, data))
            fields[int(own)] = attributes.get("value", "")
    return Message(mti, fields, version or version_of(mti) or "1987")

"""How a connection encodes messages: frames in a byte stream, and the message in each frame.

A `Line` is a format and the framing around it, by name (`sim.formats()`, `data/framing.csv`). The outermost
layer determines where a frame ends: a length field, an end mark (in a format of characters), the last element
of the message, or the end of an XML document (`<isomsg>` with a `<field>` per element; binary elements are
marked and in hex digits). The length in a header is never allocated: a frame grows as its bytes arrive, up to
`largest`.
"""

from __future__ import annotations

import os
import re
import socket
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from xml.sax.saxutils import quoteattr

from sim.codec import Message, ParseError, build, parse
from sim.codec.wire import (
    Format,
    Layer,
    decode,
    encode,
    frame,
    interface_table,
    names,
    strip,
    wire_format,
    wrap,
)
from sim.codec.wire.files import message_size
from sim.codec.wire.formats import HEX, RAW
from sim.codec.wire.framing import ETX, said_length
from sim.errors import (
    BuildError,
    CutShortError,
    IsoError,
    OptionError,
    WireError,
    counted,
    hexed,
    quotable,
    quoted,
    quoted_value,
)
from sim.operations.building import in_format
from sim.spec import version_of
from sim.spec.tables import read_toml

KEEP_ALIVE = "keep-alive"
TEXT_FORM = "ascii"  # its bytes are the text form's characters
XML, ELEMENTS = "xml", "elements"
_OUTERMOST = ("length", "etx", "gzip", ELEMENTS, XML)
_MOST_NAMED = 3


class LinkError(IsoError):
    """A connection that fails: `expected` is what was wanted, `found` what happened instead.

    >>> str(LinkError("127.0.0.1:8583", "a connection", "none within 5 seconds"))
    '127.0.0.1:8583: expected a connection, found none within 5 seconds'
    """

    def __init__(self, where: str, expected: str, found: str) -> None:
        super().__init__(None, None, expected, found)
        self.where = quotable(where)
        self.say(f"{self.where}: expected {expected}, found {found}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.where, self.expected, self.found)


def system_reason(error: OSError) -> str:
    """The reason for *error* in the system's words, which asyncio replaces; TLS and the resolver have
    their own. For a host with several addresses, that of the first."""
    number = re.search(r"\[Errno (\d+)\]", str(error))
    if number and not isinstance(error, socket.gaierror):  # the resolver has its own numbers
        words = os.strerror(int(number[1]))
    else:
        words = getattr(error, "verify_message", "") or error.strerror or str(error)
    words = words.rstrip(".")
    return words if words[1:2].isupper() else words[:1].lower() + words[1:]


class Cutter:
    """Cuts frames out of the bytes of one direction. `partial` counts the bytes of an incomplete frame."""

    __slots__ = ("_buffer", "_layer", "_line", "_plain", "_sizes")

    def __init__(self, line: Line) -> None:
        self._line, self._layer, self._plain = line, frame(line.framing[0]), _plain(line.framing[0])
        self._buffer = bytearray()
        # The size of each frame in turn, 0 while it is incomplete. The search for its end resumes where it
        # stopped, so that a frame that arrives byte by byte is not rescanned for each.
        self._sizes: Iterator[int] = {
            "length": self._to_length,
            "etx": self._to_mark,
            "gzip": self._to_end_of_packed,
            ELEMENTS: self._to_last_element,
            XML: self._to_end_tag,
        }[self._layer.kind]()

    @property
    def partial(self) -> int:
        """The number of bytes of the incomplete frame."""
        return len(self._buffer)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The frames that *data* completes, each with its header or end mark. Raises WireError, after the
        last of them, if no frame can start or one is too long: nothing after that can be found."""
        buffer = self._buffer
        buffer += data
        while size := next(self._sizes, 0):
            frame_bytes = bytes(buffer[:size])
            del buffer[:size]
            yield frame_bytes
        if len(buffer) > self._line.largest + self._layer.head:
            found = f"{counted(len(buffer), 'byte')} without"
            raise WireError(None, 0, f"the end of a message within {self._line.largest} bytes", found)

    def _length_of(self) -> int:
        layer, largest = self._layer, self._line.largest
        head = bytes(self._buffer[: layer.head])
        size = int.from_bytes(head, "big") if self._plain else said_length(layer, head, 0)
        if size is None or not 0 <= size <= largest:
            raise WireError(None, 0, f"a {layer.title} of at most {largest} bytes", hexed(head))
        return size

    def _to_length(self) -> Iterator[int]:
        buffer, head = self._buffer, self._layer.head
        while True:
            while len(buffer) < head:
                yield 0
            size = head + self._length_of()
            while len(buffer) < size:
                yield 0
            yield size

    def _to_mark(self) -> Iterator[int]:
        buffer, at = self._buffer, 0
        while True:
            size = buffer.find(ETX, at) + 1
            at = 0 if size else len(buffer)
            yield size

    def _to_end_of_packed(self) -> Iterator[int]:
        buffer = self._buffer
        while True:
            at = self._layer.head
            while len(buffer) <= at:
                yield 0
            unpacker, left = zlib.decompressobj(wbits=31), self._length_of()
            while not unpacker.eof:
                left -= len(_unpacked(unpacker, bytes(buffer[at:]), left))
                at = len(buffer)
                yield at - len(unpacker.unused_data) if unpacker.eof else 0

    def _to_last_element(self) -> Iterator[int]:
        buffer, line, least = self._buffer, self._line, 1
        while True:
            size = 0
            if len(buffer) >= least:
                try:
                    size, least = message_size(bytes(buffer), line.format, line.framing[1:], line.version), 1
                except CutShortError as error:
                    least = len(buffer) + max(1, error.wanted)
            yield size

    def _to_end_tag(self) -> Iterator[int]:
        buffer, at, come, depth = self._buffer, 0, 0, 0
        while True:
            if buffer[:1].isspace():
                del buffer[: len(buffer) - len(buffer.lstrip())]  # line ends between documents
            size, behind, come = 0, buffer.rfind(b">", come) + 1, len(buffer)
            if behind:
                size, depth = xml_end(bytes(buffer[at:behind]), depth)
                size, at = size and at + size, behind
            yield size
            if size:
                at, come, depth = 0, 0, 0


def _unpacked(unpacker: zlib._Decompress, data: bytes, left: int) -> bytes:
    """*data* decompressed: at most the *left* bytes that the length header promises. Raises WireError."""
    try:
        unpacked = unpacker.decompress(data, left + 1)
    except zlib.error:
        raise WireError(None, 0, "bytes packed by gzip", hexed(data[:4])) from None
    if len(unpacked) > left or (unpacker.eof and len(unpacked) < left):
        raise WireError(
            None, 0, f"{counted(left, 'byte')}, as the length header says", f"{len(unpacked)} unpacked"
        )
    return unpacked


def _plain(outermost: str) -> bool:
    """Whether a length field is simply the big-endian number of the bytes after it."""
    layer = frame(outermost)
    odd = layer.counts_itself or layer.before or layer.after
    return (layer.kind, layer.written, layer.order) == ("length", "binary", "big") and not odd


@dataclass(frozen=True)
class Line:
    """A format and its framing, outermost layer first. `largest` limits a frame, in bytes; `version` None
    takes the version from each MTI; `interface` is the message specification (empty: that of the format, or
    else of each card's brand)."""

    format: Format
    framing: tuple[str, ...]
    largest: int
    version: str | None = None
    interface: str = ""

    @classmethod
    def of(
        cls,
        format: Format | str | None = None,
        framing: Sequence[str] | str | None = None,
        version: str | None = None,
        interface: str = "",
    ) -> Line:
        """The line for *format* and *framing*. None means the usual one, for a format its own. Without
        framing, a message ends after its last element.

        Raises SpecError or ChoiceError for unknown names, OptionError if nothing determines where a message
        ends.
        """
        usual = read_toml("link")["line"]
        chosen = wire_format(format or usual["format"])
        default = chosen.frames
        if not default or frame(default[0]).kind not in _OUTERMOST:  # a header that any length may precede
            default = (*usual["framing"], *default)
        names = [framing] if isinstance(framing, str) else list(default if framing is None else framing)
        names = names or [ELEMENTS]
        kinds = [frame(name).kind for name in names]
        if kinds[0] not in _OUTERMOST:
            expected = "a length field outermost, such as length-2 (or etx, gzip, elements, xml)"
            raise OptionError("framing", expected, repr(" ".join(names)))
        return cls(chosen, tuple(names), usual["largest"], version, interface)

    @cached_property
    def _text(self) -> bool:
        """Whether messages are in text form."""
        return self.format.name == TEXT_FORM

    @cached_property
    def _length(self) -> int:
        """The width of a plain length field if it is the only framing, otherwise 0."""
        outermost, *inner = self.framing
        return 0 if inner or not _plain(outermost) else frame(outermost).width

    @property
    def mac_format(self) -> Format | str:
        """The form of a message that MACs cover: the text form, or the wire format."""
        return "text" if self._text else self.format

    def fitted(self, message: Message) -> Message:
        """*message* as this line sends it: in text form, a message of its interface fits as it is."""
        own = self._text and message.spec.interface == self.interface
        return message if own else in_format(message, self.format)[0]

    def cutter(self) -> Cutter:
        """A cutter for the frames of one direction."""
        return Cutter(self)

    def encode(self, message: Message, layers: Iterable[Layer] = (), text: str = "") -> bytes:
        """*message* as a frame, inside *layers* as received, or else the usual ones; *text* is its text form
        if already built. Raises BuildError."""
        body = self._body(message, text)
        if self.framing[0] == XML:
            return as_xml(message, self.format)
        if self._length and len(body) <= self.largest:
            return len(body).to_bytes(self._length, "big") + body
        return wrap(body, tuple(layers) or self.framing)

    def _body(self, message: Message, text: str) -> bytes:
        if self._text:
            try:
                return (text or build(message)).encode("ascii")
            except UnicodeEncodeError:
                pass  # encoding it below names the element
        try:
            return encode(message, self.format)
        except BuildError as error:
            with suppress(BuildError):
                build(message)  # the text form can represent it, this format cannot
                fitting = f"`format={self.format.name!r}` of sim.generate, respond and reverse"
                error.args = (f"{error}. {fitting} makes messages for this connection",)
            raise

    def decode(self, data: bytes) -> tuple[Message, tuple[Layer, ...]]:
        """The message in a frame of `cutter`, and its framing layers (none for a plain length field). Raises
        WireError."""
        body, layers = self.bare(data)
        if self._text:
            try:
                text = body.decode("ascii")
                version = self.version or version_of(text[:4]) or "1987"
                table = interface_table(self.interface, version) if self.interface else version
                return parse(text, table), layers
            except (ParseError, UnicodeDecodeError):
                pass  # decoded again below, where the error counts bytes
        message = decode(body, self.format, self.version)
        if self.interface:
            table = interface_table(self.interface, message.version, message.dialect)
            message = replace(message, version=table.version, dialect=table)
        return message, layers

    def unread(self, data: bytes, error: IsoError, *, name_formats: bool = True) -> tuple[str, str]:
        """The kind of a frame that raised *error*, and why, with *name_formats* also the formats that can
        read it. A length field of zero is not a message: many switches send it to keep a connection open."""
        outermost = frame(self.framing[0])
        if outermost.kind == "length" and len(data) == outermost.head:
            return KEEP_ALIVE, "a frame of length 0 keeps the connection open"
        formats = []
        if name_formats:
            with suppress(WireError):
                body, _ = self.bare(data)
                for name in names():
                    with suppress(WireError):
                        decode(body, name, self.version)
                        formats.append(name)
        read = f"; it reads as {' or '.join(formats[:_MOST_NAMED])}" if formats else ""
        return "unreadable", f"{error}{read}"

    def bare(self, data: bytes) -> tuple[bytes, tuple[Layer, ...]]:
        """The message of a frame without its framing, and the framing layers. Raises WireError."""
        if self._length:
            return data[self._length :], ()
        if self.framing[0] == XML:
            try:
                return encode(of_xml(data, self.version), self.format), ()
            except BuildError as error:
                raise WireError(error.field, None, error.expected, error.found) from None
        if frame(self.framing[0]).kind == "gzip":
            width = frame(self.framing[0]).head
            size = int.from_bytes(data[:width], "big")
            data = data[:width] + _unpacked(zlib.decompressobj(wbits=31), data[width:], size)
        layers, start, end = strip(data, self.framing)
        return data[start:end], layers


def answering(layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    """The layers of a response: the request's, with destination and source in headers swapped."""
    turned = []
    for layer in layers:
        if addresses := frame(layer.name).addresses:
            (to, origin, end), front = addresses, layer.front
            front = front[:to] + front[origin:end] + front[to:origin] + front[end:]
            layer = Layer(layer.name, front, layer.back)
        turned.append(layer)
    return tuple(turned)


def address_of(address: object) -> tuple[str, int]:
    """Host and port of an address as a person writes it: `"127.0.0.1:8583"`, `("::1", 8583)`, `"[::1]:8583"`.

    >>> address_of("localhost:8583")
    ('localhost', 8583)

    Raises OptionError for anything else.
    """
    host: object = address
    port: object = None
    if isinstance(address, tuple) and len(address) == 2:
        host, port = address
    elif isinstance(address, str) and ":" in address:
        host, _, port = address.rpartition(":")
        host = str(host).removeprefix("[").removesuffix("]")
    if isinstance(port, str) and port.isascii() and port.isdigit():
        port = int(port)
    # Never look up a card number as a host name.
    valid_host = isinstance(host, str) and host and quotable(host) == host
    if not (valid_host and isinstance(port, int) and 0 <= port <= 65535):
        raise OptionError("address", "host:port, such as 127.0.0.1:8583", quoted_value(address))
    return str(host), port


_TAG = re.compile(rb"<(/?)isomsg\b[^<>]*?(/?)>")
_MTI = "0"
_BITMAPS = ("-1", "1", "65")
_ENTITIES = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def xml_end(data: bytes, depth: int = 0) -> tuple[int, int]:
    """Where the first document in *data* ends (0 if it is incomplete), and how many elements are still open;
    *depth* were open before *data*.

    >>> xml_end(b"<isomsg><isomsg/>"), xml_end(b"</isomsg><isomsg>", 1)
    ((0, 1), (9, 0))
    """
    for tag in _TAG.finditer(data):
        depth += 0 if tag[2] else -1 if tag[1] else 1
        if depth <= 0:
            return tag.end(), 0
    return 0, depth


def as_xml(message: Message, fmt: Format) -> bytes:
    """*message* as an XML document, with a line end.

    >>> from sim.codec.wire import wire_format
    >>> print(as_xml(Message("0800", {11: "000042"}), wire_format("ascii")).decode(), end="")
    <isomsg>
      <field id="0" value="0800"/>
      <field id="11" value="000042"/>
    </isomsg>
    """
    layout = fmt.layout(message.version)
    lines = ["<isomsg>", f'  <field id="0" value="{message.mti}"/>']
    for number, value in sorted(message.fields.items()):
        row = layout[number]
        binary = row is not None and (row.content == "b" or row.written in (RAW, HEX))
        kind = ' type="binary"' if binary else ""
        lines.append(f'  <field id="{number}" value={quoteattr(value, _ENTITIES)}{kind}/>')
    return "\n".join([*lines, "</isomsg>", ""]).encode("ascii", "xmlcharrefreplace")


def of_xml(data: bytes, version: str | None = None) -> Message:
    """The message in a document. Raises WireError if an element has subfields or an id is invalid."""
    from sim.paste.spellings.xml import tags  # needed by few connections

    fields: dict[int, str] = {}
    mti, depth = "", 0
    for name, attributes, _ in tags(data.decode("utf-8", "replace")):
        field_id = attributes.get("id", "")
        if name == "isomsg":
            depth += 1
            if depth > 1:
                number = int(field_id) if field_id.isdecimal() else None
                raise WireError(number, None, "a value", "subfields, each in its own field")
        elif name == "field" and field_id == _MTI:
            mti = attributes.get("value", "")
        elif name == "field" and field_id not in _BITMAPS:
            if not field_id.isdecimal() or len(field_id) > len("192"):
                raise WireError(None, None, "the id of a field, 0 to 192", quoted(field_id, data))
            fields[int(field_id)] = attributes.get("value", "")
    return Message(mti, fields, version or version_of(mti) or "1987")

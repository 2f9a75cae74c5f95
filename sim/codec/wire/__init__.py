"""Bytes <-> Message: how links write messages (formats) and what stands around them (framing)."""

from sim.codec.wire.catalogue import names, wire_format
from sim.codec.wire.decode import WireMessage, decode, read
from sim.codec.wire.encode import encode, misfits
from sim.codec.wire.formats import Format
from sim.errors import WireError

__all__ = [
    "Format",
    "WireError",
    "WireMessage",
    "decode",
    "encode",
    "misfits",
    "names",
    "read",
    "wire_format",
]

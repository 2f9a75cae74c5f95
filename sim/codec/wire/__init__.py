"""Bytes <-> Message: how links write messages (formats) and what stands around them (framing)."""

from sim.codec.wire.catalogue import names, wire_format
from sim.codec.wire.decode import WireMessage, decode, read
from sim.codec.wire.encode import encode, misfits, otherwise
from sim.codec.wire.formats import Format
from sim.codec.wire.framing import Frame, Layer, frame, frames, peel, strip, wrap
from sim.errors import WireError

__all__ = [
    "Format",
    "Frame",
    "Layer",
    "WireError",
    "WireMessage",
    "decode",
    "encode",
    "frame",
    "frames",
    "misfits",
    "names",
    "otherwise",
    "peel",
    "read",
    "strip",
    "wire_format",
    "wrap",
]

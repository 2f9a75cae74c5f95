"""Text <-> Message. Framing only: `elements` and `rules` interpret the values."""

from sim.codec.message import Message
from sim.codec.text import build, misfits, parse, spans
from sim.errors import BuildError, IsoError, ParseError

__all__ = ["BuildError", "IsoError", "Message", "ParseError", "build", "misfits", "parse", "spans"]

"""Text <-> Message. Framing only: what values mean is for `elements` and `rules`."""

from sim.codec.message import Message
from sim.codec.text import build, misfits, parse, spans
from sim.errors import BuildError, IsoError, ParseError

__all__ = ["BuildError", "IsoError", "Message", "ParseError", "build", "misfits", "parse", "spans"]

"""Many messages at once: columns cut out of one buffer of bytes, a row for each message."""

from sim.frames.bulk.reading import read

__all__ = ["read"]

"""Many messages at once: columns cut out of one buffer of bytes, a row for each message."""

from sim.tables.columns.reading import read

__all__ = ["read"]

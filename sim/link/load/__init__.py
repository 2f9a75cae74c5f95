"""Load: many requests at a rate or with so many in flight, their latencies in an HDR histogram."""

from sim.link.load.mix import Mix, Replay
from sim.link.load.numbers import Numbers, Second
from sim.link.load.run import Load

__all__ = ["Load", "Mix", "Numbers", "Replay", "Second"]

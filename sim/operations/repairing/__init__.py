"""Repair: the shortest edits that make a message read or valid."""

from sim.operations.repairing.edits import Edit, Repair, repair
from sim.operations.repairing.offering import Mending, mend, offered

__all__ = ["Edit", "Mending", "Repair", "mend", "offered", "repair"]

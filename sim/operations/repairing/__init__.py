"""Repair: the shortest edits that make a message read or valid."""

from sim.operations.repairing.edits import Edit, Repair, repair

__all__ = ["Edit", "Repair", "repair"]

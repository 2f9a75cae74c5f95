"""Negative data: faults put into sound messages, each with the finding it must cause."""

from sim.operations.faults.breaking import all_faults, break_message, cases, faults_for
from sim.operations.faults.record import Broken, Fault

__all__ = ["Broken", "Fault", "all_faults", "break_message", "cases", "faults_for"]

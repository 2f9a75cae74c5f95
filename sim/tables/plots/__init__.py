"""Plots of many messages."""

from sim.tables.plots.charts import plot

__all__ = ["plot"]

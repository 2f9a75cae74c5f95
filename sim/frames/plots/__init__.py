"""Pictures of many messages."""

from sim.frames.plots.charts import plot

__all__ = ["plot"]

"""Load tests: many requests at a rate or at a concurrency, with latencies in an HDR histogram."""

from sim.link.load.run import Load, Mix, Numbers, Replay, RunningLoad, Second, start_load

__all__ = ["Load", "Mix", "Numbers", "Replay", "RunningLoad", "Second", "start_load"]

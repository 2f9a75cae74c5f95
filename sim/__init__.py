"""ISO 8583 in Jupyter: generate, explain and validate card-payment messages, for testing and teaching.

>>> import sim
>>> message = sim.generate("auth", network="VISA", amount_minor_units=2500)
>>> sim.validate(message).iso.valid
True

A message is always any of three: its raw text, a message table, or a `Message`. The message table
is the message: change a cell, and build, explain or validate it. Only test card numbers belong
here; whatever is displayed hides them, what is exported does not.

Nothing heavy is imported before a function is called.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sim.lazy import lazily

if TYPE_CHECKING:
    from sim import keys as keys
    from sim import widgets as widgets
    from sim.codec import Message
    from sim.codec.wire.dialects import load_format
    from sim.errors import BuildError, ChoiceError, IsoError, OptionError, ParseError, SpecError
    from sim.exchanges.plan import UnclearError
    from sim.link.scenario.report import export_suite
    from sim.operations.drill import drill
    from sim.operations.packs import load_rules
    from sim.spec import VERSIONS
    from sim.spec.networks import NETWORKS
    from sim.tables import llm as llm
    from sim.tables.columns.reading import read
    from sim.tables.converting import convert
    from sim.tables.exchanges import exchange
    from sim.tables.formats import export_format, formats, guess, interfaces
    from sim.tables.learning import learn
    from sim.tables.link import client, host
    from sim.tables.matching import match
    from sim.tables.messages import build, diff, explain, generate, mask, parse, respond, reverse, validate
    from sim.tables.negative import break_message, cases, faults
    from sim.tables.networks import compare, flows
    from sim.tables.plans import plan
    from sim.tables.plots.charts import plot
    from sim.tables.reference import codes, fields, rules, search
    from sim.tables.repairing import repair
    from sim.tables.runs import load, run_suite
    from sim.widgets.row_grid import show

__version__ = "0.1.0"

__all__ = [
    "NETWORKS",
    "VERSIONS",
    "BuildError",
    "ChoiceError",
    "IsoError",
    "Message",
    "OptionError",
    "ParseError",
    "SpecError",
    "UnclearError",
    "__version__",
    "break_message",
    "build",
    "cases",
    "client",
    "codes",
    "compare",
    "convert",
    "diff",
    "drill",
    "exchange",
    "explain",
    "export_format",
    "export_suite",
    "faults",
    "fields",
    "flows",
    "formats",
    "generate",
    "guess",
    "host",
    "interfaces",
    "learn",
    "load",
    "load_format",
    "load_rules",
    "mask",
    "match",
    "parse",
    "plan",
    "plot",
    "read",
    "repair",
    "respond",
    "reverse",
    "rules",
    "run_suite",
    "search",
    "show",
    "validate",
]

# Where names live that are resolved on first use.
_HOMES = {
    "sim.codec": "Message",
    "sim.exchanges.plan": "UnclearError",
    "sim.errors": "BuildError ChoiceError IsoError OptionError ParseError SpecError",
    "sim.codec.wire.dialects": "load_format",
    "sim.link.scenario.report": "export_suite",
    "sim.operations.drill": "drill",
    "sim.operations.packs": "load_rules",
    "sim.tables.columns.reading": "read",
    "sim.tables.converting": "convert",
    "sim.tables.exchanges": "exchange",
    "sim.tables.formats": "export_format formats guess interfaces",
    "sim.tables.learning": "learn",
    "sim.tables.link": "client host",
    "sim.tables.matching": "match",
    "sim.tables.messages": "build diff explain generate mask parse respond reverse validate",
    "sim.tables.negative": "break_message cases faults",
    "sim.tables.networks": "compare flows",
    "sim.tables.plans": "plan",
    "sim.tables.plots.charts": "plot",
    "sim.tables.reference": "codes fields rules search",
    "sim.tables.repairing": "repair",
    "sim.tables.runs": "load run_suite",
    "sim.widgets.row_grid": "show",
    # What `%load_ext sim` looks for.
    "sim.magic": "load_ipython_extension unload_ipython_extension",
    "sim.spec": "VERSIONS",
    "sim.spec.networks": "NETWORKS",
}

# Rooms of their own.
_ROOMS = {"keys": "sim.keys", "llm": "sim.tables.llm", "widgets": "sim.widgets"}

if not TYPE_CHECKING:  # or every name would be one, of any type
    _named = lazily(__name__, _HOMES)[0]

    def __getattr__(name: str) -> Any:
        return import_module(_ROOMS[name]) if name in _ROOMS else _named(name)


def home_of(name: str) -> str:
    """The module in which the public *name* lives. Raises KeyError where there is none."""
    return next(module for module, names in _HOMES.items() if name in names.split())


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])

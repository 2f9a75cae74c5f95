"""ISO 8583 in Jupyter: generate, explain and validate card-payment messages, for testing and teaching.

>>> import sim
>>> message = sim.generate("auth", network="VISA", amount_minor_units=2500)
>>> sim.validate(message).iso.valid
True

Functions accept a message as raw text, as a message table, or as a `Message`. The message table is the
message: change a cell, then build, explain or validate it. Use test card numbers only: displays mask them,
the exports of pandas (`to_csv`, `to_json`) do not.

Nothing heavy is imported before a function is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.lazy import lazily

if TYPE_CHECKING:
    from sim import keys as keys
    from sim import widgets as widgets
    from sim.codec import Message
    from sim.codec.wire.dialects import load_format
    from sim.errors import BuildError, ChoiceError, IsoError, OptionError, ParseError, SpecError
    from sim.exchanges.plan import UnclearError
    from sim.link.scenario.report import export_suite

    # `%load_ext sim` calls these.
    from sim.magic import load_ipython_extension as load_ipython_extension
    from sim.magic import unload_ipython_extension as unload_ipython_extension
    from sim.operations.drill import drill
    from sim.operations.packs import load_rules
    from sim.spec import VERSIONS
    from sim.spec.networks import NETWORKS
    from sim.tables import llm as llm
    from sim.tables.columns.reading import read
    from sim.tables.converting import convert
    from sim.tables.exchanges import exchange
    from sim.tables.findings_table import validate
    from sim.tables.formats import export_format, formats, guess, interfaces
    from sim.tables.learning import learn
    from sim.tables.link import client, host
    from sim.tables.messages import build, diff, explain, generate, mask, parse, respond, reverse
    from sim.tables.negative import break_message, cases, faults
    from sim.tables.networks import compare, flows
    from sim.tables.plans import plan
    from sim.tables.plots.charts import plot
    from sim.tables.reference import codes, fields, rules, search
    from sim.tables.repairing import repair
    from sim.tables.runs import load, run_suite
    from sim.tables.transactions import match
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

if not TYPE_CHECKING:  # a type checker would accept any name
    __getattr__ = lazily(__name__)[0]


def __dir__() -> list[str]:
    return sorted([*__all__, "keys", "llm", "widgets"])

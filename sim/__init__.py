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

if TYPE_CHECKING:
    from sim.codec import Message
    from sim.errors import BuildError, ChoiceError, IsoError, OptionError, ParseError, SpecError
    from sim.face.drilling import drill
    from sim.face.formats import export_format, formats, load_format
    from sim.face.guessing import guess
    from sim.face.link import client, host
    from sim.face.making import convert, generate, respond, reverse
    from sim.face.many import match, plot
    from sim.face.messages import build, diff, explain, mask, parse, repair, validate
    from sim.face.reference import codes, compare, fields, flows, rules, search
    from sim.face.runs import export_suite, load, run_suite
    from sim.face.showing import show
    from sim.frames.bulk import read
    from sim.frames.negative import break_message, cases, faults
    from sim.spec import VERSIONS
    from sim.spec.networks import NETWORKS

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
    "load",
    "load_format",
    "mask",
    "match",
    "parse",
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

# Where names live that are resolved on first use (PEP 562).
_HOMES = {
    "NETWORKS": "sim.spec.networks",
    "VERSIONS": "sim.spec",
    "BuildError": "sim.errors",
    "ChoiceError": "sim.errors",
    "IsoError": "sim.errors",
    "Message": "sim.codec",
    "OptionError": "sim.errors",
    "ParseError": "sim.errors",
    "SpecError": "sim.errors",
    "break_message": "sim.frames.negative",
    "build": "sim.face.messages",
    "cases": "sim.frames.negative",
    "client": "sim.face.link",
    "codes": "sim.face.reference",
    "compare": "sim.face.reference",
    "convert": "sim.face.making",
    "diff": "sim.face.messages",
    "drill": "sim.face.drilling",
    "explain": "sim.face.messages",
    "export_format": "sim.face.formats",
    "export_suite": "sim.face.runs",
    "faults": "sim.frames.negative",
    "fields": "sim.face.reference",
    "flows": "sim.face.reference",
    "formats": "sim.face.formats",
    "generate": "sim.face.making",
    "guess": "sim.face.guessing",
    "host": "sim.face.link",
    "load": "sim.face.runs",
    "load_format": "sim.face.formats",
    "mask": "sim.face.messages",
    "match": "sim.face.many",
    "parse": "sim.face.messages",
    "plot": "sim.face.many",
    "read": "sim.frames.bulk",
    "repair": "sim.face.messages",
    "respond": "sim.face.making",
    "reverse": "sim.face.making",
    "rules": "sim.face.reference",
    "search": "sim.face.reference",
    "run_suite": "sim.face.runs",
    "show": "sim.face.showing",
    "validate": "sim.face.messages",
}

# What `%load_ext sim` looks for.
_HOMES |= {"load_ipython_extension": "sim.magic", "unload_ipython_extension": "sim.magic"}

# Rooms of their own.
_ROOMS = {"keys": "sim.frames.keys", "llm": "sim.frames.llm", "widgets": "sim.widgets"}


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(_ROOMS[name])
    if name not in _HOMES:
        from sim.errors import did_you_mean

        said = "" if name.startswith("_") else did_you_mean(name, __dir__())
        raise AttributeError(f"module 'sim' has no attribute {name!r}{said}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])

"""The reference: a page for each public name, made from its docstring by autodoc."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path

from writing import put, toctree

import sim

_GROUPS = {
    "One message": "generate parse guess explain validate repair build diff mask convert respond reverse",
    "One message, shown": "show",
    "What a message is": "Message",
    "Many messages": "read match plot",
    "Broken messages and drills": "break_message cases faults drill",
    "What the standard and the networks say": "fields codes rules search compare flows NETWORKS VERSIONS",
    "Bytes on the wire": "formats load_format export_format",
    "Hosts and clients": "host client run_suite export_suite load",
    "Errors": "IsoError ParseError BuildError SpecError OptionError ChoiceError",
}
_ROOMS = {
    "sim.keys": ("sim.keys", "PIN blocks, MACs, cryptograms, DUKPT and key blocks, for test keys."),
    "sim.widgets": ("sim.widgets", "Panels and views for notebooks."),
}


def write(folder: Path) -> None:
    """A page for each name of the face, one for each room beside it, and their list, below *folder*."""
    named = {name for names in _GROUPS.values() for name in names.split()}
    others = [name for name in sim.__all__ if name not in named and not name.startswith("_")]
    groups = _GROUPS | ({"More": " ".join(others)} if others else {})
    lines = ["# Reference", "", "Everything in `sim`, and its public subpackages.", ""]
    for title, names in groups.items():
        lines += [f"## {title}", "", "| | |", "|---|---|"]
        lines += [
            f"| [`sim.{name}`]({name}.md) | {_first_line(getattr(sim, name))} |" for name in names.split()
        ]
        lines.append("")
        for name in names.split():
            put(folder / f"{name}.md", _page(name))
    lines += ["## Rooms of their own", "", "| | |", "|---|---|"]
    for room, (module, text) in _ROOMS.items():
        put(folder / f"{room}.md", _room(room, module))
        lines.append(f"| [`{room}`]({room}.md) | {text} |")
    put(folder / "index.md", [*lines, "", *toctree([*sorted([*named, *others]), *_ROOMS], hidden=True)])


def _first_line(thing: object) -> str:
    if isinstance(thing, tuple):
        return ", ".join(map(str, thing))
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def _kind(thing: object) -> str:
    if inspect.isclass(thing):
        return "autoexception" if issubclass(thing, Exception) else "autoclass"
    return "autofunction" if callable(thing) else "autodata"


def _page(name: str) -> list[str]:
    thing = getattr(sim, name)
    lines = [
        f"# `sim.{name}`",
        "",
        "```{eval-rst}",
        ".. currentmodule:: sim",
        "",
        f".. {_kind(thing)}:: {name}",
    ]
    lines += ["   :members:"] if inspect.isclass(thing) else []
    return [*lines, "```"]


def _room(room: str, module: str) -> list[str]:
    home = import_module(module)
    lines = [f"# `{room}`", "", f"{inspect.getdoc(home)}".partition("\n")[0], "", "```{eval-rst}"]
    for name in home.__all__:
        lines += [f".. {_kind(getattr(home, name))}:: {module}.{name}", ""]
    return [*lines, "```"]

"""The tables as pages: data elements, code lists, wire formats, card networks. Each can be searched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rules
from writing import PLACE, put, records, table, toctree

import sim
from sim.spec import networks
from sim.spec.tables import read_csv


def write(folder: Path) -> None:
    """All of them below *folder*."""
    _elements(folder / "elements.md")
    _codes(folder / "codes.md")
    _formats(folder / "formats.md")
    for name in sim.NETWORKS:
        _network(folder / "networks" / f"{name.lower()}.md", name)
    put(folder / "networks" / "index.md", _networks())
    put(
        folder / "index.md",
        [
            "# Tables",
            "",
            "What ISO 8583 and the networks say, as rows, each with its source. The same tables come from",
            "`sim.fields()`, `sim.codes()`, `sim.formats()` and `sim.flows()`.",
            "",
            *toctree(["elements", "codes", "formats", "networks/index"]),
        ],
    )


def _elements(path: Path) -> None:
    lines = [
        "# Data elements",
        "",
        "The 128 data elements of each version, with the format in the standard's notation.",
        "",
    ]
    for version in sim.VERSIONS:
        rows = [{PLACE: f"de-{row['number']}-{version}", **row} for row in records(sim.fields(version))]
        lines += [f"## ISO 8583:{version}", "", *table(rows)]
    put(path, lines)


def _codes(path: Path) -> None:
    lines = [
        "# Code lists",
        "",
        "What codes mean, by list and version. `sim.codes(name)` returns a list.",
        "",
    ]
    for name in sim.codes()["name"]:
        lines += [f"## {str(name).replace('_', ' ').capitalize()}", "", f"`sim.codes({name!r})`", ""]
        lines += table(records(sim.codes(name)))
    put(path, lines)


def _formats(path: Path) -> None:
    rows = records(sim.formats())
    lines = [
        "# Wire formats",
        "",
        "How links encode messages as bytes. `sim.parse` identifies the format;",
    ]
    lines += ["[a format of your own](../how-to/add_a_dialect.md) is a file.", ""]
    short = [{key: row[key] for key in ("name", "title", "version", "framing", "extends")} for row in rows]
    lines += table(short)
    for row in rows:
        lines += [f"## {row['title']}", "", f"`{row['name']}`. {row['note']}", ""]
        facts = [{"what": k, "how": v} for k, v in row.items() if v and k not in ("name", "title", "note")]
        lines += table(facts, search=False)
    put(path, lines)


def _networks() -> list[str]:
    return [
        "# Card networks",
        "",
        "What is publicly known of each network's own rules. A row whose confidence is `unsourced` never",
        "makes a message invalid.",
        "",
        *toctree([name.lower() for name in sim.NETWORKS]),
        "## Flows",
        "",
        "Which messages make up a transaction.",
        "",
        *table(records(sim.flows())),
    ]


def _network(path: Path, name: str) -> None:
    one = networks.network(name)
    lines = [f"# {one.title}", "", f"ISO 8583:{one.native_version} on its own link.", ""]
    lines += [f"- {note}" for note in one.notes] + ["", "## Card numbers", ""]
    keys = ("low", "high", "lengths", "status", "brand", "note", "source", "confidence")
    lines += table([{key: _said(getattr(row, key)) for key in keys} for row in one.ranges])
    lines += ["## Required, optional and forbidden elements", ""]
    lines += table(_own(_csv("presence"), name))
    lines += ["## Response codes", "", *table(_own(_csv("response_codes"), name))]
    lines += ["## Rules", ""]
    linked = [
        {"rule": rules.link(row["rule"], "../../rules/"), **_rest(row)}
        for row in records(sim.rules())
        if row["network"] == name
    ]
    put(path, [*lines, *table(linked, ready=["rule"])])


def _rest(row: dict[str, Any]) -> dict[str, object]:
    return {key: row[key] for key in ("severity", "checks", "hint", "source")}


def _said(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _csv(name: str) -> tuple[dict[str, str], ...]:
    return tuple(read_csv(f"networks/{name}"))


def _own(rows: tuple[dict[str, str], ...], name: str) -> list[dict[str, object]]:
    return [{k: v for k, v in row.items() if k != "network"} for row in rows if row.get("network") == name]

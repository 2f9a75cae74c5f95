"""The scripts and styles of the widgets."""

from __future__ import annotations

from pathlib import Path

STATIC = Path(__file__).parent / "static"


def script(*names: str) -> str:
    """The named files of `static` as the one module a widget can have."""
    return "\n".join((STATIC / f"{name}.js").read_text(encoding="utf-8") for name in names)

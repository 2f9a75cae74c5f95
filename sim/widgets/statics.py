"""The scripts and styles of the widgets, and what stands for them where they do not run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

STATIC = Path(__file__).parent / "static"


def script(*names: str) -> str:
    """The named files of `static` as the one module a widget can have."""
    return "\n".join((STATIC / f"{name}.js").read_text(encoding="utf-8") for name in names)


def bundled(made: Any, plain: str, page: str) -> Any:
    """What a widget is shown by, as its class has *made* it, with text and HTML for where no widget runs."""
    bundle, *more = made if isinstance(made, tuple) else (made,)
    if bundle is None:
        return None
    bundle = {**bundle, "text/plain": plain, "text/html": page}
    return (bundle, *more) if more else bundle

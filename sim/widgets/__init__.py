"""What people see in notebooks: the message anatomy, the diff, the panels.

Names are resolved when first used, so that what needs no widget (the plain and the HTML view) works
where ipywidgets is missing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sim.widgets.anatomy import MessageAnatomy
    from sim.widgets.diff import MessageDiff
    from sim.widgets.explorer.panel import LogExplorer
    from sim.widgets.page import anatomy_html
    from sim.widgets.panels.drill import DrillPanel
    from sim.widgets.panels.explain import ExplainPanel
    from sim.widgets.panels.generate import GeneratePanel
    from sim.widgets.panels.host import HostPanel
    from sim.widgets.panels.lab import Lab
    from sim.widgets.panels.load import LoadPanel
    from sim.widgets.panels.send import SendPanel
    from sim.widgets.panels.validate import ValidatePanel
    from sim.widgets.plain import anatomy_text
    from sim.widgets.table_view import TableView

_WHERE = {
    "SendPanel": "sim.widgets.panels.send",
    "LoadPanel": "sim.widgets.panels.load",
    "HostPanel": "sim.widgets.panels.host",
    "DrillPanel": "sim.widgets.panels.drill",
    "ExplainPanel": "sim.widgets.panels.explain",
    "GeneratePanel": "sim.widgets.panels.generate",
    "Lab": "sim.widgets.panels.lab",
    "LogExplorer": "sim.widgets.explorer.panel",
    "MessageAnatomy": "sim.widgets.anatomy",
    "MessageDiff": "sim.widgets.diff",
    "TableView": "sim.widgets.table_view",
    "ValidatePanel": "sim.widgets.panels.validate",
    "anatomy_html": "sim.widgets.page",
    "anatomy_text": "sim.widgets.plain",
}

__all__ = [
    "DrillPanel",
    "ExplainPanel",
    "GeneratePanel",
    "HostPanel",
    "Lab",
    "LoadPanel",
    "LogExplorer",
    "MessageAnatomy",
    "MessageDiff",
    "SendPanel",
    "TableView",
    "ValidatePanel",
    "anatomy_html",
    "anatomy_text",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(_WHERE[name]), name)
    except ModuleNotFoundError as missing:
        if missing.name not in ("anywidget", "ipywidgets"):
            raise
        text = "panels need ipywidgets and anywidget: pip install 'iso8583-lab[jupyter]'"
        raise ModuleNotFoundError(text, name=missing.name) from missing


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHERE})

"""What people see in notebooks: the message anatomy, the diff, the panels.

Names are resolved when first used, so that what needs no widget (the plain and the HTML view) works
where ipywidgets is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sim.lazy import lazily

if TYPE_CHECKING:
    from sim.widgets.anatomy import MessageAnatomy
    from sim.widgets.diff import MessageDiff
    from sim.widgets.explorer.panel import LogExplorer
    from sim.widgets.page import anatomy_html, anatomy_text
    from sim.widgets.panels.drill import DrillPanel
    from sim.widgets.panels.exchange import ExchangePanel
    from sim.widgets.panels.explain import ExplainPanel
    from sim.widgets.panels.generate import GeneratePanel
    from sim.widgets.panels.host import HostPanel
    from sim.widgets.panels.lab import Lab
    from sim.widgets.panels.load import LoadPanel
    from sim.widgets.panels.send import SendPanel
    from sim.widgets.panels.validate import ValidatePanel
    from sim.widgets.row_grid import TableView

__all__ = [
    "DrillPanel",
    "ExchangePanel",
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

if not TYPE_CHECKING:  # otherwise every name would exist, with type Any
    _named = lazily(__name__)[0]

    def __getattr__(name: str) -> Any:
        try:
            return _named(name)
        except ModuleNotFoundError as missing:
            if missing.name not in ("anywidget", "ipywidgets"):
                raise
            text = "panels need ipywidgets and anywidget: pip install 'iso8583-lab[jupyter]'"
            raise ModuleNotFoundError(text, name=missing.name) from missing


def __dir__() -> list[str]:
    return sorted(__all__)

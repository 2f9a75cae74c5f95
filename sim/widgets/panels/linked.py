"""What links the sentences of a panel to its anatomy."""

from __future__ import annotations

from typing import Any

import anywidget
import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.widgets.anatomy import MessageAnatomy
from sim.widgets.statics import STATIC


class Linked(anywidget.AnyWidget):
    """Unseen. Sentences that `sim.grid.told_html` wrote in the same panel light the elements of *anatomy*
    they speak of, and the other way; in the page alone, so that no kernel is needed.

    Traits: `lit`, the elements of the sentence that is pointed at; `hovered`, the element that is.
    """

    _esm = STATIC / "linked.js"

    lit = traitlets.List(traitlets.Int()).tag(sync=True)
    hovered = traitlets.Int(None, allow_none=True).tag(sync=True)

    def __init__(self, anatomy: MessageAnatomy, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._links = (
            ipywidgets.jslink((self, "lit"), (anatomy, "lit")),
            ipywidgets.jsdlink((anatomy, "hovered"), (self, "hovered")),
        )

    def __repr__(self) -> str:
        return "Linked()"

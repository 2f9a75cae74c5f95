"""`Gallery`: messages to begin with, offered where there is none yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets  # type: ignore[import-untyped]

from sim.operations.samples import Sample, samples
from sim.widgets.panels.shared import InputField

_CHOOSE = "Choose an example"


class Gallery(InputField):
    """A list of samples; choosing one gives it to *take*, and the list is as before. *plain* offers those
    alone that options make."""

    def __init__(self, take: Callable[[Sample], None], *, plain: bool = False) -> None:
        self._take = take
        self.samples = [one for one in samples() if one.plain or not plain]
        options = [(_CHOOSE, -1), *((one.name, at) for at, one in enumerate(self.samples))]
        self.choice = ipywidgets.Dropdown(options=options, value=-1, description="Example")
        super().__init__(self.choice)
        self.choice.observe(self._chosen, "value")

    def _chosen(self, change: Any) -> None:
        at = self.choice.value
        if at is not None and at >= 0:
            self.choice.value = -1
            self._take(self.samples[at])

"""What else a message is to carry: the merchant, the clock, checks, tokens: inputs of rows in the templates.

Only what goes with the message chosen is offered; the rest waits, and is not asked for meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.operations.options import Setting, goes_with
from sim.spec.tables import read_toml
from sim.widgets.panels.shared import InputField, show

USUAL, YES, NO = "usual", "yes", "no"


def carried_names() -> tuple[str, ...]:
    """The names of all inputs, as `sim.generate` has them."""
    return tuple(read_toml("templates")["inputs"])


class CarriedInputs(ipywidgets.Accordion):  # type: ignore[misc]
    """An input for each row, folded away. `given` maps the names that `sim.generate` knows to what was
    filled in, whether it goes with the message chosen or not."""

    given = traitlets.Dict()

    def __init__(self) -> None:
        self.inputs: dict[str, Any] = {}
        self.fields: dict[str, InputField] = {}
        for name, row in read_toml("templates")["inputs"].items():
            self.inputs[name] = made = _input(name, row)
            self.fields[name] = InputField(made)
            made.observe(lambda change: self._collect(), "value")
        self._busy = False
        form = ipywidgets.Box(list(self.fields.values())).add_class("iso-form")
        super().__init__(
            [form], titles=("More options: merchant, date and time, extras",), selected_index=None
        )
        self.add_class("iso-carried")
        self.observe(lambda change: self._put(), "given")

    def _collect(self) -> None:
        if not self._busy:
            values = {name: _value(one) for name, one in self.inputs.items()}
            self.given = {name: value for name, value in values.items() if value is not None}

    def _put(self) -> None:
        self._busy = True
        try:
            for name, one in self.inputs.items():
                one.value = _shown(one, self.given.get(name))
        finally:
            self._busy = False

    def offer(self, names: Iterable[str]) -> None:
        """Show the inputs *names* and no others."""
        wanted = set(names)
        for name, one in self.fields.items():
            show(one, name in wanted)
            one.problem = ""

    def refuse(self, name: str, problem: str) -> bool:
        """Say *problem* beneath the input *name*; whether there is one."""
        if name not in self.fields:
            return False
        self.fields[name].problem = problem
        self.selected_index = 0
        return True


def offered(
    kind: str, network: str | None, version: str, purpose: str, entry: str, given: Mapping[str, Any]
) -> tuple[str, ...]:
    """The inputs that go with a message; of those that need another, when that is *given*."""
    options = read_toml("templates")["options"]
    setting = Setting(kind, network, version, purpose, entry, details=given)
    return tuple(
        name
        for name in carried_names()
        if (
            goes_with(name, setting)
            if name in options
            else not setting.alone and (name != "cashback_minor_units" or purpose in ("purchase", "cashback"))
        )
    )


def _input(name: str, row: Mapping[str, Any]) -> Any:
    option = read_toml("templates")["options"].get(name, {})
    words = {"description": row["title"]}
    if option.get("flag"):
        return ipywidgets.Dropdown(options=[("Auto", USUAL), ("yes", YES), ("no", NO)], **words)
    if choices := option.get("choices"):
        return ipywidgets.Dropdown(options=[("Auto", ""), *((one, one) for one in choices)], **words)
    return ipywidgets.Text(placeholder=row["example"], continuous_update=False, **words)


def _value(one: Any) -> Any:
    """What an input gives; None where it was left as it is."""
    text = one.value.strip()
    return {USUAL: None, YES: True, NO: False, "": None}.get(text, text)


def _shown(one: Any, value: Any) -> str:
    """How an input shows *value*."""
    if isinstance(one, ipywidgets.Text):
        return "" if value is None else str(value)
    flag = one.options[0][1] == USUAL
    return {None: USUAL, True: YES, False: NO}.get(value, USUAL) if flag else str(value or "")

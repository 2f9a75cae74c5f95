"""`HostPanel`: a host in a notebook: its rules as a grid, its traffic as it comes."""

from __future__ import annotations

from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.errors import IsoError
from sim.link.ends import Host
from sim.link.host import AsyncHost
from sim.link.rules import ACTIONS, rules_of
from sim.masking import mask_words
from sim.spec.networks import NETWORKS
from sim.spec.tables import read_toml
from sim.widgets.panels.live import TrafficView, Watch
from sim.widgets.panels.shared import InputField, Panel, link_choice, markup, one_of, wrong

COLUMNS = (
    ("mti", "MTI", "01xx"),
    ("card", "Card", "4111*"),
    ("amount", "Amount", "1000.."),
    ("seen", "Occurrence", "1..2"),
    ("code", "Code", "51"),
    ("delay", "Delay (s)", "2"),
)
_LARGEST = 10**12 - 1  # what an amount can say
_RULES = (
    "With no rules, the host approves up to the account balance. The first rule that matches decides. Empty "
    "fields match anything. Occurrence 1..2: only the first two matches."
)


class RuleGrid(ipywidgets.VBox):  # type: ignore[misc]
    """Rules as rows of inputs; `rows` are those that say something, as texts. What a row says that has no
    input stays as it is."""

    rows = traitlets.Tuple()

    def __init__(self) -> None:
        self.add_button = ipywidgets.Button(description="Add rule", layout={"align_self": "flex-start"})
        self.lines: list[dict[str, Any]] = []
        self._rest: list[dict[str, Any]] = []
        self._box = ipywidgets.VBox().add_class("iso-rules")
        self._putting = False
        super().__init__([self._box, self.add_button])
        self.add_class("iso-rules")
        self.add_button.on_click(lambda _: self.add())
        self.observe(self._put, "rows")

    def add(self, **values: Any) -> None:
        """A new row, with *values*."""
        # Told as it is made: news of an input that is shown would take away what is being typed there.
        told = f"Rule {len(self.lines) + 1}"
        line = {
            name: ipywidgets.Text(
                value=str(values.pop(name, "")),
                placeholder=example,
                description=label,
                tooltip=told,
                continuous_update=False,
            )
            for name, label, example in COLUMNS
        }
        action = values.pop("action", "answer")
        # A part of an amount has to be said, for which there is no input.
        offered = [one for one in ACTIONS if one != "partial" or one == action]
        line["action"] = ipywidgets.Dropdown(
            options=[(f"{name}: {ACTIONS[name]}", name) for name in offered],
            value=action,
            description="Action",
            tooltip=told,
        )
        remove = ipywidgets.Button(description="Remove", tooltip=told)
        for cell in line.values():
            cell.observe(self._gather, "value")
        remove.on_click(lambda _: self._remove(line))
        self.lines.append(line)
        self._rest.append(values)
        *short, wide = line.values()
        wide.add_class("iso-wide")
        cells = ipywidgets.Box([*short, wide]).add_class("iso-form")
        head = ipywidgets.HBox([ipywidgets.HTML(), remove]).add_class("iso-bar")
        self._box.children = (*self._box.children, ipywidgets.VBox([head, cells]).add_class("iso-rule"))
        if not self._putting:
            self._number()
            self._gather()

    def _number(self) -> None:
        """Say which rule is which: to the eye by its head, to other readers by each of its inputs."""
        for at, (line, rest, box) in enumerate(zip(self.lines, self._rest, self._box.children, strict=True)):
            more = ", ".join(f"{name} {value}" for name, value in rest.items())
            said = mask_words(f"Rule {at + 1}" + (f": {more}" if more else ""))
            head, remove = box.children[0].children
            head.value = markup("strong", said)
            for one in (*line.values(), remove):
                one.tooltip = f"Rule {at + 1}"

    def _remove(self, line: dict[str, Any]) -> None:
        at = next(at for at, one in enumerate(self.lines) if one is line)
        del self.lines[at], self._rest[at]
        self._box.children = tuple(box for place, box in enumerate(self._box.children) if place != at)
        self._number()
        self._gather()

    def _gather(self, change: Any = None) -> None:
        if self._putting:
            return
        said = [
            {**rest, **{name: cell.value for name, cell in line.items() if cell.value}}
            for line, rest in zip(self.lines, self._rest, strict=True)
        ]
        self._putting = True
        try:
            self.rows = tuple(row for row in said if row != {"action": "answer"})
        finally:
            self._putting = False

    def _put(self, change: Any) -> None:
        if self._putting:
            return
        self._putting = True
        try:
            self.lines, self._rest, self._box.children = [], [], ()
            for row in self.rows:
                self.add(**row)
            self._number()
        finally:
            self._putting = False


class HostPanel(Panel):
    """Starts a host on this machine, changes its rules while it runs, shows what it sees.

    Traits: `running`; `port`, 0 for any free one; `network`, whose rules hold, None for each card's;
    `opening`, what each account holds at the start, in minor units; `rules`, rows as `sim.host` takes them;
    `problem`. `host` is the host, None before the first start. `run()` starts or stops it, like the button.
    """

    running = traitlets.Bool(False)
    port = traitlets.Int(0, min=0, max=65535)
    network = one_of(NETWORKS)
    opening = traitlets.Int(min=0, max=_LARGEST)
    rules = traitlets.Tuple()
    problem = traitlets.Unicode("")

    def __init__(
        self, rules: Any = (), *, network: str | None = None, port: int = 0, opening: int | None = None
    ) -> None:
        self.host: Host | None = None
        self.port_input = ipywidgets.BoundedIntText(description="Port", min=0, max=65535)
        self.network_choice = ipywidgets.Dropdown(
            options=[("Auto (from card)", ""), *((name, name) for name in NETWORKS)], description="Network"
        )
        self.opening_input = ipywidgets.BoundedIntText(description="Opening balance", min=0, max=_LARGEST)
        self.button = ipywidgets.Button(description="Start", button_style="primary").add_class("iso-toggle")
        self.said = ipywidgets.HTML().add_class("iso-said").add_class("iso-rest")
        self.grid = RuleGrid()
        self.grid_field = InputField(self.grid)
        self.traffic = TrafficView("Nothing was seen yet")
        self.grid_field.note = _RULES
        port_field, opening_field = InputField(self.port_input), InputField(self.opening_input)
        port_field.note, opening_field.note = "0 = any free port", "minor units; larger amounts are declined"
        form = ipywidgets.Box([port_field, InputField(self.network_choice), opening_field]).add_class(
            "iso-form"
        )
        bar = ipywidgets.HBox([self.button, self.said]).add_class("iso-bar")
        super().__init__(form, self.grid_field, bar, self.traffic, classes="iso-host-panel")
        self.watch = Watch(self.look)
        traitlets.link((self, "port"), (self.port_input, "value"))
        traitlets.link((self, "opening"), (self.opening_input, "value"))
        link_choice(self, "network", self.network_choice)
        traitlets.link((self, "rules"), (self.grid, "rows"))
        self.button.on_click(lambda _: self.run())
        self.observe(lambda change: self._rule(), "rules")
        self.observe(lambda change: self._tell(), ["running", "problem"])
        self.network, self.port = network, port
        self.opening = read_toml("link")["host"]["balance"] if opening is None else opening
        self.rules = tuple(dict(row) for row in rules)
        self._tell()

    def run(self) -> None:
        """Start the host, or stop it."""
        if self.running:
            self.cancel()
            return
        self.problem = ""
        try:
            rules = rules_of(self.rules)
            made = AsyncHost(rules=rules, network=self.network, port=self.port, opening=self.opening)
            self.host = Host(made).start()
        except IsoError as error:
            self.problem = str(error)
            return
        self.port, self.running = self.host.port, True
        self.look()
        self.watch.begin()

    def cancel(self) -> None:
        """Stop the host."""
        self.watch.end()
        if self.host is not None and self.running:
            self.host.close()
            self.running = False
            self.look()

    def look(self) -> bool:
        """Show what the host has seen until now; whether it runs."""
        self.traffic.put(self.host.seen if self.host else None)
        return self.running

    def _rule(self) -> None:
        try:
            made = rules_of(self.rules)
        except IsoError as error:
            self.grid_field.problem = str(error)
            return
        self.grid_field.problem = ""
        if self.host is not None:
            self.host.server.rules = made

    def _tell(self) -> None:
        self.button.description = "Stop" if self.running else "Start"
        for one in (self.port_input, self.network_choice, self.opening_input):
            one.disabled = self.running
        where = f"listening at {self.host.address}" if self.running and self.host else "not running"
        self.said.value = wrong(self.problem) or markup("span", where, "iso-note")

    def __repr__(self) -> str:
        return f"HostPanel({'running' if self.running else 'stopped'}, {len(self.rules)} rules)"

"""`HostPanel`: a host in a notebook, with a grid of rules and live traffic."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import anywidget
import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.codec import Message, build
from sim.errors import IsoError, ParseError
from sim.link.ends import Host
from sim.link.host import AsyncHost
from sim.link.line import Line
from sim.link.rules import ACTIONS, rules_of
from sim.link.traffic import EVENT, Traffic
from sim.masking import mask_bytes, mask_words
from sim.operations.options import LARGEST_AMOUNT
from sim.operations.rewriting import pasted, shown_text
from sim.spec.tables import read_toml
from sim.widgets.asking import running_loop
from sim.widgets.markup import STATIC, markup, wrong
from sim.widgets.panels.fields import Form, InputField, traits_of
from sim.widgets.panels.panel import MessageViews, Panel, RunBar

EVERY = 0.5  # seconds between updates
_MOST_LINES = 500
COLUMNS = (
    ("mti", "MTI", "01xx"),
    ("card", "Card", "4111*"),
    ("amount", "Amount, in minor units", "1000.."),
    ("seen", "Occurrence", "1..2"),
    ("code", "Code", "51"),
    ("delay", "Delay (s)", "2"),
)
_RULES = (
    "With no rules, the host approves up to the account balance. The first rule that matches decides. Empty "
    "fields match anything. Occurrence 1..2: only the first two matches."
)


class Lines(anywidget.AnyWidget):
    """A growing list of lines. `rows` are pairs of a number and its text, newest first; `chosen` is the
    number of the chosen line, 0 for none (positions change before Python hears of a click)."""

    _esm = STATIC / "lines.js"
    _css = STATIC / "lines.css"

    title = traitlets.Unicode("").tag(sync=True)
    nothing = traitlets.Unicode("").tag(sync=True)
    rows: traitlets.List[Any] = traitlets.List().tag(sync=True)
    chosen = traitlets.Int(0).tag(sync=True)

    def __repr__(self) -> str:
        return f"Lines({self.title!r}: {len(self.rows)})"


class TrafficView(ipywidgets.VBox):  # type: ignore[misc]
    """The live traffic of one end, newest first, and the anatomy of the chosen message. For bytes that are
    not a message, the reason and what could be read, or the first bytes."""

    def __init__(self, empty: str) -> None:
        self.lines = Lines(title="Traffic", nothing=empty)
        self.views = MessageViews()
        self.said = ipywidgets.HTML().add_class("iso-said")
        self._traffic: Traffic | None = None
        self._last = 0
        super().__init__([self.lines, self.said, self.views])
        self.lines.observe(self._choose, "chosen")

    def put(self, traffic: Traffic | None) -> None:
        """Update the traffic. The choice stays."""
        if traffic is not self._traffic:
            self._traffic, self._last = traffic, 0
            self.lines.chosen = 0
        entries = [] if traffic is None else list(traffic)[-_MOST_LINES:]
        last = entries[-1].number if entries else 0
        if traffic is not None and last == self._last:
            return
        self._last = last
        with self.lines.hold_sync():
            self.lines.rows = [(entry.number, self._entry_line(entry)) for entry in reversed(entries)]
            if entries and self.lines.chosen < entries[0].number:
                self.lines.chosen = 0

    def _entry_line(self, entry: Any) -> str:
        message = self._traffic.message(entry) if self._traffic else None
        arrow = {"in": "→", "out": "←", EVENT: "·"}[entry.direction]
        parts = [f"{entry.number:>5}", arrow, entry.kind]
        if message is not None:
            parts += [message.mti, message.get(11), f"code {message.get(39)}" if 39 in message else ""]
        if entry.latency is not None:
            parts.append(f"{entry.latency * 1000:.1f} ms")
        return "  ".join(part for part in (*parts, entry.rule, entry.note) if part)

    def _choose(self, change: Any) -> None:
        traffic, number = self._traffic, self.lines.chosen
        entry = next((item for item in traffic or () if item.number == number), None)
        result = traffic.read(entry) if traffic and entry else None
        self.said.value = ""
        raw, version = "", None
        if traffic and entry and isinstance(result, ParseError):
            self._put_unread(traffic.line, entry.data, result)
            return
        if isinstance(result, Message):
            version = result.version
            with suppress(IsoError):
                raw = build(result)
        self.views.put(raw, version, None, None)

    def _put_unread(self, line: Line, data: bytes, error: ParseError) -> None:
        """Show bytes that are not a message: the reason, and what could be read."""
        has_fields = error.partial is not None and bool(error.partial.fields)
        reading = pasted(data, format=line.format, version=line.version) if has_fields else None
        self.said.value = markup("p", f"✖ This cannot be read. {error}", "iso-problem")
        if reading is None:
            with suppress(ParseError):  # otherwise the framing is shown as well
                data = line.bare(data)[0]
            text = mask_bytes(data) or "no bytes after the length"
            self.said.value += markup("pre", text, "iso-bytes")
        raw, version = (shown_text(reading), reading.version) if reading else ("", None)
        self.views.put(raw, version, None, None, reading)


class RuleRow(ipywidgets.VBox):  # type: ignore[misc]
    """Rule *number* as `inputs` by name; *values* without an input are kept. *changed* is called after each
    change, *removed* by the button."""

    def __init__(
        self, number: int, values: dict[str, Any], changed: Callable[[], None], removed: Callable[[Any], None]
    ) -> None:
        self._rest = dict(values)
        self.inputs: dict[str, Any] = {}
        for name, label, example in COLUMNS:
            text = str(self._rest.pop(name, ""))
            looks = {"placeholder": example, "description": label}
            self.inputs[name] = ipywidgets.Text(value=text, continuous_update=False, **looks)
        action = self._rest.pop("action", "answer")
        # A partial approval needs an amount, for which there is no input.
        offered = [choice for choice in ACTIONS if choice != "partial" or choice == action]
        choices = [(f"{name}: {ACTIONS[name]}", name) for name in offered]
        action_input = ipywidgets.Dropdown(options=choices, value=action, description="Action")
        self.inputs["action"] = action_input.add_class("iso-wide")
        for cell in self.inputs.values():
            cell.observe(lambda change: changed(), "value")
        self.heading = ipywidgets.HTML()
        self.remove_button = ipywidgets.Button(description="Remove")
        self.remove_button.on_click(lambda _: removed(self))
        head = ipywidgets.HBox([self.heading, self.remove_button]).add_class("iso-bar")
        super().__init__([head, ipywidgets.Box([*self.inputs.values()]).add_class("iso-form")])
        self.add_class("iso-rule")
        # Numbered now: a later change to a visible input would discard what is being typed.
        self.renumber(number)

    def renumber(self, number: int) -> None:
        """Show *number* in the heading, and in the tooltips for screen readers."""
        rest = ", ".join(f"{name} {value}" for name, value in self._rest.items())
        self.heading.value = markup("strong", mask_words(f"Rule {number}" + (f": {rest}" if rest else "")))
        for widget in (*self.inputs.values(), self.remove_button):
            widget.tooltip = f"Rule {number}"

    @property
    def values(self) -> dict[str, Any]:
        """The rule, without empty inputs."""
        return self._rest | {name: cell.value for name, cell in self.inputs.items() if cell.value}


class RuleGrid(ipywidgets.VBox):  # type: ignore[misc]
    """Rules as rows of inputs; `rows` are those that are not empty, as texts."""

    rows = traitlets.Tuple()

    def __init__(self) -> None:
        self.add_button = ipywidgets.Button(description="Add rule", layout={"align_self": "flex-start"})
        self._box = ipywidgets.VBox().add_class("iso-rules")
        self._putting = False
        super().__init__([self._box, self.add_button])
        self.add_class("iso-rules")
        self.add_button.on_click(lambda _: self.add())
        self.observe(self._put, "rows")

    @property
    def rules(self) -> tuple[RuleRow, ...]:
        """The rows, including empty ones."""
        return tuple(self._box.children)

    def add(self, **values: Any) -> None:
        """Add a row with *values*."""
        row = RuleRow(len(self.rules) + 1, values, self._gather, self._remove)
        self._box.children = (*self.rules, row)
        self._gather()

    def _remove(self, removed: RuleRow) -> None:
        self._box.children = [row for row in self.rules if row is not removed]
        for number, row in enumerate(self.rules, 1):
            row.renumber(number)
        self._gather()

    def _gather(self) -> None:
        if not self._putting:
            with self._quietly():
                rules = (row.values for row in self.rules)
                self.rows = tuple(rule for rule in rules if rule != {"action": "answer"})

    def _put(self, change: Any) -> None:
        if not self._putting:
            with self._quietly():
                self._box.children = ()
                for row in self.rows:
                    self.add(**row)

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Inside, changes of the inputs and of the rows are not passed on."""
        self._putting = True
        try:
            yield
        finally:
            self._putting = False


class HostPanel(Panel):
    """Runs a host on this machine, with rules that can be changed at any time, and shows its traffic.

    Traits: `running`; `port`, 0 for a free one; `network`, whose rules apply, None for each card's;
    `opening`, the opening balance of each account in minor units; `rules`, rows as in `sim.host`; `problem`.
    `host` is the host, None before the first start. `run()` starts or stops it, like the button.
    """

    running = traitlets.Bool(False)
    port = traitlets.Int(0, min=0, max=65535)
    network = traits_of("host", ("network",))["network"]
    opening = traitlets.Int(min=0, max=LARGEST_AMOUNT)
    rules = traitlets.Tuple()

    def __init__(
        self, rules: Any = (), *, network: str | None = None, port: int = 0, opening: int | None = None
    ) -> None:
        self.host: Host | None = None
        self.said = ipywidgets.HTML().add_class("iso-said").add_class("iso-rest")
        self.grid = RuleGrid()
        self.grid_field = InputField(self.grid)
        self.traffic = TrafficView("No messages yet")
        self.grid_field.note = _RULES
        options = ("port", "network", "opening")
        self.form = Form(self, "host", options, notes=options)
        self.form.fields["opening"].note = "Of each account, in minor units. Larger amounts are declined."
        bar = RunBar("Start", self.said)
        bar.button.add_class("iso-toggle")
        super().__init__(self.form, self.grid_field, bar, self.traffic, classes="iso-host-panel")
        self._watching: asyncio.Task[None] | None = None
        traitlets.link((self, "rules"), (self.grid, "rows"))
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
            server = AsyncHost(rules=rules, network=self.network, port=self.port, opening=self.opening)
            self.host = Host(server).start()
        except IsoError as error:
            self.problem = str(error)
            return
        self.port, self.running = self.host.port, True
        self.look()
        # Without a loop, as in a script, nobody is there to see the traffic.
        loop = running_loop()
        self._watching = loop.create_task(self._watch()) if loop else None

    start = run  # it is fast

    def cancel(self) -> None:
        """Stop the host."""
        if self._watching is not None:
            self._watching.cancel()
        if self.host is not None and self.running:
            self.host.close()
            self.running = False
            self.look()

    def look(self) -> None:
        """Show the traffic so far."""
        self.traffic.put(self.host.seen if self.host else None)

    async def _watch(self) -> None:
        """Show the traffic from time to time; connections have a thread of their own."""
        while self.running:
            await asyncio.sleep(EVERY)
            self.look()

    def _rule(self) -> None:
        try:
            rules = rules_of(self.rules)
        except IsoError as error:
            self.grid_field.problem = str(error)
            return
        self.grid_field.problem = ""
        if self.host is not None:
            self.host.server.rules = rules

    def _tell(self) -> None:
        self.button.description = "Stop" if self.running else "Start"
        for field in self.form.fields.values():
            field.disabled = self.running
        where = f"listening on {self.host.address}" if self.running and self.host else "not running"
        self.said.value = wrong(self.problem) or markup("span", where, "iso-note")

    def __repr__(self) -> str:
        return f"HostPanel({'running' if self.running else 'stopped'}, {len(self.rules)} rules)"

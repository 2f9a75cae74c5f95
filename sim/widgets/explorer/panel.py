"""`LogExplorer`: a log, filtered and sorted; messages opened, compared, matched, plotted, exported."""

from __future__ import annotations

import base64
import html
import io
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import pandas as pd
import traitlets

from sim.codec import Message
from sim.errors import IsoError
from sim.files import is_file
from sim.masking import mask_words
from sim.operations.rewriting import kept, shown_text
from sim.operations.validation import verdict_on
from sim.tables.columns.reading import read
from sim.tables.columns.table import MessagesTable
from sim.tables.plots.charts import KINDS, plot
from sim.tables.render import without_formulas
from sim.tables.transactions import TransactionsTable
from sim.widgets.copying import CopyMenu
from sim.widgets.covered_text import CoveredText
from sim.widgets.diff import MessageDiff
from sim.widgets.explorer.log import AT_FIRST, AT_ONCE, VERDICTS, BrokenRules, Log, Transactions, reading_of
from sim.widgets.explorer.query import HELP
from sim.widgets.explorer.vocabulary import FilterError
from sim.widgets.file_drop import FileDrop, saved
from sim.widgets.markup import hint, joined, markup, wrong
from sim.widgets.panels.fields import InputField, show
from sim.widgets.panels.panel import MessageViews, Panel
from sim.widgets.panels.validate import ReportView, report_data
from sim.widgets.row_grid import RowGrid, Rows, as_rows

FIRST = 2000  # rows that are read in advance
_LARGE = 100_000  # messages; of a larger log the first are shown while the rest is read
_LARGE_FILE = 20_000_000  # bytes


def is_large(source: object) -> bool:
    """Whether reading *source* takes a while and its first rows can be read in advance."""
    if isinstance(source, Path):
        return source.stat().st_size > _LARGE_FILE
    return (
        isinstance(source, list)
        and len(source) > _LARGE
        and all(isinstance(item, str) for item in source[:10])
    )


def read_source(source: Any, options: dict[str, Any]) -> MessagesTable:
    """All of *source*, validated; a table is used unchanged."""
    if isinstance(source, pd.DataFrame) and {"mti", "line"} <= set(source.columns):
        return source if isinstance(source, MessagesTable) else MessagesTable(source)
    alone = isinstance(source, pd.DataFrame | Message)
    table: MessagesTable = read([source] if alone else source, progress=False, **options)
    return table


def of_file(name: str, data: bytes, options: dict[str, Any]) -> MessagesTable:
    """A dropped file; as for a path, its name shows whether it is a capture or compressed."""
    suffix = "".join(Path(name).suffixes[-2:])
    if not suffix or suffix in (".txt", ".log"):
        return read_source(io.BytesIO(data), options)
    with saved(f"dropped{suffix}", data) as path:
        return read_source(path, options)


_HEIGHT = 40  # of the bars
_SAFE, _TRUE = "card data masked", "card data in clear"


class Tools(ipywidgets.VBox):  # type: ignore[misc]
    """Plot, compare and export what is selected in *explorer*, with the result below."""

    def __init__(self, explorer: LogExplorer) -> None:
        self._explorer = explorer
        self.kind = ipywidgets.Dropdown(options=list(KINDS), description="Plot")
        self.plot_button = ipywidgets.Button(description="Plot")
        self.diff_button = ipywidgets.Button(description="Compare the two selected")
        formats = [("CSV", "csv"), ("Parquet", "parquet")]
        self.format = ipywidgets.Dropdown(options=formats, description="Format")
        self.covered = ipywidgets.Dropdown(options=[_SAFE, _TRUE], description="Export")
        self.export_button = ipywidgets.Button(description="Export")
        self.said = ipywidgets.HTML().add_class("iso-said")
        self.picture = ipywidgets.HTML().add_class("iso-picture")
        self.compared = ipywidgets.VBox()
        plotting = ipywidgets.HBox([self.kind, self.plot_button]).add_class("iso-pair")
        exporting = ipywidgets.HBox([self.format, self.covered, self.export_button]).add_class("iso-pair")
        bar = ipywidgets.HBox([plotting, self.diff_button, exporting]).add_class("iso-bar")
        super().__init__([bar, self.said, self.picture, self.compared])
        self.plot_button.on_click(lambda _: self.plot())
        self.diff_button.on_click(lambda _: self.diff())
        self.export_button.on_click(lambda _: self.export())

    def plot(self) -> None:
        """Plot the selected messages, otherwise those shown."""
        table = self._explorer.chosen
        if table is None:
            return
        try:
            # In the order of the log, whatever the sorting: lanes run from the first message to the last.
            self.picture.value = _pictures(table.sort_index(), self.kind.value)
        except ImportError as error:
            self.picture.value = wrong(str(error), "p")

    def diff(self) -> None:
        """Show the two selected messages side by side."""
        diff_widget = self._explorer.diff()
        self._put_compared([] if diff_widget is None else [diff_widget])
        needed = "Select two messages, or one transaction: tick the boxes."
        self.said.value = "" if diff_widget else hint(needed, news=True)

    def clear(self) -> None:
        """Remove the results: other messages are shown now."""
        self.said.value = self.picture.value = ""
        self._put_compared([])

    def _put_compared(self, widgets: list[Any]) -> None:
        before, self.compared.children = self.compared.children, widgets
        for widget in before:
            widget.close()

    def export(self) -> None:
        """Send a file, masked unless the user chose otherwise."""
        masked = self.covered.value == _SAFE
        data = self._explorer.export(self.format.value, masked)
        name = f"messages{'' if masked else '-with-card-data'}.{self.format.value}"
        self._explorer.grid.download(name, data)
        words = f"{name}: {len(data):,} bytes, {self.covered.value}."
        self.said.value = markup("p", words, role="status")


def _pictures(table: Any, kind: Any) -> str:
    """The plot for a light and a dark page; the style sheet shows the one that fits."""
    drawn = _drawn(plot(table, kind), kind, "iso-on-light")  # first: raises if matplotlib is missing
    from matplotlib import style

    with style.context("dark_background"):
        return drawn + _drawn(plot(table, kind), kind, "iso-on-dark")


def _drawn(ax: Any, kind: str, page: str) -> str:
    """Axes as a transparent picture."""
    from matplotlib import pyplot

    buffer = io.BytesIO()
    ax.figure.savefig(buffer, format="png", dpi=110, transparent=True)
    pyplot.close(ax.figure)
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    source = f"data:image/png;base64,{data}"
    return f'<img class="{page}" alt="{html.escape(kind)} of the messages" src="{source}">'


def sparkline(totals: list[int], bad: list[int]) -> str:
    """Bars of the numbers of messages along the log, invalid ones in front, as SVG with a description."""
    most = max(totals, default=0)
    if not most:
        return ""
    bars = ""
    for kind, counts in (("all", totals), ("bad", bad)):
        for at, count in enumerate(counts):
            tall = max(_HEIGHT * count / most, 1)
            place = f'x="{at}" y="{_HEIGHT - tall:.1f}" width="0.9" height="{tall:.1f}"'
            bars += f'<rect class="{kind}" {place}/>' if count else ""
    words = (
        f"Position in the log: {len(totals)} equal parts, up to {most:,} messages each; invalid messages at "
        f"the bottom, {sum(bad):,} in all."
    )
    box = f'viewBox="0 0 {len(totals)} {_HEIGHT}" preserveAspectRatio="none"'
    return f'<svg {box} role="img" aria-label="{words}"><title>{words}</title>{bars}</svg>'


MESSAGES, TRANSACTIONS = "Messages", "Transactions"
_EXAMPLE = "e.g. DE39!=00 or amount>500.00"
_NOTHING = "No messages match."


def _help() -> str:
    """Filter examples, collapsed."""
    cells = [joined(markup("td", markup("code", example)), markup("td", means)) for example, means in HELP]
    table = markup("table", joined(*(markup("tr", pair) for pair in cells)))
    return markup("details", joined(markup("summary", "Filter examples"), table), "iso-help")


class LogExplorer(Panel):
    """Explores millions of messages: `LogExplorer("log.txt")`, `LogExplorer(sim.read(...))`, or a dropped
    file.

    *source* is anything `sim.read` accepts or returns; *options* are those of `sim.read`. Messages read here
    are validated. For a large log, the first rows appear while the rest is read; `wait()` waits for it.

    Traits: `messages`, the table, or None; the filter: `query` (`DE39!=00`, `amount>500.00 or DE43~shop`, any
    text: see `sim.widgets.explorer.query`), `verdict` (all, valid, invalid, unreadable), `network` and
    `rule`; `tab` (Messages, Transactions), both of which it filters; `problem`. `shown` is the filtered
    table, `transactions` the result of `sim.match`. Everything is shown masked; `export` can write card data
    in clear. `log` is the current log, None before the first.
    """

    messages = traitlets.Any(None)
    query = traitlets.Unicode("")
    verdict = traitlets.Enum(VERDICTS, "all")
    network = traitlets.Unicode("")
    rule = traitlets.Unicode("")
    tab = traitlets.Enum((MESSAGES, TRANSACTIONS), MESSAGES)
    log: Log | None = None  # in place of the widget's logger

    def __init__(self, source: object = None, **options: Any) -> None:
        self._options = {"validate": True, **options}
        self._rules: BrokenRules | None = None
        self._matched: Transactions | None = None
        self._reader: threading.Thread | None = None
        self._make()
        super().__init__(*self._laid_out(), classes="iso-explorer")
        self._listen()
        if source is not None:
            self.load(source)
        self._apply()

    def _make(self) -> None:
        self.drop = FileDrop()
        self.paste = ipywidgets.Textarea(placeholder="or paste lines here", rows=2, continuous_update=False)
        self.filter = CoveredText(cover=mask_words, label="Filter", placeholder=_EXAMPLE, rows=1, lazy=True)
        self.verdicts = ipywidgets.Dropdown(options=VERDICTS, description="Verdict")
        self.networks = ipywidgets.Dropdown(options=[("all", "")], description="Network")
        self.rules = ipywidgets.Dropdown(options=[("all", "")], description="Rule")
        self.more_rules = ipywidgets.Button(
            description="Check more", tooltip=f"Check {AT_ONCE:,} more invalid messages against the rules"
        )
        self.sort = ipywidgets.Dropdown(options=[("Log order", "")], description="Sort by")
        self.counts = ipywidgets.HTML().add_class("iso-said")
        self.spark = ipywidgets.HTML().add_class("iso-spark")
        self.tabs = ipywidgets.ToggleButtons(options=[MESSAGES, TRANSACTIONS], tooltips=["", ""])
        self.tabs.add_class("iso-choice")
        self.grid = RowGrid(title=MESSAGES, nothing=_NOTHING)
        self.pairs = RowGrid(title=TRANSACTIONS, nothing="No transactions match.")
        self.tools = Tools(self)
        self.views = MessageViews()
        self.report = ReportView()
        self.copy = CopyMenu()
        self.detail = ipywidgets.VBox([self.report, self.views, self.copy]).add_class("iso-detail")
        self.said = ipywidgets.HTML().add_class("iso-said")

    def _laid_out(self) -> list[Any]:
        self._narrowed = InputField(self.filter, classes="iso-row")
        examples = InputField(ipywidgets.HTML(_help()), classes="iso-row")
        inputs = ((self.verdicts,), (self.networks,), (self.rules, self.more_rules), (self.sort,))
        boxes = [InputField(*parts) for parts in inputs]
        form = ipywidgets.HBox([self._narrowed, examples, *boxes]).add_class("iso-form")
        pasted = ipywidgets.VBox([self.paste]).add_class("iso-field")
        self._place = ipywidgets.VBox([self.drop, pasted]).add_class("iso-place")
        self._looked = ipywidgets.VBox(
            [form, self.counts, self.spark, self.tabs, self.grid, self.pairs, self.tools, self.detail]
        ).add_class("iso-rows")
        return [self._place, self.said, self._looked]

    def _listen(self) -> None:
        self.drop.observe(self._dropped, "file")
        self.paste.observe(self._pasted, "value")
        for name, box in (("query", self.filter), ("verdict", self.verdicts), ("tab", self.tabs)):
            traitlets.link((self, name), (box, "value"))
        for name, box in (("network", self.networks), ("rule", self.rules)):
            box.observe(lambda change, name=name: self.set_trait(name, change.new or ""), "value")
            self.observe(lambda change, box=box: _choose(box, change.new), name)
        self.observe(lambda change: self._apply(), ["query", "verdict", "network", "rule"])
        self.observe(lambda change: self._open_tab(), "tab")
        traitlets.dlink((self, "problem"), (self.said, "value"), lambda problem: wrong(problem, "p"))
        self.more_rules.on_click(lambda _: self.judge_more())
        self.sort.observe(self._sort, "value")
        self.grid.observe(lambda change: self._look(), "current")
        self.pairs.observe(lambda change: self._look(), "current")

    def load(self, source: object) -> None:
        """Read *source*: anything `sim.read` accepts or returns. Errors are shown in `problem`."""
        source = Path(source) if isinstance(source, str) and is_file(source) else source
        self._try(lambda: self._load(source))

    def _load(self, source: object) -> None:
        if not is_large(source):
            self._put(read_source(source, self._options))
            return
        self._put(next(iter(read(source, chunksize=FIRST, progress=False, **self._options))))
        self.drop.busy = f"The first {FIRST:,} messages; reading the others …"
        self._reader = threading.Thread(target=self._read_rest, args=(source,), daemon=True)
        self._reader.start()

    def wait(self) -> None:
        """Wait until a large log is completely read."""
        if self._reader is not None:
            self._reader.join()

    def _read_rest(self, source: object) -> None:
        self._try(lambda: self._put(read_source(source, self._options)))
        self.drop.busy = ""

    def _try(self, work: Callable[[], None]) -> None:
        self.problem = ""
        try:
            work()
        except FileNotFoundError as error:
            self.problem = f"There is no file {mask_words(str(error.filename))}"
        except (IsoError, TypeError, ValueError, OSError, ImportError) as error:
            self.problem = str(error)

    def _pasted(self, change: Any) -> None:
        if self.paste.value:
            lines = self.paste.value.splitlines()
            self.paste.value = ""  # a notebook would save it
            self.load(lines)

    def _dropped(self, change: Any) -> None:
        name, data = change.new
        self._try(lambda: self._put(of_file(name, data, self._options)))

    def _put(self, table: MessagesTable) -> None:
        self.log, self._matched = Log(table), None
        self._rules = BrokenRules(self.log)
        self._rules.judge(AT_FIRST)
        self.messages = table
        networks = pd.DataFrame(table).get("network", pd.Series(dtype="str")).dropna().unique()
        self.networks.options = [("all", ""), *((name, name) for name in sorted(map(str, networks)))]
        self._offer_rules()
        self._open_tab()
        if self.log.size > _LARGE:
            threading.Thread(target=self.log.warm, daemon=True).start()

    @property
    def shown(self) -> MessagesTable | None:
        """The messages that match the filter, in the order shown."""
        return None if self.log is None else self.log.table.iloc[self.grid.rows]

    @property
    def _open_grid(self) -> RowGrid:
        """The grid of the open tab."""
        return self.pairs if self.tab == TRANSACTIONS else self.grid

    @property
    def chosen(self) -> MessagesTable | None:
        """The selected messages, or those of the selected transactions; if none are selected, those in the
        open tab."""
        grid, matched = self._open_grid, self._open_transactions
        rows = as_rows(grid.chosen) if grid.chosen else grid.rows
        rows = rows if matched is None else matched.messages_of(rows)
        return None if self.log is None else self.log.table.iloc[rows]

    @property
    def transactions(self) -> TransactionsTable | None:
        """The result of `sim.match`, computed on first use."""
        if self._matched is None and self.log is not None:
            self._matched = Transactions(self.log)
        return None if self._matched is None else self._matched.table

    @property
    def _open_transactions(self) -> Transactions | None:
        """The transactions if their tab is open."""
        return self._matched if self.tab == TRANSACTIONS and self.transactions is not None else None

    def message(self, row: int) -> str:
        """The text of the message in *row* of the log."""
        if self.log is None:
            return ""
        reading = reading_of(self.log, row)
        return shown_text(reading) if reading else ""

    def diff(self) -> MessageDiff | None:
        """Two selected messages side by side, the requests of two transactions, or request and response of
        one; None if the selection is different."""
        chosen = sorted(self._open_grid.chosen)
        if matched := self._open_transactions:
            both = [matched.request_and_answer(place) for place in chosen]
            chosen = both[0] if len(both) == 1 else [rows[0] for rows in both]
        if len(chosen) != 2:
            return None
        return MessageDiff(*map(self.message, chosen))

    def export(self, kind: str = "csv", masked: bool = True) -> bytes:
        """The selected messages, otherwise those shown, as a `csv` or `parquet` file; masked unless *masked*
        is False."""
        table = self.chosen
        if table is None:
            return b""
        plain = table.masked() if masked else pd.DataFrame(table).copy(deep=False)
        plain.attrs = {}
        buffer = io.BytesIO()
        if kind == "parquet":
            plain.to_parquet(buffer, index=False)
        else:
            without_formulas(plain).to_csv(buffer, index=False)
        return buffer.getvalue()

    def judge_more(self) -> None:
        """Check more invalid messages for the rules that they break."""
        if self._rules is not None:
            self._rules.judge()
            self._offer_rules()
            if self.rule:
                self._apply()

    def _offer_rules(self) -> None:
        rows_by_rule = self._rules.found if self._rules else {}
        ordered = sorted(rows_by_rule, key=lambda rule: (-len(rows_by_rule[rule]), rule))
        choices = [(f"{rule} ({len(rows_by_rule[rule]):,})", rule) for rule in ordered]
        self.rules.options = [("all", ""), *choices]
        _choose(self.rules, self.rule)
        left = self._rules.left if self._rules else 0
        self.more_rules.description = f"Check more ({left:,} left)"
        show(self.more_rules, left > 0)

    def _apply(self) -> None:
        log = self.log
        show(self._looked, log is not None)
        if log is None:
            return
        only = self._rules.flags(self.rule) if self.rule and self._rules else None
        self._narrowed.problem = self._narrowed.note = ""
        rows = as_rows([])
        try:
            rows, notes = log.where(self.query, self.verdict, self.network, only)
        except FilterError as error:
            self._narrowed.problem = str(error)
        else:
            self._narrowed.note = ". ".join(notes)
        self.grid.put(log, rows)
        if matched := self._open_transactions:
            self.pairs.put(matched, matched.holding(rows))
        self.counts.value = markup("p", self._counted(log, rows), role="status")
        self.spark.value = sparkline(*log.bins(rows))
        self.tools.clear()
        self._look()

    def _counted(self, log: Log, rows: Rows) -> str:
        """The numbers of messages and transactions, in all and after filtering."""
        bad = int(log.bad[rows].sum())
        words = f"{len(rows):,} of {log.size:,} messages"
        if len(rows):
            words += f": ✔ {len(rows) - bad:,} valid, ✖ {bad:,} invalid"
        if not log.judged:
            words += " (not validated: only unreadable messages count as invalid)"
        if matched := self._open_transactions:
            words += f" · {self.pairs.count:,} of {matched.size:,} transactions"
        return words

    def _sort(self, change: Any) -> None:
        self._open_grid.order = {"name": change.new, "descending": False} if change.new else {}

    def _open_tab(self) -> None:
        self._apply()
        source = self._open_transactions or self.log
        names = [(source.title(name), name) for name in source.names] if source else []
        order = self._open_grid.order
        self.sort.options = [("Log order", ""), *names]  # this resets the choice
        _choose(self.sort, order.get("name", ""))
        self._open_grid.order = order
        show(self.pairs, self.tab == TRANSACTIONS)
        show(self.grid, self.tab == MESSAGES)

    def _look(self) -> None:
        """Open the current message, or the current transaction's request, otherwise its response."""
        row = self._open_grid.row(self._open_grid.current)
        if row is not None and (matched := self._open_transactions):
            row = next(iter(matched.request_and_answer(row)), None)
        show(self.detail, row is not None)
        if row is None or self.log is None:
            return
        reading = reading_of(self.log, row)
        network = self.log.table["network"].iloc[row]
        network = network if isinstance(network, str) else None
        parts = (shown_text(reading), reading.version, kept(reading)) if reading else ("", None, None)
        raw, version, kept_reading = parts
        self.copy.message, self.copy.version, self.copy.network = raw, version, network
        self.views.put(raw, version, network, None, kept_reading)
        self.report.data = report_data(verdict_on(reading) if reading else None)

    def _static(self) -> str:
        return self.shown._repr_html_() if self.shown is not None else markup("p", repr(self))

    def __repr__(self) -> str:
        if self.log is None:
            return "LogExplorer(no messages)"
        return f"LogExplorer({len(self.grid.rows):,} of {self.log.size:,} messages)"


def _choose(box: Any, value: str) -> None:
    values = [option[1] for option in box.options]
    box.value = value if value in values else ""

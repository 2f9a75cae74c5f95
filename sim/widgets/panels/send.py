"""`SendPanel`: a message goes to a host, and what comes back is shown; a load is driven from beside it."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim import background
from sim.codec import Message, ParseError, build, parse
from sim.errors import IsoError, OptionError
from sim.link.client import AsyncClient
from sim.link.exchange import Exchange
from sim.link.line import address_of
from sim.operations import chosen_version
from sim.operations.choosing import chosen_network
from sim.spec.networks import answer
from sim.widgets.panels.explain import MessageInput
from sim.widgets.panels.live import Watch
from sim.widgets.panels.shared import InputField, MessageViews, Panel, markup, of_message, wrong

_SHORTEST = 20  # characters of a message: MTI and bitmap


class SendPanel(Panel):
    """Sends a message to a host and shows its answer: `SendPanel(address, message)`, or the message alone.

    *message* is a text, a `Message` or a message table.
    Traits: `address` (`host:port`: nothing else is ever connected to), `message`, raw text; `timeout`,
    seconds; `undo`, whether a time-out is reversed; `busy`; `problem`; `exchange`, what became of the last
    message, None before it. `run()` sends and waits; the button does not wait.
    """

    address = traitlets.Unicode("")
    message = traitlets.Unicode("")
    timeout = traitlets.Float(5.0, min=0.1, max=300.0)
    undo = traitlets.Bool(True)
    busy = traitlets.Bool(False)
    problem = traitlets.Unicode("")
    exchange = traitlets.Any(None)

    def __init__(self, address: object = "", message: object = "") -> None:
        if _is_message(address):
            address, message = message, address
        self.address_input = ipywidgets.Text(description="Address", placeholder="127.0.0.1:8583")
        self.timeout_input = ipywidgets.BoundedFloatText(description="Timeout (s)", min=0.1, max=300.0)
        self.undo_input = ipywidgets.Checkbox(description="Auto-reverse on timeout", indent=False)
        self.undo_input.add_class("iso-check")
        self.input = MessageInput(message, None, None)
        self.button = ipywidgets.Button(description="Send", button_style="primary")
        self.said = ipywidgets.HTML().add_class("iso-said").add_class("iso-rest")
        self.views = MessageViews()
        form = [
            InputField(self.address_input),
            InputField(self.timeout_input),
            InputField(self.undo_input, classes="iso-wide"),
        ]
        bar = ipywidgets.HBox([self.button, self.said]).add_class("iso-bar")
        super().__init__(
            ipywidgets.Box(form).add_class("iso-form"), self.input, bar, self.views, classes="iso-send-panel"
        )
        self._future: Future[Exchange] | None = None
        self.watch = Watch(self.look)
        for name, widget in (
            ("address", self.address_input),
            ("timeout", self.timeout_input),
            ("undo", self.undo_input),
        ):
            traitlets.link((self, name), (widget, "value"))
        traitlets.link((self.input, "message"), (self, "message"))
        self.input.observe(lambda change: self.input.check(), ["message", "version"])
        self.input.check()
        self.button.on_click(lambda _: self.start())
        self.observe(lambda change: self._tell(), ["busy", "problem", "exchange"])
        self.address = str(address)
        self._tell()

    def start(self) -> None:
        """Send the message; what comes back is shown when it is there."""
        if self.busy:
            return
        self.problem, self.exchange = "", None
        if not self.input.check():
            self.problem = "There is no message that could be sent: paste one, or try an example"
            return
        try:
            raw = self.input.raw
            made, where = parse(raw, chosen_version(raw, self.input.version)), address_of(self.address)
        except ParseError as error:
            self.problem = f"This needs a message that can be read: {error}"
            return
        except IsoError as error:
            self.problem = str(error)
            return
        self.busy = True
        network = self.input.network
        self._future = background.start(_sent(where, made, self.timeout, self.undo, network))
        self.watch.begin()

    def run(self) -> None:
        """Send the message and wait for what becomes of it."""
        self.start()
        if self._future is not None:
            self._future.exception()
            self.look()

    def cancel(self) -> None:
        """Wait no more."""
        self.watch.end()
        if self._future is not None:
            self._future.cancel()
            self._future, self.busy = None, False

    def look(self) -> bool:
        """Take what has come; whether something is still awaited."""
        future = self._future
        if future is None or not future.done():
            return future is not None
        self._future, self.busy = None, False
        error = future.exception()
        if isinstance(error, IsoError):
            self.problem = str(error)
        elif error is not None:
            self.problem = f"The message could not be sent ({type(error).__name__})"
        else:
            self.exchange = future.result()
        return False

    def _tell(self) -> None:
        self.button.disabled = self.busy
        exchange, answer = self.exchange, self.exchange.answer if self.exchange else None
        self.views.put(build(answer) if answer else "", answer.version if answer else None, None, None)
        news = "waiting for the answer" if self.busy else told(exchange) if exchange else ""
        self.said.value = wrong(self.problem) or markup("span", news, "iso-note")

    def __repr__(self) -> str:
        what = told(self.exchange) if self.exchange else of_message(self.views.anatomy)
        return f"SendPanel({what})"


def told(exchange: Exchange) -> str:
    """What became of a message, in words."""
    said = exchange.status
    if exchange.answer is not None:
        said = _said(exchange.answer)
        said += "" if exchange.latency is None else f" in {exchange.latency * 1000:.1f} ms"
    elif exchange.note:
        said += f": {exchange.note}"
    return said + (f"; its reversal: {told(exchange.reversal)}" if exchange.reversal else "")


def _said(response: Message) -> str:
    """The response in words: `Approved (00)`."""
    code = response.get(39)
    if not code:
        return f"Answered with {response.mti}"
    known = answer(code, response.version, chosen_network(response, None))
    meaning = known.meaning if known else "response code"
    return f"{meaning[:1].upper()}{meaning[1:]} ({code})"


def _is_message(given: object) -> bool:
    """Whether *given* is no address: not a text, or one as long as the shortest message."""
    return not isinstance(given, str) or (len(given) >= _SHORTEST and not _is_address(given))


def _is_address(text: str) -> bool:
    try:
        return bool(address_of(text))
    except OptionError:
        return False


async def _sent(
    where: tuple[str, int], message: Message, timeout: float, undo: bool, network: str | None
) -> Any:
    async with AsyncClient(where, timeout=timeout, reverse=undo, network=network) as client:
        return await client.send(message)

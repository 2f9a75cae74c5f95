"""`SendPanel`: sends a message to a host and shows the response."""

from __future__ import annotations

from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.codec import Message, ParseError, build
from sim.errors import IsoError, OptionError
from sim.link.client import AsyncClient
from sim.link.line import address_of
from sim.link.sent import Sent
from sim.widgets.asking import Inquiry
from sim.widgets.markup import markup, wrong
from sim.widgets.panels.fields import Form, InputField
from sim.widgets.panels.panel import MessageViews, Panel, RunBar, of_message
from sim.widgets.panels.reader import MessageInput, MessageTrait

_SHORTEST = 20  # characters of a message: MTI and bitmap


class SendPanel(Panel):
    """Sends a message to a host and shows the response: `SendPanel(address, message)`, or the message alone.

    *message* is a text, a `Message` or a message table. Traits: `address` (`host:port`, the only address it
    connects to), `message`, raw text; `timeout`, seconds; `undo`, whether a timeout is reversed; `busy`;
    `problem`; `exchange`, the outcome of the last message, None before it. `run()` sends and waits; the
    button does not wait.
    """

    address = traitlets.Unicode("")
    message = MessageTrait("")
    timeout = traitlets.Float(5.0, min=0.1, max=300.0)
    undo = traitlets.Bool(True)
    exchange = traitlets.Any(None)

    def __init__(self, address: object = "", message: object = "") -> None:
        if _is_message(address):
            address, message = message, address
        self.undo_input = ipywidgets.Checkbox(description="Auto-reverse on timeout", indent=False)
        undo = InputField(self.undo_input.add_class("iso-check"), classes="iso-wide")
        self.form = Form(self, "client", ("address", "timeout"), undo, notes=("timeout",))
        self.input = MessageInput(message, None, None)
        self.said = ipywidgets.HTML().add_class("iso-said").add_class("iso-rest")
        self.views = MessageViews()
        parts = (self.form, self.input, RunBar("Send", self.said), self.views)
        super().__init__(*parts, classes="iso-send-panel")
        traitlets.link((self, "undo"), (self.undo_input, "value"))
        traitlets.link((self.input, "message"), (self, "message"))
        self.input.observe(lambda change: self.input.check(), ["message", "version"])
        self.input.check()
        self.observe(lambda change: self._tell(), ["problem", "exchange"])
        self.address = str(address)
        self._tell()

    def _work(self) -> Inquiry[Sent] | None:
        self._asker.cancel()
        self.problem, self.exchange = "", None
        if not self.input.check():
            self.problem = "No message to send: paste one, or try an example"
            return None
        try:
            message, where = self.input.reading.whole(), address_of(self.address)
        except IsoError as error:
            unread = "This needs a message that can be read: " if isinstance(error, ParseError) else ""
            self.problem = f"{unread}{error}"
            return None
        timeout, undo, network = self.timeout, self.undo, self.input.network
        return Inquiry(
            doing="Waiting for a response",
            put=lambda listener: _sent(where, message, timeout, undo, network),
            answered=lambda exchange: self.set_trait("exchange", exchange),
            failed=lambda problem: self.set_trait("problem", problem),
            what="The message could not be sent",
            thread="sim-link",
        )

    def _tell(self) -> None:
        exchange, answer = self.exchange, self.exchange.answer if self.exchange else None
        self.views.put(build(answer) if answer else "", answer.version if answer else None, None, None)
        news = exchange.told if exchange else ""
        self.said.value = wrong(self.problem) or markup("span", news, "iso-note")

    def __repr__(self) -> str:
        what = self.exchange.told if self.exchange else of_message(self.views.anatomy)
        return f"SendPanel({what})"


def _is_message(given: object) -> bool:
    """Whether *given* is a message rather than an address: not a text, or as long as the shortest message."""
    if not isinstance(given, str):
        return True
    try:
        return not address_of(given)
    except OptionError:
        return len(given) >= _SHORTEST


async def _sent(
    where: tuple[str, int], message: Message, timeout: float, undo: bool, network: str | None
) -> Any:
    async with AsyncClient(where, timeout=timeout, reverse=undo, network=network) as client:
        return await client.send(message)

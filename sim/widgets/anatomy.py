"""`MessageAnatomy`: one message as raw text, bitmap and elements, linked by mouse, keyboard and click.

The browser receives, and a notebook may save, the masked view only. The text stays in Python (`message` is
not synced); the view with card data is sent as a transient message when the user asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import anywidget
import traitlets

from sim.codec import BuildError, IsoError, Message, build, parse
from sim.errors import MTI_FIELD, element_label
from sim.operations import chosen_version, repair, strip_line_ending
from sim.operations.rewriting import put_back, shown_text, with_data, with_message
from sim.parts.writing import replaced
from sim.paste.reading import Reading
from sim.spec import Spec
from sim.spec.elements import table
from sim.spec.networks import NETWORKS, default_card, element_name
from sim.widgets.markup import STATIC, bundled, script
from sim.widgets.model import dissected, taken, view_of
from sim.widgets.page import page, text_of

S = TypeVar("S")
_MOST = 100  # states kept
_DATE = {"CCYY": "2000", "YY": "00", "MM": "01", "DD": "01", "hh": "00", "mm": "00", "ss": "00"}
_HEX = re.compile("[0-9A-Fa-f]*")
_VARIABLE = 2  # characters of a variable-length sample: one byte if hex


def set_value(message: Message, number: int, value: str | None) -> Message:
    """*message* with *value* in element *number*, added if missing; None removes it. 0 is the MTI."""
    return message.replace(**{"mti" if number == MTI_FIELD else f"de{number}": value})


def sample(version: str | Spec, number: int, network: str = "") -> str:
    """A value that fits element *number*: a test card in DE 2, 1 January 2000 in a date, otherwise zeros
    (spaces where only text makes sense).

    Raises BuildError for a number that is no element to be added.

    >>> sample("1987", 3), sample("1987", 13), sample("1987", 43) == " " * 40
    ('000000', '0101', True)
    """
    if not 2 <= number <= 128:
        raise BuildError(None, None, "data element numbers 2 to 128", str(number))
    element = table(version)[number]
    if number == 2:
        return default_card(network if network in NETWORKS else NETWORKS[0]).pan
    if element.pattern and element.fixed:
        text = element.pattern
        for letters, digits in _DATE.items():
            text = text.replace(letters, digits)
        return text
    width = element.width if element.fixed else min(_VARIABLE, element.width)
    if element.content == "x+n":
        return "C" + "0" * (width - 1)
    return (" " if element.content in ("ans", "ansb", "anp") and element.fixed else "0") * width


class History(Generic[S]):
    """A list of states, one of which is current. At most `_MOST` are kept in each direction."""

    def __init__(self, now: S) -> None:
        self.now = now
        self.undoable: list[S] = []
        self.redoable: list[S] = []

    def put(self, state: S) -> None:
        """Add a state: the current one can be restored, undone ones no longer."""
        if state != self.now:
            self.undoable = [*self.undoable, self.now][-_MOST:]
            self.redoable.clear()
            self.now = state

    def undo(self) -> S:
        """Return to the previous state, if any."""
        return self._move(self.undoable, self.redoable)

    def redo(self) -> S:
        """Return to the state that was undone last, if any."""
        return self._move(self.redoable, self.undoable)

    def _move(self, source: list[S], target: list[S]) -> S:
        if source:
            target.append(self.now)
            self.now = source.pop()
        return self.now


# The text, and the bytes it came in.
_State = tuple[str, Reading | None]


class MessageAnatomy(anywidget.AnyWidget):
    """The anatomy of one message, valid or broken.

    *message* is a text, a `Message`, a message table, or bytes in any notation (such as a hex dump), which
    are shown next to the text; *version* None takes it from the MTI, *network* None is the card's. With
    *editable* (the switch "Edit"), a click on the bitmap adds or removes an element, values, subfields and
    bytes can be changed, and `message` is updated.

    Traits: `message` (text; the view follows it), `version`, `network`; `hovered` and `pinned`, an element
    number, 0 for the MTI, 1 for the bitmap, -1 for unread text, or None; `lit`, more elements to highlight;
    `marked`, characters to highlight as (start, end), or None; `masked`, False to show card data; `editable`;
    `can_edit`, whether the switch is shown; `mends`, whether broken text has a repair button; `view`, the
    masked view described in `sim.widgets.model`; `problem`, why the last edit was refused as {number, text},
    or empty; `notice`, an unexpected effect of the last edit. `message`, `version`, `network` and `held` (the
    bytes) stay in Python.
    """

    _esm = script("dom", "drawing", "filtering", "bytes", "editing", "anatomy")
    _css = STATIC / "anatomy.css"

    message = traitlets.Unicode("")
    version = traitlets.Unicode(None, allow_none=True)
    network = traitlets.Unicode(None, allow_none=True)
    masked = traitlets.Bool(True).tag(sync=True)
    editable = traitlets.Bool(False).tag(sync=True)
    can_edit = traitlets.Bool(True).tag(sync=True)
    mends = traitlets.Bool(True).tag(sync=True)
    hovered = traitlets.Int(None, allow_none=True).tag(sync=True)
    pinned = traitlets.Int(None, allow_none=True).tag(sync=True)
    lit = traitlets.List(traitlets.Int()).tag(sync=True)
    marked = traitlets.List(traitlets.Int(), None, allow_none=True, minlen=2, maxlen=2).tag(sync=True)
    view = traitlets.Dict().tag(sync=True)
    problem = traitlets.Dict().tag(sync=True)
    notice = traitlets.Unicode("").tag(sync=True)
    can_undo = traitlets.Bool(False).tag(sync=True)
    can_redo = traitlets.Bool(False).tag(sync=True)
    compared = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        message: object = "",
        version: str | None = None,
        network: str | None = None,
        editable: bool = False,
        **kwargs: Any,
    ) -> None:
        raw, version, self.held = taken(message, version)
        self._dropped: dict[int, str] = {}
        self._edited: list[Callable[[str], None]] = []
        self._given = False
        super().__init__(message=raw, version=version, network=network, editable=editable, **kwargs)
        self._history: History[_State] = History((raw, self.held))
        self._refresh()
        self.observe(self._follow, ["message", "version", "network"])
        self.observe(self._refresh, "editable")
        self.observe(self._unmask, "masked")
        self.on_msg(self._on_request)

    @traitlets.validate("message")
    def _without_line_ending(self, proposal: dict[str, Any]) -> str:
        return strip_line_ending(proposal["value"])

    @traitlets.validate("marked")
    def _as_list(self, proposal: dict[str, Any]) -> list[int] | None:
        value = proposal["value"]
        return None if value is None else list(value)

    def read(self, paste: str | bytes) -> None:
        """Show the message in *paste*: the text form, or bytes in any notation."""
        raw, version, reading = taken(paste, None)
        self.put(raw, version if reading else self.version, self.network, reading)

    def put(self, raw: str, version: str | None, network: str | None, held: Reading | None = None) -> None:
        """Show the text *raw* and the bytes it came in, if any. Without *held*, the bytes shown now stay if
        they contain the same message."""
        same = (raw, version, network) == (self.message, self.version, self.network)
        if held is not None:
            if same and self.held is not None and held.data == self.held.data:
                self._history.now = raw, held  # the result of an edit, as written now
            self.held = held
        if not same:
            if self._given:  # typing is one step, not one per key
                self._history.now = raw, held
            self._given = True
        with self.hold_trait_notifications():
            self.version, self.network, self.message = version, network, raw
        if held is not None and same:
            self._follow(None)

    def on_edit(self, observer: Callable[[str], None]) -> None:
        """Call *observer* with the text after each edit, undo and redo here; with pasted bytes, in their
        notation."""
        self._edited.append(observer)

    def _follow(self, change: Any) -> None:
        if self.held is not None and shown_text(self.held) != self.message:
            self.held = None
        with self.hold_sync():
            self._history.put((self.message, self.held))
            self._refresh()
            numbers = {element["number"] for element in self.view["elements"]}
            if self.pinned not in numbers:
                self.pinned = None
            self.set_trait("marked", None)
            self.problem = {}
            self.notice = ""

    def _view(self, masked: bool) -> dict[str, Any]:
        anatomy = dissected(self.message, self.version, self.network, self.held)
        return view_of(anatomy, masked, full_bitmap=self.editable, held=self.held)

    def _refresh(self, change: Any = None) -> None:
        self.view = self._view(True)
        self.can_undo, self.can_redo = bool(self._history.undoable), bool(self._history.redoable)
        self._unmask()

    def _unmask(self, change: Any = None) -> None:
        """Send the view with card data if the user asked for it."""
        if not self.masked:
            self.send({"kind": "clear", "view": self._view(False)})

    def _on_request(self, widget: Any, content: dict[str, Any], buffers: Any) -> None:
        """A request from the browser: the clear view, or an edit."""
        ask, number = content.get("ask"), content.get("number")
        value, at, end = str(content.get("value", "")), content.get("at"), content.get("end")
        if ask == "clear":
            self._unmask()
        elif ask == "mend" and self.mends:
            self.mend()
        elif not self.editable and not (ask == "undo" and self.notice):
            return
        elif ask in ("undo", "redo"):
            (self.undo if ask == "undo" else self.redo)()
        elif ask == "bytes" and isinstance(at, int) and isinstance(end, int):
            self.set_bytes(at, end, value)
        elif ask == "part" and isinstance(number, int) and isinstance(at, int) and isinstance(end, int):
            self.set_part(number, at, end, value)
        elif ask == "set" and isinstance(number, int):
            self.set_value(number, value)
        elif ask == "toggle" and isinstance(number, int):
            self.toggle(number)

    def set_value(self, number: int, value: str) -> bool:
        """Write *value* into element *number*, added if missing; 0 is the MTI. False, with the reason in
        `problem`, if the message cannot be built."""
        return self._edit(number, lambda message: set_value(message, number, value))

    def set_part(self, number: int, start: int, end: int, value: str) -> bool:
        """Write *value* in place of characters *start* to *end* of element *number*: a subfield or chip data
        tag, whose enclosing lengths are adjusted. False, with the reason in `problem`, if it does not fit."""
        network = self.view["network"] or None

        def changed(message: Message) -> Message:
            if number == MTI_FIELD:
                return message.replace(mti=message.mti[:start] + value + message.mti[end:])
            old = message.get(number)
            return set_value(message, number, replaced(message.spec, number, old, start, end, value, network))

        return self._edit(number, changed)

    def set_bytes(self, start: int, end: int, digits: str) -> bool:
        """Replace the bytes from *start* to *end* (hex *digits*), and read everything again. False, with the
        reason in `problem`, if they can no longer be read."""
        bare, reading = re.sub(r"\s", "", digits), self.held
        spans = reading.spans if reading else {}
        number = next((element for element, span in spans.items() if span[0] <= start < span[2]), 0)
        try:
            if reading is None or not 0 <= start <= end <= len(reading.data):
                raise BuildError(None, None, "bytes of this message", f"{start} to {end}")
            if len(bare) % 2 or not _HEX.fullmatch(bare):
                raise BuildError(None, None, "hex digits, two for each byte", f"{len(bare)} characters")
            new_reading = with_data(reading, reading.data[:start] + bytes.fromhex(bare) + reading.data[end:])
        except IsoError as error:
            self.problem = {"number": number, "text": str(error), "bytes": start}
            return False
        self._take((shown_text(new_reading), new_reading))
        return True

    def toggle(self, number: int) -> bool:
        """Remove element *number*, or add it with its former value or a sample. False, with the reason in
        `problem`, if that is not possible."""
        present = any(element["number"] == number for element in self.view["elements"])
        done = self._edit(number, lambda message: self._toggled(message, number))
        if done and present:
            name = element_name(self.view["version"], number)
            self.notice = f"{element_label(number)} {name} is removed. {self.notice}".rstrip()
        return done

    def mend(self) -> bool:
        """Apply the fix offered for a text that does not parse. False, with the reason in `problem`, if there
        is none."""
        version = chosen_version(self.message, self.version)
        done = next(iter(repair(self.message, version=version).proposals), None)
        if done is None or done.message is None:
            words = "No repair found." if done is None else done.said
            self.problem = {"number": self.view["fault"]["number"], "text": words}
            return False
        if chosen_version(done.text, self.version) != done.message.version:
            self.version = done.message.version
        self._take((done.text, None))
        self.notice = done.said
        return True

    def undo(self) -> None:
        """Undo the last change."""
        self._take(self._history.undo())

    def redo(self) -> None:
        """Redo the change that was undone last."""
        self._take(self._history.redo())

    def _toggled(self, message: Message, number: int) -> Message:
        value = None
        if number in message:
            self._dropped[number] = message[number]
        elif (value := self._dropped.get(number)) is None:
            value = sample(message.spec, number, self.view["network"])
        return set_value(message, number, value)

    def _table(self, raw: str) -> str | Spec:
        """The table that reads *raw*: of the dialect of its bytes, or the version."""
        version = chosen_version(raw, self.version)
        return self.held.table if self.held and self.held.version == version else version

    def _message(self) -> Message:
        """The message shown. Raises ParseError if the text does not parse."""
        reading = self.held
        if reading is not None and reading.text is None and reading.complete and reading.message is not None:
            return reading.message  # an edit may make it fit
        return parse(self.message, self._table(self.message))

    def _edit(self, number: int, change: Callable[[Message], Message]) -> bool:
        # Parsed and built again, so that bitmap and length prefixes follow.
        try:
            after = build(change(self._message()))
            # A new MTI may name a version whose layout the rest does not fit.
            message = parse(after, self._table(after))
            reading = with_message(self.held, message) if self.held and self.held.data else None
        except IsoError as error:
            self.problem = {"number": number, "text": str(error)}
            return False
        self._take((after, reading))
        return True

    def _take(self, state: _State) -> None:
        """Show a state of the history, or the result of an edit."""
        raw, self.held = state
        self._given = False
        if raw == self.message:
            self._follow(None)
        else:
            self.message = raw
        if self._edited:
            text, notice = put_back(self.held) if self.held else (self.message, "")
            for observer in self._edited:
                observer(text)
            self.notice = notice or self.notice

    def __repr__(self) -> str:
        view = self.view
        count = sum(element["number"] > 1 and element["state"] == "read" for element in view["elements"])
        verdict = "broken" if view["fault"] else "valid" if view["valid"] else "invalid"
        network = view["network"] or "no network"
        head = f"{view['mti'] or 'no MTI'}, {view['version']}, {network}"
        return f"MessageAnatomy({head}: {count} data elements in {view['length']} characters, {verdict})"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return bundled(super()._repr_mimebundle_(**kwargs), text_of(self.view), page(self.view))

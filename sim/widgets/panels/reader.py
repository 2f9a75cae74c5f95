"""The input of panels that read a message: the box it is pasted into, how it was recognized, and the parts
that these panels share."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Literal

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.codec import IsoError
from sim.codec.wire.dialects import load_format
from sim.judge.causes import REPAIR, offered
from sim.masking import mask_words
from sim.operations import repair, strip_line_ending
from sim.operations.reading import read
from sim.operations.rewriting import kept, masked_as, shown_text
from sim.operations.samples import Sample, samples
from sim.paste.reading import Reading
from sim.spec.spellings import chosen_version
from sim.widgets.covered_text import MOST_CHARACTERS, CoveredText
from sim.widgets.file_drop import FileDrop, saved
from sim.widgets.markup import hint, markup
from sim.widgets.model import as_text, link_of
from sim.widgets.panels.actions import MessageActions
from sim.widgets.panels.fields import Form, InputField, show, traits_of
from sim.widgets.panels.panel import MessageViews, Panel, has_tables, static_anatomy

PASTE = "Paste a message: text, a hex dump, a log line"
HOW_READ = ("version", "network", "interface")
_CHOOSE = "Choose an example"
_DROP = "Drop a format here (jPOS, moov-io, pyiso8583, TOML), or browse"
_HowRead: Any = traitlets.MetaHasTraits("_HowRead", (traitlets.HasTraits,), traits_of("explain", HOW_READ))


class MessageTrait(traitlets.Unicode):  # type: ignore[type-arg]
    """A message as text, set by a text, bytes, a `Message` or a message table."""

    def validate(self, obj: Any, value: Any) -> str:
        """The text of *value*. Raises TraitError for anything but a message."""
        try:
            return value if isinstance(value, str) else as_text(value)[0]
        except (TypeError, IsoError) as error:
            raise traitlets.TraitError(str(error)) from None


class Gallery(InputField):
    """A list of samples; a chosen one is passed to *take*, and the list is reset. *plain* offers only those
    made from options."""

    def __init__(self, take: Callable[[Sample], None], *, plain: bool = False) -> None:
        self._take = take
        self.samples = [sample for sample in samples() if sample.plain or not plain]
        options = [(_CHOOSE, -1), *((sample.name, at) for at, sample in enumerate(self.samples))]
        self.choice = ipywidgets.Dropdown(options=options, value=-1, description="Example")
        super().__init__(self.choice)
        self.choice.observe(self._chosen, "value")

    def _chosen(self, change: Any) -> None:
        at = self.choice.value
        if at is not None and at >= 0:
            self.choice.value = -1
            self._take(self.samples[at])


class Recognised(ipywidgets.HBox):  # type: ignore[misc]
    """Describes how pasted bytes are written, and offers to replace them with the message. For a text that
    does not parse, it offers the fix that the hint names, or a repair; without *repairs* (the panel lists
    them itself) only the fix.

    *mend* is called with the text form when the button is pressed, and with its version if that changes.
    `said` is the description, empty for a text form.
    """

    def __init__(self, mend: Callable[[str, str | None], None], repairs: bool = True) -> None:
        self._mend = mend
        self._repairs = repairs
        self._did = ("", "")  # a repair, and its sentence
        self._offer: Callable[[], None] = lambda: None
        self.said = ""
        self._said = ipywidgets.HTML().add_class("iso-read")
        self.button = ipywidgets.Button(tooltip="Keep only the message in the box")
        self.button.on_click(lambda _: self.mend())
        super().__init__([self._said, self.button])
        self.add_class("iso-bar")
        show(self, False)

    def mend(self) -> None:
        """What the button does: replace the paste with the message, or broken text with its most likely
        repair."""
        self._offer()

    def _repair(self, raw: str, version: str) -> None:
        done = next(iter(repair(raw, version=version).proposals), None)
        if done is None or done.message is None:
            self._said.value = hint("No repair found." if done is None else done.said, news=True)
            show(self.button, False)
            return
        self._did = (done.text, done.said)
        self._mend(done.text, None if done.message.version == version else done.message.version)

    def put(self, raw: str, seen: Reading) -> None:
        """Describe the content *raw* of the box, read as *seen*."""
        self.said = ""
        count = 1 + len(seen.more)
        more = f"The first of {count} messages: use sim.read for all of them." if count > 1 else ""
        if seen.raw is not None or seen.message is None:
            offer = offered(raw, seen.version) if raw.strip() and not seen.complete else ""
            self.button.description = "" if offer == REPAIR and not self._repairs else offer
            self._offer = partial(self._repair, raw, seen.version)
            self._said.value = hint(self._did[1] if raw == self._did[0] else more, news=True)
            show(self.button, bool(self.button.description))
            show(self, bool(self.button.description or self._said.value))
            return
        self.said, bare = seen.read_as, _alone(seen)
        repaired = partial(self._repair, raw, seen.version)
        self._offer = partial(self._mend, bare, None) if bare else repaired
        why = "; ".join(seen.reasons)
        reasons = "" if seen.confidence == "sure" else f"{why[:1].upper()}{why[1:]}."
        self._said.value = markup("p", " ".join(filter(None, (f"Read as {seen.read_as}.", more, reasons))))
        last = seen.layers[-1] if seen.layers else None
        what = "length" if last and last.is_length else last.label.split()[0] if last else ""
        self.button.description = f"Read without the {what}" if what else "Keep the message only"
        show(self.button, bool(bare))
        show(self, True)


def _alone(seen: Reading) -> str:
    """The message without its surroundings, if it can be read by itself: its text form, or in a dialect its
    bytes in hex. Otherwise empty."""
    if not seen.complete or seen.message is None:
        return ""
    if not seen.message.dialect:
        return seen.text or "" if chosen_version(seen.mti, None) == seen.version or seen.pinned else ""
    bare = seen.data[seen.start : seen.end].hex().upper()
    again = read(bare, version=seen.version if seen.pinned else None)
    return bare if len(bare) < 2 * len(seen.data) and again.message == seen.message else ""


class MessageInput(ipywidgets.VBox, _HowRead):  # type: ignore[misc]
    """A box for a message, and options for reading it. Traits: `message` (stays in Python), `version`,
    `network`, `interface`, None for automatic; `learned`, the format of the last dropped file."""

    message = MessageTrait("")
    learned = traitlets.Unicode("")

    def __init__(
        self,
        message: object,
        version: str | None,
        network: str | None,
        interface: str | None = None,
        *,
        repairs: bool = True,
    ) -> None:
        raw, version = as_text(message, version)
        self.text = CoveredText(
            cover=lambda text: self._covered(text) if text else "", label="Message", placeholder=PASTE, rows=4
        )
        self.gallery = Gallery(lambda sample: self._put(sample.text()))
        first = self.gallery.samples[0]
        self.example_button = ipywidgets.Button(description="Try an example", tooltip=first.name)
        self.example_button.on_click(lambda _: self._put(first.text()))
        self.recognised = Recognised(self._put, repairs)
        self._asked: tuple[str | None, ...] = ()
        self.form = Form(self, "explain", HOW_READ, self.gallery)
        self.drop = FileDrop(words=_DROP)
        super().__init__([self.text, self.example_button, self.recognised, self.form, self.drop])
        self.drop.observe(lambda change: self._learn(*change.new), "file")
        self.add_class("iso-rows")
        self.version, self.network, self.interface = version, network, interface or link_of(message)
        self.observe(lambda change: self.text.cover_again(), [*HOW_READ, "learned"])
        traitlets.link((self, "message"), (self.text, "value"))
        self.message = raw

    @property
    def reading(self) -> Reading:
        """The content of the box, read once."""
        return self._reading_of(self.message)

    def _reading_of(self, text: str) -> Reading:
        how = {name: getattr(self, name) for name in HOW_READ}
        key = (text, *how.values(), self.learned)
        if self._asked != key:
            raw, self._asked = strip_line_ending(text), key
            self._reading = read(raw, **how)
            self.recognised.put(raw, self._reading)
        return self._reading

    def _covered(self, text: str) -> str:
        """*text* with its card data masked; the line ending is not part of the message."""
        raw = strip_line_ending(text)
        return masked_as(raw, self._reading_of(text)) + text[len(raw) :]

    @property
    def held(self) -> Reading | None:
        """The reading if it has more than the text form; otherwise None."""
        return kept(self.reading)

    @property
    def raw(self) -> str:
        """The message as text, without a line ending; of bytes in any notation, framing and format, the
        message in them."""
        if self.held is not None:
            return shown_text(self.held)
        return strip_line_ending(self.message) if self.reading.text is None else self.reading.text

    def tabled(self, verb: Literal["explain", "parse", "validate"]) -> Any:
        """The table that *verb* makes of the message; None without pandas."""
        if not has_tables():
            return None
        from sim import tables

        function: Callable[..., Any] = getattr(tables, verb)
        return function(self.reading)

    def _learn(self, name: str, data: bytes) -> None:
        """Load a dropped format file; its messages are recognized from now on."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the rows left out are counted below
            try:
                with saved(name, data) as path:
                    wire_format = load_format(path)
            except (IsoError, OSError, ValueError) as error:
                self.drop.words = f"{mask_words(name)}: {error}. {_DROP}"
                return
        left = f", {len(wire_format.left_out)} rows of it left out" if wire_format.left_out else ""
        self.drop.words = f"Messages of {wire_format.title} are now recognized{left}. {_DROP}"
        self.learned = ""
        self.learned = wire_format.name

    def _put(self, text: str, version: str | None = None) -> None:
        """Replace the message, and the version if given."""
        with self.hold_trait_notifications():
            self.version = version or self.version
            self.message = text

    def check(self) -> bool:
        """Whether there is a message within the size limit; shows a problem if it is too long."""
        long = len(self.raw) > MOST_CHARACTERS
        self.text.problem = f"At most {MOST_CHARACTERS:,} characters" if long else ""
        show(self.example_button, not self.raw)
        return bool(self.raw) and not long


class ReaderPanel(Panel, _HowRead):  # type: ignore[misc]
    """A panel about a message: `input`, *above* (with its button), `said`, *below*, `actions` and the two
    `views`. It updates at each key."""

    message = MessageTrait("")
    table = traitlets.Any(None)

    def __init__(
        self, box: MessageInput, above: Iterable[Any], below: Iterable[Any] = (), *, classes: str
    ) -> None:
        self.input = box
        self.said = ipywidgets.HTML().add_class("iso-said")
        self.views = MessageViews()
        self.views.anatomy.on_edit(lambda raw: self._take(raw, ""))
        self.actions = MessageActions(self._take)
        self._news = ("", "")
        super().__init__(box, *above, self.said, *below, self.actions, self.views, classes=classes)
        for name in ("message", *HOW_READ):
            traitlets.link((box, name), (self, name))
        box.observe(lambda change: change.new and self._work(), "learned")
        for name in ("version", "interface"):
            traitlets.dlink((self, name), (self.actions, name))
        traitlets.link((box.text, "masked"), (self.views.anatomy, "masked"))

    def _read(self) -> str:
        """The message in the box, or an empty text; shows what can be done with it."""
        has_message = self.input.check()
        self.actions.paste, self.actions.message = self.message, self.input.raw
        show(self.actions, has_message)
        self.button.disabled = not has_message
        return self.input.raw if has_message else ""

    @property
    def _said_of_it(self) -> str:
        """The note of the button that made the message."""
        raw, news = self._news
        return news if raw == self.message else ""

    def _take(self, raw: str, news: str) -> None:
        """Show a message made by a button, with its note."""
        self._news = (raw, news)
        self.message = raw

    def _static(self) -> str:
        return static_anatomy(self.views.anatomy)

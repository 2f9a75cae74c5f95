"""Where a message is read: the box it is pasted into, what it was taken for, and what all panels about one
message have beneath it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.codec import IsoError, Message
from sim.codec.wire.dialects import load_format
from sim.judge.causes import REPAIR, offered
from sim.masking import mask_words
from sim.operations import repair, strip_line_ending
from sim.operations.anatomy import Anatomy
from sim.operations.choosing import chosen_version
from sim.operations.reading import recognised
from sim.operations.rewriting import kept, shown_text
from sim.operations.samples import Sample, samples
from sim.paste.reading import TEXT, Reading
from sim.widgets.covered_text import MOST_CHARACTERS, CoveredText
from sim.widgets.file_drop import FileDrop
from sim.widgets.markup import hint, markup
from sim.widgets.model import as_text, dissected, link_of
from sim.widgets.panels.actions import MessageActions
from sim.widgets.panels.fields import Form, InputField, show, traits_of
from sim.widgets.panels.panel import MessageViews, Panel, RunBar, cover, has_tables, static_anatomy

PASTE = "Paste a message: text, a hex dump, a log line"
HOW_READ = ("version", "network", "interface")
_CHOOSE = "Choose an example"
_DROP = "Drop a format here (jPOS, moov-io, pyiso8583, TOML), or browse"
_HowRead: Any = traitlets.MetaHasTraits("_HowRead", (traitlets.HasTraits,), traits_of("explain", HOW_READ))


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


class Recognised(ipywidgets.HBox):  # type: ignore[misc]
    """Reads a paste that is no text form, says how it was written, and offers to put the message in its
    place. Of a text that does not parse it offers to undo the cause that its hint names, or to repair it;
    without *repairs*, where the panel lists repairs itself, the cause alone.

    *mend* is given the text form when the button is pressed, and the version to read it by where that is
    another one, else None. `said` is how the paste was written.
    """

    def __init__(self, mend: Callable[[str, str | None], None], repairs: bool = True) -> None:
        self._mend = mend
        self._repairs = repairs
        self._did = ("", "")
        self._seen: tuple[str, str | None, str | None] | None = None
        self._found: Reading | None = None
        self._bare = ""
        self._said = ipywidgets.HTML().add_class("iso-read")
        self.button = ipywidgets.Button(tooltip="Keep only the message in the box")
        self.button.on_click(lambda _: self.mend())
        super().__init__([self._said, self.button])
        self.add_class("iso-bar")
        show(self, False)

    def forget(self) -> None:
        """Read the paste again: there are other formats now."""
        self._seen = None

    @property
    def said(self) -> str:
        """What the paste was recognised as; empty for a text form."""
        return "" if self._found is None else self._found.read_as

    def text(self, raw: str, version: str | None, interface: str | None = None) -> str:
        """The text form of the message in *raw*; *raw* itself where it is one, or none can be made of it."""
        if self._seen != (raw, version, interface):
            self._seen, self._found = (raw, version, interface), None
            if raw.strip():
                self._found = recognised(raw, version=version, interface=interface)
            self._bare = self._unframed(version)
            self._tell(raw, version)
        return self._taken or raw

    @property
    def message(self) -> Message | None:
        """The message, where it has elements otherwise than the standard, so that its text is not the text
        form; else None."""
        best = self._found
        there = best is not None and best.complete and best.message is not None and best.message.dialect
        return best.message if best and there else None

    @property
    def held(self) -> Reading | None:
        """What was read beside the text form, where its message is what the panel shows."""
        return kept(self._found) if self._found and self._taken else None

    @property
    def _taken(self) -> str:
        """The message to show: the whole one, or what could be read of one that stops or does not fit."""
        best = self._found
        if best is None:
            return ""
        if best.text is None:
            return shown_text(best) if kept(best) else ""
        return best.text if self.message is not None else self._mended

    @property
    def _mended(self) -> str:
        """The text form, or of a dialect the message's own bytes in hex, where reading it again as the panel
        does gives the same message."""
        if self._found is None or self._seen is None:
            return ""
        best = self._found
        if not best.complete:
            return ""
        if self.message is not None:
            return self._bare
        same = (self._seen[1] or chosen_version(best.mti, None)) == best.version
        return best.text or "" if same else ""

    def _unframed(self, version: str | None) -> str:
        """The bytes of a dialect's message without what stands around them; empty where nothing does, or they
        are not known by themselves."""
        if self._found is None or self.message is None:
            return ""
        best = self._found
        bare = best.data[best.start : best.end].hex().upper()
        again = recognised(bare, version=version) if len(bare) < 2 * len(best.data) else None
        return bare if again and again.message == best.message else ""

    def mend(self) -> None:
        """What the button does: the message in place of the paste."""
        if text := self._mended:
            self._mend(text, None)
        elif self._found is None and self._seen is not None:
            self._repair(*self._seen[:2])

    def _repair(self, raw: str, version: str | None) -> None:
        read_as = chosen_version(raw, version)
        done = next(iter(repair(raw, version=read_as).proposals), None)
        if done is None or done.message is None:
            self._said.value = hint("No repair found." if done is None else done.said, news=True)
            show(self.button, False)
            return
        self._did = (done.text, done.said)
        self._mend(done.text, None if done.message.version == read_as else done.message.version)

    def _tell(self, raw: str, version: str | None) -> None:
        if self._found is None:
            offer = offered(raw, chosen_version(raw, version)) if raw.strip() else ""
            if offer == REPAIR and not self._repairs:
                offer = ""
            did = self._did[1] if raw == self._did[0] else ""
            self._said.value = hint(did, news=True)
            self.button.description = offer
            show(self.button, bool(offer))
            show(self, bool(offer or did))
            return
        best, count = self._found, 1 + len(self._found.more)
        if best.raw is not None:  # the text form, of the interface that was chosen
            show(self, False)
            return
        more = f" The first of {count} messages." if count > 1 else ""
        why = "; ".join(best.reasons)
        reasons = "" if best.confidence == "sure" else f" {why[:1].upper()}{why[1:]}."
        self._said.value = markup("p", f"Read as {best.read_as}.{more}{reasons}")
        taken = [layer.label.split()[0] for layer in best.layers]
        self.button.description = f"Read without the {taken[-1]}" if taken else "Keep the message only"
        show(self.button, bool(self._mended))
        show(self, True)


class MessageInput(ipywidgets.VBox, _HowRead):  # type: ignore[misc]
    """A box for a message and how to read it. Traits: `message` (stays in Python), `version`, `network`,
    `interface`, None for what the message itself says; `learned`, the format of the file dropped last."""

    message = traitlets.Unicode("")
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
            cover=lambda text: cover(text, self.version), label="Message", placeholder=PASTE, rows=4
        )
        self.gallery = Gallery(lambda sample: self._put(sample.text()))
        first = self.gallery.samples[0]
        self.example_button = ipywidgets.Button(description="Try an example", tooltip=first.name)
        self.example_button.on_click(lambda _: self._put(first.text()))
        self.recognised = Recognised(self._put, repairs)
        self.form = Form(self, "explain", HOW_READ, self.gallery)
        self.drop = FileDrop(words=_DROP)
        super().__init__([self.text, self.example_button, self.recognised, self.form, self.drop])
        self.drop.observe(lambda change: self._learn(*change.new), "file")
        self.add_class("iso-rows")
        self.version, self.network, self.interface = version, network, interface or link_of(message)
        self.observe(lambda change: self.text.cover_again(), "version")
        traitlets.link((self, "message"), (self.text, "value"))
        self.message = raw

    @property
    def raw(self) -> str:
        """The message as text: without the line ending that pasting brings; of bytes in any notation, framing
        and format, the message they are."""
        return self.recognised.text(strip_line_ending(self.message), self.version, self.interface)

    @property
    def subject(self) -> str | Message | Reading:
        """What to judge and explain: the message itself where its text is a dialect's, what was read where
        that has no text form, else the text."""
        raw, held = self.raw, self.recognised.held
        return held if held is not None and held.text is None else self.recognised.message or raw

    def tabled(self, verb: Literal["explain", "parse", "validate"]) -> Any:
        """The table that *verb* makes of the message; None without pandas."""
        if not has_tables():
            return None
        from sim import tables

        subject = self.subject
        # What was pasted is text by now, and not guessed again.
        read_as = TEXT if isinstance(subject, str) else None
        made: Callable[..., Any] = getattr(tables, verb)
        return made(subject, version=self.version, network=self.network, format=read_as)

    def dissected(self, raw: str) -> Anatomy | None:
        """The anatomy of the message; it is held, so that nobody who asks for it has another made."""
        held = self.recognised.held
        self._seen = dissected(raw, self.version, self.network, held) if raw else None
        return self._seen

    def _learn(self, name: str, data: bytes) -> None:
        """Take a file as the format that it describes, in which messages are recognised from now on."""
        with TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what was left out is said below
            path = Path(folder) / (Path(name).name or "dropped")
            try:
                path.write_bytes(data)
                made = load_format(path)
            except (IsoError, OSError, ValueError) as error:
                self.drop.words = f"{mask_words(name)}: {error}. {_DROP}"
                return
        left = f", {len(made.left_out)} rows of it left out" if made.left_out else ""
        self.drop.words = f"Messages of {made.title} are now recognized{left}. {_DROP}"
        self.recognised.forget()
        self.learned = ""
        self.learned = made.name

    def _put(self, text: str, version: str | None = None) -> None:
        """Another message in the box, and what to read it as, where that changes."""
        with self.hold_trait_notifications():
            self.version = version or self.version
            self.message = text

    def check(self) -> bool:
        """Whether there is a message that is not too long; says so beneath the box when it is."""
        long = len(self.raw) > MOST_CHARACTERS
        self.text.problem = f"At most {MOST_CHARACTERS} characters" if long else ""
        show(self.example_button, not self.raw)
        return bool(self.raw) and not long


class ReaderPanel(Panel, _HowRead):  # type: ignore[misc]
    """A panel about the message in its box: `input` above, then its button, `said`, *middle*, what can be
    done with the message (`actions`) and its two `views`. At every key it does what its button does."""

    message = traitlets.Unicode("")
    table = traitlets.Any(None)

    def __init__(self, bar: RunBar, box: MessageInput, *middle: Any, classes: str) -> None:
        self.input = box
        self.said = ipywidgets.HTML().add_class("iso-said")
        self.views = MessageViews()
        self.views.anatomy.on_edit(lambda raw: self._take(raw, ""))
        self.actions = MessageActions(self._take)
        self._news = ("", "")
        super().__init__(*(box, bar, self.said, *middle, self.actions, self.views), bar=bar, classes=classes)
        for name in ("message", *HOW_READ):
            traitlets.link((box, name), (self, name))
        box.observe(lambda change: change.new and self._work(), "learned")
        for name in ("message", "version", "interface"):
            traitlets.dlink((self, name), (self.actions, name))
        traitlets.link((box.text, "masked"), (self.views.anatomy, "masked"))

    def _read(self) -> str:
        """The message in the box, empty where there is none; what can be done with it is shown."""
        there = self.input.check()
        show(self.actions, there)
        self.button.disabled = not there
        return self.input.raw if there else ""

    @property
    def _said_of_it(self) -> str:
        """What the buttons that made the message say of it."""
        raw, news = self._news
        return news if raw == self.message else ""

    def _take(self, raw: str, news: str) -> None:
        """A message that the buttons made of the one before, and what they say of it."""
        self._news = (raw, news)
        self.message = raw

    def _static(self) -> str:
        return static_anatomy(self.views.anatomy)

"""The bytes that a message came in, kept beside it: what changes in one follows in the other.

A message edited is written into its bytes anew, lengths in front included; bytes edited are read anew, as
they were before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sim.codec import Message, build
from sim.codec.wire import Format, Layer, encode, frame, read, wrap
from sim.codec.wire.framing import said_length
from sim.errors import BuildError, WireError
from sim.operations.reading import read as reading
from sim.paste import Reading, guess
from sim.paste.blocks import after
from sim.paste.spellings import rewritten
from sim.spec import Spec
from sim.spec.words import AnyVersion

_REWRITTEN = "What was pasted cannot be written in its own way: in its place stand"


@dataclass(frozen=True, slots=True)
class Wired:
    """Bytes, and the message read in them.

    `data` are all bytes of the paste, of which the message takes `start` to `end`; `format` reads and writes
    them. `layers` are what stands in front, outermost first, each as its name (empty for an unknown one),
    what to call it and its size in bytes. `spans` say where each element stands (0 the MTI, 1 the bitmap):
    start of its prefix, start of its value, end, in bytes of `data`. `text` is the text form, as
    far as it was read; `error` says why no further. `pasted` is the text in which the reading called
    `spelling` saw the bytes `given`, before anything was changed. The repr leaves the bytes out: they hold
    card data.
    """

    data: bytes = field(repr=False)
    start: int
    end: int
    format: Format = field(repr=False)
    version: str
    text: str = field(repr=False)
    spans: Mapping[int, tuple[int, int, int]] = field(repr=False)
    layers: tuple[tuple[str, str, int], ...]
    said: str
    error: str = ""
    pasted: str = field(default="", repr=False)
    spelling: str = ""
    given: bytes = field(default=b"", repr=False)

    @property
    def dialect(self) -> Spec | None:
        """The element table of the text; None where no element of it is otherwise than in the version."""
        layout = self.format.layout(self.version)
        return None if layout.own.isdisjoint(self.spans) else layout.dialect

    def read_by(self, version: str) -> str | Spec:
        """What to read its text by as *version*: the table of its dialect, or the version."""
        return self.dialect or version if version == self.version else version

    def put_back(self) -> tuple[str, str]:
        """What reads as the message again by itself, and what was done where that is not written as the paste
        was: in the paste's own writing, framing and all; else its bytes in hex; else the text form."""
        if self.pasted:
            kept = rewritten(self.pasted, self.spelling, self.given, self.data)
            if kept is not None and (kept == self.pasted or self._reads(kept)):
                return kept, ""
        bare = self.data.hex().upper()
        if self.dialect or (self.pasted and self._reads(bare)):
            return bare, f"{_REWRITTEN} all its bytes in hex." if self.pasted else ""
        return (
            self.text,
            f"{_REWRITTEN} the characters of the message, without what was around it." if self.pasted else "",
        )

    def _reads(self, text: str) -> bool:
        """Whether *text* is read as this message, element by element."""
        best = guess(text).best
        return best.data == self.data and dict(best.spans) == dict(self.spans)

    @property
    def behind(self) -> bytes:
        """The bytes behind a message that reads to its end."""
        return b"" if self.error else self.data[self.end :]

    def with_message(self, message: Message) -> Wired:
        """The same bytes with another message in them, lengths and check bytes following.

        Raises
        ------
        BuildError
            For an element that the format cannot carry, or a length in front that is too small.
        """
        if self.error:
            raise BuildError(None, None, "bytes that read to their end", "bytes that stop before it")
        body = encode(message, self.format)
        data = self._around(body)
        start = data.index(body, self.start)
        return self._read(data, start, start + len(body))

    def with_data(self, data: bytes) -> Wired:
        """Other bytes in place of all of these, read as these were.

        Raises
        ------
        WireError
            Where they cannot be read to their end, and these could.
        """
        end = len(data) - len(self.behind)
        try:
            return self._read(data, self.start, max(end, self.start))
        except WireError as error:
            best = guess(data, format=self.format, version=self.version).best
            if not self.error or best.message is None:
                raise WireError(
                    error.field, error.offset, error.expected, error.found, error.partial
                ) from None
            made = of_guessed(best)
            if made is None:
                return self
            return replace(made, pasted=self.pasted, spelling=self.spelling, given=self.given)

    def _read(self, data: bytes, start: int, end: int) -> Wired:
        body = data[start:end]
        try:
            found = read(body, self.format, self.version)
        except WireError as error:
            at = None if error.offset is None else error.offset + start
            raise WireError(error.field, at, error.expected, error.found, error.partial) from None
        spans = {
            number: (one + start, two + start, three + start)
            for number, (one, two, three) in found.spans.items()
        }
        text = build(found.message)
        return replace(self, data=data, start=start, end=end, text=text, spans=spans, error="")

    def _around(self, body: bytes) -> bytes:
        """*body* in what stood around the message before."""
        behind, at = self.behind, 0
        places = []
        for name, _, size in self.layers:
            places.append((name, at, self.data[at : at + size]))
            at += size
        covered = any(self._covers_all(name, at) for name, at, _ in places)
        checked = any(name == "stx" for name, _, _ in places)
        made = body + behind if covered and not checked else body
        # Behind what ends a message between STX and ETX others may stand, which stay as they are.
        after_it = b""
        if checked and not covered and (ended := after(behind, 0, False, True)):
            behind, after_it = behind[:ended], behind[ended:]
        for name, _, front in reversed(places):
            if not name:
                made = front + made
            else:
                made = wrap(made, [Layer(name, front, behind if name == "stx" else b"")])
        return made + after_it if covered or checked else made + behind

    def _covers_all(self, name: str, at: int) -> bool:
        """Whether the length at byte *at* counts what stands behind the message, too."""
        if not name or not self.behind or frame(name).kind != "length":
            return False
        made = frame(name)
        width = made.zeros_before + made.width + made.zeros_after
        return said_length(made, self.data, at) == len(self.data) - at - width


def wired(
    paste: str | bytes, *, format: Format | str | None = None, version: AnyVersion | None = None
) -> Wired | None:
    """The bytes of a paste and the message in them; None for a text form, and for what is no message.

    Parameters
    ----------
    paste : str or bytes
        A dump or bytes in any spelling that `guess` reads.
    format : Format or str, optional
        The format where it is known.
    version : str, optional
        The version to read by; None reads it off the MTI.

    Examples
    --------
    >>> found = wired("0010 0800 2020000000000000 990000 123456")
    >>> found.text, found.spans[11]
    ('08002020000000000000990000123456', (15, 15, 18))
    >>> changed = found.with_data(found.data[:-1] + bytes.fromhex("57"))
    >>> changed.text[-6:]
    '123457'
    """
    found = reading(paste, format=format, version=version)
    return of_guessed(found, paste if isinstance(paste, str) else "")


def of_guessed(best: Reading, pasted: str = "") -> Wired | None:
    """The bytes of a candidate, which was read out of the text *pasted*; None where it was not read out of
    bytes."""
    if best.message is None or best.written is None or not best.spans:
        return None
    text = best.text if best.complete else best.partial_text
    if not text:
        return None
    layers = tuple((layer.name, layer.label, layer.size) for layer in best.layers)
    skipped = best.start - sum(size for _, _, size in layers)
    if skipped > 0:
        layers = (("", "in front", skipped), *layers)
    error = str(best.error) if best.error else ""
    said = best.read_as.removesuffix(f", {best.confidence}")
    return Wired(
        best.data,
        best.start,
        best.end,
        best.written,
        best.version,
        text,
        best.spans,
        layers,
        said,
        error,
        pasted,
        best.spelling,
        best.data,
    )

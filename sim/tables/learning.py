"""A dialect learned from its messages, as a table: one element per row, with the evidence for it."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from sim.codec.wire import Format
from sim.codec.wire.catalogue import beside_toml, keep
from sim.codec.wire.files import is_blocked, records, stream_framing, unblock
from sim.errors import SpecError
from sim.files import replaced
from sim.masking import mask_words
from sim.masking.files import masked_names, path_of
from sim.paste.learning import Learned
from sim.paste.learning import learn as learned_from
from sim.paste.spellings import dumps_apart
from sim.tables.columns.captures import messages_of
from sim.tables.columns.lines import opened, paths
from sim.tables.columns.sources import expanded
from sim.tables.columns.ways import LIKELY, MAGIC
from sim.tables.tables import Table, columns_from, held

_WRITTEN = {
    "bcd": "packed digits",
    "nibbles": "packed hex digits",
    "raw": "bytes",
    "hex": "hex digits",
    "ascii": "ASCII",
}
_COLUMNS: dict[str, str | Callable[[Any], object]] = {
    "number": "field.number",
    "name": lambda row: mask_words(row.field.name),
    "format": "field.format",
    "written": lambda row: _WRITTEN.get(row.field.written, row.field.written),
    "differs": lambda row: "yes" if row.differs else "",
    **{"messages": "messages", "evidence": "seen", "open": "open"},
}
_FEWEST, _MOST = 5, 2000
_LARGEST = 1 << 24
_SHORTEST = 20


class LearnedTable(Table):
    """A dialect learned from its messages, one row per element, as `sim.learn` describes it."""

    _when_empty = ("open",)

    @property
    def _learned(self) -> Learned:
        learned: Learned = held(self, "learned")
        return learned

    @property
    def learned(self) -> Format:
        """The format, as `format=` accepts it."""
        return self._learned.format

    @property
    def toml(self) -> str:
        """The format as a file for `load_format` and `--format`."""
        learned = self._learned
        notes = {
            row.field.number: f"{row.seen}; open: {row.open}" if row.open else row.seen
            for row in learned.evidence
        }
        return beside_toml(learned.format, notes)

    @property
    def read_as(self) -> str:
        """How the messages were read, and how many could be read to their ends."""
        learned = self._learned
        words = [learned.spelling, *learned.framing, f"near {learned.base.title}"]
        read = learned.messages - len(learned.unread)
        return mask_words(f"{', '.join(words)}; {read} of {learned.messages} messages read to their ends")

    def save(self, path: str | Path) -> Path:
        """Write the format to the TOML file *path*."""
        file = path_of("path", path)
        with masked_names(), replaced(file) as new:
            new.write_text(self.toml, encoding="utf-8")
        return file


def learn(source: object, *, name: str = "learned") -> LearnedTable:
    """Learn a dialect from its messages.

    Each built-in format is tried, then the nearest one with common variations and with elements of any
    length, until all messages read to their ends. The result is a proposal: it lists what the messages
    leave open, and no message shows what a private element means.

    Parameters
    ----------
    source
        Messages of one dialect, at least 5, better 20 or more, as different as possible: a list of texts or
        bytes, a log or text with one message per line, hex dumps, records with length fields, a capture
        (extra `pcap`); or an open file, a path, a folder or a pattern of such files.
    name
        The name of the format.

    Returns
    -------
    LearnedTable
        A row per element: `number`, `name`, `format` (the standard's notation), `written` (how its characters
        are encoded), `differs` (from the nearest built-in format), `messages` (how many have it; 0 for those
        of the built-in format), the `evidence`, and `open`: what the messages leave undetermined, to be
        looked up in the dialect's document. `.learned` is the format, which
        `format=` then accepts by name, `.toml` its file, `.save(path)` writes it, `.read_as` says how many
        messages could be read.

    Raises
    ------
    SpecError
        There are fewer than five messages, nine of ten do not begin at the same position, or in no layout do
        they read to their ends.

    Examples
    --------
    >>> import sim
    >>> own = sim.load_format({"extends": "bcd", "title": "Mine", "elements": {"41": {"format": "ans 16"}}})
    >>> shops = [f"SHOP {place:03}".ljust(16) for place in range(20)]
    >>> echoes = [{0: "0800", 3: "990000", 11: f"{place:06}", 41: shop} for place, shop in enumerate(shops)]
    >>> found = sim.learn([sim.build(echo, format=own) for echo in echoes], name="learned-here")
    >>> found.set_index("number").evidence[41]
    '16 characters in all 20'
    """
    items = _items(source)
    if len(items) < _FEWEST:
        raise SpecError(None, None, "20 or more messages in one dialect", f"{len(items)}")
    learned = learned_from(items[:_MOST], name)
    keep(learned.format)
    table = LearnedTable(columns_from(learned.evidence, _COLUMNS, counts=("messages",)))
    table.held = {"learned": learned}
    return table


def _items(source: object) -> list[str | bytes]:
    if isinstance(source, str) and "\n" in source:
        return _of_text(source)
    files = expanded(source) or paths(source)
    if files is not None:
        messages: list[str | bytes] = []
        for path in files:
            with opened(path) as stream:
                messages += _of_bytes(stream.read(_LARGEST))
        return messages
    data: Any = source.read(_LARGEST) if hasattr(source, "read") else source
    if isinstance(data, str):
        return _of_text(data)
    if isinstance(data, bytes | bytearray | memoryview):
        return _of_bytes(bytes(data))
    if isinstance(source, Iterable) and not isinstance(source, dict):
        return [_item(item) for item in source]
    raise TypeError(f"messages are a list, a text, bytes or a path, not {type(source).__name__}")


def _item(item: object) -> str | bytes:
    if isinstance(item, bytes | bytearray | memoryview):
        return bytes(item)
    if isinstance(item, str):
        return str(item)
    raise TypeError(f"a message to learn from is text or bytes, not {type(item).__name__}")


def _of_bytes(data: bytes) -> list[str | bytes]:
    """The messages of a file: a capture, lines or records."""
    if data.startswith(MAGIC):
        return [*messages_of(io.BytesIO(data), "a capture")]
    if not any(byte < 32 and byte not in b"\t\r\n\x02\x03" for byte in data):
        try:
            return _of_text(data.decode())
        except UnicodeDecodeError:
            pass
    content = b"".join(unblock([data])) if is_blocked(data) else data
    length = stream_framing(content)
    if length is None:
        raise SpecError(None, None, "records behind lengths, lines, or a capture", "other bytes")
    return [record for _, record in records([content], length)]


def _of_text(text: str) -> list[str | bytes]:
    """The messages of a text: its hex dumps, or those of its lines that may contain one."""
    lines = text.splitlines()
    dumps = [dump.text for dump in dumps_apart(enumerate(lines, 1)) if len(dump.rows) > 1]
    if len(dumps) >= _FEWEST:
        return [*dumps]
    if len(likely := [line for line in lines if LIKELY.search(line)]) >= _FEWEST:
        return [*likely]
    return [line for line in lines if len(line.strip()) >= _SHORTEST]

"""What is known of how the messages of a source stand in it, before they are read."""

from __future__ import annotations

from dataclasses import dataclass

from sim.codec.wire import Format, wire_format
from sim.errors import SpecError
from sim.paste import Reading

LINES, RECORDS, CAPTURE, HEX_LINES, DUMPS, XML = "lines", "records", "capture", "hex lines", "dumps", "XML"
LISTING, TABLE = "listing", "table"
TEXT = "text"


@dataclass(frozen=True, slots=True)
class SourceWay:
    """How messages are found and written. `kind` is one of those above; `start` or `pattern` say where a
    message stands in its line; `format` how it is written, None as text; `length` the length field in
    front of a record, empty where each says itself where it ends, `blocked` whether the file is in blocks
    of 1014 bytes; `framing` what else stands around it; `interface` what a caller says that the link speaks;
    `said` one line for a person. Dumps have `shape`,
    what stands around their offsets, `spelling`, how their bytes are written, and `in_packets`, whether
    headers of the network stand in front."""

    kind: str
    start: int | None = None
    pattern: str | None = None
    format: Format | None = None
    length: str = ""
    blocked: bool = False
    framing: tuple[str, ...] = ()
    interface: str = ""
    said: str = ""
    shape: tuple[int, str] | None = None
    spelling: str = ""
    in_packets: bool = False


def writing_of(best: Reading) -> Format | None:
    """The format that a guess found; None where the message is not whole, or none. Bytes of the text form
    are ASCII."""
    if not best.complete:
        return None
    return wire_format("ascii") if best.format == TEXT else best.written


def layers_of(best: Reading) -> tuple[str, ...]:
    """The names of the framing that a guess found. Raises SpecError for one that has no name."""
    names = tuple(layer.name for layer in best.layers)
    if not all(names):
        raise SpecError(
            None, None, "framing of a known kind: name it with framing=", ", ".join(best.framing)[:80]
        )
    return names


def is_sure(best: Reading) -> bool:
    """Whether a guess is more than one, and all that stands around the message has a name."""
    return best.believed and all(layer.name for layer in best.layers)

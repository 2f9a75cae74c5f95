"""The text form <-> Message: MTI, hex bitmap, data elements after their length prefixes.

Framing only: MTI, bitmap, length prefixes, enough characters, nothing left over. `walk` and `write` define
that, element by element, and raise every located error. A bitmap that many valid messages have had gets a
generated reader, three to four times as fast: plain slices, one table lookup per prefix, one length check at
the end. It returns None if anything does not fit; `walk` then says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import Any, cast

from sim.codec import bitmap
from sim.codec.message import Message, PartialMessage
from sim.errors import BITMAP_FIELD, MTI_FIELD, BuildError, ParseError, counted, quoted
from sim.errors import size as size_of
from sim.spec import VERSIONS, ElementSpec, Spec, spec
from sim.spec.elements import table

MTI_WIDTH = 4
BITMAP_WIDTH = 16
_SHOWN = 8
# Longer tables would cost more memory than the time they save is worth.
_LONGEST_TABLE = 9999

# Converts a length prefix, in characters (hex digits if packed or binary), to a size; None if it is not one.
Sizes = Callable[[str], int | None]
Reader = Callable[[str], Message | None]


def is_digits(text: str) -> bool:
    """Whether *text* is ASCII digits only: ٣ and ３ are digits for `str.isdigit`, but not here."""
    return text.isascii() and text.isdigit()


def strip_line_ending(raw: str) -> str:
    """*raw* without one final line ending (CR, LF or CR LF); trailing blanks stay, because they are data. Our
    choice: the contract does not mention line endings."""
    return raw[:-2] if raw.endswith("\r\n") else raw[:-1] if raw.endswith(("\n", "\r")) else raw


@cache
def sizes(lengths: str, prefix: int, most: int) -> Sizes:
    """The reader of length prefixes of *prefix* bytes, encoded as *lengths*, for sizes up to *most*. It knows
    only legal ones, so it rejects `-1`, ` 5`, `٣٣` and sizes that are too large.

    >>> sizes("bcd", 1, 19)("16"), sizes("binary", 1, 19)("10"), sizes("ascii", 2, 19)("20")
    (16, 16, None)
    """
    if not prefix:
        return cast(Sizes, {}.get)
    binary = lengths in ("binary", "hex")
    width = 2 * prefix if lengths in ("binary", "bcd") else prefix
    base = 16 if binary else 10
    highest = min(most, base**width - 1)
    if highest <= _LONGEST_TABLE:
        legal = {f"{size:0{width}X}" if binary else f"{size:0{width}}": size for size in range(highest + 1)}
        return cast(Sizes, legal.get)

    def far(text: str) -> int | None:
        digits = text.isascii() and (text.isalnum() if binary else text.isdigit())
        size = int(text, base) if digits and len(text) == width else highest + 1
        return size if size <= highest else None

    return far


@lru_cache(maxsize=64)
def _steps(version: str | Spec) -> list[tuple[int, int, Sizes]]:
    """By number: the width, the digits of the length prefix (0 if fixed), and the reader of the prefix."""
    steps = [
        (element.width, element.prefix, sizes("ascii", element.prefix, element.width))
        for element in table(version).elements
    ]
    return [(0, 0, sizes("ascii", 0, 0)), *steps]


@lru_cache(maxsize=64)
def _writing(version: str | Spec) -> dict[int, Sequence[str] | dict[int, str]]:
    """By number: the length prefixes by the length of the value, empty texts if that is fixed."""
    return {item.number: _prefixes(item.prefix, item.width) for item in table(version).elements[1:]}


@cache
def _prefixes(prefix: int, width: int) -> Sequence[str] | dict[int, str]:
    """The length prefixes of an element, by the length of the value; `write` handles longer values."""
    if not prefix:
        return {width: ""}
    return tuple([f"{size:0{prefix}}" for size in range(min(width, _LONGEST_TABLE) + 1)])


def parse(raw: str, version: str | Spec = "1987") -> Message:
    """Split *raw* into MTI, bitmap and data elements.

    *version* may be the table of a dialect. Checks framing only; what values mean is for the rules.
    Raises ParseError naming field and offset, ChoiceError for an unknown version, TypeError when *raw*
    is not a str.

    >>> parse("08002020000000000000990000123456")[11]
    '123456'
    """
    reader = None
    try:
        readers = READERS[version]  # type: ignore[index]
        # No key of 16 digits announces a secondary bitmap.
        reader = readers.get(raw[4:20]) or readers.get(raw[4:36])
    except (KeyError, TypeError):
        pass  # a dialect, which has no generated readers, or not a str
    if reader is not None and (message := reader(raw)) is not None:
        return message
    if not isinstance(raw, str):
        raise TypeError(f"a message is a str, not {type(raw).__name__}")
    message = walk(raw, version)
    if reader is None and message.dialect is None:
        _count(message.version, raw[4 : 36 if bitmap.has_secondary(raw[4]) else 20])
    return message


def walk(raw: str, version: str | Spec) -> Message:
    """Read *raw* element by element. Raises ParseError at the first misfit."""
    elements = table(version)  # raises if unknown
    mti = raw[:MTI_WIDTH]
    if len(mti) < MTI_WIDTH or not is_digits(mti):
        raise _bad_mti(mti)
    bits = raw[4:20]
    secondary = bitmap.has_secondary(bits[:1])
    if secondary:
        bits = raw[4:36]
    if len(bits) < BITMAP_WIDTH * (1 + secondary) or not bitmap.HEX_DIGITS.issuperset(bits):
        raise _bad_bitmap(raw)
    # A partial message keeps its secondary bitmap even before an element above 64 is read.
    message = Message(mti, {}, elements.version, secondary, elements if elements.dialect else None)
    read_values(raw, MTI_WIDTH + len(bits), bitmap.numbers(bits), message)
    return message


def read_values(raw: str, at: int, numbers: Sequence[int], message: Message) -> None:
    """Read the elements *numbers* from character *at* to the end of *raw* into *message*, whose secondary
    bitmap, if any, is empty unless one of them is in it. Raises ParseError at the first misfit."""
    steps, size, fields = _steps(message.dialect or message.version), len(raw), message.fields
    for number in numbers:
        width, prefix, legal = steps[number]
        if prefix:
            start = at + prefix
            stated = legal(raw[at:start])
            if stated is None:
                raise _bad_prefix(raw, at, number, message)
            at, width = start, stated
        end = at + width
        if end > size:
            raise _too_short(raw, at, number, width, message)
        fields[number] = raw[at:end]
        at = end
    if at < size:
        raise ParseError(
            None, at, "the end of the message", f"{size_of(raw[at:])} more", PartialMessage.of(message), "end"
        )
    message.empty_secondary &= not numbers or numbers[-1] <= bitmap.PRIMARY_BITS


def reads(raw: str, version: str | Spec) -> bool:
    """Whether `walk` would read *raw*; builds no message and gives no reason."""
    head = announced(raw)
    return head is not None and ends(raw, *head, version)


def announced(raw: str) -> tuple[int, tuple[int, ...]] | None:
    """Where the elements of *raw* start, and those its bitmap announces; None without an MTI or a bitmap."""
    bits = raw[4:20]
    width = BITMAP_WIDTH
    if bitmap.has_secondary(bits[:1]):
        bits, width = raw[4:36], 2 * BITMAP_WIDTH
    if not is_digits(raw[:4]) or len(bits) < width or not bitmap.HEX_DIGITS.issuperset(bits):
        return None
    return MTI_WIDTH + width, bitmap.numbers(bits)


def ends(raw: str, at: int, numbers: Iterable[int], version: str | Spec) -> bool:
    """Whether the elements *numbers* fill *raw* exactly from character *at* to its end."""
    steps, size = _steps(version), len(raw)
    for number in numbers:
        width, prefix, legal = steps[number]
        if prefix:
            stated = legal(raw[at : at + prefix])
            if stated is None:
                return False
            at, width = at + prefix, stated
        at += width
        if at > size:
            return False
    return at == size


def _bad_mti(mti: str) -> ParseError:
    if len(mti) < MTI_WIDTH:
        return ParseError(MTI_FIELD, 0, "4 digits", size_of(mti), None, "mti", MTI_WIDTH)
    # Printable characters are shown; others may be packed digits.
    text = repr(mti) if mti.isprintable() else quoted(mti, mti.encode("latin-1", "replace"))
    return ParseError(MTI_FIELD, 0, "4 digits", text, None, "mti", MTI_WIDTH)


def _bad_bitmap(raw: str) -> ParseError:
    start, name = MTI_WIDTH, "primary"
    text = raw[start : start + BITMAP_WIDTH]
    if len(text) == BITMAP_WIDTH and bitmap.HEX_DIGITS.issuperset(text):
        start, name = start + BITMAP_WIDTH, "secondary"
        text = raw[start : start + BITMAP_WIDTH]
    expected = f"16 hex digits of the {name} bitmap"
    index = next((at for at, char in enumerate(text) if char not in bitmap.HEX_DIGITS), None)
    if index is None:
        return ParseError(BITMAP_FIELD, start, expected, size_of(text), None, "bitmap", BITMAP_WIDTH)
    description = f"{text[index]!r} after {index} of them"
    return ParseError(BITMAP_FIELD, start + index, expected, description, None, "bitmap", BITMAP_WIDTH)


def _bad_prefix(raw: str, at: int, number: int, partial: Message) -> ParseError:
    element = partial.spec[number]
    text = raw[at : at + element.prefix]
    expected = f"a length prefix of {element.prefix} digits, at most {element.width}"
    description = size_of(text) if len(text) < element.prefix else repr(text)
    return ParseError(number, at, expected, description, PartialMessage.of(partial), "prefix", element.prefix)


def _too_short(raw: str, at: int, number: int, width: int, partial: Message) -> ParseError:
    element, said = partial.spec[number], counted(width, "character")
    expected = element.format if element.fixed else f"{said}, as its length prefix says"
    return ParseError(number, at, expected, size_of(raw[at:]), PartialMessage.of(partial), "value", width)


def build(message: Message) -> str:
    """Write *message* as text; `build(parse(raw)) == raw` except for the bitmap, which is always upper case.

    Raises BuildError naming the element whose value does not fit.

    >>> build(Message("0800", {11: "123456", 3: "990000"}))
    '08002020000000000000990000123456'
    """
    mti, fields = message.mti, message.fields
    try:
        prefixes, numbers = _writing(message.dialect or message.version), [*fields]
        values = [prefixes[number][len(value)] + value for number, value in fields.items()]
        if numbers == sorted(numbers) and len(mti) == MTI_WIDTH and is_digits(mti):
            return "".join((mti, message.bitmap, *values))
    except (LookupError, TypeError, AttributeError):
        pass  # `write` says what does not fit
    return write(message)


def write(message: Message) -> str:
    """Write *message* element by element. Raises BuildError at the first misfit."""
    elements = message.spec
    if not (isinstance(message.mti, str) and len(message.mti) == MTI_WIDTH and is_digits(message.mti)):
        raise BuildError(MTI_FIELD, None, "4 digits", repr(message.mti)[:_SHOWN])
    for number in message.fields:
        if isinstance(number, bool) or not isinstance(number, int) or not 2 <= number <= bitmap.ALL_BITS:
            raise BuildError(None, None, "data element numbers 2 to 128", repr(number)[:_SHOWN])
    values = [_written(elements[number], value) for number, value in sorted(message.fields.items())]
    return "".join((message.mti, message.bitmap, *values))


def _written(element: ElementSpec, value: str) -> str:
    if not isinstance(value, str):
        raise BuildError(element.number, None, f"{element.format} as str", type(value).__name__)
    size = len(value)
    if size > element.width or (element.fixed and size < element.width):
        raise BuildError(element.number, None, element.format, size_of(value))
    return value if element.fixed else f"{size:0{element.prefix}}{value}"


def misfits(message: Message) -> tuple[BuildError, ...]:
    """One error for each element of *message* that the text form cannot carry; empty if it can be written.

    >>> [str(one) for one in misfits(Message("0200", {12: "260903123045", 49: "840"}))]
    ['DE 12: expected n 6, found 12 characters']
    """
    errors = []
    for number, value in message.fields.items():
        try:
            write(Message(message.mti, {number: value}, message.version, False, message.dialect))
        except BuildError as error:
            errors.append(error)
            if error.field != number:
                break  # the MTI is wrong, or there is no such element
    return tuple(errors)


def spans(message: Message) -> dict[int, tuple[int, int, int]]:
    """The positions in `build(message)`, in characters: number -> (start of the length prefix or value,
    start of the value, end). 0 is the MTI, 1 the bitmap."""
    elements = message.spec.elements
    end = MTI_WIDTH + (2 if message.has_secondary else 1) * BITMAP_WIDTH
    places = {0: (0, 0, MTI_WIDTH), 1: (MTI_WIDTH, MTI_WIDTH, end)}
    for number, value in sorted(message.fields.items()):
        start = end
        first = start + elements[number - 1].prefix
        end = first + len(value)
        places[number] = (start, first, end)
    return places


# Version -> bitmap in the text form (16 hex digits, or 32 if bit 1 is set) -> reader. Compiling one costs as
# much as walking some thirty messages, so a bitmap has to occur more often than that first. A full cache is
# cleared: messages with ever new bitmaps cost no more than walking them.
READERS: dict[str, dict[str, Reader]] = {version: {} for version in VERSIONS}
_COMINGS: dict[tuple[str, str], int] = {}
MOST = 1024
EARNED = 40


def _count(version: str, bits: str) -> None:
    """Count a walked message with bitmap *bits*; compile a reader if it has occurred often enough."""
    readers = READERS[version]
    count = _COMINGS.get((version, bits), 0) + 1
    if count >= EARNED:
        if len(readers) >= MOST:
            readers.clear()
        readers[bits] = compiled(version, bits)
        count = 0
    if len(_COMINGS) >= MOST:
        _COMINGS.clear()
    _COMINGS[version, bits] = count


def compiled(version: str, bits: str) -> Reader:
    """The reader of *version* messages with bitmap *bits*, 16 or 32 hex digits. Its source, kept as `source`,
    contains only numbers and widths from the element tables."""
    elements = [spec(version)[number] for number in bitmap.numbers(bits)]
    empty = len(bits) > BITMAP_WIDTH and not any(item.number > bitmap.PRIMARY_BITS for item in elements)
    names: dict[str, Any] = {"Message": Message}
    lines = ["    if not (mti := raw[:4]).isascii() or not mti.isdigit():", "        return None"]
    lines.append(f"    r0 = raw[{MTI_WIDTH + len(bits)}:]")
    values, ended, at = [], [str(MTI_WIDTH + len(bits))], 0
    for element in elements:
        rest, step = f"r{len(ended) - 1}", len(ended)
        if element.fixed:
            values.append(f"{element.number}: {rest}[{_slice(at, at + element.width, names)}]")
            at += element.width
            continue
        legal, start = f"L{element.prefix}_{element.width}", at + element.prefix
        names[legal] = sizes("ascii", element.prefix, element.width)
        lines += [f"    n = {legal}({rest}[{_slice(at, start, names)}])", "    if n is None:"]
        lines += ["        return None", f"    e{step} = {start} + n", f"    r{step} = {rest}[e{step}:]"]
        values.append(f"{element.number}: {rest}[{start}:e{step}]")
        ended.append(f"e{step}")
        at = 0
    lines += [f"    if len(raw) != {' + '.join([*ended, str(at)])}:", "        return None"]
    lines.append(f"    return Message(mti, {{{', '.join(values)}}}, {version!r}, {empty})")
    # Slices are default arguments: created once, and as fast as local variables.
    head = ", ".join(["raw", *(f"{name}={name}" for name in names if name[0] == "s")])
    source = "\n".join([f"def read({head}):", *lines]) + "\n"
    exec(compile(source, f"<sim.codec.text {bits}>", "exec"), names)  # noqa: S102
    reader: Any = names["read"]
    reader.source = source
    return cast(Reader, reader)


def _slice(start: int, stop: int, names: dict[str, Any]) -> str:
    name = f"s{start}_{stop}"
    names[name] = slice(start, stop)
    return name

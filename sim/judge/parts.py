"""The parts of a message that rules name in their signatures: elements, what is inside them, chip data tags,
and what may be cached of the card.

    @rule("service-code-use", classes="12", functions="0")
    def service_code_use(code: str = DE[3], stripe: Stripe = DE[35].stripe) -> Hit | None: ...

A rule gets these parts and can read nothing else. It runs if all of them are present, except `Maybe`: that is
an empty text if the element is missing.

The results of rules are cached by the values of their parts (`key`), and the cache must never contain a card
number. So the key is the element itself only if it is too short for one, else its hash. Elements that differ
in nearly every message are no keys at all: their rules run every time. What recurs inside of them is a key of
its own: a track as its lengths, expiry and service code, the card as prefix, length and whether its check
digit is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache, reduce
from operator import itemgetter, or_
from typing import Any, NamedTuple

from sim.codec.bitmap import ALL_BITS, PRIMARY_BITS
from sim.elements import money, pos
from sim.elements.card import expiry_place, pan_of_track_1, read_track_2
from sim.elements.money import read_additional_amounts
from sim.elements.mti import read_original
from sim.masking.search import SHORTEST_PAN
from sim.parts import chip_data
from sim.parts.chip_data import ChipData
from sim.spec import Spec, emv
from sim.spec.elements import codes_of
from sim.spec.networks import Detection, detect, luhn_ok

# Elements and tags that differ in nearly every message.
_NEW = frozenset((*(2, 4, 5, 6, 7, 8, 11, 12), *range(28, 32), *range(34, 39), *(45, 52, 54, 55, 56, 64)))
_NEW |= {90, 95, 96, 97, 102, 103, 128}
_NEW_TAGS = frozenset(("57", "5A", "71", "72", "91", "9F02", "9F10", "9F21", "9F26", "9F36", "9F37", "9F41"))
_CHIP = 55
_IIN_DIGITS = 6
_HEAD = 12

# Bits besides those of elements: whether the message has any, whether its secondary bitmap is empty, whether
# it has one, and whether its chip data are more than plain tags. The bits of tags follow.
ANY, EMPTY_SECONDARY, SECONDARY, ODD = 0, 1, ALL_BITS + 1, ALL_BITS + 2
_FIRST_TAG = ALL_BITS + 3
_TAG_BITS: dict[str, int] = {}


def mask_of(numbers: Iterable[int]) -> int:
    """Element numbers as bits.

    >>> mask_of((2, 3))
    12
    """
    # Without a loop in Python, because every message needs it.
    return reduce(or_, map((1).__lshift__, numbers), 0)


def presence(numbers: Iterable[int], tags: Iterable[str] = (), *, empty_secondary: bool = False) -> int:
    """The bits of the elements and tags that are present."""
    mask = mask_of(numbers)
    if mask:
        mask |= 1 << ANY
    if empty_secondary:
        mask |= 1 << EMPTY_SECONDARY
    if empty_secondary or mask >> PRIMARY_BITS + 1:
        mask |= 1 << SECONDARY
    return mask | mask_of(_TAG_BITS[tag] for tag in tags if tag in _TAG_BITS)


class Values(dict[Any, Any]):
    """A message as rules see it: elements by number, tags by name, other parts by themselves, each computed
    on first use. Missing ones are empty texts. `mti` and `table` are those of its type."""

    __slots__ = ("mti", "table")
    mti: str
    table: Spec

    def __missing__(self, part: object) -> Any:
        if isinstance(part, Part):
            value = self[part] = part.read(self)
            return value
        return ""


class Part:
    """Something that a rule may name. `name` is its key in `Values`; `needs` and `looks` are the bits of what
    must be present and of what it depends on; `sources` are the elements whose values it reads (none for the
    card); `key` are the names of what results are cached by, None if they are not."""

    __slots__ = ("hashed", "inside", "key", "label", "looks", "name", "needs", "read", "sources")

    def __init__(
        self,
        label: str,
        read: Callable[[Values], Any] | None = None,
        *,
        needs: int = 0,
        looks: int = 0,
        sources: Iterable[int] = (),
        key: tuple[Any, ...] | None = (),
        name: int | str | Part | None = None,
        inside: str = "",
    ) -> None:
        self.label, self.needs, self.looks, self.key = label, needs, looks | needs, key
        self.inside = inside
        self.sources = frozenset(sources)
        self.hashed = False
        self.name: Any = self if name is None else name
        self.read: Callable[[Values], Any] = read or (lambda values: values[self.name])

    def __repr__(self) -> str:
        return self.label

    def by_itself(self) -> Part:
        """The same part, cached by its own value."""
        self.key = (self.name,)
        return self


class Constant:
    """A value that is constant for a type of message, or where a rule is bound."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


# The MTI of the message and its element table; for a rule bound to several elements, the element's number.
MTI: Any = Constant("mti")
TABLE: Any = Constant("table")
NUMBER: Any = Constant("number")


class Stripe(NamedTuple):
    """Track 2 without the card number: the length of that, and the position of the expiry, None if unknown
    because of a country code before it. A `pan_size` of 0 means not track 2, but `size` characters."""

    pan_size: int
    expiry_at: int | None
    expiry: str
    service: str
    size: int


_owner_of = lru_cache(maxsize=4096)(detect)  # of prefixes, which recur; card numbers are never cached


class Card(NamedTuple):
    """The card: the element with its number (0: none), its prefix and length, whether it is digits, and
    whether its check digit is right."""

    field: int
    prefix: str
    size: int
    digits: bool
    right: bool

    @property
    def owner(self) -> Detection | None:
        """The network and brand of the card; None for an unknown prefix."""
        return _owner_of(self.prefix)

    @property
    def network(self) -> str | None:
        """The card's network, if it is one of ours."""
        return owner.network if (owner := self.owner) else None


class TagHead(NamedTuple):
    """A tag without its value."""

    tag: str
    depth: int
    value_start: int
    end: int
    constructed: bool


# Reads what is inside an element, from its value and the element table.
_Reader = Callable[[str, Spec], Any]


def _stripe(value: str, table: Spec) -> Stripe:
    track = read_track_2(value)
    if track is None:
        return Stripe(0, None, "", "", len(value))
    return Stripe(len(track.pan), expiry_place(track.pan), track.expiry, track.service, 0)


def amount_in(value: str, table: Spec, number: int = 4) -> int | None:
    """An amount in minor units; None if it is missing or not digits."""
    inside = None if table.version == "1987" else money.composite(table.version, number)
    digits = value[inside[1]] if inside else value
    return int(digits) if digits.isascii() and digits.isdigit() else None


def _moves(value: str, table: Spec) -> bool | None:
    amount = amount_in(value, table)
    return None if amount is None else amount > 0


class Misfit(NamedTuple):
    """A framing error in chip data: it extends to the `end` of a template, None to the end of all."""

    expected: str
    found: str
    at: int
    tag: str
    end: int | None


def _misfits(value: str, table: Spec) -> tuple[Misfit, ...]:
    chip = chip_data.read(value)
    if error := chip.error:
        return (Misfit(error.expected, error.found, error.offset or 0, error.tag, None),)
    faults = ((tag.fault, tag.end) for tag in chip.tags if tag.fault)
    return tuple(
        Misfit(fault.expected, fault.found, fault.offset or 0, fault.tag, end) for fault, end in faults
    )


def _heads(value: str, table: Spec) -> tuple[TagHead, ...]:
    return tuple(
        TagHead(tag.tag, tag.depth, tag.value_start, tag.end, tag.constructed) for tag in readable(value).tags
    )


_UNREAD = ChipData("tags")


def readable(value: str) -> ChipData:
    """Parsed chip data, empty if they cannot be read."""
    chip = chip_data.read(value)
    return _UNREAD if chip.error else chip


# Needed only if chip data are not plain tags, in which nothing can be wrong.
_OF_ODD = ("misfits", "layout", "tagged")
# Readers of what is inside elements, and whether their results recur even if the elements do not.
_READERS: Mapping[str, tuple[_Reader, bool]] = {
    "entry": (lambda value, table: pos.kind_of(value, table.version, None), True),
    "stripe": (_stripe, True),
    "amount": (amount_in, False),
    "moves": (_moves, True),
    "original": (lambda value, table: read_original(value, table.version), False),
    "groups": (lambda value, table: read_additional_amounts(value, table.version), False),
    "misfits": (_misfits, False),
    "heads": (_heads, True),
    "layout": (lambda value, table: chip_data.read(value).layout, True),
    "size": (lambda value, table: len(value), True),
    "numbered": (lambda value, table: len(value) >= SHORTEST_PAN and luhn_ok(value), True),
}
# The value itself, for rules that look only at its length and character classes, at what is wrong with a
# date, or at the positions of tags but not their values. For tables of messages, one of several equivalent
# values is checked (`tables.columns.check`).
_AS_IT_IS = ("characters", "moment", "tagged")


def _service(number: int) -> Callable[[Values], str]:
    stripe: Part = DE[number].stripe
    return lambda values: values[stripe].service if values[number] else ""


# Short texts for conditions in the networks' rows, in place of values that differ in every message: whether
# the element is present, its day (MMDD), the service code of a track, and whether chip data have a card
# number or a track.
_TEXTS: Mapping[str, Callable[[int], Callable[[Values], str]]] = {
    "there": lambda number: lambda values: "there" if values[number] else "",
    "day": lambda number: lambda values: values[number][:4],
    "service": _service,
    "account": lambda number: (
        lambda values: "there" if values[number] and (values["5A"] or values["57"]) else ""
    ),
}


class ElementPart(Part):
    """The value of an element. What is inside it is an attribute: `DE[22].entry`."""

    __slots__ = ("_inside", "_number")

    def __init__(self, number: int, *, needed: bool) -> None:
        bit = 1 << number
        super().__init__(
            f"DE[{number}]" if needed else f"Maybe[{number}]",
            needs=bit if needed else 0,
            looks=bit,
            sources=(number,),
            key=None if number in _NEW else (number,),
            name=number,
        )
        self._number = number
        self._inside: dict[str, Part] = {}

    def __getattr__(self, name: str) -> Part:
        if name.startswith("_") or not (name in _READERS or name in _AS_IT_IS or name in _TEXTS):
            raise AttributeError(name)
        if name not in self._inside:
            self._inside[name] = self._make_part(name)
        return self._inside[name]

    def _make_part(self, name: str) -> Part:
        number, label = self._number, f"{self.label}.{name}"
        # What is inside an optional element is read once for rules that require the element, too.
        own = None if self.needs else getattr(DE[number], name)
        if name in _TEXTS:
            return Part(label, _TEXTS[name](number), looks=self.looks, name=own).by_itself()
        needs = self.needs | (1 << ODD if name in _OF_ODD else 0)
        at: dict[str, Any] = {"needs": needs, "looks": self.looks, "sources": self.sources, "inside": name}
        if name in _AS_IT_IS:
            return Part(label, name=number, key=self.key, **at)
        reader, again = _READERS[name]
        part = Part(label, lambda values: reader(values[number], values.table), name=own, key=self.key, **at)
        if self.key is None and again:
            part.key = (SHAPE,) if name == "heads" else (part.name,)
        return part


# Which tags chip data have, and where. Kinds of messages already differ by it, so cache keys need not.
SHAPE = Part("shape", looks=1 << _CHIP)


_DATASET = "01"  # may start a dataset, depending on what follows


class Shape:
    """The tags in chip data, by their bits, and the start of the first value of each name. Chip data are
    `plain` if they are a sequence of tags, none nested and none repeated: others with the same tags and
    lengths are then split at the same positions."""

    __slots__ = ("_cut", "_heads", "_names", "bits", "places", "plain", "repeats", "starts")

    def __init__(self, chip: ChipData, text: str) -> None:
        self.places, self._names = chip.places, tuple(tag.tag for tag in chip.tags)
        self.starts = {name: tag.value_start for name, tag in chip.firsts.items()}
        self.repeats = len(self.starts) < len(self._names)
        ends = [0, *(tag.end for tag in chip.tags)]
        whole = bool(chip.tags) and ends[-1] == len(text) and text[:2] != _DATASET
        in_turn = (
            tag.start == end and not tag.constructed for tag, end in zip(chip.tags, ends, strict=False)
        )
        self.plain = whole and not self.repeats and all(in_turn)
        self.bits = tuple(_TAG_BITS[name] for name in self.starts if name in _TAG_BITS)
        if not self.plain:
            self.bits += (ODD,)
            return
        heads = [slice(tag.start, tag.value_start) for tag in chip.tags]
        values = [slice(tag.value_start, tag.end) for tag in chip.tags]
        self._cut: Callable[[str], tuple[str, ...]] = itemgetter(*heads, *values)
        self._heads = self._cut(text.upper())[: len(heads)]

    def cut(self, text: str) -> Iterable[tuple[str, str]] | None:
        """The tags of *text*, of the same length, with their values; None if it has another shape."""
        digits, count = text.upper(), len(self._names)
        pieces = self._cut(digits)
        if pieces[:count] != self._heads or not _is_hex(digits):
            return None
        return zip(self._names, pieces[count:], strict=True)


def _is_hex(text: str) -> bool:
    try:
        return 2 * len(bytes.fromhex(text)) == len(text)
    except ValueError:
        return False


@cache
def _hash_of(number: int) -> Part:
    at: dict[str, Any] = {"looks": 1 << number, "sources": (number,)}
    part = Part(f"hash of DE {number}", lambda values: hash(values[number]), **at).by_itself()
    part.hashed = True
    return part


def kept_by(name: Any, table: Spec) -> Any:
    """The cache key, in messages of *table*, of a part cached by *name*: the hash of an element that could
    contain a card number."""
    if not isinstance(name, int):
        return name
    short = name in codes_of(table.version) or table[name].width < SHORTEST_PAN
    return name if short else _hash_of(name)


class _Made(dict[Any, Any]):
    """Parts by number or name, each created on first use."""

    def __init__(self, make: Callable[[Any], Part]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, name: Any) -> Part:
        part = self[name] = self._make(name)
        return part


class TagPart(Part):
    """The value of a tag. `head` is its first twelve digits, with zeros for the rest, where cards have
    counters."""

    __slots__ = ("head",)

    def __init__(self, tag: str, *, needed: bool) -> None:
        bit = 1 << _TAG_BITS.setdefault(tag, _FIRST_TAG + len(_TAG_BITS))
        needs = bit | 1 << _CHIP if needed else 0
        label = f"Tag[{tag}]" if needed else f"MaybeTag[{tag}]"
        at: dict[str, Any] = {"needs": needs, "looks": bit, "sources": (_CHIP,)}
        super().__init__(label, key=None if tag in _NEW_TAGS else (tag,), name=tag, **at)
        head = Part(f"{label}.head", lambda values: values[tag][:_HEAD].ljust(len(values[tag]), "0"), **at)
        self.head = head.by_itself()


# A required element; an optional one; whether one is present; the same of chip data tags (hex), the first of
# each name.
DE = _Made(lambda number: ElementPart(number, needed=True))
Maybe = _Made(lambda number: ElementPart(number, needed=False))
Present = _Made(lambda number: Part(f"Present[{number}]", lambda values: number in values, looks=1 << number))
Tag = _Made(lambda tag: TagPart(tag, needed=True))
MaybeTag = _Made(lambda tag: TagPart(tag, needed=False))


def maybe(path: str) -> Part:
    """The part at *path*, if it is there: an element, what is inside it (`35.service`), or a tag
    (`55.9F35`)."""
    number, _, inside = path.partition(".")
    of_tag = inside[:1].isdecimal()
    part: Part = MaybeTag[inside] if of_tag else Maybe[int(number)]
    return part if of_tag or not inside else getattr(part, inside)


class Value:
    """The element that a rule for several elements is bound to, and what is inside it."""

    def __init__(self, path: str = "") -> None:
        self.path = path

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return Value(name)

    def of(self, number: int) -> Part:
        """The part of element *number*."""
        part: Part = getattr(DE[number], self.path) if self.path else DE[number]
        return part


VALUE: Any = Value()


class _TagValue:
    """The tag that a rule for several tags is bound to."""


TAG_VALUE: Any = _TagValue()
TAG: Any = Constant("tag")

CARDS = frozenset((2, 35, 45))  # the elements that have the card number
_NETWORK_MANAGEMENT = "8"  # a class without cards


def _account(values: Values) -> tuple[int, str]:
    """The element with the card number, and the number: as `sim.elements.card.account`."""
    if values.mti[1:2] == _NETWORK_MANAGEMENT:
        return 0, ""
    if pan := values[2]:
        return 2, pan
    if (track := values[35]) and (read := read_track_2(track)):
        return 35, read.pan
    if (track := values[45]) and (pan := pan_of_track_1(track)):
        return 45, pan
    return 0, ""


def _card(values: Values) -> Card:
    field, pan = values[ACCOUNT]
    digits = pan.isascii() and pan.isdigit()
    details = field, pan[:_IIN_DIGITS], len(pan), digits, digits and luhn_ok(pan)
    return tuple.__new__(Card, details)


# The card number, which is never cached, and the card.
ACCOUNT: Any = Part("ACCOUNT", _account, looks=mask_of(CARDS), sources=CARDS, key=None)
CARD: Any = Part("CARD", _card, looks=mask_of(CARDS)).by_itself()


def _currency(values: Values) -> str:
    inside = money.composite(values.table.version, 4)
    return str(values[4][inside[0]] if inside else values[49])


# The currency of the amount: DE 49, since 2003 a part of DE 4; empty if there is none.
CURRENCY: Any = Part("CURRENCY", _currency, looks=mask_of((4, 49)), sources=(4, 49)).by_itself()


def _application(values: Values) -> str:
    aid = values["84"] or values["9F06"] or values["4F"]
    return emv.owner(aid) or values[CARD].network or ""


# The network of the application in the chip data, else the card's; empty if neither is known.
_NAMED = Tag["84"].looks | Tag["9F06"].looks | Tag["4F"].looks
APPLICATION: Any = Part("APPLICATION", _application, looks=CARD.looks | _NAMED, sources=(55,)).by_itself()

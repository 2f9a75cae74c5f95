"""DE 55 taken apart: tags, a dataset around them, or a network's fixed layout.

The layout alone; what tags mean is `sim.elements.emv`, and `sim.masking` hides by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sim.elements import tlv

# One network announces its fixed layout by its name in EBCDIC, then a version of four digits.
_AGNS = "C1C7D5E2"
_DATASET = "01"
_DATASET_HEAD = 6
# All who ask about a message ask one after the other; its card data is kept no longer than that.
_CACHE_SIZE = 2


@dataclass(slots=True, eq=False, repr=False)
class ChipData:
    """DE 55 taken apart. `layout` is `tags`, `dataset` (tags behind an id 01 and a length of two bytes)
    or `AGNS` (a network's fixed layout, left unread). `tags` holds every tag, a template before what is in
    it; offsets count from the start of the element. With an `error` they are those read before it."""

    layout: str
    tags: tuple[tlv.Tag, ...]
    error: tlv.TlvError | None = None
    _firsts: dict[str, tlv.Tag] | None = None
    _values: dict[str, str] | None = None

    @property
    def values(self) -> dict[str, str]:
        """The value of the first tag of each name."""
        if self._values is None:
            self._values = {tag.tag: tag.value for tag in reversed(self.tags)}
        return self._values

    @property
    def firsts(self) -> dict[str, tlv.Tag]:
        """The first tag of each name, at any depth."""
        if self._firsts is None:
            self._firsts = {tag.tag: tag for tag in reversed(self.tags)}
        return self._firsts

    def __contains__(self, tag: object) -> bool:
        return tag in self.values

    def first(self, tag: str) -> tlv.Tag:
        """The first tag of this name. Raises KeyError when there is none."""
        return self.firsts[tag]

    def value(self, tag: str) -> str:
        """The value of the first such tag, empty when there is none."""
        return self.values.get(tag, "")


@lru_cache(maxsize=_CACHE_SIZE)
def read(text: str) -> ChipData:
    """Take DE 55 apart; never raises: what is wrong is the `error`.

    >>> [tag.tag for tag in read("9F2701809C0100").tags]
    ['9F27', '9C']
    """
    if text[: len(_AGNS)].upper() == _AGNS:
        return ChipData("AGNS", ())
    wrapped = text[:2] == _DATASET and len(text) > _DATASET_HEAD
    if wrapped and text[2:_DATASET_HEAD].upper() == f"{(len(text) - _DATASET_HEAD) // 2:04X}":
        return _read(text, "dataset", _DATASET_HEAD)
    plain = _read(text, "tags", 0)
    if wrapped and plain.error and text[2:4] == "00":
        return _dataset_error(text, plain.error)
    return plain


def _read(text: str, layout: str, start: int) -> ChipData:
    try:
        return _chip(layout, tlv.read(text, strict=False, start=start))
    except tlv.TlvError as error:
        return _chip(layout, error.partial, error)


def _chip(layout: str, top: tuple[tlv.Tag, ...], error: tlv.TlvError | None = None) -> ChipData:
    tags = tuple(tlv.walk(top)) if any(tag.children for tag in top) else top
    return ChipData(layout, tags, error)


def _dataset_error(text: str, plain: tlv.TlvError) -> ChipData:
    """No tag is 01, so this is a dataset; its length is wrong, or a tag inside is cut short."""
    inside = _read(text, "dataset", _DATASET_HEAD)
    if inside.error is None and len(text) % 2 == 0:
        size = int(text[2:_DATASET_HEAD], 16)
        said = f"{size} byte{'' if size == 1 else 's'} in dataset 01, as its length says"
        error = tlv.TlvError(2, said, f"{(len(text) - _DATASET_HEAD) // 2}")
        return ChipData("dataset", inside.tags, error)
    return ChipData("dataset", inside.tags, inside.error or plain)

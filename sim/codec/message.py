"""The message: an MTI and its data elements, nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Self

from sim.codec import bitmap
from sim.masking import Stretch, mask_cells
from sim.spec import Spec, spec

MTI = re.compile(r"[0-9]{4}")


def is_mti(text: str) -> bool:
    """Whether *text* is a possible MTI: four digits with a known version and message class.

    >>> is_mti("0200"), is_mti("2024"), is_mti("0013")
    (True, False, False)
    """
    return MTI.fullmatch(text) is not None and text[0] in "0129" and text[1] in "12345678"


@dataclass(slots=True)
class Message:
    """One ISO 8583 message.

    `fields` maps data element numbers (2 to 128) to values in the text form: binary elements as hex digits,
    with blanks, zeros and letter case unchanged. `empty_secondary` records a secondary bitmap that was sent
    without any element in it. `dialect` is the element table of a format or an interface that differs from
    the version's; `spec` is the table that applies. Messages with the same elements are equal, whatever
    their interface. Edit a copy: `message.replace(...)`. The repr masks card data.
    """

    mti: str
    fields: dict[int, str] = field(default_factory=dict)
    version: str = "1987"
    empty_secondary: bool = False
    dialect: Spec | None = field(default=None, compare=False)

    @property
    def spec(self) -> Spec:
        """The element table of the message: its dialect's, or its version's."""
        return self.dialect or spec(self.version)

    def __getitem__(self, number: int) -> str:
        return self.fields[number]

    def __contains__(self, number: object) -> bool:
        return number in self.fields

    def get(self, number: int, default: str = "") -> str:
        """The value of a data element, or *default*."""
        return self.fields.get(number, default)

    @property
    def has_secondary(self) -> bool:
        """Whether the message has a secondary bitmap: it has an element above 64, or an empty secondary
        bitmap."""
        return self.empty_secondary or (bool(self.fields) and max(self.fields) > bitmap.PRIMARY_BITS)

    @property
    def bitmap(self) -> str:
        """The bitmap as 16 or 32 upper-case hex digits."""
        return bitmap.to_hex(self.fields, secondary=self.empty_secondary)

    def replace(self, *, mti: str | None = None, **values: str | None) -> Message:
        """A copy with another MTI or other elements: `message.replace(de39="05", de38=None)`;
        None removes one. Raises TypeError for a name that is not `de` and a number."""
        fields = dict(self.fields)
        for name, value in values.items():
            if not (name[:2] == "de" and name[2:].isdecimal()):
                raise TypeError(f"replace() takes mti and de2 to de128, not {name!r}")
            if value is None:
                fields.pop(int(name[2:]), None)
            else:
                fields[int(name[2:])] = value
        return replace(self, mti=self.mti if mti is None else mti, fields=dict(sorted(fields.items())))

    def masked(self) -> dict[int, str]:
        """The elements as they may be shown, logged or sent on."""
        return self._masked(cut=False)

    def _masked(self, *, cut: bool) -> dict[int, str]:
        cells = [Stretch(0, "", str(self.mti)), Stretch(1, "", "0" * len(self.bitmap))]
        cells += [_cell(number, str(value), self.spec) for number, value in sorted(self.fields.items())]
        texts = mask_cells(cells, self.version, broken=cut, cut=cut)
        return dict(zip(sorted(self.fields), texts[2:], strict=True))

    def __repr__(self) -> str:
        extra = ", empty_secondary=True" if self.empty_secondary else ""
        extra += f", dialect={self.dialect.dialect!r}" if self.dialect else ""
        return f"Message(mti={self.mti!r}, fields={self.masked()!r}, version={self.version!r}{extra})"


class PartialMessage(Message):
    """The part of a message read before the error. Its last value may be a fragment of something else, so its
    repr also masks what may be a fragment of a card number."""

    __slots__ = ()

    @classmethod
    def of(cls, read: Message) -> Self:
        """What was *read*."""
        return cls(read.mti, read.fields, read.version, read.empty_secondary, read.dialect)

    def masked(self) -> dict[int, str]:
        """The elements in a form that is safe to show, log or forward."""
        return self._masked(cut=True)


def _cell(number: int, value: str, elements: Spec) -> Stretch:
    """An element as masking takes it, after its length prefix as in the text form."""
    width = elements[number].prefix
    return Stretch(number, f"{len(value):0{width}}" if width else "", value)

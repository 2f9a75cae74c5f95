"""The message: an MTI and its data elements, nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sim.codec import bitmap
from sim.masking import mask
from sim.spec import Spec, spec


@dataclass(slots=True)
class Message:
    """One ISO 8583 message.

    `fields` maps data element numbers (2 to 128) to values in the text form: binary elements
    as hex digits, blanks, zeros and letter case as they stood. `empty_secondary` remembers a
    secondary bitmap that was sent without any element in it. `dialect` is the element table of who has
    it otherwise than the version; `spec` is the table that holds. Edit a copy: `message.replace(...)`.
    The repr hides card data.
    """

    mti: str
    fields: dict[int, str] = field(default_factory=dict)
    version: str = "1987"
    empty_secondary: bool = False
    dialect: Spec | None = None

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
        """Whether the message has a secondary bitmap: an element above 64, or an empty one kept."""
        return self.empty_secondary or any(number > bitmap.PRIMARY_BITS for number in self.fields)

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
        pan = self.get(2)
        return {
            number: mask(number, value, self.version, pan) for number, value in sorted(self.fields.items())
        }

    def __repr__(self) -> str:
        extra = ", empty_secondary=True" if self.empty_secondary else ""
        extra += f", dialect={self.dialect.dialect!r}" if self.dialect else ""
        return f"Message(mti={self.mti!r}, fields={self.masked()!r}, version={self.version!r}{extra})"

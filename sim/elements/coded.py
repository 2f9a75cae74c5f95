"""Whether a part of an element has a value that is known, by what its layout row names."""

from __future__ import annotations

from collections.abc import Callable

from sim.spec import Code, country, currency, lookup, lookup_anywhere, merchant_category, region
from sim.spec.layouts import Cell

# What is no code: words, ids, amounts, dates. The rules of the element judge those.
_NO_CODES = frozenset(("", "text", "id", "date", "amount", "flags", "minor_unit", "mti", "ebcdic", "bits"))
_REGISTRIES: dict[str, Callable[[str], object]] = {
    "country": country,
    "currency": currency,
    "mcc": merchant_category,
    "region": region,
}
# Lists in which no two networks give one code two meanings.
_SHARED = frozenset(("pos_entry_mode",))
# A text is filled up behind its end: none that reaches its last place has a gap in it.
_GAP = "  "
_DIGITS = frozenset(f"{byte:02X}" for byte in range(0x30, 0x3A))


def known(cell: Cell, value: str, version: str, network: str = "") -> bool:
    """Whether *value* is one that the codes of *cell* have, or no code at all."""
    kind = cell.codes
    if kind == "text" and cell.must:
        return not (value[-1:].strip() and _GAP in value.strip())
    if kind in _NO_CODES:
        return True
    if kind in _REGISTRIES:
        return bool(_REGISTRIES[kind](value.strip()))
    if kind == "is":
        return value in cell.argument.split(" ")
    if kind == "blank":
        return not value.strip()
    if kind == "digits":
        return all(value[at : at + 2] in _DIGITS for at in range(0, len(value), 2))
    return code_of(cell, value, version, network) is not None


def code_of(cell: Cell, value: str, version: str, network: str) -> Code | None:
    """The row of the code list that *cell* names, None where it has none."""
    if cell.codes == "sub_field":
        return cell.values.get(value) or cell.values.get(value.strip())
    found = lookup(cell.codes, value, version=version, network=network or None, position=cell.argument)
    return found or (lookup_anywhere(cell.codes, value, version=version) if cell.codes in _SHARED else None)

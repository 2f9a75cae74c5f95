"""Point of service: DE 22 in its three forms (n 3, an 12, b 16), as codes and in words; the location in DE
43.

Its subfields and their code lists are layout rows; `roles.csv` says which subfield gives the card entry.
"""

from __future__ import annotations

from sim.codec import Message
from sim.parts.layout import code_of, fitting, flags, place
from sim.spec import Code, country, lookup, region, role
from sim.spec.layouts import layouts

_NUMBER, _LOCATION = 22, 43
_FLAGS = "flags"
_NOT_PRESENT, _REMOTE = "not present", "remote"
# If several bits are set, the card entry is the first of these kinds.
_READ = ("chip", "contactless", "magnetic stripe", "bar code", "manual", "credential on file")


def _codes(value: str, version: str, job: str, network: str | None = None) -> list[Code]:
    """The known codes in the subfield for *job* of *value* (DE 22): one, or one for each bit set."""
    part = role(job, version)
    if part is None or not value:
        return []
    cell = layouts(version, _NUMBER)[0].cell.by_key[part.part]
    text = value[place(version, _NUMBER, part.part)]
    name, _, position = cell.argument.partition(" ")
    if cell.codes != _FLAGS:
        codes = [code_of(cell, text, version, network or "")]
    else:
        codes = [lookup(name, str(bit), version=version, position=position) for bit in flags(text)]
    return [code for code in codes if code]


def mode_of(value: str, version: str, network: str | None = None) -> str:
    """The card entry for a *value* of DE 22 in words, by the codes of *network* if it has its own; empty if
    DE 22 does not give it.

    >>> mode_of("051", "1987")
    'chip'
    """
    return ", ".join(code.meaning for code in _codes(value, version, "entry", network))


def added_meaning(message: Message, job: str, network: str | None) -> str:
    """The meaning of a code that *network* has added to the standard's list, in the subfield of DE 22 for
    *job*; empty for a code of the standard or an unknown one.

    >>> added_meaning(Message("1100", {22: "600101S00140"}, "1993"), "entry", "AMEX")
    'keyed with 4-digit code'
    """
    value, version, part = message.get(_NUMBER), message.version, role(job, message.version)
    if part is None or not network or _codes(value, version, job, network):
        return ""
    cell = layouts(version, _NUMBER, network)[0].cell.by_key.get(part.part)
    if cell is None or cell.codes == _FLAGS:
        return ""
    code = code_of(cell, value[place(version, _NUMBER, part.part)], version, network)
    return code.meaning if code else ""


def kind_of(value: str, version: str, network: str | None = None) -> str:
    """The kind of card entry for a *value* of DE 22, in the code lists or in those of *network* if it has its
    own: `chip`, `contactless`, `magnetic stripe`, `manual` ...; empty if unknown."""
    kinds = [code.kind for code in _codes(value, version, "entry", network)]
    return next((kind for kind in _READ if kind in kinds), kinds[0] if len(kinds) == 1 else "")


def authentication(message: Message, network: str | None = None) -> str:
    """How the cardholder was verified, as far as DE 22 says, including codes that *network* has added;
    otherwise empty."""
    codes = _codes(message.get(_NUMBER), message.version, "authentication")
    words = ", ".join(code.meaning for code in codes)
    return words or added_meaning(message, "authentication", network)


def absence(message: Message, network: str | None = None) -> str:
    """That the cardholder was not present, and how the order was placed, if DE 22 says so; otherwise empty.

    >>> absence(Message("1100", {22: "600150600140"}, "1993"))
    'cardholder not present, electronic order'
    >>> absence(Message("1100", {22: "600190600140"}, "1993"), "AMEX")
    'cardholder not present, recurring'
    """
    if added := added_meaning(message, "presence", network):
        return f"cardholder {_NOT_PRESENT}, {added}"  # networks have added only codes for absence
    codes = _codes(message.get(_NUMBER), message.version, "presence")
    if ways := [code.meaning for code in codes if code.kind == _REMOTE]:
        return f"cardholder {_NOT_PRESENT}, {', '.join(ways)}"
    return ", ".join(code.meaning for code in codes if code.kind == _NOT_PRESENT)


def read_location(value: str, version: str) -> tuple[str, str, str]:
    """Name, city and country of DE 43, by the layout that fits; if none does, the whole text and empty
    texts. A merchant in the United States or Canada may have its state instead of the country."""
    texts = _texts(value, version)
    if not texts:
        return " ".join(value.split()), "", ""
    where = texts.get("country") or texts.get("state or province") or texts.get("place", "")
    return texts["name"], texts["city"], where


def say_location(value: str, version: str) -> str:
    """DE 43 in words: `CORNER SHOP, LONDON, United Kingdom`; the whole text if no layout fits.

    >>> say_location(f"{'CORNER SHOP':<22} {'NEW YORK':<13} NY ", "1987")
    'CORNER SHOP, NEW YORK, New York'
    """
    texts = _texts(value, version)
    if not texts:
        return " ".join(value.split())
    named_country = country(texts.get("country", ""))
    parts = (texts["name"], texts["city"], region(texts.get("state or province", "")))
    last = named_country.name if named_country else texts.get("place", "")
    return ", ".join(part for part in (*parts, last) if part)


def _texts(value: str, version: str) -> dict[str, str]:
    reading = fitting(version, _LOCATION, value)
    if reading is None:
        return {}
    texts = {part.name: " ".join(part.value.split()) for part, _ in reading.walk()}
    return {"name": texts.get("name and street", "")} | texts

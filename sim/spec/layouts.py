"""The layout of data elements: rows of `data/layouts/<owner>.csv`, the standard's in `iso.csv`.

A layout is a tree of cells. The row with an empty `path` is the element itself, `1` its first part, `42.01` a
part of its part 42. Several layouts of one element differ in `layout`, and are tried in file order.
`data/README.md` explains the columns. The content class (`n`, `ans`, `b` ...) limits the characters of a part
or an element.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import takewhile
from typing import Any

from sim.errors import SpecError, quoted_value
from sim.spec.codes import Code, code_lists
from sim.spec.tables import names, read_csv

# One character of a class, as a regular expression (not `x+n`, which begins with a sign). Blanks pad `a` and
# `an` values.
CHARACTER = {
    "a": "[A-Za-z ]",
    "n": "[0-9]",
    "an": "[0-9A-Za-z ]",
    "anp": "[0-9A-Za-z ]",
    "s": r"[!-/:-@\[-`{-~ ]",
    "as": r"[!-/:-~ ]",
    "ns": r"[0-9!-/:-@\[-`{-~ ]",
    "ans": "[ -~]",
    "ansb": "[ -~]",
    "z": "[0-9:;<=>?D]",
    "b": "[0-9A-Fa-f]",
}
# Matches the first character that the class does not allow.
FOREIGN = {content: re.compile(f"[^{one[1:]}") for content, one in CHARACTER.items()}
FOREIGN["x+n"] = re.compile(r"(?<!^)[^0-9]|^[^CD]")
# How a finding about a whole element names a class.
CLASS_NAMES = {
    "a": "letters only, blanks to fill up",
    "n": "digits only",
    "an": "letters and digits only, blanks to fill up",
    "anp": "letters, digits and blanks only",
    "s": "special characters only",
    "as": "letters and special characters only",
    "ns": "digits and special characters only",
    "ans": "printable ASCII characters only",
    "ansb": "printable ASCII characters only",
    "z": "digits and the separator = or D only",
    "b": "hex digits only",
    "x+n": "C or D, then digits",
}


# Any class, as a regular expression.
CLASS = "|".join(map(re.escape, CLASS_NAMES))


def text_width(content: str, size: int) -> int:
    """The characters that *size* units of a class take in the text form: two hex digits per byte, one more
    for the sign of `x+n`.

    >>> text_width("b", 8), text_width("x+n", 8), text_width("n", 12)
    (16, 9, 12)
    """
    return {"b": 2 * size, "x+n": 1 + size}.get(content, size)


STANDARD = "iso"
_FORMAT = re.compile(
    rf"(?:(?P<own>L{{1,6}}|H) )?(?P<content>{CLASS})(?:(?P<open>\.\.)| )"
    r"(?:(?P<least>\d{1,6})-)?(?P<most>\d{1,6})"
)
_UNBOUNDED = 9999
_OWN_CODES = ("sub_field", "bits")
_CHIP_DATA = 55
_ANYBODY = ""  # the common core definitions, for cards of any network
# The allowed values of a row's `cut`, and of `codes` that are not a list.
_CUTS = re.compile(
    r"places(?: short)?|groups|ber|bits|tokens(?: open)?|split \S"
    r"|list (?:n|an|a|b)[1-9] (?:n|b)[1-9](?: lead)?",
    re.ASCII,
)
_KINDS = ("amount", "blank", "country", "currency", "date", "digits", "ebcdic", "flags", "id", "is", "mcc")
_CODES = (*_KINDS, "minor_unit", "mti", "region", "text")
_BLANK = "_"  # a blank in the codes of `subfields.csv`
_COLUMNS = ("path", "name", "cut", "format", "codes", "agreed", "sensitive", "confidence", "source")
_EMPTY = dict.fromkeys(_COLUMNS, "")


@dataclass(frozen=True)
class Cell:
    """One part of a layout, as its row describes it.

    `key` is its position, tag or bit, `path` its full path from the element (`48.42.01`). `cut` is how it is
    split (empty: not at all), with `words` as arguments. `least` and `most` count characters of the text
    form; `own` is the notation of its own length, before it. `codes` names the source of its values'
    meanings, with `argument` as argument; if `must`, a value without a meaning does not fit; `values` are the
    part's own codes (`sub_field`). Values that match `agreed` are up to the parties. `sensitive` is `pan` or
    `hidden` if the part contains card data.
    """

    key: str
    path: str
    name: str
    cut: str
    words: tuple[str, ...]
    content: str
    least: int
    most: int
    own: str
    codes: str
    argument: str
    must: bool
    agreed: re.Pattern[str] | None
    sensitive: str
    confidence: str
    source: str
    cells: tuple[Cell, ...] = field(repr=False)
    values: Mapping[str, Code] = field(default_factory=dict, repr=False, compare=False)

    @property
    def fixed(self) -> bool:
        """Whether the part always has the same width."""
        return self.least == self.most and not self.own

    @cached_property
    def by_key(self) -> Mapping[str, Cell]:
        """The parts by key."""
        return {cell.key: cell for cell in self.cells}

    @cached_property
    def by_name(self) -> Mapping[str, Cell]:
        """The parts by name."""
        return {cell.name: cell for cell in self.cells}

    @cached_property
    def called(self) -> frozenset[str]:
        """All keys and names of the parts."""
        return frozenset((*self.by_key, *self.by_name))

    @cached_property
    def slices(self) -> tuple[tuple[Cell, int, int], ...] | None:
        """The parts with their start and end, None if those depend on the value."""
        return self.front if len(self.front) == len(self.cells) else None

    @cached_property
    def front(self) -> tuple[tuple[Cell, int, int], ...]:
        """The same, for the parts before the first one of variable width."""
        places, at = [], 0
        for cell in takewhile(lambda part: part.fixed, self.cells):
            places.append((cell, at, at + cell.most))
            at += cell.most
        return tuple(places)

    @cached_property
    def width(self) -> int:
        """The fewest characters of all parts together."""
        return sum(cell.least + len(cell.own) for cell in self.cells if cell.least)


@dataclass(frozen=True)
class Layout:
    """One layout of element *number* of *version*: the standard's (`network` empty) or a network's; `variant`
    distinguishes it from others."""

    version: str
    number: int
    network: str
    variant: str
    cell: Cell

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """The pattern of every value that fits, if the parts are positional: a value that does not match does
        not fit; one that matches may still contain an unknown code. None for other layouts."""
        if self.cell.cut != "places" or not all(map(_stands, self.cell.cells)):
            return None
        return re.compile(_expression(self.cell))

    @cached_property
    def strict(self) -> tuple[tuple[Cell, int, int], ...] | None:
        """The parts that must have a known code, with their start and end; None if those depend on the
        value."""
        if any(cell.cut for cell in self.cell.cells):
            return None
        places = tuple(place for place in self.cell.front if place[0].must)
        return places if len(places) == sum(cell.must for cell in self.cell.cells) else None


def _stands(cell: Cell) -> bool:
    """Whether the part and all parts in it are positional, without their own lengths."""
    return not cell.own and cell.cut in ("", "places") and all(map(_stands, cell.cells))


def _expression(cell: Cell) -> str:
    if cell.cut:
        pattern = ""
        for part in reversed(cell.cells):
            pattern = _expression(part) + pattern
            if "short" in cell.words:
                pattern = f"(?:{pattern})?"
        return pattern
    if cell.codes == "is" and cell.must:
        return "(?:" + "|".join(map(re.escape, cell.argument.split(" "))) + ")"
    if cell.content == "x+n":
        return f"[CD][0-9]{{{cell.most - 1}}}"
    return f"{CHARACTER[cell.content]}{{{cell.least},{cell.most}}}"


def owners() -> tuple[str, ...]:
    """The owners of layouts, by file name: the standard and the networks."""
    return names("layouts", ".csv")


@cache
def layouts(version: str, number: int, network: str | None = None) -> tuple[Layout, ...]:
    """The layouts of element *number* of *version*, in the order to try them: those of *network*, then those
    of the standard; empty if none is known.

    >>> [part.name for part in layouts("1987", 3)[0].cell.cells]
    ['transaction type', 'from account', 'to account']
    """
    own_layouts = _of(version, number, network.lower()) if network and network.lower() in owners() else ()
    return own_layouts + _of(version, number, STANDARD)


@cache
def laid_out(version: str, network: str | None = None) -> frozenset[int]:
    """The elements of *version* with a layout of the standard or of *network*."""
    files = {STANDARD, (network or STANDARD).lower()}.intersection(owners())
    return frozenset(number for name in files for edition, number in _rows(name) if edition == version)


@cache
def _rows(owner: str) -> Mapping[tuple[str, int], Mapping[str, list[dict[str, str]]]]:
    """The rows of a file by version and element, then by layout."""
    groups: dict[tuple[str, int], dict[str, list[dict[str, str]]]] = {}
    for row in read_csv(f"layouts/{owner}"):
        for version in row["versions"].split("|"):
            of_element = groups.setdefault((version, int(row["number"])), {})
            of_element.setdefault(row["layout"], []).append(row)
    return groups


def _of(version: str, number: int, owner: str) -> tuple[Layout, ...]:
    network = "" if owner == STANDARD else owner.upper()
    return tuple(
        Layout(version, number, network, variant, _top(rows, str(number), network))
        for variant, rows in _rows(owner).get((version, number), {}).items()
    )


@cache
def tag_layouts(tag: str, network: str) -> tuple[Layout, ...]:
    """The layouts of a chip data tag's value: those for any network, then those of *network*; empty if none
    is known.

    >>> [cell.name for cell in tag_layouts("9F6E", "MASTERCARD")[0].cell.cells][:2]
    ['country', 'unique identifier']
    """
    groups: dict[tuple[str, str], list[dict[str, str]]] = {}
    for owner in dict.fromkeys((_ANYBODY, network)):
        for row in read_csv("emv/inside"):
            if (row["tag"], row["network"]) == (tag, owner):
                groups.setdefault((owner, row["layout"]), []).append({**row, "number": str(_CHIP_DATA)})
    return tuple(
        Layout("", _CHIP_DATA, owner, variant, _top(rows, tag, owner))
        for (owner, variant), rows in groups.items()
    )


# The dialects' layouts that contain card data, by version and element.
_OF_DIALECTS: dict[tuple[str, int], tuple[Layout, ...]] = {}


def holds_card_data(cell: Cell) -> bool:
    """Whether the part, or one inside it, is marked as card data."""
    return bool(cell.sensitive) or any(map(holds_card_data, cell.cells))


def keep_of_dialect(parts: tuple[Layout, ...]) -> None:
    """Remember those of *parts* that contain card data: masking applies them to every value that fits,
    because it does not always know the dialect."""
    for layout in parts:
        kept_layouts = _OF_DIALECTS.get((layout.version, layout.number), ())
        if holds_card_data(layout.cell) and layout not in kept_layouts:
            _OF_DIALECTS[layout.version, layout.number] = (*kept_layouts, layout)


def of_dialects(version: str, number: int) -> tuple[Layout, ...]:
    """The layouts with card data that any dialect in this process has for an element."""
    return _OF_DIALECTS.get((version, number), ())


def layout_of(version: str, number: int, variant: str, rows: list[dict[str, Any]]) -> Layout:
    """The layout that a user's *rows* describe: like those of a layout file, but columns may be missing, and
    `values` are the codes of a part. Raises SpecError for an invalid row."""
    full_rows = [{**_EMPTY, "number": str(number), **row} for row in rows]
    return Layout(version, number, "", variant, _top(full_rows, str(number)))


@cache
def _known_codes() -> frozenset[str]:
    """The allowed values of a row's `codes`."""
    return frozenset((*_CODES, *_OWN_CODES, *code_lists()))


def _check(row: Mapping[str, str]) -> None:
    """Raise SpecError for an unknown cut or codes, or a bad pattern."""
    number = int(row["number"])
    cut, codes = row["cut"], row["codes"].removesuffix("!").partition(":")[0]
    if cut and not _CUTS.fullmatch(cut):
        expected = "cut as places, groups, list n2 n2, ber, bits, tokens or split and a character"
        raise SpecError(number, None, expected, quoted_value(cut))
    if codes and codes not in _known_codes():
        expected = f"codes as {', '.join(_CODES)} or a code list ({', '.join(code_lists())})"
        raise SpecError(number, None, expected, quoted_value(codes))
    try:
        re.compile(row["agreed"])
    except re.error:
        raise SpecError(number, None, "agreed as a regular expression", quoted_value(row["agreed"])) from None


@cache
def _values(network: str) -> Mapping[str, Mapping[str, Code]]:
    """A network's codes for single parts, by the part's path."""
    codes: dict[str, dict[str, Code]] = {}
    for row in read_csv("subfields"):
        if row["network"] == network:
            code = row["code"].replace(_BLANK, " ")
            entry = Code(row["path"], code, row["meaning"], "", (), network, row["source"])
            codes.setdefault(row["path"], {})[code] = entry
    return codes


def _own_values(row: Mapping[str, Any], path: str, network: str) -> Mapping[str, Code]:
    """The codes of a part: its row's own, else the network's."""
    meanings = row.get("values")
    if meanings is None:
        return _values(network).get(path, {})
    return {code: Code(path, code, meaning, "", (), "", row["source"]) for code, meaning in meanings.items()}


def _top(rows: list[dict[str, Any]], prefix: str, network: str = "") -> Cell:
    """The tree of cells that *rows* describe."""
    at: dict[str, dict[str, Any]] = {}
    below: dict[str, list[str]] = {}
    for row in rows:
        path = row["path"]
        at.setdefault(path, row)
        if path:
            below.setdefault(path.rpartition(".")[0], []).append(path)
    return _cell(at, below, "", prefix, network)


def _cell(
    at: Mapping[str, dict[str, Any]], below: Mapping[str, list[str]], path: str, prefix: str, network: str
) -> Cell:
    """The cell at *path*, with those *below* it."""
    row = at.get(path)
    if row is None:
        number = int(next(iter(at.values()))["number"])
        raise SpecError(number, None, f"a row of the layout with path {path!r}", "none")
    _check(row)
    cells = tuple(
        _cell(at, below, each, f"{prefix}.{each.rpartition('.')[2]}", network) for each in below.get(path, ())
    )
    content, least, most, own_length = _format(row)
    kind, *words = row["cut"].split(" ") if row["cut"] else [""]
    must = row["codes"].endswith("!")
    codes, _, argument = row["codes"].removesuffix("!").partition(":")
    codes = codes or ("sub_field" if "values" in row else "")
    return Cell(
        key=path.rpartition(".")[2],
        path=prefix,
        name=row["name"],
        cut=kind,
        words=tuple(words),
        content=content,
        least=least,
        most=most,
        own=own_length,
        codes=codes,
        argument=argument,
        must=must,
        agreed=re.compile(row["agreed"]) if row["agreed"] else None,
        sensitive=row["sensitive"],
        confidence=row["confidence"],
        source=row["source"],
        cells=cells,
        values=_own_values(row, prefix, network) if codes in _OWN_CODES or "values" in row else {},
    )


def _format(row: Mapping[str, str]) -> tuple[str, int, int, str]:
    """Content class, fewest and most characters, and the part's own length: `LL` digits, or `HH`, a byte in
    hex."""
    if not row["format"]:
        return "ans", 0, _UNBOUNDED, ""
    match = _FORMAT.fullmatch(row["format"])
    if match is None:
        expected = f"a format such as n 6, an 2-4 or LL n..11, of class {', '.join(CLASS_NAMES)}"
        raise SpecError(int(row["number"]), None, expected, quoted_value(row["format"]))
    content, own_length = match["content"], match["own"] or ""
    most = text_width(content, int(match["most"]))
    least = text_width(content, int(match["least"])) if match["least"] else 0 if match["open"] else most
    return content, least, most, own_length.replace("H", "HH")

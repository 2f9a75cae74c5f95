"""What generate can be told beyond its options: the values that are else samples."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sim.errors import ChoiceError, OptionError, closest, shown, size
from sim.operations.zones import zone_named, zone_of
from sim.spec import spec
from sim.spec.layouts import layouts
from sim.spec.spellings import country_named
from sim.spec.tables import read_toml

# Name -> the element it goes to, and what it must look like. Widths that differ between versions are
# those of the element tables and of the layout of DE 43.
LIMITS: Mapping[str, tuple[int, str, str]] = {
    "terminal": (41, "", "[ -~]+"),
    "merchant": (42, "", "[ -~]+"),
    "name": (43, "", r"[ -\[\]-~]+"),
    "city": (43, "", r"[ -\[\]-~]+"),
    "country": (43, "an ISO 3166 country code", "[A-Za-z]{2,3}|[0-9]{3}"),
    "mcc": (18, "four digits", "[0-9]{4}"),
    "expiry": (14, "four digits, YYMM, the month from 01 to 12", "[0-9]{2}(?:0[1-9]|1[0-2])"),
    "reference": (37, "12 letters or digits", "[A-Za-z0-9 ]{12}"),
    "approval": (38, "6 letters or digits", "[A-Za-z0-9 ]{6}"),
    "acquirer": (32, "up to 11 digits", "[0-9]{1,11}"),
    "cashback": (54, "up to 12 digits", "[0-9]{1,12}"),
}
_LOCATION = {"name": 40, "city": 30}  # our choice: both, street, code and country stay below 99
_TEXTS = dict.fromkeys(("name", "city"), "printable ASCII text without backslashes")  # those divide DE 43
_SAMPLES = (
    (("name", "merchant"), "merchant"),
    (("terminal",), "terminal"),
    (("acquirer",), "acquirer"),
    (("expiry",), "expiry"),
)


def check_details(details: Mapping[str, Any], version: str) -> dict[str, Any]:
    """The details, complete and legal: a country with both its codes, none of the sample's postal
    code and region beside another place, and the options that are no values of samples. Raises OptionError
    for the first that cannot be met; nothing is cut to fit."""
    options, land = read_toml("templates")["options"], None
    for name, value in details.items():
        if name in options:
            _check_option(name, value, options[name])
            continue
        if name == "timezone":
            zone_named(value)
            continue
        if name not in LIMITS:
            names = (*LIMITS, "timezone", *options)
            nearest = closest(name, {known: known for known in names})
            raise OptionError(name, "one of " + ", ".join(names), shown(name), None, nearest)
        number, expected, pattern = LIMITS[name]
        if name == "country":
            land = country_named(value)
            continue
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            expected = expected or _TEXTS.get(name, "printable ASCII text")
            raise OptionError(name, expected, shown(value), number)
        width = _width(name, number, version)
        if len(value) > width:
            raise OptionError(name, f"at most {width} characters", size(value), number)
    made = dict(details)
    if land:
        made |= {"country": land.numeric, "country_alpha": land.alpha2, "zone": zone_of(land.alpha2)}
    if "country" in details or "city" in details:
        made |= {"postal": "", "region": ""}
    return made


def _check_option(name: str, value: object, row: Mapping[str, Any]) -> None:
    field, found = row.get("field"), size(str(value)) if row.get("secret") else shown(value)
    if row.get("flag"):
        if not isinstance(value, bool):
            raise OptionError(name, "True or False", found, field)
    elif choices := row.get("choices"):
        if value not in choices:
            raise ChoiceError.of(name, value, choices)
    elif not isinstance(value, str) or not re.fullmatch(row["pattern"], value):
        raise OptionError(name, row["expected"], found, field)


def _width(name: str, number: int, version: str) -> int:
    if number == 43 and name != "country":
        return min(_LOCATION[name], _cell_width(name, version))
    return spec(version)[number].width if number in (41, 42) else 40


def _cell_width(name: str, version: str) -> int:
    """The places that the first layout of DE 43 has for the merchant's name or city."""
    cells = layouts(version, 43)[0].cell.cells
    return next(cell.most for cell in cells if cell.name.startswith(name))


def sample_note(details: Mapping[str, Any]) -> str:
    """The sentence that names what is a sample value in a generated message."""
    left = [word for names, word in _SAMPLES if not all(name in details for name in names)]
    if "merchant" in left and "name" in details:
        left[0] = "merchant id"
    elif "merchant" in left and "merchant" in details:
        left[0] = "merchant name"
    if not left:
        return "What else a message carries are sample values."
    text = " and ".join(", ".join(left).rsplit(", ", 1))
    return f"{text[:1].upper()}{text[1:]} {'is a sample value' if len(left) == 1 else 'are sample values'}."

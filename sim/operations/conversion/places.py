"""Where the merchant is: DE 43 in the widths of 1987 and in the parts of 1993."""

from __future__ import annotations

from collections.abc import Mapping

from sim.operations.conversion.draft import REFORMATTED, Draft
from sim.operations.conversion.rules import ConversionRow
from sim.parts import layout
from sim.parts.writing import Value
from sim.spec import country, layouts

_OLD = ("name and street", "city", "state or province", "country")
_NAME, _STREET, _CITY, _POSTAL, _REGION, _COUNTRY = _NEW = (
    "name",
    "street",
    "city",
    "postal code",
    "region",
    "country",
)


def place(draft: Draft, rule: ConversionRow) -> None:
    """Name, city and country; a street and a postal code have no place in 1987."""
    (source,), (target,) = rule.sources, rule.targets
    found = layout.fitting(draft.message.version, source, draft.message[source])
    if found is None:
        draft.lose([source], "its parts cannot be told apart")
        return
    made, said = _later(found) if draft.up else _earlier(found)
    if draft.write(source, target, made):
        draft.note(source, REFORMATTED, (target,), said)


def _later(found: layout.Parts) -> tuple[Mapping[str, Value], str]:
    name, city, region, land = (found.get(part).strip() for part in _OLD)
    known = country(land) if land else None
    # By place: name, street, city, and in the last one postal code, region and country.
    inner = {"1": "", "2": region, "3": known.numeric if known else land}
    made: dict[str, Value] = {"1": name, "2": "", "3": city, "4": inner}
    return made, "parts with backslashes between, the country in digits; the widths of 1987 are not kept"


def _earlier(found: layout.Parts) -> tuple[Mapping[str, Value], str]:
    parts = dict.fromkeys(_NEW, "") | {part.name: part.value.strip() for part, _ in found.walk()}
    known = country(parts[_COUNTRY])
    name, city = parts[_NAME], parts[_CITY]
    cells = layouts.layouts("1987", found.layout.number)[0].cell.cells
    widths = [cell.most for cell in cells]
    made: dict[str, Value] = {
        cells[0].name: name[: widths[0]],
        cells[1].name: city[: widths[1]],
        cells[2].name: known.alpha2 if known else parts[_COUNTRY][: widths[2]],
    }
    lost = [part for part in (_STREET, _POSTAL, _REGION) if parts[part]]
    cut = [part for part, width in ((_NAME, widths[0]), (_CITY, widths[1])) if len(parts[part]) > width]
    said = "in the widths of 1987"
    said += f"; {', '.join(lost)} not carried" if lost else ""
    return made, said + (f"; {', '.join(cut)} cut" if cut else "")

"""Dates and times: a missing year or century is the one nearest to the clock."""

from __future__ import annotations

from datetime import datetime

from sim.elements import dates
from sim.errors import BuildError
from sim.operations.conversion.codes import inner_mti
from sim.operations.conversion.draft import FILLED, MERGED, MOVED, REFORMATTED, SPLIT, ConversionRow, Draft
from sim.parts import layout, writing
from sim.spec import layouts, spec

_TIME, _DATE, _TRANSMITTED = 12, 13, 7
_MONTH_AND_DAY = 4  # MMDD, with which DE 7 and DE 13 begin
_YEARS = range(-8, 9)  # 29 February is no farther away, except around 1900 or 2100
_CENTURIES = (0, -100, 100)
_SAID = {
    ("1987", "1993"): "the transmission time (UTC) replaces the local time; a year is added",
    ("1993", "1987"): "the local time replaces the transmission time (UTC)",
    ("1993", "2003"): "a century is added",
    ("2003", "1993"): "without the century",
}
_ORIGINAL = ("MTI of the original", "its STAN", "its date and time", "its acquirer")


def local_time(draft: Draft, rule: ConversionRow) -> None:
    """Local time and date, merged since 1993."""
    if not draft.up:
        _split(draft, rule.sources[0])
        return
    message, (target,) = draft.message, rule.targets
    time, date_ = message.get(_TIME), message.get(_DATE)
    from_seven = message.get(_TRANSMITTED)
    pattern = spec(draft.to)[target].pattern
    short = (date_ or from_seven[:_MONTH_AND_DAY]) + (time or from_seven[_MONTH_AND_DAY:])
    moment = _completed(pattern, "MMDDhhmmss", short, draft.at)
    if moment is None or draft.put(target, moment):
        draft.lose(rule.sources, f"it does not form a {draft.to} date and time with the rest of the message")
        return
    year = f"a year is added, the nearest to {draft.at:%d %B %Y}"
    if date_:
        draft.note(_DATE, FILLED, rule.targets, f"joined with the time; {year}")
    if time:
        note = "joined with the date" if date_ else f"the date from DE 7 is added; {year}"
        draft.note(_TIME, MERGED if date_ else FILLED, rule.targets, note)
    else:
        draft.note(_DATE, FILLED, rule.targets, "the time from DE 7 (UTC) is added")


def _split(draft: Draft, source: int) -> None:
    value = draft.message[source]
    parts = dates.split(spec(draft.message.version)[source].pattern, value)
    time, date_ = (parts["hh"] + parts["mm"] + parts["ss"]), parts["MM"] + parts["DD"]
    draft.carry(source, {_TIME: time, _DATE: date_}, SPLIT, "time and date separated; 1987 has no year")


def date(draft: Draft, rule: ConversionRow) -> None:
    """A date with another number of year digits."""
    (source,), (target,) = rule.sources, rule.targets
    value = draft.message[source]
    short, long = spec(draft.message.version)[source].pattern, spec(draft.to)[target].pattern
    if not draft.up:
        what = f"{draft.to} has no {'century' if 'YY' in long else 'year'} there"
        draft.carry(source, {target: value[-len(long) :]}, REFORMATTED, what)
        return
    moment = _completed(long, short, value, draft.at)
    if moment is None:
        draft.lose([source], "it is not a date")
    else:
        what = f"a year is added, the nearest to {draft.at:%d %B %Y}"
        draft.carry(source, {target: moment}, FILLED, what)


def original_data(draft: Draft, rule: ConversionRow) -> None:
    """The original data elements: MTI, STAN, date and time, acquirer."""
    (source,), (target,) = rule.sources, rule.targets
    split = layout.fitting(draft.message.version, source, draft.message[source])
    if split is None:
        draft.lose([source], "it does not identify an earlier message in its version's layout")
        return
    mti, stan, moment, acquirer = (split.get(name) for name in _ORIGINAL)
    layout_to = layouts.layouts(draft.to, target)[0]
    cells = {cell.name: cell for cell in layout_to.cell.cells}
    pattern, width = cells[_ORIGINAL[2]].argument, cells[_ORIGINAL[1]].most
    short = next(part.cell.argument for part in split.parts if part.name == _ORIGINAL[2])
    stamp = _completed(pattern, short, moment, draft.at) if draft.up else moment[-len(pattern) :]
    texts = (inner_mti(draft, mti), stan.zfill(width)[-width:], stamp or "", acquirer.lstrip("0"))
    try:
        written = writing.write(layout_to, dict(zip(_ORIGINAL, texts, strict=True)))
    except BuildError:
        written = ""
    if stamp is None or not written or (reason := draft.put(target, written)):
        draft.lose([source], reason if stamp and written else "its date and time cannot be determined")
        return
    note = _SAID[draft.message.version, draft.to]
    if split.get("its forwarder").strip("0"):
        note += "; the forwarding institution is lost"
    action = MOVED if source != target and not draft.up else FILLED if draft.up else REFORMATTED
    draft.note(source, action, (target,), note)


def _completed(pattern: str, short: str, value: str, at: datetime) -> str | None:
    """*value* in *short* format rewritten as *pattern*, with the year or century nearest to *at*."""
    if len(value) != len(short) or not (value.isascii() and value.isdigit()):
        return None
    parts = dates.split(short, value)
    if "YY" in parts:
        base = at.year - at.year % 100 + int(parts["YY"])
        years = [base + century for century in _CENTURIES]
    else:
        years = [at.year + distance for distance in _YEARS]
    moments = (moment for year in years if (moment := _moment(parts, year)))
    naive = at.replace(tzinfo=None)
    best = min(moments, key=lambda moment: abs(moment - naive), default=None)
    return None if best is None else dates.write(pattern, best)


def _moment(parts: dict[str, str], year: int) -> datetime | None:
    least = {"MM": "1", "DD": "1", "hh": "0", "mm": "0", "ss": "0"}
    month, day, hour, minute, second = (int(parts.get(name, first)) for name, first in least.items())
    try:
        return datetime(year, month, day, hour, minute, second)  # noqa: DTZ001 (local, of no known zone)
    except ValueError:
        return None

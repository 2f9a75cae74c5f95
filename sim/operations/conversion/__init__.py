"""Conversion of messages between the versions of ISO 8583, with a note on each element.

1993 and 2003 renumber, reformat, split and merge elements, and no version can express everything that another
can. Each element's conversion is a row of `data/conversion`; notes say what is filled in, guessed or lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce

from sim.codec import Message, build, parse
from sim.codec.text import strip_line_ending
from sim.elements import dates
from sim.elements.card import chosen_network
from sim.errors import SpecError, quoted_value
from sim.operations.conversion import codes, moments, money, parts
from sim.operations.conversion.dialect import ENTRY, FUNCTION, MANAGEMENT, SENT, missing, of_network, own_code
from sim.operations.conversion.draft import (
    ACTIONS,
    FILLED,
    KEPT,
    LOST,
    ConversionRow,
    Draft,
    Note,
    joined,
    misfit,
    path,
    rules,
)
from sim.spec import VERSIONS
from sim.spec.spellings import chosen_version, network_named

__all__ = ["ACTIONS", "Converted", "Note", "convert"]

_CHANGED = "converting back does not restore it"


@dataclass(frozen=True, slots=True)
class Converted:
    """A converted message. `notes` has a note on each element of the original, beginning with the MTI as
    number 0; `lossless` says whether converting back gives the original, element by element."""

    message: Message
    notes: tuple[Note, ...]
    lossless: bool

    @property
    def raw(self) -> str:
        """The new message as text."""
        return build(self.message)


def convert(
    message: str | Message,
    to: str,
    *,
    version: str | None = None,
    network: str | None = None,
    at: datetime | None = None,
) -> Converted:
    """*message*, a text or a Message, in version *to* of ISO 8583, with a note on each of its elements, and
    whether converting back is exact.

    Elements are renumbered, reformatted, split and merged as the rows of `data/conversion` say. A MAC is
    dropped, because it has to be recomputed; nothing else is dropped without a reason in its note. It is in
    *version* (None: that of its MTI) and follows the rules of *network* (None: the card's). *at* is a local
    time (None: now, UTC): years and centuries missing from the message are the nearest to it. Raises
    ParseError if the text is not a message of its version, SpecError for an unknown version.

    >>> made = convert("0800822000000000000004000000000000001120093000123456301", "1993",
    ...                at=datetime(2026, 11, 20))
    >>> made.message.mti, made.message[24]
    ('1804', '831')
    >>> made.notes[-1]
    Note(number=70, to=(24,), action='moved', note='301 is 831 in 1993.')
    """
    if to not in VERSIONS:
        raise SpecError(None, None, " or ".join(VERSIONS), quoted_value(to))
    if isinstance(message, Message):
        source = message
    else:
        raw = strip_line_ending(message)
        source = parse(raw, chosen_version(raw, version))
    clock = at or dates.now()
    target, notes = _converted(source, to, clock)
    chosen = None if network is None else network_named(network)
    _dress(target, source, chosen, notes)
    _complete(target, source, chosen, clock, notes)
    back, undone = _converted(target, source.version, clock)
    _dress(back, target, None, undone)
    lossless = back.mti == source.mti and back.fields == source.fields
    if lossless:
        # On the way back, the network also requires its own elements.
        _complete(back, target, None, clock, undone)
        if added := sorted(back.fields.keys() - source.fields.keys()):
            more = f"fills in {_listed(added)}, which the network requires in {source.version}"
            notes[0] = notes[0].with_text(f"converting back {more}")
            lossless = False
    return Converted(
        target, tuple(_honest(notes[number], source, back) for number in sorted(notes)), lossless
    )


def _converted(source: Message, to: str, clock: datetime) -> tuple[Message, dict[int, Note]]:
    """*source* converted step by step, with the resulting note on each element."""
    notes = {number: Note(number, (number,), KEPT, "") for number in (0, *sorted(source.fields))}
    target = source
    for _, after in path(source.version, to):
        draft = _step(target, after, clock)
        notes = {number: _followed(note, draft.notes) for number, note in notes.items()}
        target = Message(draft.mti, dict(sorted(draft.fields.items())), after)
    return target, notes


def _dress(target: Message, source: Message, network: str | None, notes: dict[int, Note]) -> None:
    """Rewrite the elements that the network lays out itself."""
    name = chosen_network(target, network)
    if target.version == source.version or name is None:
        return
    for number, value, text in of_network(target, source, name):
        if value:
            target.fields[number] = value
        else:
            target.fields.pop(number, None)
        at = number if number in notes and number in notes[number].to else ENTRY
        if at in notes:
            to = tuple(other for other in notes[at].to if other != number or value)
            notes[at] = replace(notes[at], to=to).with_text(text)


def _complete(
    target: Message, source: Message, network: str | None, clock: datetime, notes: dict[int, Note]
) -> None:
    """Fill in the elements that the network requires in the new version, and name those that cannot be
    known."""
    name = chosen_network(target, network)
    if target.version == source.version or name is None:
        return
    version = target.version
    if code := own_code(source, target, name):
        target.fields[MANAGEMENT] = code
        notes[FUNCTION] = replace(notes[FUNCTION], note=f"{source[FUNCTION]} is {code} in {name}'s {version}")
    values, lacking = missing(target, source, name, clock)
    target.fields = dict(sorted({**target.fields, **values}.items()))
    for numbers, how in (
        ([number for number in values if number != SENT], "as in the network's test messages"),
        ([SENT] if SENT in values else [], "with the time of the conversion"),
    ):
        if numbers:
            what = f"{_listed(numbers)} filled in {how}, because {name} requires it in {version}"
            notes[0] = joined(notes[0], Note(0, tuple(numbers), FILLED, what))
    if lacking:
        what = f"{name} also requires {_listed(lacking)} in {version}, but the message does not contain it"
        notes[0] = notes[0].with_text(what)


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(f"DE {number}" for number in numbers)


def _step(message: Message, to: str, clock: datetime) -> Draft:
    draft = Draft(message, to, clock)
    _set_aside(draft)
    for rule in rules(message.version, to):
        if rule.how in BY_TYPE or not draft.message.fields.keys().isdisjoint(rule.sources):
            STEPS[rule.how](draft, rule)
    untold = [number for number in message.fields if number not in draft.notes]
    draft.lose(untold, f"{to} has no such element")
    return draft


def _set_aside(draft: Draft) -> None:
    """Remove values that a rule has to read but that are invalid in their own version."""
    message = draft.message
    reading = (rule.sources for rule in rules(message.version, draft.to) if rule.how not in PLAIN)
    read = {number for sources in reading for number in sources}
    for number in sorted(read & message.fields.keys()):
        if reason := misfit(message.version, number, message[number]):
            draft.lose([number], reason)
    rest = {number: value for number, value in message.fields.items() if number not in draft.notes}
    draft.message = Message(message.mti, rest, message.version)


def _followed(note: Note, step: Mapping[int, Note]) -> Note:
    """*note* after one more step."""
    later = [step[number] for number in note.to if number in step]
    if not later:
        return note
    after = reduce(joined, later)
    if note.action == KEPT and not note.note and len(later) == 1:
        return replace(after, number=note.number)
    if not after.to:
        return replace(note, to=(), action=LOST, note=after.note)
    return replace(joined(replace(note, to=()), after), number=note.number)


def _honest(note: Note, source: Message, back: Message) -> Note:
    """*note* as a sentence that says if converting back does not restore the value."""
    number = note.number
    same = source.mti == back.mti if number == 0 else source.get(number) == back.get(number)
    if note.to and not note.note:
        note = note.with_text(f"unchanged, in DE {note.to[0]}")
    if note.action != LOST and not same:
        note = note.with_text(_CHANGED)
    return replace(note, note=note.note[:1].upper() + note.note[1:] + ".")


PLAIN = (LOST, "same")  # rules that do not read the value
BY_TYPE = ("mti", "function code")  # rules that apply without their elements
# The function for each `how` of a rule.
STEPS: dict[str, Callable[[Draft, ConversionRow], None]] = {
    LOST: lambda draft, rule: draft.lose(rule.sources, rule.detail),
    "same": parts.same,
    "text": parts.text,
    "number": parts.number,
    "merchant": parts.merchant,
    "digits as bytes": parts.same,  # packed, they look alike in the text form
    "text as bytes": parts.text_as_bytes,
    "chip data": parts.chip_data,
    "mti": codes.mti,
    "code": codes.code,
    "answer": codes.answer,
    "settlement": codes.settlement,
    "function code": codes.function_code,
    "point of service": codes.point_of_service,
    "point of service bits": codes.point_of_service_bits,
    "local time": moments.local_time,
    "date": moments.date,
    "original data": moments.original_data,
    "place": parts.place,
    "amount": money.amount,
    "original amount": money.original_amount,
    "original amounts": money.original_amounts,
    "replacement amounts": money.replacement_amounts,
    "fees": money.fees,
    "fees with currencies": money.fees_with_currencies,
    "additional amounts": money.additional_amounts,
    "additional amounts with currencies": money.additional_amounts,
}

"""Codes that differ between versions: message types, responses, functions, point of service."""

from __future__ import annotations

from sim.elements import pos
from sim.elements.mti import is_response
from sim.operations.conversion.draft import (
    FILLED,
    LOST,
    MERGED,
    MOVED,
    REFORMATTED,
    SPLIT,
    ConversionRow,
    Draft,
    codes_of,
)
from sim.spec import VERSIONS
from sim.spec.tables import read_toml

_RESPONSE, _REASON, _FUNCTION = 39, 25, 24
# The elements of 1987 that a function code replaces: its first digit, the element, the list of codes.
_FUNCTIONS = (("8", 70, "network management"), ("3", 91, "file action"))
_REVERSAL = "4"
_ENTRY, _CONDITION, _CAPTURE = 22, 25, 26
_BALANCED = "5"  # the results of reconciliation, 500 to 504
_BITS = 32
_UNKNOWN = "unknown"
_PART = 8  # hex digits of 32 bits
_BY_PIN, _OTHER = "1", "6"  # cardholder authentication capability


def mti(draft: Draft, rule: ConversionRow) -> None:
    """The version's digit, and message types that only one version has."""
    draft.mti = inner_mti(draft, draft.message.mti)
    other = draft.mti[1:] != draft.message.mti[1:]
    what = f"{draft.to} has {draft.mti} for it" if other else "its first digit gives the version"
    draft.note(0, REFORMATTED, (0,), what)


def inner_mti(draft: Draft, value: str) -> str:
    """*value*, the MTI of the message or of its original, in the new version."""
    return str(VERSIONS.index(draft.to)) + (draft.code("mti", value[1:]) or value[1:])


def code(draft: Draft, rule: ConversionRow) -> None:
    """A code by its table."""
    (source,), (target,) = rule.sources, rule.targets
    _code(draft, source, target, rule.detail)


def answer(draft: Draft, rule: ConversionRow) -> None:
    """The response code; in a reversal request, the reason, which has its own element since 1993."""
    message = draft.message
    asks = message.mti[1] == _REVERSAL and not is_response(message.mti)
    source, target = (_RESPONSE, _REASON) if draft.up else (_REASON, _RESPONSE)
    reason = draft.code("reversal reason", message[source]) if asks and source in message else None
    if reason and not draft.put(target, reason):
        draft.note(source, MOVED, (target,), f"the reason {message[source]} is {reason} in {draft.to}")
    elif not draft.up:
        draft.lose([_REASON], f"{draft.to} has no message reason")
    if _RESPONSE not in message or (reason and draft.up):
        return
    if reason:
        draft.lose([_RESPONSE], "DE 25 gives the reason")
    else:
        _code(draft, _RESPONSE, _RESPONSE, rule.detail)


def _code(draft: Draft, source: int, target: int, name: str) -> None:
    value = draft.message[source]
    unknown = f"{draft.to} has no code for {value}"
    if (new_code := draft.code(name, value)) is None:
        draft.lose([source], unknown)
        return
    action, note = REFORMATTED, f"{value} is {new_code} in {draft.to}"
    if value not in codes_of(draft.message.version, draft.to, name):
        action, note = FILLED, f"{draft.to} has no {value}; {new_code} replaces it"
    draft.carry(source, {target: new_code}, action, note, unknown)


def settlement(draft: Draft, rule: ConversionRow) -> None:
    """The settlement code: an element of its own in 1987, an action code since 1993."""
    source, target = rule.sources[0], rule.targets[0]
    value = draft.message.get(source)
    if draft.up and value:
        new_code = draft.code(rule.detail, value)
        if new_code is None or draft.put(_RESPONSE, new_code):
            draft.lose([source], f"{draft.to} has no result for {value}")
            return
        draft.note(source, MOVED, (_RESPONSE,), f"as the result {new_code}")
        if _RESPONSE in draft.message.fields:
            draft.note(_RESPONSE, LOST, (), "DE 66 gives the result")
    elif value[:1] == _BALANCED and (new_code := draft.code(rule.detail, value)):
        draft.put(target, new_code)
        draft.note(source, SPLIT, (target,), f"with settlement code {new_code}")


def function_code(draft: Draft, rule: ConversionRow) -> None:
    """The function code of network management and file messages; in 1987 the MTI implies the others."""
    message = draft.message
    if not draft.up:
        _without_function(draft, message.get(_FUNCTION))
        return
    for _, source, name in _FUNCTIONS:
        if value := message.get(source):
            if (new_code := draft.code(name, value)) and not draft.put(_FUNCTION, new_code):
                draft.note(source, MOVED, (_FUNCTION,), f"{value} is {new_code} in {draft.to}")
            else:
                draft.lose([source], f"{draft.to} has no function code for {value}")
    kind = draft.code("kind", message.mti[1:]) or draft.code("kind", message.mti[1:2])
    if _FUNCTION not in draft.fields and kind:
        draft.fields[_FUNCTION] = kind
        draft.note(0, FILLED, (0, _FUNCTION), f"the function code {kind} is derived from the MTI")


def _without_function(draft: Draft, value: str) -> None:
    why = "1987 has no function code; the MTI gives part of it"
    for first, target, name in _FUNCTIONS:
        if value[:1] == first:
            new_code = draft.code(name, value)
            if new_code and not draft.put(target, new_code):
                draft.note(_FUNCTION, MOVED, (target,), f"{value} is {new_code} in {draft.to}")
                return
            why = f"{draft.to} has no {name} code for {value}"
    draft.lose([_FUNCTION], why)


def point_of_service(draft: Draft, rule: ConversionRow) -> None:
    """Entry mode, condition and PIN capture of 1987 as the twelve positions of 1993, and back."""
    if draft.up:
        _positions(draft, rule)
        return
    (source,), value = rule.sources, draft.message[rule.sources[0]]
    mode = draft.code("input mode", value[6]) or "00"
    values = {
        _ENTRY: mode + (draft.code("PIN entry", value[1]) or "0"),
        _CONDITION: draft.code("cardholder presence", value[4]) or "00",
    }
    if value[4:6] == "00":
        values[_CONDITION] = "05"  # the cardholder is there, the card is not
    if capture := draft.code("PIN capture", value[11]):
        values[_CAPTURE] = capture
    note = "1987 has only entry mode, PIN capability, presence and PIN length"
    draft.carry(source, values, SPLIT, note + _unsaid(draft, values[_ENTRY]))


def _positions(draft: Draft, rule: ConversionRow) -> None:
    entry, condition = draft.message.get(_ENTRY), draft.message.get(_CONDITION)
    if not entry:
        draft.lose(rule.sources, "there is no point of service data code without an entry mode")
        return
    if _CONDITION not in draft.message:  # some networks imply it by the entry mode
        condition = draft.code("condition of the entry", entry[:2]) or ""
    pairs = (
        ("", ""),
        ("PIN entry", entry[2:]),
        ("card capture", condition),
        ("environment", condition),
        ("cardholder presence", condition),
        ("card presence", condition),
        ("input mode", entry[:2]),
        *[("", "")] * 4,
        ("PIN capture", draft.message.get(_CAPTURE)),
    )
    value = "".join((name and draft.code(name, text)) or "0" for name, text in pairs)
    if reason := draft.put(_ENTRY, value):
        draft.lose(rule.sources, reason)
        return
    for number in rule.sources:
        if number in draft.message.fields:
            note = "joined; positions that 1987 does not define are set to unknown or none"
            unsaid = _unsaid(draft, value) if number == _ENTRY else ""
            draft.note(number, FILLED if number == _ENTRY else MERGED, (_ENTRY,), note + unsaid)


def point_of_service_bits(draft: Draft, rule: ConversionRow) -> None:
    """The positions of 1993 as the bits of 2003, and back."""
    (source,) = rule.sources
    value = draft.message[source]
    if draft.up:
        presence = draft.code("presence bit", value[4]) or draft.code("environment bit", value[3])
        method = draft.code("authentication bit", value[7])
        bits = (draft.code("input bit", value[6]), method, presence, "1")
        new_value = "".join(f"{1 << _BITS - int(bit or 1):0{_PART}X}" for bit in bits)
        note = "as bits; terminal capabilities are lost, and the channel security is unknown"
    else:
        new_value = _from_bits(draft, value)
        note = "the first of several bits counts; the others are unknown or other (6)"
    draft.carry(source, {source: new_value}, FILLED, note + _unsaid(draft, new_value))


def _unsaid(draft: Draft, entry: str) -> str:
    """A note if the new version cannot express the entry mode and *entry* (DE 22) says something else."""
    old = pos.kind_of(draft.message.get(_ENTRY), draft.message.version)
    new = pos.kind_of(entry, draft.to)
    if old in ("", _UNKNOWN, new):
        return ""
    words = read_toml("phrases")["entries"]
    return f"; {draft.to} cannot express {words.get(old, old)}; it uses {words.get(new, new) or _UNKNOWN}"


def _from_bits(draft: Draft, value: str) -> str:
    texts = [value[at : at + _PART] for at in range(0, len(value), _PART)]
    mode, method, environment = (str(_BITS + 1 - int(text, 16).bit_length()) for text in texts[:3])
    presence = draft.code("presence bit", environment) or "0"
    card = "1" if presence == "0" else "0"
    place = draft.code("environment bit", environment) or "0"
    codes = (draft.code("input bit", mode) or "0", draft.code("authentication bit", method) or "0")
    can = _BY_PIN if codes[1] == _BY_PIN else _OTHER  # the bits do not say that there is no method
    return f"0{can}0{place}{presence}{card}{codes[0]}{codes[1]}0001"

"""Amounts: 2003 includes currency and decimals, the other versions have the currency in its own element."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sim.elements.money import CURRENCY_OF
from sim.operations.conversion.draft import (
    FILLED,
    KEPT,
    LOST,
    MERGED,
    MOVED,
    REFORMATTED,
    SPLIT,
    ConversionRow,
    Draft,
)
from sim.parts import layout
from sim.parts.writing import Value
from sim.spec import currency, layouts

_Change = Callable[[Mapping[str, str]], dict[str, Value]]
_NO_CURRENCY = "999"  # ISO 4217: transactions without a currency
_TRANSACTION, _SETTLEMENT = 4, 5
_TRANSACTION_FEE_TYPE = "00"
_NO_FEE = "C00000000"
_NO_RATE = "00000000"
_SIGNED = 9  # C or D and eight digits
_DECIMALS = "minor unit"


def amount(draft: Draft, rule: ConversionRow) -> None:
    """An amount and its currency, merged or split."""
    if not draft.up:
        _split_amount(draft, rule)
        return
    number, beside = rule.sources
    value, code = draft.message.get(number), draft.message.get(beside)
    if not value:
        if code and beside not in draft.notes:
            draft.lose([beside], "2003 has a currency only with an amount, and there is none")
        return
    reason = draft.put(number, _prefix(code) + value)
    if reason:
        draft.lose(rule.sources, reason)
    elif code:
        draft.note(number, MERGED, (number,), f"with the currency of DE {beside} and its decimals")
        if beside in draft.notes and draft.notes[beside].action == LOST:  # by the rule of a missing amount
            del draft.notes[beside]
        draft.note(beside, MERGED, (number,), "2003 has it with the amount")
    else:
        draft.note(number, FILLED, (number,), f"with currency {_NO_CURRENCY}, because the message has none")


def _split_amount(draft: Draft, rule: ConversionRow) -> None:
    (number,) = rule.sources
    target, beside = rule.targets
    value = draft.message[number]
    code, exponent, digits = value[:3], value[3:4], value[4:]
    entry = currency(code)
    decimals = entry.exponent if entry else None
    if decimals is not None and exponent.isdigit():
        moved = decimals - int(exponent)
        scaled = int(digits) * 10**moved if moved >= 0 else int(digits) // 10**-moved
        digits = str(scaled).zfill(len(digits))
    other = draft.fields.get(beside)
    reason = draft.put(target, digits) or ("" if other else draft.put(beside, code))
    if reason:
        draft.lose([number], reason)
        return
    note = "amount and currency separated"
    if other and other != code and code != _NO_CURRENCY:
        note += f"; its currency {code} is lost, DE {beside} has {other}"
    if digits != value[4:]:
        note += "; the amount in the currency's usual decimals"
    draft.note(number, SPLIT, (target, beside), note)


def _prefix(code: str) -> str:
    """Currency and number of decimals, as 2003 writes them before an amount."""
    entry = currency(code.strip()) if code.strip() else None
    return f"{entry.numeric}{entry.exponent or 0}" if entry else f"{code or _NO_CURRENCY}0"


def replacement_amounts(draft: Draft, rule: ConversionRow) -> None:
    """1987: DE 4 is the original amount and DE 95 the one that replaces it; 1993: DE 30 and DE 4."""
    message, (first, second) = draft.message, rule.sources
    if (second if draft.up else first) not in message.fields:
        return  # DE 4 is the only amount
    source = second if draft.up else first
    split = layout.read(layouts.layouts(message.version, source)[0], message[source])
    values = [part.value for part in split.parts]
    if split.misfits or not message.get(_TRANSACTION):
        draft.lose([source], "its parts cannot be separated")
        return
    settled = message.get(_SETTLEMENT)
    if draft.up:
        original = message[_TRANSACTION] + (settled or "0" * len(message[_TRANSACTION]))
        amounts = {rule.targets[0]: original, _TRANSACTION: values[0]}
        fees = "" if not "".join(values[2:]).strip("CD0 ") else "; its fees are lost"
        notes = {_TRANSACTION: "it is the original amount", 95: "it is the current amount" + fees}
    else:
        rest = (settled or "0" * len(values[0])) + 2 * _NO_FEE
        amounts = {_TRANSACTION: values[0], rule.targets[1]: message[_TRANSACTION] + rest}
        notes = {_TRANSACTION: "it replaces the original amount", 30: "it is the original amount"}
    reasons = [reason for number, value in amounts.items() if (reason := draft.put(number, value))]
    for number, text in notes.items():
        to = [target for target in amounts if (target == _TRANSACTION) != (number == _TRANSACTION)]
        draft.notes.pop(number, None)
        draft.note(number, MOVED if not reasons else LOST, to if not reasons else (), text)


def original_amounts(draft: Draft, rule: ConversionRow) -> None:
    """The amounts of the original message, with or without their currencies."""
    number = rule.targets[0]
    value = draft.message.get(number)
    if not value:
        return
    half = len(value) // 2
    if draft.up:
        codes = [draft.message.get(CURRENCY_OF[element]) for element in (_TRANSACTION, _SETTLEMENT)]
        halves = (value[:half], value[half:])
        new_value = "".join(_prefix(code) + part for code, part in zip(codes, halves, strict=True))
    else:
        new_value = value[4:half] + value[half + 4 :]
    note = "each with its currency" if draft.up else "the currencies are those of the message"
    draft.carry(number, {number: new_value}, REFORMATTED, note)


def fees(draft: Draft, rule: ConversionRow) -> None:
    """The fees of a transaction: single elements in 1987, groups with types in 1993."""
    if not draft.up:
        _single_fees(draft, rule)
        return
    present = [number for number in rule.sources if number in draft.message.fields]
    (target,) = rule.targets
    fee, settled = (draft.message.get(number) or _NO_FEE for number in rule.sources)
    codes = [draft.message.get(CURRENCY_OF[element]) for element in (_TRANSACTION, _SETTLEMENT)]
    first = codes[0] or codes[1] or _NO_CURRENCY
    values = (_TRANSACTION_FEE_TYPE, first, fee, _NO_RATE, settled, codes[1] or first)
    if reason := draft.put(target, "".join(values)):
        draft.lose(present, reason)
        return
    for number in present:
        draft.note(number, FILLED, rule.targets, "as a fee of type 00, with the currency of the message")


def _single_fees(draft: Draft, rule: ConversionRow) -> None:
    (source,) = rule.sources
    split = layout.fitting(draft.message.version, source, draft.message[source])
    if split is None:
        draft.lose([source], "its parts cannot be separated")
        return
    first, *more = split.parts
    parts = {part.name: part.value for part in first.children}
    values = {rule.targets[0]: parts["fee"]}
    if parts["reconciliation fee"].strip("CD0"):
        values[rule.targets[1]] = parts["reconciliation fee"]
    note = f"the first of {len(more) + 1} fees, without type and rate" if more else "without type and rate"
    draft.carry(source, values, SPLIT, note)


def fees_with_currencies(draft: Draft, rule: ConversionRow) -> None:
    """Groups of fees: 2003 precedes each fee with its currency and decimals."""
    _groups(draft, rule, _fee_later if draft.up else _fee_earlier)


def _fee_later(parts: Mapping[str, str]) -> dict[str, Value]:
    fee = _prefix(parts["currency"]) + parts["fee"]
    other = _prefix(parts["reconciliation currency"]) + parts["reconciliation fee"]
    return {"1": parts["fee type"], "2": fee, "3": parts["conversion rate"], "4": other}


def _fee_earlier(parts: Mapping[str, str]) -> dict[str, Value]:
    fee, other = parts["fee with its currency"], parts["reconciliation fee with its currency"]
    money = {"2": fee[:3], "3": fee[-_SIGNED:], "5": other[-_SIGNED:], "6": other[:3]}
    return {"1": parts["fee type"], "4": parts["conversion rate"], **money}


def additional_amounts(draft: Draft, rule: ConversionRow) -> None:
    """Groups of amounts, whose types differ in part; 2003 has the number of decimals after the currency."""
    layout_to = layouts.layouts(draft.to, rule.targets[0])[0]
    has_decimals = _DECIMALS in {cell.name for cell in layout_to.cell.cells}

    def changed(parts: Mapping[str, str]) -> dict[str, Value]:
        kind, code = parts["amount type"], parts["currency"]
        values: dict[str, Value] = {**parts, "amount type": draft.code(rule.detail, kind) or kind}
        values.pop(_DECIMALS, None)
        if has_decimals:
            prefix = _prefix(code)
            values |= {"currency": prefix[:3], _DECIMALS: prefix[3:]}
        return values

    _groups(draft, rule, changed)


def _groups(draft: Draft, rule: ConversionRow, change: _Change) -> None:
    """Convert each group of an element: *change* maps its parts by name to those of the new version."""
    (source,), (target,) = rule.sources, rule.targets
    value = draft.message[source]
    split = layout.fitting(draft.message.version, source, value)
    if split is None:
        draft.lose([source], "its parts cannot be separated")
        return
    groups = [change({part.name: part.value for part in group.children}) for group in split.parts]
    if not draft.write(source, target, groups):
        return
    if draft.fields[target] == value:
        draft.note(source, KEPT, (target,), "")
    else:
        draft.note(source, REFORMATTED, (target,), f"each group in the {draft.to} layout")

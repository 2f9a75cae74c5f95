"""Amounts: 2003 includes currency and decimals, the other versions have the currency in its own element."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sim.codec.text import is_digits
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
_TRANSACTION, _SETTLEMENT, _BILLING = 4, 5, 6
_CONVERTED = (_SETTLEMENT, _BILLING)
_TRANSACTION_FEE_TYPE = "00"
_NO_FEE = "C00000000"
_NO_RATE = "00000000"
_REVERSAL = "4"
_ADDITIONAL, _ORIGINAL = 54, "57"  # the type of an original amount
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
    code, digits = value[:3], _usual(value[:3], value[3:4], value[4:])
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


def _usual(code: str, exponent: str, digits: str) -> str:
    """An amount of *exponent* decimals in the usual ones of its currency, which earlier versions imply.

    >>> _usual("392", "2", "000000010000")
    '000000000100'
    """
    entry = currency(code)
    if entry is None or entry.exponent is None or not exponent.isdigit():
        return digits
    moved = entry.exponent - int(exponent)
    scaled = int(digits) * 10**moved if moved >= 0 else int(digits) // 10**-moved
    return str(scaled).zfill(len(digits))


def _prefix(code: str) -> str:
    """Currency and number of decimals, as 2003 writes them before an amount."""
    entry = currency(code.strip()) if code.strip() else None
    return f"{entry.numeric}{entry.exponent or 0}" if entry else f"{code or _NO_CURRENCY}0"


def replacement_amounts(draft: Draft, rule: ConversionRow) -> None:
    """1987: DE 4 is the original amount and DE 95 the one that replaces it; 1993: DE 30 and DE 4."""
    message, (first, second) = draft.message, rule.sources
    if (second if draft.up else first) not in message.fields:
        return  # DE 4 is the only amount
    if not draft.up and message.mti[1:2] != _REVERSAL:
        return  # DE 4 is what moves; `original_amount` carries the other
    source = second if draft.up else first
    split = layout.read(layouts.layouts(message.version, source)[0], message[source])
    values = [part.value for part in split.parts]
    if split.misfits or not message.get(_TRANSACTION):
        draft.lose([source], "its parts cannot be separated")
        return
    none = "0" * len(values[0])
    settled = message.get(_SETTLEMENT) or none
    if draft.up:
        amounts = {rule.targets[0]: message[_TRANSACTION] + settled, _TRANSACTION: values[0]}
        fees = "" if not "".join(values[2:]).strip("CD0 ") else "; its fees are lost"
        notes = {_TRANSACTION: "it is the original amount", 95: "it is the current amount" + fees}
    else:
        amounts = {_TRANSACTION: values[0], rule.targets[1]: message[_TRANSACTION] + settled + 2 * _NO_FEE}
        notes = {_TRANSACTION: "it replaces the original amount", 30: "it is the original amount"}
    beside = notes[_TRANSACTION].replace("amount", "settlement amount")
    draft.fields.pop(_SETTLEMENT, None)  # it changes places, too
    if values[1].strip("0"):
        amounts[_SETTLEMENT] = values[1]
    if _SETTLEMENT in message:
        notes[_SETTLEMENT] = beside
    for number in _CONVERTED:
        if number in message and number not in amounts:
            amounts[number] = _in_proportion(message[number], values[0], message[_TRANSACTION])
    reasons = [reason for number, value in amounts.items() if (reason := draft.put(number, value))]
    (pair,) = amounts.keys() - {_TRANSACTION, *_CONVERTED}
    if _BILLING in message:
        draft.notes.pop(_BILLING, None)
        draft.note(_BILLING, REFORMATTED, (_BILLING,), "for the amount in DE 4, at the same rate")
    for number, text in notes.items():
        to = [pair] if number != source else [target for target in amounts if target != pair]
        draft.notes.pop(number, None)
        draft.note(number, MOVED if not reasons else LOST, to if not reasons else (), text)


def _in_proportion(converted: str, amount: str, original: str) -> str:
    """*converted*, the *original* amount in another currency, for another *amount* at the same rate.

    >>> _in_proportion("000000012000", "000000002500", "000000010000")
    '000000003000'
    """
    if not all(map(is_digits, (converted, amount, original))) or not int(original):
        return converted
    whole = int(original)
    return str((2 * int(converted) * int(amount) + whole) // (2 * whole)).zfill(len(converted))


def original_amount(draft: Draft, rule: ConversionRow) -> None:
    """The original amount of a message that is no reversal: a group of DE 54 in 1987, DE 30 in 1993."""
    message, own = draft.message, draft.message.get(CURRENCY_OF[_TRANSACTION]) or _NO_CURRENCY
    head = f"00{_ORIGINAL}{own}C"
    if draft.up:
        value = draft.fields.get(_ADDITIONAL, "")
        split = layout.fitting(draft.to, _ADDITIONAL, value)
        groups = ["".join(part.value for part in group.children) for group in split.parts] if split else []
        originals = [group for group in groups if group.startswith(head)]
        if len(originals) != 1 or rule.targets[0] in draft.fields or message.mti[1:2] == _REVERSAL:
            return
        text = originals[0].removeprefix(head)
        draft.fields.pop(_ADDITIONAL)
        draft.notes.pop(_ADDITIONAL)
        groups.remove(originals[0])
        to = {rule.targets[0]: text + "0" * len(text)} | ({_ADDITIONAL: "".join(groups)} if groups else {})
        draft.carry(_ADDITIONAL, to, MOVED, "the original amount is in DE 30 of 1993")
    elif message.mti[1:2] != _REVERSAL:
        (source,) = rule.sources
        value = message[source]
        amount, settled = value[: len(value) // 2], value[len(value) // 2 :]
        text = "it is the original amount, type 57" + (
            "; that of settlement is lost" if settled.strip("0") else ""
        )
        draft.carry(source, {_ADDITIONAL: draft.fields.get(_ADDITIONAL, "") + head + amount}, MOVED, text)


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
        halves = (value[:half], value[half:])
        own = [draft.message.get(element)[:3] for element in (_TRANSACTION, _SETTLEMENT)]
        for part, code in zip(halves, own, strict=True):
            if part[4:].strip("0") and code not in ("", part[:3]):
                draft.lose([number], f"{draft.to} has no currency there, and {part[:3]} is not the message's")
                return
        new_value = "".join(_usual(part[:3], part[3], part[4:]) for part in halves)
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
    money = {"2": fee[:3], "3": _signed(fee), "5": _signed(other), "6": other[:3]}
    return {"1": parts["fee type"], "4": parts["conversion rate"], **money}


def _signed(text: str) -> str:
    """The sign and the amount of *text*, which begins with currency and decimals."""
    return text[4:5] + _usual(text[:3], text[3:4], text[5:])


def additional_amounts(draft: Draft, rule: ConversionRow) -> None:
    """Groups of amounts, whose types differ in part; 2003 has the number of decimals after the currency."""
    layout_to = layouts.layouts(draft.to, rule.targets[0])[0]
    has_decimals = _DECIMALS in {cell.name for cell in layout_to.cell.cells}

    def changed(parts: Mapping[str, str]) -> dict[str, Value]:
        kind, code = parts["amount type"], parts["currency"]
        values: dict[str, Value] = {**parts, "amount type": draft.code(rule.detail, kind) or kind}
        if exponent := values.pop(_DECIMALS, None):
            values["amount"] = _signed(f"{code}{exponent}{parts['amount']}")
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

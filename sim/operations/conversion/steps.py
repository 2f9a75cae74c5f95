"""How the elements of a rule become those of the neighbouring version: one small function for each `how`."""

from __future__ import annotations

from collections.abc import Callable

from sim.operations.conversion import codes, moments, money, parts, places
from sim.operations.conversion.draft import Draft
from sim.operations.conversion.rules import LOST, ConversionRow


def _lost(draft: Draft, rule: ConversionRow) -> None:
    draft.lose(rule.sources, rule.detail)


PLAIN = (LOST, "same")  # they look at no character
BY_TYPE = ("mti", "function code")  # they say something though their elements are not there
STEPS: dict[str, Callable[[Draft, ConversionRow], None]] = {
    LOST: _lost,
    "same": parts.same,
    "text": parts.text,
    "number": parts.number,
    "merchant": parts.merchant,
    "digits as bytes": parts.same,  # packed, they look alike in the text form
    "text as bytes": parts.text_as_bytes,
    "chip data": parts.chip_data,
    "mti": codes.mti,
    "code": codes.code,
    "settlement": codes.settlement,
    "function code": codes.function_code,
    "point of service": codes.point_of_service,
    "point of service bits": codes.point_of_service_bits,
    "local time": moments.local_time,
    "date": moments.date,
    "original data": moments.original_data,
    "place": places.place,
    "amount": money.amount,
    "original amounts": money.original_amounts,
    "replacement amounts": money.replacement_amounts,
    "fees": money.fees,
    "fees with currencies": money.fees_with_currencies,
    "additional amounts": money.additional_amounts,
    "additional amounts with currencies": money.additional_amounts_with_currencies,
}

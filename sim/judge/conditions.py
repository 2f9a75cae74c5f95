"""The conditions under which networks want elements or do not, by the names that their presence rows use, and
what rules ask of codes time and again."""

from __future__ import annotations

from collections.abc import Callable

from sim.elements import layout
from sim.judge.parts import TABLE, Maybe, mask_of
from sim.spec import Spec, is_particular, lookup, role

Predicate = Callable[..., bool]

_ACCOUNTS = (2, 34, 35, 45)
_MOVES_MONEY = ("00", "01", "09", "10", "20", "26", "28")
_INQUIRY = "inquiry"


def purpose_kind(processing_code: str, version: str) -> str:
    """The kind of transaction that the processing code says, as `debit`; empty where it is not known."""
    found = lookup("transaction_type", processing_code[:2], version=version)
    return found.kind if found else ""


def answer_kind(code: str, version: str) -> str:
    """The kind of answer in DE 39, as `approved`; empty where it is not known."""
    found = lookup("response_code", code, version=version)
    return found.kind if found else ""


def part_of_pos(version: str, job: str) -> slice:
    """Where the part of DE 22 stands that does *job*; nowhere where none does."""
    found = role(job, version)
    return layout.place(version, 22, found.part) if found else slice(0, 0)


def _is_entry(how: str, version: str, value: str) -> bool:
    return is_particular(how, version, value[part_of_pos(version, "entry")])


# Conditions that only ask which elements there are: those that must be, and those that must not.
OF_PRESENCE = {"no_account": (0, mask_of(_ACCOUNTS)), "pin": (mask_of((52,)), 0)}
# The others, by the name the tables give them: functions of the parts that they name.
PREDICATES: dict[str, Predicate] = {}


def _condition(name: str) -> Callable[[Predicate], Predicate]:
    def bind(check: Predicate) -> Predicate:
        PREDICATES[name] = check
        return check

    return bind


@_condition("value")
def _moves_money(code: str = Maybe[3]) -> bool:
    return code[:2] in _MOVES_MONEY


@_condition("cashback")
def _cash_back(code: str = Maybe[3]) -> bool:
    return code[:2] == "09"


@_condition("card_read")
def _card_read(value: str = Maybe[22], table: Spec = TABLE) -> bool:
    return _is_entry("card-read", table.version, value)


@_condition("keyed")
def _keyed(value: str = Maybe[22], table: Spec = TABLE) -> bool:
    return _is_entry("keyed", table.version, value)


@_condition("chip")
def _chip(value: str = Maybe[22], table: Spec = TABLE) -> bool:
    return _is_entry("chip", table.version, value)


@_condition("approved")
def _approved(purpose: str = Maybe[3], answer: str = Maybe[39], table: Spec = TABLE) -> bool:
    """Whether something is approved that has an approval code: an inquiry may be answered without one."""
    return (
        is_particular("approved", table.version, answer) and purpose_kind(purpose, table.version) != _INQUIRY
    )


@_condition("format_error")
def _format_error(answer: str = Maybe[39]) -> bool:
    return answer == "30"


@_condition("sign_on")
def _sign_on(code: str = Maybe[70]) -> bool:
    return code in ("001", "061")


@_condition("key_change")
def _key_change(code: str = Maybe[70]) -> bool:
    return code == "101" or code[:2] == "16"

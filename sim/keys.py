"""`sim.keys`: PIN blocks, MACs, verification values, cryptograms, DUKPT and key blocks, for test keys.

Functions on messages accept any form and return a message table; `steps` shows how a result was computed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar, cast

from sim.codec import Message
from sim.link.keys import messages as _messages
from sim.link.keys.blocks import KeyBlock, key_block, read_key_block
from sim.link.keys.card import cavv, cvc3, cvv, ibm_pin, pin_offset, pvv
from sim.link.keys.chip import arpc, arqc, icc_master_key, session_key
from sim.link.keys.dukpt import Usage, dukpt_key, initial_key
from sim.link.keys.key import Key, Step, Worked
from sim.link.keys.mac import MacAlgorithm, mac
from sim.link.keys.pin import PinFormat, pin_block, read_pin_block, translate_pin_block
from sim.link.keys.ring import KeyRing
from sim.tables.argument import MessageArgument, readable, take
from sim.tables.message_table import MessageTable, table_of
from sim.tables.reference import ReferenceTable
from sim.tables.tables import Table, columns_from

__all__ = [
    "Key",
    "KeyBlock",
    "KeyRing",
    "MacAlgorithm",
    "PinFormat",
    "Step",
    "Usage",
    "Worked",
    "arpc",
    "arqc",
    "cavv",
    "check_arqc",
    "check_mac",
    "cvc3",
    "cvv",
    "dukpt_key",
    "ibm_pin",
    "icc_master_key",
    "initial_key",
    "key_block",
    "mac",
    "message_arqc",
    "pin_block",
    "pin_offset",
    "pvv",
    "read_key_block",
    "read_pin_block",
    "script_mac",
    "session_key",
    "steps",
    "translate_pin_block",
    "with_arpc",
    "with_arqc",
    "with_mac",
    "with_pin_block",
]


def __dir__() -> list[str]:
    return sorted(__all__)


_P = ParamSpec("_P")
_T = TypeVar("_T")


def steps(worked: Worked) -> Table:
    """Show how a result was computed.

    Parameters
    ----------
    worked
        The result of a function of this module. Its steps may show a PIN, a card number or a CVV, but of keys
        only check values.

    Returns
    -------
    Table
        A row per step: `done`, `result` (hexadecimal digits, mostly), `how`.

    Examples
    --------
    >>> import sim
    >>> worked = sim.keys.pin_block("1234", "4111111111111111")
    >>> sim.keys.steps(worked)["done"].tolist()
    ['PIN field', 'PAN field', 'clear block']
    """
    return ReferenceTable(columns_from(worked.steps, ("done", "result", "how")))


def _accept_any_form(
    function: Callable[Concatenate[Message, _P], _T],
) -> Callable[Concatenate[MessageArgument, _P], _T]:
    """*function* for a message in any form."""

    @wraps(function)
    def of_any(message: MessageArgument, *args: _P.args, **options: _P.kwargs) -> _T:
        return function(readable(take(message)), *args, **options)

    return cast(Callable[Concatenate[MessageArgument, _P], _T], of_any)


def _return_table(
    function: Callable[Concatenate[Message, _P], Message],
) -> Callable[Concatenate[MessageArgument, _P], MessageTable]:
    """*function* for a message in any form, returning a table."""

    @wraps(function)
    def of_any(message: MessageArgument, *args: _P.args, **options: _P.kwargs) -> MessageTable:
        reading = take(message)
        return table_of(take(function(readable(reading), *args, **options), None, reading.network))

    of_any.__doc__ = str(function.__doc__).replace("    Message\n", "    MessageTable\n")
    return cast(Callable[Concatenate[MessageArgument, _P], MessageTable], of_any)


check_mac = _accept_any_form(_messages.check_mac)
check_arqc = _accept_any_form(_messages.check_arqc)
message_arqc = _accept_any_form(_messages.message_arqc)
script_mac = _accept_any_form(_messages.script_mac)
with_mac = _return_table(_messages.with_mac)
with_pin_block = _return_table(_messages.with_pin_block)
with_arqc = _return_table(_messages.with_arqc)


@wraps(_messages.with_arpc)
def _with_arpc(
    answer: Message, request: MessageArgument, issuer_key: Key | str | bytes, *, code: str = "00"
) -> Message:
    return _messages.with_arpc(answer, readable(take(request)), issuer_key, code=code)


with_arpc = _return_table(_with_arpc)

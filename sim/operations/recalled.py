"""The call of `sim.generate` that makes a message like one that is there, or what a form asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from inspect import signature
from typing import Any

from sim.codec import Message
from sim.elements.card import account
from sim.errors import OptionError
from sim.masking import mask_pan, mask_piece
from sim.operations.asked import usual_entry
from sim.operations.choosing import chosen_network
from sim.operations.generation import generate, native_version
from sim.spec.tables import read_toml

_WIDEST = 88  # characters of a line of code

# What generate assumes; who asks for the same need not say so.
_DEFAULTS = {name: one.default for name, one in signature(generate).parameters.items()}
# What a message without a card has no use for.
NO_CARD = ("pan", "amount_minor_units", "currency", "purpose", "entry")


def call_of(options: Mapping[str, Any], description: str = "") -> str:
    """The call of `sim.generate` that makes what the form asks for: only what differs from its defaults.

    >>> call_of({"message_type": "financial", "network": "JCB", "stan": "123456"})
    "sim.generate('financial', network='JCB')"
    """
    if description.strip():
        said = [f"description={description.strip()!r}"]
        if options.get("version", _DEFAULTS["version"]) != _DEFAULTS["version"]:
            said.append(f"version={options['version']!r}")
        return _written([], said)
    kind = options["message_type"]
    left_out = NO_CARD if kind == "echo" else ()
    usual = _DEFAULTS | {
        "entry": usual_entry(str(options.get("purpose", _DEFAULTS["purpose"]))),
        "version": native_version(options.get("network"), options.get("pan")),
    }
    said = [
        f"{name}={value!r}"
        for name, value in options.items()
        if name != "message_type" and name not in left_out and value != usual.get(name)
    ]
    return _written([repr(kind)], said)


def _written(first: list[str], named: list[str]) -> str:
    flat = f"sim.generate({', '.join([*first, *named])})"
    if len(flat) <= _WIDEST:
        return flat
    return "sim.generate(\n" + "".join(f"    {one},\n" for one in [*first, *named]) + ")"


def covered_call(call: str, pan: str | None) -> str:
    """*call* as it may be shown, as long as it was: the card number in stars, and whatever looks like one."""
    shown = call.replace(pan, mask_pan(pan)) if pan and len(pan) >= len(mask_pan("4" * 12)) else call
    covered = mask_piece(shown)
    return covered if len(covered) == len(call) else shown


# Any two moments that differ in each of their parts tell which elements follow the clock.
_ONCE = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
_LATER = _ONCE + timedelta(days=400, hours=7, minutes=11, seconds=13)
_STAN, _AMOUNT, _CURRENCY = 11, 4, 49


@dataclass(frozen=True, slots=True)
class Recalled:
    """A call; the elements that it makes otherwise; those that follow the clock."""

    options: dict[str, Any]
    others: tuple[int, ...]
    of_the_moment: tuple[int, ...]

    def call(self, pan: str | None = None) -> str:
        """The call as it stands in a cell, *pan* in the place of the card number."""
        return call_of(self.options if pan is None else self.options | {"pan": pan})


def recalled(message: Message, network: str | None = None) -> Recalled | None:
    """The call that makes a message as *message* is, but for the fewest elements; None where none makes one
    with its MTI, as for an answer.

    >>> recalled(generate("echo", stan="000042").message).call()
    "sim.generate('echo', stan='000042')"
    """
    best: tuple[int, Recalled] | None = None
    for options in _candidates(message, network):
        try:
            once, later = (generate(**options, at=at).message for at in (_ONCE, _LATER))
        except (OptionError, KeyError):
            continue
        if once.mti != message.mti:
            continue
        numbers = {*once.fields, *message.fields}
        moment = {at for at in once.fields if at in message and once[at] != later.get(at)}
        others = {at for at in numbers - moment if once.get(at) != message.get(at)}
        found = Recalled(options, tuple(sorted(others)), tuple(sorted(moment)))
        if best is None or len(others) < best[0]:
            best = len(others), found
        if not others:
            break
    return best[1] if best else None


def _candidates(message: Message, network: str | None) -> Iterator[dict[str, Any]]:
    """Options of `generate`, the usual ones first."""
    templates = read_toml("templates")
    known = {"version": message.version, "stan": message.get(_STAN, "123456")}
    name = chosen_network(message, network)
    own = {"network": name} if name else {}
    field, pan = account(message)
    for kind, held in templates["kinds"].items():
        if message.mti[1:] not in {code[1:] for code in held["mti"].values()}:
            continue  # some networks keep one MTI in every version
        if not field:
            yield {"message_type": kind, **known, **own}
            continue
        amount = message.get(_AMOUNT)[-12:]
        money: dict[str, Any] = {"amount_minor_units": int(amount)} if amount.isdecimal() else {}
        money |= {"currency": message[_CURRENCY]} if _CURRENCY in message else {}
        for purpose in templates["purposes"]:
            for entry in templates["entries"]:
                yield {
                    "message_type": kind,
                    **own,
                    "pan": pan,
                    **money,
                    **known,
                    "purpose": purpose,
                    "entry": entry,
                }


def _named(numbers: Iterable[int]) -> str:
    return ", ".join(f"DE {number}" for number in numbers)


def in_words(found: Recalled) -> list[str]:
    """What the call makes otherwise, as comments beneath each other."""
    said = []
    if found.of_the_moment:
        said.append(f"# at=... chooses the moment, which {_named(found.of_the_moment)} follow.")
    if found.others:
        said.append(f"# Otherwise in the message that was copied: {_named(found.others)}.")
    return said

"""The call behind the generate form, as it would stand in a cell."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

from sim.masking import mask_pan, mask_piece
from sim.operations import generate
from sim.operations.asked import usual_entry

_WIDEST = 88  # characters of a line of code

# What generate assumes; who asks for the same need not say so.
_DEFAULTS = {name: one.default for name, one in signature(generate).parameters.items()}
_NO_CARD = ("pan", "amount_minor_units", "currency", "purpose", "entry")


def call_of(options: Mapping[str, Any], description: str = "") -> str:
    """The call of `sim.generate` that makes what the form asks for: only what differs from its defaults.

    >>> call_of({"message_type": "financial", "network": "JCB", "stan": "123456"})
    "sim.generate('financial', network='JCB')"
    """
    if description.strip():
        said = [f"description={description.strip()!r}"]
        if options.get("version") != _DEFAULTS["version"]:
            said.append(f"version={options['version']!r}")
        return _written([], said)
    kind = options["message_type"]
    left_out = _NO_CARD if kind == "echo" else ()
    usual = _DEFAULTS | {"entry": usual_entry(str(options.get("purpose", _DEFAULTS["purpose"])))}
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

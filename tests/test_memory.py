"""Caches do not grow with the contents of messages, so that nobody can exhaust a service's memory."""

from __future__ import annotations

import pkgutil
from random import Random

from kept import caches
from support import ALL, MORE

import sim
from sim.codec import Message, ParseError, build
from sim.operations import VERSIONS, explain, validate
from sim.spec import ElementSpec, spec

CODES = "0123456789ABCDEF"
# What this test does not use: some of them are extras.
UNUSED = ("sim.cli", "sim.tables", "sim.link", "sim.magic", "sim.mcp", "sim.models", "sim.widgets")
MODULES = [
    module.name
    for module in pkgutil.walk_packages(sim.__path__, "sim.")
    if not module.name.startswith(UNUSED)
]


def _value(some: Random, element: ElementSpec) -> str:
    size = element.width if element.fixed else some.randrange(1, min(element.width, 40) + 1)
    digits = CODES[:10] if element.content in ("n", "x+n", "z") or some.random() < 0.5 else CODES
    return "".join(some.choices(digits, k=size))


def _chip_data(some: Random) -> str:
    """Unknown tags: two bytes each, with one byte of value."""
    return "".join(f"DF{some.randrange(0x80):02X}01{some.randrange(256):02X}" for _ in range(20)) + "".join(
        f"9F{some.randrange(0x80, 0x100):02X}{some.randrange(0x80):02X}0100" for _ in range(20)
    )


def _message(some: Random) -> Message:
    version = some.choice(VERSIONS)
    elements = some.sample(spec(version).elements[1:], some.randrange(1, 30))
    fields = {one.number: _value(some, one) for one in sorted(elements, key=lambda one: one.number)}
    if 55 in fields:
        fields[55] = _chip_data(some)
    mti = f"{VERSIONS.index(version)}{some.randrange(1000):03}"
    return Message(mti, fields, version)


def _sizes() -> dict[str, int]:
    """The size of each unbounded cache."""
    return {
        name: cache.cache_info().currsize
        for name, cache in caches(*MODULES)
        if cache.cache_parameters()["maxsize"] is None
    }


def test_caches_without_a_bound_do_not_grow() -> None:
    """A few hundred messages of all types load all tables; more messages add nothing."""
    some, before = Random(1), {}
    for at in range(800 if ALL else 500 if MORE else 300):
        if at == (400 if MORE else 240):
            before = _sizes()
        message = _message(some)
        validate(message)
        try:
            explain(build(message), version=message.version)
        except ParseError:
            continue
    after = _sizes()
    assert sum(before.values()) > 100
    grown = {name: after[name] - before[name] for name in after if after[name] - before[name] > 5}
    assert grown == {}

"""The contents of caches, for the tests that look for card numbers in them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import _lru_cache_wrapper
from importlib import import_module
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any


def caches(*modules: str) -> Iterator[tuple[str, Any]]:
    """The caches of *modules*, with their names."""
    for module in map(import_module, modules):
        for name, value in vars(module).items():
            if not isinstance(value, _lru_cache_wrapper):
                continue
            if name.startswith("_") or value.__module__ == module.__name__:  # not imported
                yield f"{module.__name__}.{name}", value


def texts(cache: object) -> Iterator[str]:
    """All texts that *cache* refers to, through containers, records and closures."""
    seen: set[int] = set()
    ahead = [cache]
    while ahead:
        one = ahead.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, str):
            yield one
        elif isinstance(one, FunctionType):
            ahead += [cell.cell_contents for cell in one.__closure__ or ()]
        elif not isinstance(one, type | ModuleType | BuiltinFunctionType):
            ahead += gc.get_referents(one)

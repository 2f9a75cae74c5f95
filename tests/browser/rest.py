"""A page at rest: styles, themes and news of the kernel arrive after what they belong to."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from playwright.sync_api import Locator, LocatorAssertions

Found = TypeVar("Found")
_PATIENCE = 60  # seconds


def expect(what: Locator) -> LocatorAssertions:
    """Playwright's assertions, each of which waits until it holds; imported where it is installed."""
    from playwright.sync_api import expect as expected

    expected.set_options(timeout=1000 * _PATIENCE)
    return expected(what)


def at_rest(look: Callable[[], Found], good: Callable[[Found], bool]) -> Found:
    """What a *look* finds as soon as it is *good*, or at last."""
    end = time.monotonic() + _PATIENCE
    while not good(found := look()) and time.monotonic() < end:
        continue
    return found

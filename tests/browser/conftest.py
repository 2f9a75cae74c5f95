"""One JupyterLab and one browser for all tests that look at pages; skipped where there is no browser."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from browser.lab import Lab
    from browser.voila import Voila
    from playwright.sync_api import Browser

SHOTS = Path(__file__).parent / "shots"


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known."""
    config.addinivalue_line("markers", "browser: looks at a real page in a headless Chromium")


def _missing() -> str:
    for package in ("playwright", "jupyterlab"):
        if importlib.util.find_spec(package) is None:
            return f"{package} is not installed (extras browser and lab)"
    from browser.lab import chromium_path

    return "" if chromium_path() else "no Chromium on the path, none named by CHROMIUM"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser."""
    if reason := _missing():
        pytest.skip(reason)
    from browser import lab

    with lab.chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def jupyterlab(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """The server; asks for the browser first, so that nothing is started in vain."""
    from browser import lab

    with lab.jupyterlab(tmp_path_factory.mktemp("notebooks")) as server:
        yield server


@pytest.fixture(scope="session")
def voila(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Voila]:
    """The server; asks for the browser first, so that nothing is started in vain."""
    if importlib.util.find_spec("voila") is None:
        pytest.skip("voila is not installed (extra voila)")
    from browser.voila import serving

    with serving(tmp_path_factory.mktemp("pages"), tmp_path_factory.mktemp("voila")) as server:
        yield server


@pytest.fixture(scope="session")
def shots() -> Path:
    """Where pictures go, to be looked at by people; those of earlier runs give way."""
    # Two processes may run the tests: a folder for each.
    own = SHOTS / os.environ.get("PYTEST_XDIST_WORKER", "all")
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir(parents=True)
    return own

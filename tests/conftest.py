"""What holds for every test: repeatable examples, no settings from outside, no network."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

import certifi
import pytest
import refusing
import warm
from hypothesis import HealthCheck, settings
from support import ALL, AT, MORE
from warmed import VARIABLE

from sim.codec.wire import catalogue
from sim.elements import dates

# The same examples on every run and machine, however slow; more of them where all are asked for.
settings.register_profile(
    "lab",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=200 if ALL else 16 if MORE else 8,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("lab")

# What is made without a moment is the same on every day that the tests run.
dates.now = lambda: AT

_SETTINGS = ("SIM_", "ANTHROPIC_", "OPENAI_", "GOOGLE_", "GEMINI_", "OLLAMA_")

# This process and those that it starts, kernels of notebooks among them.
refusing.install()
_paths = [
    str(Path(refusing.__file__).parent),
    *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)),
]
os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(_paths))


def _one_certificate() -> None:
    """No test speaks TLS: one root is enough. Clients of language models read all that are known for each
    call, which takes longer than the rest of it."""
    known = Path(certifi.where()).read_text(encoding="utf-8")
    end = "-----END CERTIFICATE-----\n"
    path = Path(gettempdir()) / "iso8583-tests-root.pem"
    own = path.with_suffix(f".{os.getpid()}")  # other runs may be reading the other
    own.write_text(known[: known.index(end)] + end, encoding="utf-8")
    own.replace(path)
    os.environ["SSL_CERT_FILE"] = str(path)


_one_certificate()

# What is imported and collected stays, all of it: see pytest_collection_finish.
gc.disable()

# Ctrl+C is meant to end what the tests start, also where a shell without job control started the tests.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Programs that the tests start are copies of one that is warm: one for all processes that run tests."""
    if VARIABLE not in os.environ and not config.option.collectonly:
        stack = ExitStack()
        stack.enter_context(warm.serving(Path(stack.enter_context(TemporaryDirectory()))))
        config.add_cleanup(stack.close)


def pytest_collection_finish() -> None:
    """What was collected stays: the garbage collector need not look at it again, nor at what is new after
    every few hundred objects."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)
    gc.enable()


def pytest_sessionfinish() -> None:
    """What is garbage by now is found once, and what is left not looked through again, as pytest would."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A test sees the defaults, whatever the developer's shell has set; a format that it loads is known in it
    only; where it wanted to leave this machine it fails, even where what it called swallowed the refusal."""
    for name in os.environ:
        if name.startswith(_SETTINGS):
            monkeypatch.delenv(name)
    monkeypatch.setattr(catalogue, "_LOADED", {})
    refusing.reached.clear()
    yield
    assert refusing.reached == []

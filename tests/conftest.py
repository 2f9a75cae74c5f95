"""Settings for every test: repeatable examples, no outside settings, no network."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import TYPE_CHECKING

import certifi
import pytest
import refusing
import warm
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings
from support import ALL, AT, MORE
from warmed import VARIABLE

from sim.codec.wire import catalogue
from sim.elements import dates

if TYPE_CHECKING:
    from llm.wire import Provider

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
    """No test uses public TLS, so one root certificate is enough. Clients of language models load all
    known roots for each call, which takes longer than the call."""
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


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: many tests wait for other processes."""
    return (os.cpu_count() or 1) + 1


class _Examples:
    """Leaves out files without examples in their docstrings, which need not be imported to know that; and
    tests, where looking for examples takes as long as loading the tests."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(
        self, file_path: Path
    ) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        """What is collected in *file_path*."""
        has_examples = Path(__file__).parent not in file_path.parents and b">>> " in file_path.read_bytes()
        return [part for part in (yield) if has_examples or not isinstance(part, DoctestModule)]


def pytest_configure(config: pytest.Config) -> None:
    """Look for examples where there are some; start a warmed-up process once, from which programs that tests
    run are forked."""
    config.pluginmanager.register(_Examples())
    if VARIABLE not in os.environ and not config.option.collectonly:
        stack = ExitStack()
        stack.enter_context(warm.serving(Path(stack.enter_context(TemporaryDirectory()))))
        config.add_cleanup(stack.close)


def pytest_collection_finish() -> None:
    """Freeze the collected tests, so that the garbage collector does not scan them, not even once."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)
    gc.enable()


def pytest_sessionfinish() -> None:
    """Collect the garbage once, and freeze the rest, which pytest would scan again."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """A provider on the loopback that stands for all four; nothing was asked of it before."""
    from llm.wire import provider

    from sim.models.transport import calls

    calls.forget()
    with provider() as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("SIM_LLM_TIMEOUT", "10")
        yield server
    calls.forget()


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A test gets the default settings, whatever the developer's shell has set; a format that it loads is
    known only in it; and it fails if it tries to leave this machine, even if the called code ignores the
    error."""
    for name in os.environ:
        if name.startswith(_SETTINGS):
            monkeypatch.delenv(name)
    monkeypatch.setattr(catalogue, "_LOADED", {})
    refusing.reached.clear()
    yield
    assert refusing.reached == []

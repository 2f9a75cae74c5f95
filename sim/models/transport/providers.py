"""The providers: which are configured, which one a call uses, and its limits (`SIM_LLM_*`). Nothing is
imported or called.

Each provider is a row of `models.toml`.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from sim.models.errors import LlmUnavailable, LlmUnknownModel, LlmUnknownProvider

EFFORTS = ("minimal", "low", "medium", "high")
_LEAST = {"timeout": 0.001, "retries": 0, "repairs": 0, "max_tokens": 1, "concurrency": 1}


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits of one call. `timeout` is in seconds, for the whole call, including waiting, retries and
    repairs. `retries` apply to a request that failed in transit, `repairs` to an unusable answer.
    `max_tokens` limits one answer, `concurrency` the simultaneous calls of a process. `effort` is that of a
    reasoning model, one of EFFORTS; empty for its default."""

    provider: str | None = None
    model: str | None = None
    timeout: float = 30.0
    retries: int = 2
    repairs: int = 1
    effort: str = ""
    max_tokens: int = 4096
    concurrency: int = 4


def from_environment(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings in *environment* (default: that of the process). Raises ValueError for a limit that is not
    a number above 0 (`SIM_LLM_RETRIES` and `SIM_LLM_REPAIRS` may be 0), or an effort not in EFFORTS.

    >>> from_environment({"SIM_LLM_TIMEOUT": "5"}).timeout
    5.0
    """
    given = os.environ if environment is None else environment
    effort = given.get("SIM_LLM_EFFORT", "").strip()
    if effort and effort not in EFFORTS:
        raise ValueError(f"SIM_LLM_EFFORT must be one of {', '.join(EFFORTS)}")
    limits: dict[str, Any] = {}
    for limit, least in _LEAST.items():
        name = f"SIM_LLM_{limit.upper()}"
        if text := given.get(name):
            try:
                value = float(text)
            except ValueError:
                value = least - 1
            if not least <= value < float("inf"):
                raise ValueError(f"{name} must be a number of {least:g} or more")
            limits[limit] = value if limit == "timeout" else int(value)
    provider, model = (given.get(f"SIM_LLM_{name}", "").strip() or None for name in ("PROVIDER", "MODEL"))
    return Settings(provider, model, effort=effort, **limits)


INSTALL = "the packages are missing: pip install 'iso8583-lab[llm]'"
_MODELS = tomllib.loads((Path(__file__).parent / "models.toml").read_text(encoding="utf-8"))
PROVIDERS = tuple(_MODELS)
# With some providers, the model name is part of the URL.
_MODEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_:@-]|[./](?![./])){0,127}")


@dataclass(frozen=True, slots=True)
class ProviderStatus:
    """One provider as configured now. `model` is the one a call would use, `base_url` has no credentials;
    `reason` says why it is not configured, empty if it is."""

    provider: str
    configured: bool
    model: str
    base_url: str
    reason: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The provider and model of one call. The key is in no repr."""

    provider: str
    model: str
    base_url: str = field(repr=False)
    key: str = field(repr=False, default="")

    @property
    def source(self) -> str:
        """The `source` of a result: `llm:openai/some-model`."""
        return f"llm:{self.provider}/{self.model}"

    @property
    def shows_schema(self) -> bool:
        """Whether the model sees the schema of its answer, as at the vendors' own addresses; other servers
        with the same API may only enforce it."""
        return bool(self.row["keys"]) and self.base_url == self.row["base_url"]

    @property
    def row(self) -> dict[str, Any]:
        """The provider's row of `models.toml`."""
        row: dict[str, Any] = _MODELS[self.provider]
        return row


def status(environment: Mapping[str, str] | None = None) -> tuple[ProviderStatus, ...]:
    """All providers, in the order they are tried in if none is named.

    >>> any(row.configured for row in status({}))
    False
    """
    given = os.environ if environment is None else environment
    return tuple(_status(name, given) for name in PROVIDERS)


def is_asked(provider: str | None, model: str | None, environment: Mapping[str, str] | None = None) -> bool:
    """Whether a description goes to a language model: one is named, the default, or configured.

    >>> is_asked(None, None, {}), is_asked("ollama", None, {})
    (False, True)
    """
    given = os.environ if environment is None else environment
    named = provider or model or given.get("SIM_LLM_PROVIDER", "").strip()
    return bool(named) or any(row.configured for row in status(given))


def choose(
    provider: str | None, model: str | None, environment: Mapping[str, str] | None = None
) -> tuple[Choice, Settings]:
    """The requested provider, else the default, else the first that is configured, and its settings. Raises
    LlmUnknownProvider, LlmUnknownModel or LlmUnavailable."""
    given = os.environ if environment is None else environment
    try:
        settings = from_environment(given)
    except ValueError as error:
        raise LlmUnavailable(f"The LLM settings cannot be used: {error}") from None
    if model and not _MODEL.fullmatch(model):
        raise LlmUnknownModel("This is not a valid model name")
    name = provider or settings.provider
    if name is not None and name not in PROVIDERS:
        raise LlmUnknownProvider(f"The provider must be one of {', '.join(PROVIDERS)}")
    rows = {row.provider: row for row in status(given)}
    if name is None:
        name = next((row.provider for row in rows.values() if row.configured), None)
        if name is None:
            raise LlmUnavailable(_none_configured(rows))
    row = rows[name]
    if not row.configured:
        raise LlmUnavailable(f"{_MODELS[name]['title']} is not configured: {row.reason}")
    key = _first(given, _MODELS[name]["keys"])
    return Choice(name, model or row.model, _base_url(name, given), key), settings


def _status(name: str, given: Mapping[str, str]) -> ProviderStatus:
    row = _MODELS[name]
    needed = row["keys"] or row["urls"]
    default = given.get("SIM_LLM_PROVIDER", "").strip() or None
    # A model name belongs to one provider: the default provider, if one is set.
    named = given.get("SIM_LLM_MODEL", "").strip() if default in (None, name) else ""
    reason = ""
    if not _first(given, needed):
        reason = f"{' or '.join(needed)} is not set"
    elif not _is_address(_base_url(name, given)):
        reason = f"{' or '.join(row['urls'])} is not an address"
    elif named and not _MODEL.fullmatch(named):
        reason = "SIM_LLM_MODEL is not a model name"
    elif not _installed(row["package"]):
        reason = INSTALL
    return ProviderStatus(
        name, not reason, named or row["model"], _public_url(_base_url(name, given)), reason
    )


@cache
def _installed(package: str) -> bool:
    try:
        return bool(find_spec("pydantic_ai") and find_spec(package))
    except ModuleNotFoundError:  # the parent of a dotted name
        return False


def _none_configured(rows: Mapping[str, ProviderStatus]) -> str:
    if any(row.reason == INSTALL for row in rows.values()):
        return f"No LLM provider can be used: {INSTALL}"
    keys = [name for row in _MODELS.values() for name in (row["keys"] or row["urls"])]
    return f"No LLM provider is configured: set one of {', '.join(keys)}"


def _first(given: Mapping[str, str], names: list[str]) -> str:
    return next((value.strip() for name in names if (value := given.get(name, "")).strip()), "")


def _base_url(name: str, given: Mapping[str, str]) -> str:
    """The provider's address, from the variables in `models.toml` or its default there."""
    row = _MODELS[name]
    url = (_first(given, row["urls"]) or str(row["base_url"])).rstrip("/")
    if "port" in row and "://" not in url:
        host, port = re.fullmatch(r"(\[.*\]|[^:]*|.*:.*:.*?)(?::([0-9]*))?", url).groups()  # type: ignore[union-attr]
        host = f"[{host}]" if ":" in host and "[" not in host else host or "127.0.0.1"
        url = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port or row['port']}"  # noqa: S104
    return url.removesuffix(row.get("version", ""))


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    right = parts.scheme in ("http", "https") and bool(parts.hostname) and port != 0
    return right and not re.search(r"[\s\x00-\x1f]", url)


def _public_url(url: str) -> str:
    """*url* without user, password, query and fragment.

    >>> _public_url("https://user:secret@proxy.example/v1?key=1")
    'https://proxy.example/v1'
    """
    if not _is_address(url):
        return ""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

"""Settings of the server: defaults, then the environment (`SIM_*`), then the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from server.hosts import LOCAL, is_loopback
from sim.codec.wire.dialects import load_folder
from sim.errors import SpecError

BACKLOG = 1024  # connections that may wait to be taken
_WORDS = {
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
    "0": False,
    "false": False,
    "no": False,
    "off": False,
}


_ABOVE_ZERO = (
    "workers",
    "request_max_size",
    "max_connections",
    "request_timeout",
    "response_timeout",
    "keep_alive_timeout",
    "guess_timeout",
)


class SettingsError(ValueError):
    """A setting that cannot be used; the text is one line for the person who set it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How one server runs. Sizes in bytes, times in seconds."""

    host: str = "127.0.0.1"
    port: int = 8000  # 0: any free one
    workers: int = 1
    public: bool = False  # the public demo: any origin may call, no LLM
    access_log: bool = False
    formats: str = ""  # a folder of formats of one's own
    hosts: tuple[str, ...] = ()  # names it answers for, besides those of this machine
    # 32768 characters, each of them a JSON escape of 12 bytes, are 393 kB: the longest message fits twice.
    request_max_size: int = 1_048_576
    max_connections: int = 256  # each may hold one body of request_max_size
    request_timeout: float = 30.0  # from the first byte of a request to its last
    response_timeout: float = 60.0
    keep_alive_timeout: float = 75.0  # longer than proxies keep theirs: nginx 60
    guess_timeout: float = 5.0  # to find out how a message is written

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise SettingsError(f"port must be 0 to 65535, not {self.port}")
        for name in _ABOVE_ZERO:
            if not 0 < getattr(self, name) < inf:
                raise SettingsError(f"{name} must be above 0, not {getattr(self, name)}")

    def load_formats(self) -> None:
        """Make the formats in the folder `formats` known. Raises SettingsError naming the file and the row
        that cannot be read."""
        if self.formats:
            try:
                load_folder(self.formats)
            except (SpecError, OSError) as error:
                raise SettingsError(f"formats: {error}") from None

    @property
    def own_hosts(self) -> tuple[str, ...] | None:
        """The hosts that the server answers for; None: for any. Our choice: a server that only this machine
        reaches, and no public demo, answers for this machine's names, and any server with names for those."""
        if not self.hosts and (self.public or not is_loopback(self.host)):
            return None
        return (*LOCAL, self.host, *self.hosts)


def flag(text: str) -> bool:
    """`1`, `true`, `yes`, `on` or their opposites, in any case.

    >>> flag("Yes"), flag("0")
    (True, False)
    """
    try:
        return _WORDS[text.strip().lower()]
    except KeyError:
        raise ValueError(f"expected 1 or 0, not {text!r}") from None


def worker_count(text: str) -> int:
    """A number of processes, or `auto` for one per processor that this process may use."""
    if text.strip().lower() != "auto":
        return int(text)
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows do not tell
        return os.cpu_count() or 1


def host_names(text: str) -> tuple[str, ...]:
    """Names of hosts with commas between.

    >>> host_names("lab.test, 10.0.0.7")
    ('lab.test', '10.0.0.7')
    """
    return tuple(name for part in text.split(",") if (name := part.strip()))


_READERS: dict[str, Callable[[str], Any]] = {
    "host": str,
    "port": int,
    "workers": worker_count,
    "public": flag,
    "access_log": flag,
    "formats": str,
    "hosts": host_names,
    "request_max_size": int,
    "max_connections": int,
    "request_timeout": float,
    "response_timeout": float,
    "keep_alive_timeout": float,
    "guess_timeout": float,
}


def from_environment(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings that *environment* (by default the process's own) asks for; empty variables are unset.

    >>> from_environment({"SIM_PORT": "9000", "SIM_PUBLIC": "1"}).port
    9000
    """
    given = os.environ if environment is None else environment
    values: dict[str, Any] = {}
    for name, read in _READERS.items():
        variable = f"SIM_{name.upper()}"
        text = given.get(variable, "")
        if not text:
            continue
        try:
            values[name] = read(text)
        except ValueError as error:
            raise SettingsError(f"{variable}: {error}") from None
    return replace(Settings(), **values)

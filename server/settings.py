"""Settings of the server: defaults, then the environment (`SIM_*`), then the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from math import inf
from typing import Any

from server.hosts import LOCAL, is_loopback
from sim.errors import SpecError

BACKLOG = 1024  # connections that may wait to be accepted
_WORDS = {"1": True, "true": True, "yes": True, "on": True}
_WORDS |= {"0": False, "false": False, "no": False, "off": False}


class SettingsError(ValueError):
    """An invalid setting; the text is one line for the person who made it."""


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
    except AttributeError:  # not available on macOS and Windows
        return os.cpu_count() or 1


def host_names(text: str) -> tuple[str, ...]:
    """Host names separated by commas.

    >>> host_names("lab.test, 10.0.0.7")
    ('lab.test', '10.0.0.7')
    """
    return tuple(name for part in text.split(",") if (name := part.strip()))


def _setting(default: Any, read: Callable[[str], Any], about: str = "", *, above_zero: bool = False) -> Any:
    """A setting: how its text is read, and its help text on the command line (*about*), if it is an option
    there."""
    return field(default=default, metadata={"read": read, "about": about, "above_zero": above_zero})


@dataclass(frozen=True, slots=True)
class Settings:
    """How one server runs. Sizes in bytes, times in seconds."""

    host: str = _setting("127.0.0.1", str, "address to listen on")
    port: int = _setting(8000, int, "port; 0 picks a free one")
    workers: int = _setting(1, worker_count, "number of processes, or auto", above_zero=True)
    public: bool = _setting(False, flag, "public demo: any origin may call, no LLM")
    access_log: bool = _setting(False, flag, "one line per response, without its content")
    formats: str = _setting("", str, "a folder of wire formats of your own (.toml, .xml, .json)")
    hosts: tuple[str, ...] = _setting((), host_names, "host names to answer for, besides this machine's own")
    # 32768 characters, each of them a JSON escape of 12 bytes, are 393 kB: the longest message fits twice.
    request_max_size: int = _setting(1_048_576, int, above_zero=True)
    max_connections: int = _setting(256, int, above_zero=True)  # each may hold one body of request_max_size
    request_timeout: float = _setting(30.0, float, above_zero=True)  # from first byte to last
    response_timeout: float = _setting(60.0, float, above_zero=True)
    keep_alive_timeout: float = _setting(75.0, float, above_zero=True)  # longer than proxies': nginx 60
    guess_timeout: float = _setting(5.0, float, above_zero=True)  # to find out how a message is written

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise SettingsError(f"port must be 0 to 65535, not {self.port}")
        for row in fields(self):
            if row.metadata["above_zero"] and not 0 < getattr(self, row.name) < inf:
                raise SettingsError(f"{row.name} must be above 0, not {getattr(self, row.name)}")

    def load_formats(self) -> None:
        """Load the formats in the folder `formats`. Raises SettingsError that names the invalid file and
        row."""
        if self.formats:
            from sim.codec.wire.dialects import load_folder  # few servers have formats of their own

            try:
                load_folder(self.formats)
            except (SpecError, OSError) as error:
                raise SettingsError(f"formats: {error}") from None

    @property
    def own_hosts(self) -> tuple[str, ...] | None:
        """The hosts that the server answers for; None for any. Our choice: a server that only this machine
        can reach, unless it is a public demo, answers for this machine's names; a server with configured
        names answers for these as well."""
        if not self.hosts and (self.public or not is_loopback(self.host)):
            return None
        return (*LOCAL, self.host, *self.hosts)


def from_environment(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings in *environment* (default: the process's own); empty variables count as unset.

    >>> from_environment({"SIM_PORT": "9000", "SIM_PUBLIC": "1"}).port
    9000
    """
    variables = os.environ if environment is None else environment
    values: dict[str, Any] = {}
    for row in fields(Settings):
        variable = f"SIM_{row.name.upper()}"
        if text := variables.get(variable, ""):
            try:
                values[row.name] = row.metadata["read"](text)
            except ValueError as error:
                raise SettingsError(f"{variable}: {error}") from None
    return replace(Settings(), **values)

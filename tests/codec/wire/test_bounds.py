"""Formats, suites, rules and keys from a stranger's file: what would cost more than it says is refused at
once."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sim
from sim.errors import IsoError
from sim.link.keys.ring import KeyRing
from sim.link.rules import rules_of
from sim.link.scenario.suite import suite_of

_FIELD: dict[str, Any] = {"data_enc": "ascii", "len_enc": "ascii", "len_type": 0, "max_len": 4, "desc": "x"}
HEAD: dict[str, Any] = {"h": _FIELD, "t": _FIELD, "p": {**_FIELD, "data_enc": "b", "max_len": 8}}
LARGE = 10**5000
KEY = ".".join(["a"] * 300_000) + "=1"
DEEP = "a = " + "[" * 5000
FILES = {
    "a prefix of a thousand million digits": (".json", {**HEAD, "2": {**_FIELD, "len_type": 999_999_999}}),
    "an element as large as memory": (".json", {**HEAD, "2": {**_FIELD, "max_len": 10**18}}),
    "a length of jPOS": (".xml", '<isopackager><isofield id="2" length="9999999" class="x"/></isopackager>'),
    "deep JSON": (".json", "[" * 100_000),
    "a large number of JSON": (".json", '{"fields": ' + "9" * 5000 + "}"),
    "deep TOML": (".toml", DEEP),
    "a large number of TOML": (".toml", "a = " + "9" * 5000),
    "a key without end": (".toml", KEY),
    "a key without end in a table": (".toml", f"x = {{ {KEY} }}"),
    "a key without end of a table": (".toml", f"[{KEY[:-2]}]"),
    "a large file": (".toml", "# " + "x" * (1 << 20)),
    "an element of a dialect": (".toml", 'extends = "bcd"\n[elements.2]\nformat = "n..' + "9" * 5000 + '"'),
    "a part of an element": (
        ".toml",
        'extends = "bcd"\n[elements.2]\ncut = "places"\n'
        'parts = [{ path = "1", name = "x", format = "n ' + "9" * 5000 + '" }]',
    ),
}


@pytest.mark.parametrize(("ending", "content"), FILES.values(), ids=FILES)
def test_a_file_of_a_format_is_refused_before_it_costs(ending: str, content: object, tmp_path: Path) -> None:
    """A SpecError within two seconds of processor time."""
    path = tmp_path / f"x{ending}"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    began = time.process_time()
    with pytest.raises(sim.SpecError):
        sim.load_format(path)
    assert time.process_time() - began < 2


READERS: dict[str, Callable[[Path], object]] = {"rules": rules_of, "suite": suite_of, "keys": KeyRing.of}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize("text", [DEEP, KEY, f"x = {{ {KEY} }}"], ids=["deep", "key", "key in a table"])
def test_rules_suites_and_keys_are_refused_likewise(
    read: Callable[[Path], object], text: str, tmp_path: Path
) -> None:
    """An error of the option within two seconds of processor time."""
    path = tmp_path / "x.toml"
    path.write_text(text, encoding="utf-8")
    began = time.process_time()
    with pytest.raises(IsoError):
        read(path)
    assert time.process_time() - began < 2


def test_what_a_table_of_pyiso8583_may_say() -> None:
    """The dict itself, without a file: a prefix of at most six digits."""
    with pytest.raises(sim.SpecError, match="len_type as a number, at most 6"):
        sim.load_format({**HEAD, "2": {**_FIELD, "len_type": 999_999_999}})
    with pytest.raises(sim.SpecError, match="max_len as a number, at most 999999, found a large number"):
        sim.load_format({**HEAD, "2": {**_FIELD, "max_len": LARGE}})

"""Third-party rules, of an acquirer or a processor. A pack is a folder with the texts of rules (`rules.csv`),
their functions (`rules.py`) and faults that cause them (`faults.toml`), written like the toolkit's own."""

from __future__ import annotations

import csv
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from sim.errors import SpecError, quoted_value
from sim.judge.engine import MEMORY
from sim.judge.finding import RuleText, catalogue, texts
from sim.judge.rules import RULES
from sim.operations.faults import add_faults, all_faults

_WORDS, _FUNCTIONS, _FAULTS = "rules.csv", "rules.py", "faults.toml"
_COLUMNS = ("id", "severity", "checks", "source", "hint")


def load_rules(folder: str | Path) -> tuple[str, ...]:
    """Add the rules of a pack to those that messages are checked against.

    Runs the pack's Python: load only what you trust. From then on its findings appear with the standard's,
    its rules in `rules()`, and its faults in `break_message`. An incomplete pack adds nothing.

    Parameters
    ----------
    folder
        The folder of `rules.csv`, `rules.py` and `faults.toml`.

    Returns
    -------
    tuple of str
        The ids of its rules.

    Raises
    ------
    SpecError
        A file is missing, a row is invalid, an id is taken, or a rule has no function or no fault.

    Examples
    --------
    >>> load_rules("no/such/folder")
    Traceback (most recent call last):
        ...
    sim.errors.SpecError: message: expected a pack of rules with rules.csv, found 'no/such/folder'
    """
    if not isinstance(folder, (str, Path)):
        raise SpecError(None, None, "the folder of a pack of rules", quoted_value(folder))
    pack = Path(folder)
    for name in (_WORDS, _FUNCTIONS, _FAULTS):
        if not (pack / name).is_file():
            raise SpecError(None, None, f"a pack of rules with {name}", quoted_value(str(folder)))
    words = _words(pack)
    faults = tomllib.loads((pack / _FAULTS).read_text(encoding="utf-8")).get("faults", {})
    rules, before = catalogue(), len(RULES)
    rules.update(words)
    try:
        _run(pack)
        _check(words, faults, before)
    except BaseException:
        del RULES[before:]
        for name in words:
            del rules[name]
        raise
    finally:
        MEMORY.clear()
    add_faults(faults)
    return tuple(words)


def _words(pack: Path) -> dict[str, RuleText]:
    with (pack / _WORDS).open(encoding="utf-8", newline="") as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    for row in rows:
        if missing := [name for name in _COLUMNS if not row.get(name)]:
            expected = f"a rule with {', '.join(missing)} in {_WORDS}"
            raise SpecError(None, None, expected, quoted_value(str(row)))
    words = {text.id: text for text in texts(rows)}
    for name in words:
        if name in catalogue():
            raise SpecError(None, None, "an id that no other rule uses", repr(name))
    return words


def _run(pack: Path) -> None:
    """Import the pack's functions, which register themselves."""
    spec = spec_from_file_location(f"rules_of_{pack.name}", pack / _FUNCTIONS)
    if spec is None or spec.loader is None:
        raise SpecError(None, None, f"Python in {_FUNCTIONS}", quoted_value(str(pack)))
    spec.loader.exec_module(module_from_spec(spec))


def _check(words: dict[str, RuleText], faults: dict[str, Any], before: int) -> None:
    bound = {item.text.id for item in RULES[before:]}
    caused = {row.get("rule", name) for name, row in faults.items()}
    for name in words:
        if name not in bound:
            raise SpecError(None, None, f"a function for the rule {name} in {_FUNCTIONS}", "none")
        if name not in caused:
            raise SpecError(None, None, f"a fault that causes the rule {name} in {_FAULTS}", "none")
    if strange := sorted(bound - words.keys()):
        raise SpecError(None, None, f"a row of {_WORDS} for each rule", ", ".join(strange))
    if taken := sorted({fault.id for fault in all_faults()} & faults.keys()):
        raise SpecError(None, None, "an id that no other fault uses", ", ".join(taken))

"""A suite: cases of steps, from a TOML file, a spreadsheet (CSV) or the toolkit's own data.

TOML: `title`, `network`, `version`, `format` (a name, or a file next to the suite), `framing`, `interface`
(the message specification), `extends` (a built-in suite), `[defaults]` (message options), `[[rules]]` (for
our own host), `[session]` (one connection for all cases, with steps `before` and `after` them), `[keys]`
(test keys as `sim.host` accepts them, or the name of their file: requests get a MAC, a step's `pin` goes into
its PIN block), `[[cases]]` with `name`, `about`, `tags`, `rows` and `[[cases.steps]]`. `rows`, a list of
tables or a CSV file, makes a case of each row; `${column}` in its texts is replaced by the cell.

CSV: a row per step, with the same words as columns (`set.48`, `expect.39`); an empty `case` continues the
case above.

A step has `do` (send, wait, or a follow-up: repeat, reverse, partial_reversal, increment, completion, refund,
original_credit); the message (`type`, `purpose`, `entry`, `amount`, `currency`, `pan`, `stan`, `raw`,
`manage`, `pin`, `reason` of a reversal, `set.N`); `then` (steps that follow, as in `sim.exchange`:
`increment:5000 completion`), `timeout` (seconds), `undo` (whether a timeout is reversed), `seconds` (of
wait); and the expectations: `expect.status`, `expect.mti`, `expect.code` (a code, or a word such as
`approved`), `expect.N` (a value, `present`, `absent`, `same`, `~pattern`), `expect.within` (seconds),
`expect.findings` (the most errors that the response may have), `expect.reversal` (its code). The default
expectation is an approval. Texts may have variables: `${1.38}` is DE 38 of the response of step 1 (of its
request if the response has none), `${stan}` the next trace number, `${now}` the current time, in DE 7, 12 and
13, and `${column}` a cell of the case's `rows`. `{{...}}` means the same as `${...}`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sim.codec.wire import Format
from sim.codec.wire.dialects import named_format
from sim.errors import ChoiceError, OptionError, SpecError, quotable, quoted_value
from sim.exchanges.making import APPROVED, wanted_steps
from sim.exchanges.roles import REVERSAL
from sim.link.line import Line
from sim.link.rules import MOST_ELEMENT, Rule, check_pattern, csv_rows, flat, number, rules_of
from sim.masking import mask_words
from sim.masking.files import path_of, text_of
from sim.spec import tables
from sim.spec.spellings import interface_named, network_named, version_named
from sim.spec.tables import toml_of

REVERSE = "reverse"
# What a step does; `sim.exchanges.follow` makes the follow-ups.
FOLLOWING = ("repeat", REVERSE, "partial_reversal", "increment", "completion", "refund", "original_credit")
DO = ("send", *FOLLOWING, "wait")
_MESSAGE = ("type", "purpose", "entry", "amount", "currency", "pan", "stan")
OPTIONS = (*_MESSAGE, "raw", "manage", "pin", "reason")
_NUMBERS = ("timeout", "seconds")
_STEP = ("do", *OPTIONS, *_NUMBERS, "undo", "note")
EXPECTED = ("status", "mti", "code", "within", "findings", "reversal")
_LINK = ("network", "version", "format", "framing", "interface")
_SUITE = ("title", *_LINK, "extends", "defaults", "rules", "keys", "session", "cases", "source")
_CASE = ("name", "about", "tags", "rows", "steps")
_SESSION = ("before", "after")
# The keys whose values must be lists of tables, and those whose values must be tables.
_LISTS = ("cases", "rules", "steps", *_SESSION)
_TABLES = ("defaults", "session")
_WORD = re.compile(r"[A-Za-z_-]{1,40}")  # a name, not a path
_FOLDER = "suites"
_HERE = Path()
_MOST_DIGITS = 12  # of an amount
_LONGEST = 86_400  # seconds
TIMES = (7, 12, 13)
_VARIABLE = re.compile(r"\$\{([^{}]{0,80})\}|\{\{([^{}]{0,80})\}\}")
_ELEMENT = re.compile(r"([1-9][0-9]{0,3})\.([0-9]{1,3})")


@dataclass(frozen=True, slots=True)
class Step:
    """One step. `options` are those of the message, `elements` what is set in it (empty text: removed),
    `expected` the expectations, by word or element number."""

    do: str
    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    elements: Mapping[int, str] = field(default_factory=dict, repr=False)
    expected: Mapping[str | int, str] = field(default_factory=dict)
    timeout: float | None = None
    seconds: float = 0.0
    undo: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """One case: its name, what it is about, its steps, and the tags to select it by."""

    name: str
    about: str
    steps: tuple[Step, ...]
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Suite:
    """Cases, and what they have in common. `rules` are for the host on the other side. With a `session` (the
    steps before and after all cases) all cases share one connection; None gives each case its own."""

    title: str
    cases: tuple[Case, ...]
    network: str | None = None
    version: str | None = None
    format: Format | str | None = None
    framing: tuple[str, ...] | None = None
    defaults: Mapping[str, str] = field(default_factory=dict, repr=False)
    rules: tuple[Rule, ...] = ()
    text: str = field(default="", repr=False)
    session: tuple[Case | None, Case | None] | None = None
    keys: Mapping[str, Any] | Path | None = field(default=None, repr=False)
    interface: str | None = None

    @property
    def line(self) -> Line:
        """What it speaks."""
        return Line.of(self.format, self.framing, None, self.interface or "")

    @property
    def in_order(self) -> tuple[Case, ...]:
        """All cases, including those of the session."""
        before, after = self.session or (None, None)
        return tuple(case for case in (before, *self.cases, after) if case is not None)

    def only(self, words: str | Iterable[str]) -> Suite:
        """The suite with only the cases that have one of *words* as name or tag. Raises ChoiceError for an
        unknown word."""
        chosen = [words] if isinstance(words, str) else list(words)
        words_known = dict.fromkeys(word for case in self.cases for word in (case.name, *case.tags))
        if unknown := [word for word in chosen if word not in words_known]:
            raise ChoiceError.of("case", unknown[0], tuple(map(quotable, words_known)))
        cases = (case for case in self.cases if not {case.name, *case.tags}.isdisjoint(chosen))
        return replace(self, cases=tuple(cases))

    def case(self, name: str) -> Case:
        """The case *name*; a name as displayed, with card data masked, also counts. Raises ChoiceError if
        there is none."""
        for case in self.cases:
            if name in (case.name, mask_words(case.name)):
                return case
        raise ChoiceError.of("case", name, tuple(quotable(case.name) for case in self.cases))


def ready_suites() -> tuple[str, ...]:
    """The names of the built-in suites, one per network."""
    return tuple(name for name in tables.names(_FOLDER, ".toml") if name.isupper())


def suite_of(source: Suite | str | Path) -> Suite:
    """The suite of a built-in name, a TOML or CSV file, or a file's text.

    Raises OptionError or ChoiceError that names the case and step of an invalid value, OSError if there is no
    such file.

    >>> len(suite_of("VISA").cases) >= 25
    True
    """
    if isinstance(source, Suite):
        return source
    if isinstance(source, str) and source.strip().upper() in ready_suites():
        return _of_toml(tables.read_toml(f"{_FOLDER}/{source.strip().upper()}"), "")
    if isinstance(source, str) and _WORD.fullmatch(source) and not Path(source).exists():
        raise ChoiceError.of("suite", source, ready_suites())
    folder = Path()
    if isinstance(source, str) and "\n" in source:
        text, name = source, "suite"
    else:
        text, name, folder = text_of("suite", source), Path(source).stem, Path(source).parent
    first = text.split("\n", 1)[0]
    if "," in first and "=" not in first and not first.startswith(("#", "[")):
        return _of_csv(text, name)
    try:
        table = toml_of(text)
    except SpecError as error:
        expected = f"a TOML file, a CSV file or {' or '.join(ready_suites())}"
        raise OptionError("suite", expected, error.found) from None
    return _of_toml(table, text, folder)


def _of_toml(table: Mapping[str, Any], text: str, folder: Path = _HERE) -> Suite:
    _check_table("suite", table, _SUITE)
    base = _base(table["extends"]) if "extends" in table else Suite("", ())
    readers: dict[str, Callable[[Any], Any]] = {
        "network": network_named,
        "version": version_named,
        "format": lambda name: named_format(name, folder),
        "interface": interface_named,
        "session": _session,
        "keys": lambda keys: keys if isinstance(keys, Mapping) else folder / path_of("keys", keys),
    }
    rows = [case for row in table.get("cases", []) for case in _rows(row, folder)]
    own_cases = [_case(row, str(row.get("name", f"case {at}"))) for at, row in enumerate(rows, 1)]
    names = {case.name for case in own_cases}
    suite = replace(
        base,
        title=str(table.get("title", "Suite")),
        cases=(*(case for case in base.cases if case.name not in names), *own_cases),
        framing=_framing(table.get("framing")),
        defaults={**base.defaults, **_texts(table.get("defaults", {}))},
        rules=(*rules_of(table.get("rules", [])), *base.rules),
        text=text,
        **{name: read(table[name]) for name, read in readers.items() if name in table},
    )
    twins = [name for name, count in Counter(case.name for case in suite.in_order).items() if count > 1]
    if twins:
        raise OptionError("cases", "a name for each case", f"two named {quoted_value(twins[0])}")
    return suite


def _rows(case: Mapping[str, Any], folder: Path) -> list[Mapping[str, Any]]:
    """The case, or one for each of its rows; names that are the same for all rows get a number."""
    rows = case.get("rows")
    if rows is None:
        return [case]
    where = f"case {quoted_value(str(case.get('name', '')))}, rows"
    if isinstance(rows, str):
        rows = csv_rows(text_of(where, folder / path_of(where, rows)), where)
    if not isinstance(rows, list) or not rows or not all(isinstance(row, Mapping) for row in rows):
        raise OptionError(where, "a list of tables, or a CSV file", f"a value of type {type(rows).__name__}")
    bare = {key: value for key, value in case.items() if key != "rows"}
    cases: list[Mapping[str, Any]] = []
    for at, row in enumerate(rows, 1):
        expanded = put_cells(bare, {str(key): _text(cell or "") for key, cell in row.items()})
        if expanded.get("name") == bare.get("name"):
            expanded["name"] = f"{bare.get('name', 'case')} {at}"
        cases.append(expanded)
    return cases


def _session(table: Mapping[str, Any]) -> tuple[Case | None, Case | None]:
    _check_table("session", table, _SESSION)
    before, after = (
        _case({"steps": table[key]}, f"{key} all cases") if table.get(key) else None for key in _SESSION
    )
    return before, after


def _framing(framing: Any) -> tuple[str, ...] | None:
    names: Any = [framing] if isinstance(framing, str) else framing or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise OptionError("framing", "a name or a list of names", f"a value of type {type(framing).__name__}")
    return tuple(names) or None


def _check_table(where: str, table: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    """Raises ChoiceError if *table* has a key that is none of *keys*, OptionError if an entry has a type
    other than its name requires."""
    if unknown := [key for key in table if key not in keys]:
        raise ChoiceError.of(where, unknown[0], keys)
    for key, value in table.items():
        if key in _LISTS:
            expected = "a list of tables"
            fits = isinstance(value, list) and all(isinstance(row, Mapping) for row in value)
        else:
            expected, fits = "a table", key not in _TABLES or isinstance(value, Mapping)
        if not fits:
            raise OptionError(f"{where}, {key}", expected, f"a value of type {type(value).__name__}")


def _base(name: object) -> Suite:
    bases = tables.names(_FOLDER, ".toml")
    if name not in bases:
        raise ChoiceError.of("extends", name, bases)
    return _of_toml(tables.read_toml(f"{_FOLDER}/{name}"), "")


def _case(row: Mapping[str, Any], name: str) -> Case:
    where = f"case {quoted_value(name)}"
    _check_table(where, row, _CASE)
    rows = [entry for step in row.get("steps", []) for entry in _with_following(step, where)]
    if not rows:
        raise OptionError(where, "at least one step", "none")
    steps = tuple(_step(row, f"{where}, step {at}", at) for at, row in enumerate(rows, 1))
    tags = row.get("tags", [])
    tags = tags.split() if isinstance(tags, str) else tags
    return Case(name, str(row.get("about", "")), steps, tuple(tags))


def _with_following(row: Mapping[str, Any], where: str) -> list[Mapping[str, Any]]:
    if "then" not in row:
        return [row]
    try:
        follow_ups = wanted_steps(row["then"])
    except OptionError as error:
        raise OptionError(f"{where}, then", error.expected, error.found) from None
    steps: list[Mapping[str, Any]] = [{key: value for key, value in row.items() if key != "then"}]
    for follow_up in follow_ups:
        if follow_up.step not in (*FOLLOWING, REVERSAL):
            raise ChoiceError.of(f"{where}, then", follow_up.step, (REVERSAL, *FOLLOWING))
        if follow_up.outcome != APPROVED:
            expected = "no outcome; a separate step says what is expected"
            raise OptionError(f"{where}, then", expected, follow_up.outcome)
        options = {"amount": follow_up.amount, "reason": follow_up.reason}
        changes = {key: value for key, value in options.items() if value is not None}
        steps.append({"do": REVERSE if follow_up.step == REVERSAL else follow_up.step, **changes})
    return steps


def _of_csv(text: str, name: str) -> Suite:
    cases: dict[str, dict[str, Any]] = {}
    table, case = {"title": name}, ""
    for row in csv_rows(text, "suite"):
        cells = {key: value for key, value in row.items() if key and value and value.strip()}
        case = cells.pop("case", case) or "case 1"
        table_of_case = cases.setdefault(case, {"name": case, "about": "", "steps": []})
        table_of_case |= {key: cells.pop(key) for key in ("about", "tags") if key in cells}
        table |= {key: cells.pop(key) for key in ("network", "version") if key in cells}
        table_of_case["steps"].append(cells)
    return _of_toml({**table, "cases": list(cases.values())}, text)


def _step(row: Mapping[str, Any], where: str, at: int) -> Step:
    plain: dict[str, Any] = {}
    elements: dict[int, str] = {}
    expected: dict[str | int, str] = {}
    for key, cell in flat(row):
        value = _text(cell)
        if key.startswith("set."):
            elements[_element(where, key)] = value
        elif key.startswith("expect."):
            word = key.removeprefix("expect.")
            if not word.isdecimal() and word not in EXPECTED:
                raise ChoiceError.of(where, key, tuple(f"expect.{word}" for word in (*EXPECTED, "39")))
            check_pattern(f"{where}, {key}", value)
            expected[_element(where, key) if word.isdecimal() else word] = value
        elif key in _STEP:
            plain[key] = value
        else:
            raise ChoiceError.of(where, key, (*_STEP, "set.48", "expect.39"))
    for element, text in elements.items():
        check(f"{where}, set.{element}", element, text, at)
    for name, text in (*plain.items(), *expected.items()):
        check(f"{where}, {name}", name, text, at)
    do = plain.get("do", "send")
    if do not in DO:
        raise ChoiceError.of(f"{where}, do", do, DO)
    numbers = {
        name: number(f"{where}, {name}", plain[name], float, _LONGEST, "seconds, 0 to 86400")
        for name in _NUMBERS
        if name in plain
    }
    options = {name: plain[name] for name in OPTIONS if name in plain}
    check_amount(where, options)
    undo = plain.get("undo", "no").lower() in ("yes", "true", "1")
    return Step(do, options, elements, expected, undo=undo, note=plain.get("note", ""), **numbers)


def _texts(row: Mapping[str, Any]) -> dict[str, str]:
    if unknown := [key for key in row if key not in OPTIONS]:
        raise ChoiceError.of("defaults", unknown[0], OPTIONS)
    texts = {key: _text(value) for key, value in row.items()}
    check_amount("defaults", texts)
    return texts


def check_amount(where: str, options: Mapping[str, str]) -> None:
    """Raises OptionError if the amount in *options* is invalid; an amount with variables is not checked."""
    amount = options.get("amount", "0")
    if any(variables(amount)):
        return
    if not (amount.isascii() and amount.isdecimal() and len(amount) <= _MOST_DIGITS):
        raise OptionError(f"{where}, amount", "minor units in digits, at most 12", quoted_value(amount))


def _text(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value).strip()


def _element(where: str, key: str) -> int:
    word = key.rpartition(".")[2]
    if not (word.isascii() and word.isdecimal() and 2 <= int(word[:4]) <= MOST_ELEMENT):
        raise OptionError(where, f"{key.partition('.')[0]}. and an element number", quoted_value(key))
    return int(word)


def filled(text: str, value: Callable[[str], str | None]) -> str:
    """*text* with each variable replaced by its *value*; None leaves the variable unchanged."""

    def put(place: re.Match[str]) -> str:
        replacement = value(_name(place))
        return place[0] if replacement is None else replacement

    return _VARIABLE.sub(put, text)


def variables(text: str) -> Iterator[str]:
    """The names of the variables in *text*."""
    return map(_name, _VARIABLE.finditer(text))


def element_of(name: str) -> tuple[int, int] | None:
    """The step and element in a variable's *name*, such as `1.38`; None for another name."""
    match = _ELEMENT.fullmatch(name)
    return (int(match[1]), int(match[2])) if match else None


def check(where: str, key: str | int, text: str, step: int) -> None:
    """Raises OptionError if *text*, of *key* in step *step*, has a variable without a value."""
    if text.startswith("~"):  # a pattern, where brackets have another meaning
        return
    for name in variables(text):
        of = element_of(name)
        if (of and of[0] < step) or name == "stan" or (name == "now" and key in TIMES):
            continue
        expected = "a variable: ${stan}, ${now} in DE 7, 12 or 13, or ${1.38} of an earlier step"
        raise OptionError(where, expected, quoted_value("${" + name + "}"))


def put_cells(texts: Any, row: Mapping[str, str]) -> Any:
    """A table, list or text whose variables named after columns are replaced by the cells of *row*."""
    if isinstance(texts, Mapping):
        return {key: put_cells(value, row) for key, value in texts.items()}
    if isinstance(texts, list):
        return [put_cells(value, row) for value in texts]
    return filled(texts, row.get) if isinstance(texts, str) else texts


def _name(place: re.Match[str]) -> str:
    return (place[1] if place[1] is not None else place[2]).strip()

"""The public interface: what `import sim` provides, and how little it loads."""

from __future__ import annotations

import inspect
import pickle
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, get_args, get_overloads

import pandas as pd
import pytest
from support import together

import sim
import sim.tables
from sim.operations.drill import TOPICS
from sim.operations.search import KINDS as SEARCHED
from sim.spec import words
from sim.spec.tables import read_toml
from sim.tables.plots.charts import KINDS

ROOT = Path(__file__).parents[1]
TEMPLATES = read_toml("templates")
SURFACE = [
    "NETWORKS",
    "VERSIONS",
    "BuildError",
    "ChoiceError",
    "IsoError",
    "Message",
    "OptionError",
    "ParseError",
    "SpecError",
    "UnclearError",
    "__version__",
    "break_message",
    "build",
    "cases",
    "client",
    "codes",
    "compare",
    "convert",
    "diff",
    "drill",
    "exchange",
    "explain",
    "export_format",
    "export_suite",
    "faults",
    "fields",
    "flows",
    "formats",
    "generate",
    "guess",
    "host",
    "interfaces",
    "learn",
    "load",
    "load_format",
    "load_rules",
    "mask",
    "match",
    "parse",
    "read",
    "plan",
    "plot",
    "repair",
    "respond",
    "reverse",
    "rules",
    "search",
    "run_suite",
    "show",
    "validate",
]
FUNCTIONS = [name for name in SURFACE if name.islower() and not name.startswith("_")]


def run(code: str) -> str:
    """The output of a fresh Python for *code*."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    return done.stdout.strip()


def test_surface() -> None:
    """The public names are exactly the listed ones, and each of them resolves; completion offers only them
    and the rooms."""
    assert sorted(sim.__all__) == sorted(SURFACE)
    assert all(getattr(sim, name) is not None for name in SURFACE)
    assert dir(sim) == sorted([*SURFACE, "keys", "llm", "widgets"])
    for room in (sim.keys, sim.llm, sim.widgets):
        assert dir(room) == sorted(room.__all__)
    assert {"MessageArgument", "MessageTable", "match"} <= {*sim.tables.__all__}


def test_import_is_light() -> None:
    """`import sim` loads no table library, no model library, no registry, and not even the codec."""
    heavy = "pandas numpy pydantic ipywidgets anywidget pycountry iso4217 iso18245 sim.codec sim.spec"
    code = f"import sys, sim; print([name for name in {heavy.split()!r} if name in sys.modules])"
    assert run(code) == "[]"


def test_plain_names_need_no_pandas() -> None:
    """Message, errors and name lists work without pandas; the first function call imports it."""
    code = (
        "import sys, sim; sim.Message, sim.BuildError, sim.NETWORKS; "
        "print('pandas' in sys.modules); sim.parse('x'); print('pandas' in sys.modules)"
    )
    assert run(code).split() == ["False", "True"]


def test_the_version_stands_in_one_place() -> None:
    """pyproject.toml takes the version from `sim.__version__`."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in table["project"]
    assert table["tool"]["hatch"]["version"]["path"] == "sim/__init__.py"
    assert re.fullmatch(r"[0-9]+\.[0-9]+\.[0-9]+", sim.__version__)


def sections_of(text: str) -> dict[str, list[str]]:
    """The lines of each numpydoc section of a docstring."""
    lines = text.splitlines()
    heads = [at for at, line in enumerate(lines[1:]) if line and set(line) == {"-"}]
    ends = [*heads[1:], len(lines)]
    return {
        lines[at]: [line for line in lines[at + 2 : end] if line] for at, end in zip(heads, ends, strict=True)
    }


@together("name", FUNCTIONS)
def test_functions_teach(name: str) -> None:
    """Every function is a plain function with a typed signature; its docstring has every parameter, the
    result, the errors and an example."""
    function = getattr(sim, name)
    assert inspect.isfunction(function)
    sections = sections_of(inspect.getdoc(function) or "")
    signature = inspect.signature(function)
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(one.annotation is not inspect.Parameter.empty for one in signature.parameters.values())
    documented = [
        name for line in sections.get("Parameters", []) for name in line.split(", ") if line[:1] != " "
    ]
    assert documented == list(signature.parameters)
    assert ("Raises" in sections) == bool(signature.parameters)
    assert "Returns" in sections
    assert any(">>> " in line for line in sections["Examples"])


def test_unknown_name() -> None:
    """An unknown name raises an AttributeError that says so."""
    with pytest.raises(AttributeError, match="module 'sim' has no attribute 'nothing'"):
        sim.nothing  # noqa: B018


@pytest.mark.parametrize(
    ("typed", "known"),
    [
        (words.Network, sim.NETWORKS),
        (words.Version, sim.VERSIONS),
        (words.MessageType, TEMPLATES["kinds"]),
        (words.Purpose, TEMPLATES["purposes"]),
        (words.Entry, TEMPLATES["entries"]),
        (words.PlotKind, KINDS),
        (words.DrillTopic, tuple(TOPICS)),
        (words.SearchKind, SEARCHED),
    ],
)
def test_editors_complete_the_words_of_the_tables(typed: object, known: Iterable[str]) -> None:
    """Argument types list the words of the tables, in the same order."""
    assert get_args(typed) == tuple(known)


@together(
    "options, same",
    [
        ({"network": "visa"}, {"network": "VISA"}),
        ({"network": " Master-Card"}, {"network": "MASTERCARD"}),
        ({"network": "American Express"}, {"network": "AMEX"}),
        ({"message_type": "Authorization"}, {}),
        ({"message_type": "0200"}, {"message_type": "financial"}),
        ({"message_type": "1200"}, {"message_type": "financial", "version": "1993"}),
        ({"message_type": "0420", "network": "jcb"}, {"message_type": "reversal", "network": "JCB"}),
        ({"message_type": "purchase"}, {"message_type": "financial"}),
        ({"message_type": "withdrawal"}, {"message_type": "financial", "purpose": "cash"}),
        ({"version": 2003}, {"version": "2003"}),
        ({"version": "ISO 8583:1993"}, {"version": "1993"}),
        ({"currency": 978}, {"currency": "978"}),
        ({"currency": 36}, {"currency": "AUD"}),
        ({"pan": 4012888888881881}, {"pan": "4012888888881881"}),
        ({"pan": "4012 8888 8888 1881"}, {"pan": "4012888888881881"}),
        ({"stan": 42}, {"stan": "000042"}),
        ({"entry": "tap"}, {"entry": "contactless"}),
        ({"purpose": "Sale"}, {}),
        ({"at": "2026-11-20"}, {"at": datetime(2026, 11, 20, tzinfo=UTC)}),
        ({"at": date(2026, 11, 20)}, {"at": datetime(2026, 11, 20, tzinfo=UTC)}),
        ({"at": "2026-11-20T10:15:30Z"}, {"at": datetime(2026, 11, 20, 10, 15, 30, tzinfo=UTC)}),
    ],
)
def test_helpful_spellings_are_taken(options: dict[str, Any], same: dict[str, Any]) -> None:
    """An unambiguous spelling is accepted: any letter case, numbers for digits, an MTI for its type."""
    at = {"at": datetime(2026, 11, 20, 10, tzinfo=UTC)}
    assert sim.build(sim.generate(**(at | options))) == sim.build(sim.generate(**(at | same)))


@together(
    "call, option, nearest",
    [
        (lambda: sim.generate(network="VISSA"), "network", "VISA"),
        (lambda: sim.generate("authorise"), "message_type", "auth"),
        (lambda: sim.generate("0999"), "message_type", None),
        (lambda: sim.generate(version=1999), "version", None),
        (lambda: sim.generate(purpose="refundd"), "purpose", "refund"),
        (lambda: sim.generate(entry="contact less tap"), "entry", "contactless"),
        (lambda: sim.parse("0800", network="mastercrad"), "network", "MASTERCARD"),
        (lambda: sim.parse("0800", version="ISO 1993"), "version", "1993"),
        (lambda: sim.validate("0800", against=["VISA", "JBC"]), "against", "JCB"),
        (lambda: sim.read(["0800"], network="amexx"), "network", "AMEX"),
        (lambda: sim.read(["0800"], engine="dusk"), "engine", "dask"),
        (lambda: sim.fields("1987", "discovery"), "network", "DISCOVER"),
        (lambda: sim.codes("responsecodes"), "name", "response_code"),
        (lambda: sim.search("terminal", "elements"), "kind", "element"),
        (lambda: sim.cases("union-pey"), "network", "UNIONPAY"),
        (lambda: sim.plot([sim.generate()], "trafic"), "kind", "traffic"),
        (lambda: sim.break_message(sim.generate(), "month13"), "fault", "month-13"),
        (lambda: sim.run_suite("VIZA", "127.0.0.1:1"), "suite", "VISA"),
    ],
)
def test_a_wrong_word_is_told_with_the_choices(
    call: Callable[[], object], option: str, nearest: str | None
) -> None:
    """The error names the argument, its choices, and the word that was probably meant; it can be pickled."""
    with pytest.raises(sim.ChoiceError, match=rf"^{option}: expected .*, found ") as caught:
        call()
    error = caught.value
    assert (error.option, error.nearest) == (option, nearest)
    assert (f"did you mean {nearest!r}?" in str(error)) == (nearest is not None)
    few = len(error.choices) <= 40
    assert all(choice in str(error) for choice in error.choices) == few
    assert isinstance(error, sim.IsoError)
    again = pickle.loads(pickle.dumps(error))  # noqa: S301, our own
    assert (str(again), vars(again)) == (str(error), vars(error))


@together(
    "options, text",
    [
        ({"at": "tomorrow"}, "at: expected a datetime, a date or a text such as .*, found 'tomorrow'"),
        ({"country": "Narnia"}, "country: expected an ISO 3166 country code, found 'Narnia'$"),
        ({"country": "Germny"}, "did you mean 'DE'"),
        ({"currency": "EUX"}, "currency: expected three digits .*, found 'EUX'; did you mean 'EUR'"),
        ({"pan": 41}, "pan: expected 12 to 19 digits, found 2 characters"),
        ({"pan": b"4012888888881881"}, "pan: expected 12 to 19 digits, found a value of type bytes"),
        ({"expiry": "2813"}, "expiry: expected four digits, YYMM, the month from 01 to 12, found '2813'"),
        ({"pin": "1234"}, "pin: expected True or False, found 4 characters"),
        ({"cvv2": "1", "entry": "manual"}, "cvv2: expected three or four digits, found 1 character$"),
        ({"cashback_minor_units": 2000}, "^cashback_minor_units: expected at most amount_minor_units"),
        ({"description": 5}, "description: expected a text, found 5"),
        (
            {"ammount": 5},
            "ammount: expected the name of an option, found .*; did you mean 'amount_minor_units'",
        ),
        ({"tokens": True}, "did you mean 'token'"),
        ({"message_type": "0110"}, r"a request or an advice \(sim.respond makes .*, found 0110, a response"),
        ({"amount_minor_units": 1.5}, "expected a whole number of minor units, such as 1000 .*, found 1.5"),
        ({"amount_minor_units": True}, "expected a whole number of minor units, such as 1000 .*, found True"),
    ],
)
def test_an_option_that_cannot_be_met_is_named(options: dict[str, Any], text: str) -> None:
    """An invalid value without a list of choices raises an OptionError that says what was expected."""
    with pytest.raises(sim.OptionError, match=text):
        sim.generate(**options)


@together(
    "call, error",
    [
        (lambda one: sim.parse("0800", format=1), sim.SpecError),
        (lambda one: sim.build(one, format=["bcd"]), sim.SpecError),
        (lambda one: sim.export_format(87), sim.SpecError),
        (lambda one: sim.codes(10**5000), sim.ChoiceError),
        (lambda one: sim.parse("0800", version=10**5000), sim.ChoiceError),
        (lambda one: sim.drill(["bitmap"]), sim.ChoiceError),
        (lambda one: sim.break_message(one, ["luhn"]), sim.ChoiceError),
        (lambda one: sim.search(10**5000), sim.OptionError),
        (lambda one: sim.respond(one, ["51"]), sim.OptionError),
        (lambda one: sim.reverse(one, stan=5), sim.OptionError),
        (lambda one: sim.reverse(one, at=pd.NaT), sim.OptionError),
        (lambda one: sim.generate(timezone="a/" * 2000), sim.OptionError),
        (lambda one: sim.load_format(5), sim.OptionError),
        (lambda one: sim.load_rules(5), sim.SpecError),
        (lambda one: sim.run_suite(5), sim.OptionError),
    ],
)
def test_what_is_no_such_argument_is_told(call: Callable[[Any], object], error: type[sim.IsoError]) -> None:
    """An argument of another type, a missing time, an endless number or name: the error says so."""
    with pytest.raises(error, match=r"expected .*, found "):
        call(sim.generate())


def test_an_error_quotes_no_card_number() -> None:
    """An error counts the digits of a card number in the wrong place, and does not quote them."""
    with pytest.raises(sim.ChoiceError, match="found 16 characters") as caught:
        sim.generate("4012888888881881")
    assert "4012" not in repr(caught.value)


def test_wrong_calls_say_what_would_do() -> None:
    """An error suggests the solution: for a misspelled name, an empty search, elements instead of a
    message, a misspelled format."""
    with pytest.raises(AttributeError, match="did you mean 'validate'"):
        sim.vaildate  # noqa: B018
    with pytest.raises(AttributeError, match=r"no attribute '_vaildate'$"):
        sim._vaildate  # noqa: B018
    with pytest.raises(sim.OptionError, match=r"text: expected a word.*, found None"):
        sim.search(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"not dict: sim\.build makes one of elements"):
        sim.parse({0: "0800"})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"not list: sim\.read takes many messages"):
        sim.parse(["0800"])  # type: ignore[arg-type]
    with pytest.raises(sim.SpecError, match="found 'bdc'; did you mean 'bcd'"):
        sim.guess("0800", format="bdc")


def test_what_no_repair_explains_is_not_called_whole() -> None:
    """A text that no repair fixes is reported as such; a valid message has nothing to repair."""
    assert repr(sim.repair("hello")).startswith("No repair found. MTI at offset 0: expected 4 digits")
    assert repr(sim.repair(sim.generate())) == "Nothing to repair."


def parameters(function: Callable[..., Any]) -> list[str]:
    """The argument names of *function*, including those of a `TypedDict`."""
    names = [*inspect.signature(function).parameters]
    if unpacked := re.fullmatch(r"Unpack\[(\w+)\]", str(function.__annotations__.get("options", ""))):
        options = getattr(sys.modules[function.__module__], unpacked[1])
        names = [*names[:-1], *options.__annotations__]
    return names


def test_no_caller_has_to_narrow_what_an_argument_tells() -> None:
    """If an argument determines a function's return type, overloads say so, with the same parameters as
    the function."""
    told = {}
    for name in sim.__all__:
        function = getattr(sim, name)
        given = getattr(function, "__annotations__", {}).get("return", "")
        if isinstance(function, type) or not (" | " in given or given == "Any"):
            continue
        told[name] = [one.__annotations__["return"] for one in get_overloads(function)]
        assert told[name], name
        for one in get_overloads(function):
            # What a function passes on, an overload may name.
            own, told_of = set(parameters(one)), set(parameters(function))
            assert own == told_of or ("options" in told_of and own > told_of - {"options"}), name
    assert {name: types[:2] for name, types in told.items()} == {
        "export_format": ["str", "dict[str, Any]"],
        "load": ["LoadTable", "RunningLoad"],
        "read": ["MessagesTable", "Iterator[MessagesTable]"],
    }


@together("given", [5.5, True, b"VISA", object()])
def test_against_is_one_network_or_several(given: Any) -> None:
    """Any other value raises an error that names the option; None checks no other network."""
    message = sim.generate()
    with pytest.raises(sim.OptionError, match="against: expected networks such as VISA"):
        sim.validate(message, against=given)
    assert set(sim.validate(message, against="Amex")["network"]) >= {"AMEX"}
    assert list(sim.validate(message, against=None)["rule"]) == list(sim.validate(message)["rule"])  # type: ignore[arg-type]

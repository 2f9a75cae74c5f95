"""The table of verbs: each public function of `sim`, with its options, their types and descriptions.

The shell, assistants and the notebook magic are projections of it, so that an option or a verb is written
once: as a parameter, or as a function with its docstring. Signatures are read from the source of the
function, so nothing is imported (the shell starts without pandas), and docstrings are available under `python
-OO`.
"""

from __future__ import annotations

import ast
import inspect
import re
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import sim
from sim.errors import either
from sim.lazy import homes
from sim.spec import words
from sim.spec.words import OF_A_MODEL as OF_A_MODEL

# The names of message parameters.
MESSAGES = ("message", "raw", "data", "request", "original")
REQUIRED = inspect.Parameter.empty
# An item of a docstring's list: the names of options, and their description.
_ITEM = re.compile(r"- ((?:`[a-z0-9_]+`(?:, )?)+): (.*)")
_AS_IN = re.compile(r"As in `(\w+)`\.")
_NAMES = re.compile(r"[a-z_0-9]+(?:, [a-z_0-9]+)*")
# Words in names that a form writes differently.
_WRITTEN = {
    **{word: word.upper() for word in ("id", "mcc", "pin", "stan", "cvv2")},
    **{"pan": "card", "three d secure": "3-D Secure", "opening": "opening balance"},
}
MINOR_UNITS = "_minor_units"


@cache
def _words() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The networks and the versions. Their tables are read only for a verb's options; a list of verbs does
    not need them."""
    from sim.spec import VERSIONS
    from sim.spec.networks import NETWORKS

    return NETWORKS, VERSIONS


@dataclass(frozen=True, slots=True)
class Option:
    """A parameter of a verb: its `type` as annotated, Any if that is unknown here; `default` is `REQUIRED`
    if it has none; `about` is its description in the docstring."""

    name: str
    annotation: str
    default: Any
    about: str
    positional: bool
    type: Any

    @property
    def is_message(self) -> bool:
        """Whether it accepts a message, or elements of one."""
        return "MessageArgument" in self.annotation

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is REQUIRED

    @property
    def plain(self) -> type:
        """The plain type in which a shell or JSON gives it."""
        return next((kind for kind in (str, bool, int, float) if kind in self._kinds), str)

    @property
    def _kinds(self) -> set[type]:
        return {leaf if isinstance(leaf, type) else type(leaf) for leaf in _leaves(self.type)}

    @property
    def many(self) -> bool:
        """Whether it accepts several values."""
        return any(word in self.annotation for word in ("Iterable[", "Sequence["))

    @property
    def choices(self) -> tuple[str, ...]:
        """The words to choose from, in an editor and here; other spellings may be accepted, too."""
        for kind, index in (("AnyNetwork", 0), ("AnyVersion", 1)):
            if kind in self.annotation:
                return _words()[index]
        return tuple(dict.fromkeys(leaf for leaf in _leaves(self.type) if isinstance(leaf, str)))

    def in_json(self, each: Any) -> Any:
        """Its type in JSON, if each value has the type *each*."""
        kind = list[each] if self.many else each
        return kind | None if self.default is None else kind

    @property
    def label(self) -> str:
        """Its name in a form: `merchant_id` is "Merchant ID"."""
        words = self.name.removesuffix(MINOR_UNITS).replace("_", " ")
        for word, written in _WRITTEN.items():
            words = re.sub(rf"\b{word}\b", written, words)
        return words[:1].upper() + words[1:] + (", in minor units" if self.name.endswith(MINOR_UNITS) else "")

    @property
    def words(self) -> str:
        """Its description, worded for a form."""
        text = elsewhere(self.about, r"\1").replace("`", "")
        return text[:1].upper() + text[1:]

    @property
    def usual(self) -> str:
        """Its default according to the docstring; empty if the docstring does not state one."""
        match = re.search(r"Default: (.{1,16}?)(?=[,;:.](?: (?!where)|$))", self.words)
        return match[1] if match else ""

    @property
    def is_plain(self) -> bool:
        """Whether a text, a number or a switch is a complete value, as it is for a message."""
        return bool(self._kinds & {str, bool, int, float, bytes}) and "Callable[" not in self.annotation


@dataclass(frozen=True, slots=True)
class Verb:
    """A public function: its module, its `summary` in a sentence, everything that its docstring says
    before the parameters, and its options."""

    name: str
    module: str
    summary: str
    text: str
    options: tuple[Option, ...]

    def option(self, name: str) -> Option:
        """The option *name*."""
        return next(option for option in self.options if option.name == name)

    def __call__(self, *args: Any, **options: Any) -> Any:
        return getattr(sim, self.name)(*args, **options)


def names() -> tuple[str, ...]:
    """The names of all verbs: the functions in `sim.__all__`."""
    return tuple(name for name in sim.__all__ if name.islower() and name[0] != "_")


@cache
def verb(name: str) -> Verb:
    """The verb *name*. Raises KeyError if `sim` has no such function."""
    module = homes("sim")[name]
    function = _function(name, module)
    text = inspect.cleandoc(ast.get_docstring(function) or "")
    before = re.split(r"\n\n[A-Z][a-z]+\n---", text)[0]
    summary = " ".join(before.split("\n\n")[0].split()).partition(". ")[0].rstrip(".") + "."
    return Verb(name, module, summary, before, tuple(_options(function.args, _about(text))))


# Phrases for callers from Python, and their wording for others.
_ELSEWHERE: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (rf"\*(?:{'|'.join(MESSAGES)})\*", "the message"),
    (r"(One|one) of `sim\.NETWORKS`", lambda _: either(_words()[0])),
    (r"(One|one) of `sim\.VERSIONS`", lambda _: either(_words()[1])),
    (r"a datetime, a date \(midnight\) or ISO 8601 text", "a date (midnight) or a time in ISO 8601"),
    (r", an offset such as `(.*?)`, or a tzinfo", r" or an offset such as `\1`"),
    (r", or a host of `sim\.host`", ""),
    (r"A `sim\.keys\.KeyRing`, its parts, or a TOML", "A TOML"),
    (r"A table: a CSV or TOML file, its text, rows or a DataFrame\.", "A table, CSV or TOML."),
    (r"An `SSLContext`, True for the system's CA certificates, or the path of a", "CA certificates, as a"),
    (r"An `SSLContext`, or the paths of", "The paths of"),
    (
        r"A message in any form(?: that `parse` takes|: its raw text, a message table, a `Message`)?\.",
        "Its text, or bytes in any notation.",
    ),
    (r", one of `sim\.formats\(\)`", ", by its name"),
    (r", one of `sim\.interfaces\(\)`", ", by its name"),
    (r"; see `sim\.llm\.status\(\)`", ""),
)


def elsewhere(text: str, option: str | Callable[[re.Match[str]], str] = r"`\1`") -> str:
    """*text* of a docstring, worded for callers outside Python, where *option* is the form of an option's
    name.

    >>> elsewhere("One of `sim.VERSIONS`. Default: from the MTI.")
    '1987, 1993 or 2003. Default: from the MTI.'
    """
    for pattern, words_elsewhere in _ELSEWHERE:
        text = re.sub(pattern, words_elsewhere, text)
    text = re.sub(r"\*([a-z_]+)\*", option, text)
    return text[:1].upper() + text[1:]


def _function(name: str, module: str) -> ast.FunctionDef:
    """The function *name* at the top level of *module*; of overloads, the implementation."""
    # importlib would import the parent packages, and parsing whole files is slow.
    place = Path(sim.__path__[0]).joinpath(*module.split(".")[1:])
    source = (place / "__init__.py" if place.is_dir() else place.with_suffix(".py")).read_text(
        encoding="utf-8"
    )
    sources = re.findall(rf"^def {name}\(.*?(?=^[^\s)]|\Z)", source, re.MULTILINE | re.DOTALL)
    if not sources:
        raise KeyError(name)
    (node,) = ast.parse(sources[-1]).body
    assert isinstance(node, ast.FunctionDef)  # noqa: S101, the pattern says so
    return node


def _options(arguments: ast.arguments, about: Mapping[str, str]) -> Iterator[Option]:
    positional = [*arguments.posonlyargs, *arguments.args]
    missing: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    for taken, defaults, by_place in (
        (positional, [*missing, *arguments.defaults], True),
        (arguments.kwonlyargs, arguments.kw_defaults, False),
    ):
        for argument, default in zip(taken, defaults, strict=True):
            written = ast.unparse(argument.annotation) if argument.annotation else ""
            value = REQUIRED if default is None else ast.literal_eval(default)
            yield Option(argument.arg, written, value, about.get(argument.arg, ""), by_place, _type(written))
    rest = arguments.kwarg
    if rest is not None and rest.annotation is not None and "Unpack[" in ast.unparse(rest.annotation):
        carried = _type(ast.unparse(rest.annotation)[len("Unpack[") : -1])
        for name, kind in typing.get_type_hints(carried).items():
            yield Option(name, str(kind), None, about.get(name, ""), False, kind)


class _Known(dict[str, Any]):
    """The names that annotations may use; names known only to a type checker are Any."""

    def __missing__(self, name: str) -> Any:
        if name.startswith("__"):  # looked up by tools in any frame
            raise KeyError(name)
        return Any


_KNOWN = _Known(
    {
        **vars(words),
        **dict.fromkeys(("Address", "Path", "Rules"), str),
        **{kind.__name__: kind for kind in (str, int, float, bool, bytes, list, tuple, dict, object)},
        **{"Any": Any, "Literal": Literal, "datetime": datetime, "re": re},
    }
)


def _type(annotation: str) -> Any:
    generic = re.sub(r"\b(?:Iterable|Sequence)\[", "list[", annotation)
    generic = re.sub(r"\bMapping\[[^\]]*\]", "object", generic)
    if "Callable[" in generic:
        return Any
    return eval(generic, {}, _KNOWN) if generic else Any  # noqa: S307


def _leaves(annotated: Any) -> Iterator[Any]:
    """The types of an annotation, and its literal values."""
    if get_origin(annotated) is Literal:
        yield from get_args(annotated)
    elif args := get_args(annotated):
        for kind in args:
            yield from _leaves(kind)
    elif isinstance(annotated, type):
        yield annotated


def _about(text: str) -> dict[str, str]:
    """The docstring's description of each parameter, and of each name in a list of parameters."""
    _, _, after = text.partition("\nParameters\n---")
    lines = after.partition("\n\nReturns\n")[0].splitlines()[1:]
    descriptions: dict[str, str] = {}
    parameters: list[str] = []
    for line in lines:
        if line.startswith(" "):
            descriptions |= {
                name: f"{descriptions.get(name, '')} {line.strip()}".strip() for name in parameters
            }
        elif _NAMES.fullmatch(line):
            parameters = line.split(", ")
    for name, about in descriptions.items():
        if match := _AS_IN.match(about):
            descriptions[name] = f"{verb(match[1]).option(name).about} {about[match.end() :]}".strip()
    if match := re.search(r", as in `(\w+)`\.", descriptions.get("options", "")):
        descriptions = {option.name: option.about for option in verb(match[1]).options} | descriptions
    for about in list(descriptions.values()):
        for item in re.split(r" (?=- `)", about):
            if match := _ITEM.fullmatch(item):
                descriptions |= dict.fromkeys(re.findall(r"\w+", match[1]), match[2])
    return descriptions

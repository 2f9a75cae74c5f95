"""A form: options of a verb as inputs. Label, choices, tooltip and usual value are what the verb's
signature and docstring say (`sim.verbs`); a panel says which options, and in what order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.operations.asked import option_named
from sim.spec.networks import NETWORKS, network
from sim.spec.tables import read_toml
from sim.verbs import MINOR_UNITS, REQUIRED, Option, verb
from sim.widgets.covered_text import CoveredText
from sim.widgets.panels.fields import AmountInput, CardInput, CurrencyInput, InputField, StanInput

F = TypeVar("F", bound=InputField)
# The tables with what people call the words of an option.
_TITLED = {"message_type": "kinds", "purpose": "purposes", "entry": "entries"}
# Options with an input of their own.
_OWN: dict[str, Callable[[str, str], InputField]] = {
    "pan": CardInput,
    "currency": CurrencyInput,
    "stan": StanInput,
}


def titles(option: Option) -> dict[Any, str]:
    """What can be chosen for *option*, each as a person reads it; nothing where it is typed.

    >>> titles(verb("generate").option("entry"))["stored"]
    'card on file'
    """
    if option.plain is bool:
        return {True: "yes", False: "no"}
    if option.name == "network":  # a new one is in no type
        return {name: network(name).title for name in NETWORKS}
    rows = read_toml("templates").get(_TITLED.get(option.name, ""), {})
    return {word: rows[word]["title"] if rows else word for word in rows or option.choices}


def traits_of(name: str, options: Iterable[str]) -> dict[str, Any]:
    """Traits for *options* of the verb *name*. What may be left out is None then; what it can be besides, the
    verb says."""
    return {one: _trait(verb(name).option(one)) for one in options}


def _trait(option: Option) -> Any:
    usual: Any = "" if option.default is REQUIRED else option.default
    if option.plain is not bool and (words := titles(option)):
        optional: Any = usual is None
        return traitlets.Enum([*words], usual, allow_none=optional)
    if usual is None:
        return traitlets.Any(None)
    kinds: dict[type, Any] = {bool: traitlets.Bool, int: traitlets.Int, float: traitlets.Float}
    return kinds.get(option.plain, traitlets.Unicode)(usual)


class OptionField(InputField):
    """An option as a list, a switch, a number or a text: `value`, None where it is left out."""

    value = traitlets.Any(None)

    def __init__(self, option: Option, trait: Any) -> None:
        self.box = _box(option, trait)
        super().__init__(self.box)
        missing = None if trait.allow_none or isinstance(trait, traitlets.Any) else ""
        typed = isinstance(self.box, ipywidgets.Text | CoveredText)

        def shown(value: Any) -> Any:
            return "" if value is None else str(value) if typed else value

        def chosen(value: Any) -> Any:
            value = value.strip() if typed else value
            return missing if value == "" and isinstance(value, str) else value

        self.value = trait.default_value
        traitlets.link((self, "value"), (self.box, "value"), (shown, chosen))


def _box(option: Option, trait: Any) -> Any:
    words = {"description": option.label, "tooltip": option.words}
    optional = trait.allow_none or isinstance(trait, traitlets.Any)
    if isinstance(trait, traitlets.Bool):
        return ipywidgets.Checkbox(indent=False, **words).add_class("iso-check")
    if isinstance(trait, traitlets.Enum):
        known = titles(option)
        choices = {value: known.get(value, str(value)) for value in trait.values or ()}
    else:
        choices = titles(option)
    if choices:
        left_out = [(f"Auto ({option.usual})" if option.usual else "Auto", "")] if optional else []
        pairs = [(title, value) for value, title in choices.items()]
        return ipywidgets.Dropdown(options=[*left_out, *pairs], **words)
    if isinstance(trait, traitlets.Int | traitlets.Float):
        kind = ipywidgets.BoundedIntText if isinstance(trait, traitlets.Int) else ipywidgets.BoundedFloatText
        return kind(min=trait.min, max=trait.max, **words)
    row = read_toml("templates")["options"].get(option.name, {})
    if row.get("secret"):
        return CoveredText(cover=lambda text: "*" * len(text), label=option.label, rows=1)
    return ipywidgets.Text(
        placeholder=_example(option) or row.get("expected", ""), continuous_update=False, **words
    )


def _example(option: Option) -> str:
    """A value of the sample messages."""
    samples = {option_named(name): value for name, value in read_toml("templates")["sample"].items()}
    value = samples.get(option.name, "")
    return value if isinstance(value, str) else ""


class Form(ipywidgets.Box):  # type: ignore[misc]
    """The options *names* of the verb *name*, linked to the traits of *panel* that are called so. Of those in
    *notes* a sentence stands beneath, of the others in the tooltip alone. `fields` are the inputs."""

    def __init__(
        self, panel: Any, name: str, names: Iterable[str], *more: Any, notes: Iterable[str] = ()
    ) -> None:
        self._options = {one: verb(name).option(one) for one in names}
        self.fields: dict[str, InputField] = {
            one: _field(option, panel.traits()[one]) for one, option in self._options.items()
        }
        for one in notes:
            self.fields[one].note = re.split(r"[.:] |[.]$", self._options[one].words)[0] + "."
        super().__init__([*self.fields.values(), *more])
        self.add_class("iso-form")
        for one, field in self.fields.items():
            traitlets.link((panel, one), (field, "value"))

    def of(self, kind: type[F]) -> F:
        """The first input that is a *kind*."""
        return next(field for field in self.fields.values() if isinstance(field, kind))

    def settle(self) -> None:
        """Forget what was refused; what is typed and is no value stays wrong."""
        for field in self.fields.values():
            field.problem = field.typed

    def unread(self) -> dict[str, str]:
        """The labels of the options whose inputs hold what is no value, by the options."""
        return {name: self._options[name].label for name, field in self.fields.items() if field.typed}

    def refuse(self, name: str, problem: str) -> bool:
        """Say *problem* beneath the input of the option *name*; whether there is one."""
        if name in self.fields:
            self.fields[name].problem = problem
        return name in self.fields


def _field(option: Option, trait: Any) -> InputField:
    own = _OWN.get(option.name)
    if own is None and option.name.endswith(MINOR_UNITS) and option.default is not None:
        own, label = AmountInput, option.label.partition(",")[0]
        return own(label, option.words)
    return OptionField(option, trait) if own is None else own(option.label, option.words)

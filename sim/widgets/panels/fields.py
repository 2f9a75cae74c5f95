"""The inputs of panels: one with a message below it, a long list to type into, inputs for a card, an amount,
a currency, an outcome and a STAN; and forms, which show options of a verb. Labels, choices, tooltips and
defaults come from the verb's signature and docstring (`sim.verbs`); a panel only chooses the options and
their order."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from functools import partial
from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.codec.text import is_digits
from sim.elements.money import in_major_units
from sim.errors import BuildError, ChoiceError, OptionError
from sim.masking import mask_pan
from sim.operations.asked import option_named
from sim.operations.options import LARGEST_AMOUNT
from sim.spec import code_list, currencies, currency
from sim.spec.interfaces import interface, interfaces
from sim.spec.networks import NETWORKS, default_card, detect, luhn_ok, network, test_cards
from sim.spec.spellings import choose, interface_named, network_named, template_word, version_named
from sim.spec.tables import read_toml
from sim.verbs import REQUIRED, Option, verb
from sim.widgets.covered_text import CoveredText
from sim.widgets.markup import markup, wrong

NOT_THERE = "Not in the list: type a code or part of the name"
USUAL_CARD, OWN_CARD = "usual", "own"
_SHORTEST, _LONGEST = 12, 19  # digits of a card number
_AROUND = re.compile(r"^\S+ | \([^()]*\)$")
_LARGEST_STAN = 999_999
_FROM = re.compile(r"^(?:from |that of )?(?:the|each) (.+?)(?:'s)?$")  # the card's, that of the MTI


def show(widget: Any, visible: bool) -> None:
    """Show or hide *widget*."""
    widget.layout.display = None if visible else "none"


def dress(widget: Any, own_class: str, classes: str | Iterable[str]) -> None:
    """Give *widget* its own class and others: a text with spaces, or several texts."""
    for name in (own_class, *(classes.split() if isinstance(classes, str) else classes)):
        widget.add_class(name)


class InputField(ipywidgets.VBox):  # type: ignore[misc]
    """An input with its `problem` or `note` below it. Of an option, `value` is the choice, and `typed` says
    why the typed text is not a value; it is empty otherwise."""

    problem = traitlets.Unicode("")
    note = traitlets.Unicode("")
    typed = ""

    def __init__(self, *inputs: Any, classes: str | Iterable[str] = (), **kwargs: Any) -> None:
        self._words = ipywidgets.HTML()
        super().__init__([*inputs, self._words], **kwargs)
        dress(self, "iso-field", classes)
        self.observe(self._tell, ["problem", "note"])
        show(self._words, False)

    def _tell(self, change: Any) -> None:
        note = markup("span", self.note, "iso-note") if self.note else ""
        self._words.value = wrong(self.problem) or note
        show(self._words, bool(self._words.value))

    @property
    def disabled(self) -> bool:
        """Whether nothing can be chosen."""
        return all(box.disabled for box in _boxes(self))

    @disabled.setter
    def disabled(self, value: bool) -> None:
        for box in _boxes(self):
            box.disabled = value


def _boxes(widget: Any) -> Iterator[Any]:
    """The parts of *widget* that can be disabled."""
    for child in widget.children:
        if hasattr(child, "disabled"):
            yield child
        elif hasattr(child, "children"):
            yield from _boxes(child)


def find_option(options: tuple[tuple[str, str], ...], text: str) -> tuple[str, str]:
    """The value of the one option (a pair of label and value) that *text* names by its value, its label (with
    or without the leading code and the trailing brackets) or words of it; otherwise, a sentence that says why
    there is none.

    >>> find_option((("05 do not honor", "05"), ("51 not sufficient funds", "51")), "funds")
    ('51', '')
    >>> find_option((("05 do not honor", "05"), ("51 not sufficient funds", "51")), "not")
    ('', '2 entries contain these words: type more, or choose one')
    """
    query = text.strip().casefold()
    for label, value in options:
        if query in (value.casefold(), label.casefold(), _AROUND.sub("", label).casefold()):
            return value, ""
    words = query.split()
    values = [value for label, value in options if all(word in label.casefold() for word in words)]
    if len(values) == 1:
        return values[0], ""
    many = f"{len(values)} entries contain these words: type more, or choose one"
    return "", many if values else NOT_THERE


class FilteredList(ipywidgets.Box):  # type: ignore[misc]
    """A long list to open or type into: a code, or words of a label.

    Traits: `options`, pairs of label and value; `value`, the first if the box is empty (so that the whole
    list opens); `problem`, why the typed text is not in the list: the text stays, and so does `value`.
    """

    options = traitlets.Tuple()
    value = traitlets.Unicode("")
    problem = traitlets.Unicode("")

    def __init__(self, description: str, tooltip: str = "") -> None:
        self.box = ipywidgets.Combobox(description=description, tooltip=tooltip, continuous_update=False)
        super().__init__([self.box])
        self.add_class("iso-contents")
        self.box.observe(self._typed, "value")
        self.observe(self._offer, "options")
        self.observe(self._write, "value")

    @traitlets.validate("value")
    def _one_of_them(self, proposal: dict[str, Any]) -> str:
        value: str = proposal["value"]
        if value not in dict(map(reversed, self.options)):
            raise traitlets.TraitError(f"{value!r} is not in the list {self.box.description!r}")
        return value

    def _offer(self, change: Any) -> None:
        """Show the new options; the choice stays if they contain it."""
        self.box.options = [label for label, _ in self.options]
        self.box.placeholder = self.options[0][0]
        if self.value not in [value for _, value in self.options]:
            self.value = self.options[0][1]
        self._write()

    def _typed(self, change: Any) -> None:
        text = self.box.value
        first = self.options[0][1]
        value, problem = find_option(self.options, text) if text.strip() else (first, "")
        # An observer of the problem may choose something else.
        self.problem = problem
        if not problem:
            self.value = value
            self._write()

    def _write(self, change: Any = None) -> None:
        """Show the choice in the box; the first option is its placeholder."""
        labels = {value: label for label, value in self.options[1:]}
        self.box.value = labels.get(self.value, "")
        self.problem = ""


def decimals(code: str) -> int:
    """The decimals of a currency; 0 if ISO 4217 defines none."""
    iso_currency = currency(code)
    return (iso_currency.exponent or 0) if iso_currency else 0


class AmountInput(InputField):
    """An amount in major and in minor units, kept in sync. Traits: `value`, in minor units; `currency`, three
    digits, whose decimals major units have. Text that is not an amount stays, and so does the value."""

    value = traitlets.Int(min=0, max=LARGEST_AMOUNT)
    currency = traitlets.Unicode("840")

    def __init__(self, label: str = "Amount", tooltip: str = "") -> None:
        self._label = label.partition(",")[0]
        self.major = ipywidgets.Text(tooltip=tooltip)
        self.minor = ipywidgets.Text(description="In minor units", tooltip=tooltip)
        row = ipywidgets.HBox([self.major, self.minor]).add_class("iso-joined")
        super().__init__(row, classes="iso-wide")
        self._show()
        for box in (self.major, self.minor):
            box.observe(self._take, "value")
        self.observe(self._show, ["value", "currency"])

    def _read(self, box: Any) -> int:
        """The amount in a box. Raises ValueError with a sentence for the user."""
        units, part, places, expected = box.value.strip(), "", 0, "Digits only: minor units are whole"
        if box is self.major:
            point = "." if "." in units else ","
            units, _, part = units.partition(point)
            places, expected = decimals(self.currency), "Digits, with a point or comma before the decimals"
        if not is_digits(units + part):
            raise ValueError(expected)
        if len(part) > places:
            raise ValueError(f"This currency has {places or 'no'} decimals")
        minor = int(units + part.ljust(places, "0"))
        if minor > LARGEST_AMOUNT:
            raise ValueError(f"At most {LARGEST_AMOUNT:,} minor units: DE 4 has 12 digits")
        return minor

    def _take(self, change: Any) -> None:
        """Take what was typed into one of the boxes and update the other."""
        try:
            self.value = self._read(change["owner"])
        except ValueError as error:
            self.typed = self.problem = str(error)
        else:
            self._show()

    def _show(self, change: Any = None) -> None:
        """Show the amount in each box that has another text for it."""
        self.typed = self.problem = ""
        iso_currency, places = currency(self.currency), decimals(self.currency)
        self.major.description = f"{self._label} in {iso_currency.alpha}" if iso_currency else self._label
        self.major.placeholder = in_major_units("0", places)
        major = in_major_units(str(self.value), places).replace(",", "")
        for box, text in ((self.major, major), (self.minor, str(self.value))):
            try:
                same = self._read(box) == self.value
            except ValueError:
                same = False
            if not same:
                box.value = text


class ListInput(InputField):
    """A choice from a long list. Trait: `value`. Text that is not in the list stays, as does the value."""

    value = traitlets.Unicode("")

    def __init__(
        self, label: str, tooltip: str, options: Iterable[tuple[str, str]], classes: str = ""
    ) -> None:
        self.choice = FilteredList(label, tooltip)
        super().__init__(self.choice, classes=classes)
        self.choice.options = tuple(options)
        self._show()
        self.observe(self._show, "value")
        self.choice.observe(self._take, ["value", "problem"])

    def _take(self, change: Any) -> None:
        self.typed = self.problem = self.choice.problem
        if not self.typed:
            self.value = self.choice.value

    def _show(self, change: Any = None) -> None:
        self.choice.value = self.value


class CurrencyInput(ListInput):
    """A currency, found by code or name. Trait: `value`, three digits."""

    value = traitlets.Unicode("840")

    def __init__(self, label: str = "Currency", tooltip: str = "") -> None:
        rows = sorted(currencies(), key=lambda row: row.numeric != self.value)  # the default first
        options = ((f"{row.alpha} {row.name} ({row.numeric})", row.alpha) for row in rows)
        super().__init__(label, tooltip, options, "iso-wide")

    @traitlets.validate("value")
    def _three_digits(self, proposal: dict[str, Any]) -> str:
        iso_currency = currency(proposal["value"].upper())
        if iso_currency is None:
            raise traitlets.TraitError("currency is three digits or letters of ISO 4217")
        return iso_currency.numeric

    def _show(self, change: Any = None) -> None:
        iso_currency = currency(self.value)
        if iso_currency and iso_currency.alpha in dict(map(reversed, self.choice.options)):
            self.choice.value = iso_currency.alpha


class OutcomeInput(ListInput):
    """An outcome of an exchange, or the response code of a decline."""

    value = traitlets.Unicode("approved")

    def __init__(self, label: str = "Outcome", tooltip: str = "") -> None:
        codes = {row.code: row.meaning for row in code_list("response_code") if not row.network}
        declines = [code for code in sorted(codes) if len(code) <= 3 and code.strip("0")]
        words = ((word, word) for word in verb("exchange").option("outcome").choices)
        super().__init__(label, tooltip, (*words, *((f"{code} {codes[code]}", code) for code in declines)))


class CardInput(InputField):
    """A published test card, or another number. Traits: `value`, the number, None for the network's default
    test card; `network`, whose cards are offered, None for all. Numbers are shown masked."""

    network = traitlets.Unicode(None, allow_none=True)
    value = traitlets.Any(None)

    def __init__(self, label: str = "Card", tooltip: str = "") -> None:
        self._busy = False
        self.choice = FilteredList(label, tooltip)
        self.own = CoveredText(cover=mask_pan, label="Card number: test cards only", rows=1)
        super().__init__(self.choice, self.own, classes="iso-wide")
        self._offer()
        self.choice.observe(self._choose, "value")
        self.choice.observe(self._refused, "problem")
        self.own.observe(self._choose, "value")
        self.observe(self._offer, ["network", "value"])

    def _offer(self, change: Any = None) -> None:
        """Update the list of cards and the choice."""
        if self._busy:
            return
        self._busy = True
        cards = [card for name in ([self.network] if self.network else NETWORKS) for card in test_cards(name)]
        usual = default_card(self.network or NETWORKS[0])
        # The list is sent to the browser, so its values are positions, never card numbers.
        self._cards = {f"#{at}": card.pan for at, card in enumerate(cards)}
        places = {pan: at for at, pan in self._cards.items()}
        labels = [", ".join(filter(None, (mask_pan(card.pan), card.note))) for card in cards]
        if self.network is None:
            labels = [f"{card.network} {label}" for card, label in zip(cards, labels, strict=True)]
        self.choice.options = (
            (f"{mask_pan(usual.pan)}, the default test card", USUAL_CARD),
            *zip(labels, self._cards, strict=True),
            ("another number …", OWN_CARD),
        )
        self.choice.value = USUAL_CARD if self.value is None else places.get(str(self.value), OWN_CARD)
        if self.choice.value == OWN_CARD:
            self.own.value = str(self.value or "")
        self._busy = False
        self._advise()

    def _choose(self, change: Any) -> None:
        if self._busy:
            return
        self._busy = True
        is_own = self.choice.value == OWN_CARD
        self.value = self.own.value.strip() or None if is_own else self._cards.get(self.choice.value)
        self._busy = False
        self._advise()

    def _refused(self, change: Any) -> None:
        """Move a complete number typed into the list to the masked box."""
        text = self.choice.box.value.replace(" ", "")
        if self.choice.problem and text.isdigit() and len(text) >= _SHORTEST:
            self.choice.value = OWN_CARD
            self.own.value = text
        self._advise()

    def _advise(self) -> None:
        """Describe another number: it is used unchanged, even if it is wrong."""
        is_own, pan = self.choice.value == OWN_CARD, str(self.value or "")
        show(self.own, is_own)
        digits = is_digits(pan) and _SHORTEST <= len(pan) <= _LONGEST
        misfit = f"{_SHORTEST} to {_LONGEST} digits; this has {len(pan)} characters"
        self.typed = self.choice.problem or (misfit if is_own and pan and not digits else "")
        self.problem = self.typed
        self.note = _advice(pan, self.network) if is_own and digits else ""


def _advice(pan: str, name: str | None) -> str:
    card = detect(pan)
    brand = f"A card number of {card.brand}" if card else "Not a known network's card number"
    if name and (not card or card.network != name):
        brand += f", not of {network(name).title}"
    check = "" if luhn_ok(pan) else "; its check digit is wrong"
    return f"{brand}{check}. It is used unchanged."


class StanInput(InputField):
    """A STAN and a button for the next one. Trait: `value`, as typed."""

    value = traitlets.Unicode("123456")

    def __init__(self, label: str = "STAN", tooltip: str = "") -> None:
        self.text = ipywidgets.Text(description=label, tooltip=tooltip)
        self.button = ipywidgets.Button(description="New STAN", tooltip="Use the next STAN")
        super().__init__(ipywidgets.HBox([self.text, self.button]).add_class("iso-joined"))
        traitlets.link((self, "value"), (self.text, "value"))
        self.button.on_click(lambda _: self.renew())
        self.observe(self._judge, "value")

    def renew(self) -> None:
        """Set the next number; 000001 follows 999999 and anything that is not a number."""
        self.value = "000001" if self.typed else f"{int(self.value) % _LARGEST_STAN + 1:06}"

    def _judge(self, change: Any) -> None:
        right = len(self.value) == 6 and is_digits(self.value)
        self.typed = self.problem = "" if right else "Six digits"


# The tables with the titles of an option's words.
_TITLED = {"message_type": "kinds", "purpose": "purposes", "entry": "entries"}
_NAMED: dict[str, Callable[[Any], str]] = {
    **{option: partial(template_word, option) for option in _TITLED},
    **{"network": network_named, "version": version_named, "interface": interface_named},
}
# Options with an input of their own.
_OWN: dict[str, Callable[[str, str], InputField]] = {
    "amount_minor_units": AmountInput,
    "pan": CardInput,
    "currency": CurrencyInput,
    "outcome": OutcomeInput,
    "stan": StanInput,
}


def titles(option: Option) -> dict[Any, str]:
    """The choices for *option*, each as a person reads it; empty if it is typed.

    >>> titles(verb("generate").option("entry"))["stored"]
    'card on file'
    """
    if option.plain is bool:
        return {True: "yes", False: "no"}
    if option.name == "network":  # new ones are not in the type
        return {name: network(name).title for name in NETWORKS}
    if option.name == "interface":
        return {name: interface(name).title for name in interfaces()}
    rows = read_toml("templates").get(_TITLED.get(option.name, ""), {})
    return {word: rows[word]["title"] if rows else word for word in rows or option.choices}


class WordTrait(traitlets.Enum):  # type: ignore[type-arg]
    """A word to choose for an option, in any spelling that the verb accepts."""

    def validate(self, obj: Any, value: Any) -> Any:
        """The word that *value* spells. Raises TraitError with the nearest one."""
        if value is None or value in (self.values or ()):
            return super().validate(obj, value)
        option = str(self.name)
        try:
            word = _NAMED[option](value) if option in _NAMED else value
            return choose(option, word, map(str, self.values or ()))
        except ChoiceError as error:
            raise traitlets.TraitError(f"{type(obj).__name__}: {error}") from None


def traits_of(name: str, options: Iterable[str]) -> dict[str, Any]:
    """Traits for *options* of the verb *name*, with the verb's choices; None for an omitted option."""
    kinds: dict[type, Any] = {bool: traitlets.Bool, int: traitlets.Int, float: traitlets.Float}
    traits: dict[str, Any] = {}
    for option in map(verb(name).option, options):
        usual: Any = "" if option.default is REQUIRED else option.default
        if option.plain is not bool and (words := titles(option)):
            optional: Any = usual is None
            traits[option.name] = WordTrait([*words], usual, allow_none=optional)
        elif usual is None:
            traits[option.name] = traitlets.Any(None)
        else:
            traits[option.name] = kinds.get(option.plain, traitlets.Unicode)(usual)
    return traits


class OptionField(InputField):
    """An option as a list, a number or a text: `value`, None if omitted."""

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
    choices = labels = titles(option)
    if isinstance(trait, traitlets.Enum):
        choices = {value: labels.get(value, str(value)) for value in trait.values or ()}
    if choices:
        usual = _FROM.sub(r"from \1", option.usual)
        left_out = [(f"Auto ({usual})" if usual else "Auto", "")] if optional else []
        pairs = [(title, value) for value, title in choices.items()]
        return ipywidgets.Dropdown(options=[*left_out, *pairs], **words)
    if isinstance(trait, traitlets.Int | traitlets.Float):
        kind = ipywidgets.BoundedIntText if isinstance(trait, traitlets.Int) else ipywidgets.BoundedFloatText
        return kind(min=trait.min, max=trait.max, **words)
    if option.annotation == "Address":
        return ipywidgets.Text(placeholder="127.0.0.1:8583", continuous_update=False, **words)
    row = read_toml("templates")["options"].get(option.name, {})
    if row.get("secret"):
        return CoveredText(cover=lambda text: "*" * len(text), label=option.label, rows=1)
    samples = {option_named(name): value for name, value in read_toml("templates")["sample"].items()}
    sample = samples.get(option.name, "")
    example = sample if isinstance(sample, str) else ""
    return ipywidgets.Text(placeholder=example or row.get("expected", ""), continuous_update=False, **words)


class Form(ipywidgets.Box):  # type: ignore[misc]
    """The options *names* of the verb *name*, linked to the traits of *panel* with these names. Options in
    *notes* have a sentence below them, others a tooltip. `fields` are the inputs."""

    def __init__(
        self, panel: Any, name: str, names: Iterable[str], *more: Any, notes: Iterable[str] = ()
    ) -> None:
        self._options = {key: verb(name).option(key) for key in names}
        self.fields: dict[str, InputField] = {
            key: _OWN[key](option.label, option.words)
            if key in _OWN
            else OptionField(option, panel.traits()[key])
            for key, option in self._options.items()
        }
        for field_name in notes:
            self.fields[field_name].note = re.split(r"[.:] |[.]$", self._options[field_name].words)[0] + "."
        super().__init__([*self.fields.values(), *more])
        self.add_class("iso-form")
        for field_name, field in self.fields.items():
            traitlets.link((panel, field_name), (field, "value"))

    def settle(self) -> None:
        """Clear refusals; typed text that is not a value stays marked."""
        for field in self.fields.values():
            field.problem = field.typed

    def attempt(self, make: Callable[[], None], left_out: Container[str] = ()) -> str:
        """Call *make*, unless an input, except those *left_out*, has no valid value. Returns why it failed,
        which is also shown at the input concerned; empty if it did not."""
        names = [name for name, field in self.fields.items() if field.typed and name not in left_out]
        if names:
            labels = ", ".join(self._options[name].label.partition(",")[0] for name in names)
            return f"Fix {' and '.join(labels.rsplit(', ', 1))} first"
        try:
            make()
        except (BuildError, OptionError) as error:
            name = error.option if isinstance(error, OptionError) else ""
            if name in self.fields:
                self.fields[name].problem = str(error)
            return str(error)
        return ""

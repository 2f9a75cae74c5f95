"""The inputs of the generate panel that are more than one widget: amount and currency, card, STAN."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import traitlets

from sim.errors import OptionError
from sim.masking import mask_pan
from sim.operations.options import LARGEST_AMOUNT
from sim.spec import Currency, currencies, currency
from sim.spec.networks import NETWORKS, default_card, detect, luhn_ok, network, test_cards
from sim.spec.spellings import currency_named
from sim.widgets.covered_text import CoveredText
from sim.widgets.panels.filtered import FilteredList
from sim.widgets.panels.shared import InputField, one_of, show

USUAL_CARD, OWN_CARD = "usual", "own"
_SHORTEST = 12  # digits of a card number
_MAJOR = re.compile(r"([0-9]*)(?:\.([0-9]*))?", re.ASCII)
_MOST_NAMED = 5
_LARGEST_STAN = 999_999


def label_of(found: Currency) -> str:
    """How the list names a currency: `USD US Dollar (840)`."""
    return f"{found.alpha} {found.name} ({found.numeric})"


def find_currency(text: str) -> Currency | str:
    """The currency *text* names by code, label, name or part of a name; else, in words, why it does not.

    >>> find_currency("yen").alpha, find_currency("978").alpha
    ('JPY', 'EUR')
    >>> find_currency("nowhere dollar")
    'No currency of ISO 4217 is called that: type a code, or part of a name'
    """
    asked = text.strip().casefold()
    if not asked:
        return "Which currency? Type a code, or part of a name"
    with suppress(OptionError):
        return currency_named(asked)
    labels = {one: label_of(one).casefold() for one in currencies()}
    called = [one for one, label in labels.items() if asked in (label, one.name.casefold())]
    found = called or [one for one, label in labels.items() if asked in label]
    if len(found) == 1:
        return found[0]
    if found:
        named = ", ".join(one.alpha for one in found[:_MOST_NAMED])
        return f"Which one: {named}{' …' if len(found) > _MOST_NAMED else ''}?"
    return "No currency of ISO 4217 is called that: type a code, or part of a name"


def decimals(code: str) -> int:
    """The decimals of a currency; none where ISO 4217 names none."""
    found = currency(code)
    return (found.exponent or 0) if found else 0


def to_major(minor: int, places: int) -> str:
    """Minor units as they are typed in major units.

    >>> to_major(1000, 2), to_major(1000, 0), to_major(1000, 3)
    ('10.00', '1000', '1.000')
    """
    if places <= 0:
        return str(minor)
    whole, part = divmod(minor, 10**places)
    return f"{whole}.{part:0{places}}"


def to_minor(text: str, places: int) -> int:
    """Major units as typed, in minor units. Raises ValueError in words.

    >>> to_minor("12.5", 2), to_minor("10,50", 2), to_minor("7", 3)
    (1250, 1050, 7000)
    """
    typed = text.strip()
    found = _MAJOR.fullmatch(typed.replace(",", ".", 1) if "." not in typed else typed)
    if not found or not re.search("[0-9]", typed):
        raise ValueError("Digits, and a point or comma before the decimals")
    whole, part = found[1] or "0", found[2] or ""
    if len(part) > places:
        raise ValueError(
            "This currency has no decimals" if not places else f"This currency has {places} decimals"
        )
    return within(int(whole + part.ljust(places, "0")))


def within(minor: int) -> int:
    """*minor*, when an amount can be as large. Raises ValueError in words."""
    if minor > LARGEST_AMOUNT:
        raise ValueError(f"At most {LARGEST_AMOUNT} minor units: DE 4 has 12 digits")
    return minor


class AmountInput(ipywidgets.Box):  # type: ignore[misc]
    """An amount in major and in minor units, kept in step, and its currency, found by code or name.

    Traits: `amount_minor_units`; `currency`, three digits. A text that is no amount or no currency stays
    where it was typed, says why beneath, and leaves the traits as they were (`ok` is False meanwhile).
    """

    amount_minor_units = traitlets.Int(1000, min=0, max=LARGEST_AMOUNT)
    currency = traitlets.Unicode("840")

    def __init__(self, amount_minor_units: int = 1000, currency: str = "840") -> None:
        self._busy = False
        self.major = ipywidgets.Text(description="Amount")
        self.minor = ipywidgets.Text(description="In minor units")
        self.name = ipywidgets.Combobox(
            description="Currency",
            placeholder="code or name",
            options=[label_of(one) for one in currencies()],
            continuous_update=False,
        )
        self.fields = (
            InputField(self.name, classes="iso-wide"),
            InputField(self.major),
            InputField(self.minor),
        )
        super().__init__(self.fields, amount_minor_units=amount_minor_units, currency=currency)
        self.add_class("iso-contents")
        self._write_currency()
        self._write(self.major, self.minor)
        self.major.observe(self._major_typed, "value")
        self.minor.observe(self._minor_typed, "value")
        self.name.observe(self._currency_typed, "value")
        self.observe(self._set_from_outside, ["amount_minor_units", "currency"])

    @traitlets.validate("currency")
    def _three_digits(self, proposal: dict[str, Any]) -> str:
        known = currency(proposal["value"].upper())
        if known is None:
            raise traitlets.TraitError("currency is three digits or letters of ISO 4217")
        return known.numeric

    @property
    def ok(self) -> bool:
        """Whether what is typed is what the traits say."""
        return not any(field.problem for field in self.fields)

    @property
    def disabled(self) -> bool:
        """Whether nothing can be typed."""
        return bool(self.major.disabled)

    @disabled.setter
    def disabled(self, value: bool) -> None:
        for widget in (self.major, self.minor, self.name):
            widget.disabled = value

    def refuse(self, option: str, text: str) -> None:
        """Say *text* beneath the input of *option*."""
        self.fields[0 if option == "currency" else 1].problem = text

    def _major_typed(self, change: Any) -> None:
        self._typed(self.fields[1], lambda: to_minor(self.major.value, decimals(self.currency)), self.minor)

    def _minor_typed(self, change: Any) -> None:
        self._typed(self.fields[2], lambda: _digits(self.minor.value), self.major)

    def _typed(self, field: InputField, read: Any, other: Any) -> None:
        """Take what was typed in one of the two boxes and write the other one."""
        if self._busy:
            return
        try:
            value = read()
        except ValueError as error:
            field.problem = str(error)
            return
        self.fields[1].problem = self.fields[2].problem = ""
        self._write(other, value=value)

    def _currency_typed(self, change: Any) -> None:
        if self._busy:
            return
        found = find_currency(self.name.value)
        self.fields[0].problem = found if isinstance(found, str) else ""
        if not isinstance(found, str):
            self.currency = found.numeric

    def _set_from_outside(self, change: Any) -> None:
        if change["name"] == "currency":
            self._write_currency()
        if not self._busy:
            self.fields[1].problem = self.fields[2].problem = ""
            self._write(self.major, self.minor)

    def _write(self, *boxes: Any, value: int | None = None) -> None:
        """Write the amount (a new one when *value* is given) into *boxes*."""
        self._busy = True
        try:
            if value is not None:
                self.amount_minor_units = value
            for box in boxes:
                places = decimals(self.currency) if box is self.major else 0
                box.value = to_major(self.amount_minor_units, places)
        finally:
            self._busy = False

    def _write_currency(self) -> None:
        self._busy = True
        known = currency(self.currency)
        if known:
            self.name.value = label_of(known)
            self.major.description = f"Amount in {known.alpha}"
            self.major.placeholder = to_major(0, decimals(self.currency))
        self.fields[0].problem = ""
        self._busy = False


def _digits(text: str) -> int:
    typed = text.strip()
    if not (typed.isascii() and typed.isdigit()):
        raise ValueError("Digits only: minor units are whole")
    return within(int(typed))


class CardInput(ipywidgets.Box):  # type: ignore[misc]
    """A published test card, narrowed by typing, or a number of one's own. Traits: `network`, whose cards are
    offered, None for all; `pan`, None for the network's usual test card. Numbers are shown masked."""

    network = one_of(NETWORKS)
    pan = traitlets.Unicode(None, allow_none=True)

    def __init__(self, network: str | None = None, pan: str | None = None) -> None:
        self._busy = False
        self.choice = FilteredList("Card")
        self.own = CoveredText(cover=mask_pan, label="Card number: test cards only", rows=1)
        self.field, self.own_field = (
            InputField(self.choice, classes="iso-wide"),
            InputField(self.own, classes="iso-wide"),
        )
        super().__init__([self.field, self.own_field], network=network, pan=pan)
        self.add_class("iso-contents")
        self._offer()
        self.choice.observe(self._chosen, "value")
        self.choice.observe(self._refused, "problem")
        self.own.observe(self._typed, "value")
        self.observe(self._offer, ["network", "pan"])

    @property
    def disabled(self) -> bool:
        """Whether no card can be chosen."""
        return bool(self.choice.box.disabled)

    @disabled.setter
    def disabled(self, value: bool) -> None:
        self.choice.box.disabled = value
        self.own.editable = not value

    def refuse(self, text: str) -> None:
        """Say *text* beneath the number, or beneath the list."""
        own = self.choice.value == OWN_CARD
        self.own.problem, self.field.problem = (text, "") if own else ("", text)

    def _offer(self, change: Any = None) -> None:
        """The list of cards, and which of them stands for `pan`."""
        if self._busy:
            return
        self._busy = True
        cards = [card for name in ([self.network] if self.network else NETWORKS) for card in test_cards(name)]
        usual = default_card(self.network or NETWORKS[0])
        # The list is sent to the browser, so its values are places, never numbers.
        self._cards = {f"#{at}": card.pan for at, card in enumerate(cards)}
        places = {pan: at for at, pan in self._cards.items()}
        labels = [_named(card, self.network is None) for card in cards]
        self.choice.options = (
            (f"{mask_pan(usual.pan)}, the usual test card", USUAL_CARD),
            *zip(labels, self._cards, strict=True),
            ("another number …", OWN_CARD),
        )
        self.choice.value = USUAL_CARD if self.pan is None else places.get(self.pan, OWN_CARD)
        if self.choice.value == OWN_CARD:
            self.own.value = self.pan or ""
        self._busy = False
        self._advise()

    def _chosen(self, change: Any) -> None:
        if self._busy:
            return
        self._busy = True
        chosen = self.choice.value
        if chosen == OWN_CARD:
            self.pan = self.own.value or None
        else:
            self.pan = None if chosen == USUAL_CARD else self._cards[chosen]
        self._busy = False
        self._advise()

    def _refused(self, change: Any) -> None:
        """A whole number that is typed into the list is one's own, and does not stay there to be read."""
        typed = self.choice.box.value.replace(" ", "")
        if self.choice.problem and typed.isdigit() and len(typed) >= _SHORTEST:
            self.choice.value = OWN_CARD
            self.own.value = typed
        self.field.problem = self.choice.problem

    def _typed(self, change: Any) -> None:
        if self._busy:
            return
        self._busy = True
        self.pan = self.own.value.strip() or None
        self._busy = False
        self._advise()

    def _advise(self) -> None:
        """What is worth knowing of a number of one's own: it is used as it is, also a wrong one."""
        own = self.choice.value == OWN_CARD
        show(self.own_field, own)
        self.field.problem = ""
        self.own.problem = self.own_field.note = ""
        pan = self.pan or ""
        if own and pan and not (pan.isascii() and pan.isdigit() and 12 <= len(pan) <= 19):
            self.own.problem = f"12 to 19 digits; this has {len(pan)} characters"
        elif own and pan:
            self.own_field.note = _advice(pan, self.network)


def _named(card: Any, with_network: bool) -> str:
    parts = [f"{card.network} " if with_network else "", mask_pan(card.pan)]
    return "".join(parts) + (f", {card.note}" if card.note else "")


def _advice(pan: str, asked: str | None) -> str:
    found = detect(pan)
    brand = f"A card number of {found.brand}" if found else "A card number of no known network"
    told = [
        brand
        if not (asked and (not found or found.network != asked))
        else f"{brand}, not of {network(asked).title}"
    ]
    if not luhn_ok(pan):
        told.append("its check digit does not fit")
    return "; ".join(told) + ". It is used as it is."


class StanInput(ipywidgets.Box):  # type: ignore[misc]
    """A system trace audit number and a button for the next one. Trait: `stan`, as typed."""

    stan = traitlets.Unicode("123456")

    def __init__(self, stan: str = "123456") -> None:
        self.text = ipywidgets.Text(description="STAN")
        self.button = ipywidgets.Button(description="New STAN", tooltip="The next trace number")
        self.field = InputField(ipywidgets.HBox([self.text, self.button]).add_class("iso-joined"))
        super().__init__([self.field], stan=stan)
        self.add_class("iso-contents")
        traitlets.link((self, "stan"), (self.text, "value"))
        self.button.on_click(lambda _: self.renew())
        self.observe(self._judge, "stan")
        self._judge()

    @property
    def ok(self) -> bool:
        """Whether it has six digits."""
        return len(self.stan) == 6 and self.stan.isascii() and self.stan.isdigit()

    def renew(self) -> None:
        """The number after this one, 000001 after 999999 or after what is no number."""
        self.stan = f"{int(self.stan) % _LARGEST_STAN + 1:06}" if self.ok else "000001"

    def _judge(self, change: Any = None) -> None:
        self.field.problem = "" if self.ok else "Six digits"

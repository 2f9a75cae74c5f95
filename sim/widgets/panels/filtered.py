"""`FilteredList`: a list too long to look through, narrowed by what is typed."""

from __future__ import annotations

from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import traitlets

NOT_THERE = "Nothing in the list is called that: type a code, or some of the words"


def find_option(options: tuple[tuple[str, str], ...], text: str) -> tuple[str, str]:
    """The value of the one option, a pair of label and value, that *text* names by its value, its label
    or words of it; and, where there is not one, in words why not.

    >>> find_option((("05 do not honour", "05"), ("51 not sufficient funds", "51")), "funds")
    ('51', '')
    >>> find_option((("05 do not honour", "05"), ("51 not sufficient funds", "51")), "not")
    ('', '2 of the list have these words: type more of them, or choose one')
    """
    asked = text.strip().casefold()
    for label, value in options:
        if asked in (value.casefold(), label.casefold()):
            return value, ""
    words = asked.split()
    found = [value for label, value in options if all(word in label.casefold() for word in words)]
    if len(found) == 1:
        return found[0], ""
    many = f"{len(found)} of the list have these words: type more of them, or choose one"
    return "", many if found else NOT_THERE


class FilteredList(ipywidgets.Box):  # type: ignore[misc]
    """A list that is opened or typed into, code or words of a label, as `Dropdown` is for short ones.

    Traits: `options`, pairs of label and value; `value`, the first where the box is empty (so that the
    whole list opens); `problem`, why what is typed is none of them: it stays, and so does `value`.
    """

    options = traitlets.Tuple()
    value = traitlets.Unicode("")
    problem = traitlets.Unicode("")

    def __init__(self, description: str) -> None:
        self.box = ipywidgets.Combobox(description=description, continuous_update=False)
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
        """Show the new options; what was chosen stays where they have it."""
        self.box.options = [label for label, _ in self.options]
        self.box.placeholder = self.options[0][0]
        if self.value not in [value for _, value in self.options]:
            self.value = self.options[0][1]
        self._write()

    def _typed(self, change: Any) -> None:
        text = self.box.value
        first = self.options[0][1]
        found, problem = find_option(self.options, text) if text.strip() else (first, "")
        # Who hears of the problem may choose something else.
        self.problem = problem
        if not problem:
            self.value = found
            self._write()

    def _write(self, change: Any = None) -> None:
        """Write what is chosen into the box; the first is its placeholder."""
        labels = {value: label for label, value in self.options[1:]}
        self.box.value = labels.get(self.value, "")
        self.problem = ""

"""Options saved by name, available in all notebooks of the user."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import ipywidgets  # type: ignore[import-untyped]

from sim.files import write_text
from sim.spec.networks import NETWORKS, test_cards
from sim.widgets.panels.fields import InputField

PLACE = "ISO8583_LAB_TEMPLATES"  # names the file in the environment
_CHOOSE = "Choose a template"
Options = Mapping[str, Any]


def usual_place() -> Path:
    """The file named by `ISO8583_LAB_TEMPLATES`, otherwise one in the home directory."""
    path = os.environ.get(PLACE)
    return Path(path) if path else Path.home() / ".iso8583-lab" / "templates.json"


class Templates:
    """The templates in the file *place*, created by the first `save`. Only published test cards are saved."""

    def __init__(self, place: Path | None = None) -> None:
        self.place = place or usual_place()

    def all(self) -> dict[str, dict[str, Any]]:
        """Options by name; empty if there is no valid file."""
        data = None
        with suppress(OSError, ValueError):
            data = json.loads(self.place.read_text(encoding="utf-8"))
        rows = data.items() if isinstance(data, dict) else ()
        return {str(name): options for name, options in rows if isinstance(options, dict)}

    def save(self, name: str, options: Options) -> bool:
        """Save *options* as *name*, replacing an old template; returns False if the card number was left out.
        Raises OSError if the file cannot be written."""
        kept = dict(options)
        published = {card.pan for name in NETWORKS for card in test_cards(name)}
        is_own = kept.get("pan") is not None and kept["pan"] not in published
        if is_own:
            del kept["pan"]
        self._write(self.all() | {name: kept})
        return not is_own

    def drop(self, name: str) -> None:
        """Delete *name*. Raises OSError if the file cannot be written."""
        self._write({key: options for key, options in self.all().items() if key != name})

    def _write(self, held: Mapping[str, Options]) -> None:
        self.place.parent.mkdir(parents=True, exist_ok=True)
        write_text(self.place, json.dumps(held, indent=1, sort_keys=True))


class TemplateBar(InputField):
    """Saves, lists and deletes templates. *read* returns the current options; *use* is called with those of
    the chosen template."""

    def __init__(
        self, templates: Templates, read: Callable[[], Options], use: Callable[[Options], None]
    ) -> None:
        self.templates, self._read, self._use = templates, read, use
        self.choice = ipywidgets.Dropdown(description="Template")
        self.name = ipywidgets.Text(description="Name", placeholder="e.g. declined contactless")
        self.save_button = ipywidgets.Button(description="Save", tooltip="Save these options as a template")
        self.drop_button = ipywidgets.Button(description="Delete", tooltip="Delete this template")
        row = [self.choice, self.name, self.save_button, self.drop_button]
        super().__init__(ipywidgets.HBox(row).add_class("iso-joined"), classes="iso-saved")
        self._offer()
        self.choice.observe(self._chosen, "value")
        self.save_button.on_click(lambda _: self.save())
        self.drop_button.on_click(lambda _: self.drop())

    def save(self) -> None:
        """Save the current options under the typed name."""
        if name := self.name.value.strip():
            with self._writing():
                complete = self.templates.save(name, self._read())
                left_out = "" if complete else ", without the card number, which is not a test card"
                self.note = f"Saved as {name}{left_out}."
        else:
            self.problem, self.note = "Type a name first", ""

    def drop(self) -> None:
        """Delete the template that was typed or chosen."""
        if (name := self.name.value.strip()) in self.templates.all():
            with self._writing():
                self.templates.drop(name)
                self.note = f"Deleted {name}."
        else:
            self.problem, self.note = "No template has this name", ""

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self.problem = self.note = ""
        try:
            yield
        except OSError as error:
            self.problem = f"The file cannot be written: {error.strerror or type(error).__name__}"
        else:
            self._offer()

    def _offer(self) -> None:
        self.choice.options = [(_CHOOSE, ""), *((name, name) for name in sorted(self.templates.all()))]
        self.choice.value = ""

    def _chosen(self, change: Any) -> None:
        name = self.choice.value
        options = self.templates.all().get(name) if name else None
        if options is not None:
            self.choice.value = ""
            self.name.value = name
            self.problem, self.note = "", f"Loaded {name}."
            self._use(options)

"""From the form to code and back: the call, templates by name, samples, the history of a Lab."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import traitlets
from support import AT

import sim
from sim.operations import generate
from sim.operations.samples import samples
from sim.spec.networks import default_card
from sim.widgets import ExplainPanel, GeneratePanel, HostPanel, Lab, TableView, ValidatePanel
from sim.widgets.panels.lab import Entry
from sim.widgets.panels.templates import PLACE, Templates

PAN = default_card("VISA").pan
OWN = "4539148803436467"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of templates that is nobody's."""
    place = tmp_path / "kept" / "templates.json"
    monkeypatch.setenv(PLACE, str(place))
    return place


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"message_type": "echo", "stan": "000007"},
        {"message_type": "financial", "network": "JCB", "amount_minor_units": 5, "currency": "392"},
        {
            "pan": OWN,
            "version": "1993",
            "entry": "chip",
            "purpose": "cash",
            "currency": "978",
            "stan": "654321",
        },
    ],
)
def test_the_call_makes_what_the_button_makes(options: dict[str, Any]) -> None:
    """It is there at every change, says no more than it must, and gives the same message in a cell."""
    panel = GeneratePanel(at=AT, **options)
    panel.run()
    call = ast.parse(panel.code, mode="eval").body
    assert isinstance(call, ast.Call)
    assert ast.unparse(call.func) == "sim.generate"
    first = [ast.literal_eval(one) for one in call.args]
    named = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
    made = sim.generate(*first, **named, at=AT)
    assert str(sim.build(made)) == panel.message
    assert GeneratePanel().code == "sim.generate('auth')"


def test_the_call_is_live_and_hides_the_card() -> None:
    """What is shown is masked; what is copied with card data runs."""
    panel = GeneratePanel(at=AT)
    panel.network = "VISA"
    assert panel.call.value == panel.code == "sim.generate('auth', network='VISA')"
    panel.pan = OWN
    assert OWN in panel.call.value
    assert OWN not in panel.call.shown
    assert OWN not in str(panel.call.get_state())
    panel.description = f"a purchase with {OWN}"
    assert OWN in panel.code
    assert OWN not in panel.call.shown


def test_templates_are_there_again(place: Path) -> None:
    """Options saved by a name come back in another panel, also where others are chosen; deleting forgets."""
    panel = GeneratePanel(at=AT, network="JCB", currency="392", amount_minor_units=77)
    assert [value for _, value in panel.templates.choice.options] == [""]
    panel.templates.save_button.click()
    assert panel.templates.problem == "Type a name first"
    panel.templates.name.value = "yen"
    panel.templates.save_button.click()
    other = GeneratePanel(at=AT, network="AMEX", entry="chip")
    other.templates.choice.value = "yen"
    assert other.options() == panel.options()
    assert other.templates.choice.value == ""
    other.use({"message_type": "echo", "purpose": "cash"})
    assert (other.message_type, other.purpose) == ("echo", "cash")
    other.templates.drop_button.click()
    assert Templates(place).all() == {}
    other.templates.drop_button.click()
    assert other.templates.problem == "No template has this name"


def test_a_template_keeps_test_cards_only(place: Path) -> None:
    """A number that is no published test card does not go into a file, and that is said."""
    panel = GeneratePanel(at=AT, pan=PAN)
    panel.templates.name.value = "test card"
    panel.templates.save()
    panel.pan = OWN
    panel.templates.name.value = "own card"
    panel.templates.save()
    assert "without the card number" in panel.templates.note
    assert OWN not in place.read_text()
    assert Templates(place).all()["test card"]["pan"] == PAN


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"a": 1}', '{"a": {"network": "NONE", "stan": 7, "x": null}}']
)
def test_a_file_that_holds_something_else(place: Path, text: str) -> None:
    """Nothing fails; what cannot be chosen is told."""
    place.parent.mkdir()
    place.write_text(text)
    panel = GeneratePanel(at=AT)
    if panel.templates.templates.all():
        panel.templates.choice.value = "a"
        assert "cannot be" in panel.problem


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """The reason stands beside the name."""
    (tmp_path / "file").write_text("")
    panel = GeneratePanel(at=AT, templates=tmp_path / "file" / "templates.json")
    panel.templates.name.value = "x"
    panel.templates.save()
    assert panel.templates.problem.startswith("The file cannot be written")


def test_samples_fill_the_form() -> None:
    """Each sample that options make is offered; choosing one chooses its options, and no others stay."""
    panel = GeneratePanel(at=AT, stan="000009", entry="ecommerce")
    offered = panel.gallery.samples
    assert offered == [one for one in samples() if one.plain]
    for at, one in enumerate(offered):
        panel.gallery.choice.value = at
        panel.run()
        assert panel.message == one.text(AT)


def test_the_history_of_a_lab() -> None:
    """Messages are listed once each, the newest first; one can be restored where it was, and compared with
    the one before."""
    lab = Lab(at=AT, network="VISA")
    assert lab.history.layout.display == "none"
    lab.generate.run()
    first = lab.message
    lab.generate.actions.reply("05")
    lab.tab = "Validate"
    assert [one.panel for one in lab.history.entries] == ["Generate", "Generate"]
    assert lab.history.choice.options[0][0].startswith("2. 0110")
    assert PAN not in str(lab.history.choice.get_state())
    lab.history.compare()
    assert "elements differ" in lab.history.children[1].listing.title
    lab.history.choice.value = 0
    assert len(lab.history.children) == 1
    lab.history.restore()
    assert (lab.tab, lab.message) == ("Generate", first)


def test_what_is_typed_is_one_entry() -> None:
    """A message typed key by key does not fill the history; a paste is an entry."""
    lab = Lab()
    raw = generate("echo", at=AT).raw
    lab.tab = "Explain"
    for size in (*range(1, len(raw), 6), len(raw)):
        lab.explain.input.text._on_message(None, {"kind": "typed", "text": raw[:size]}, [])
    assert [one.message for one in lab.history.entries] == [raw]
    lab.explain.message = generate("auth", at=AT).raw
    assert len(lab.history.entries) == 2


def test_the_history_ends_somewhere() -> None:
    """A hundred messages are remembered."""
    lab = Lab(at=AT)
    for stan in range(1, 105):
        raw = generate("echo", stan=f"{stan:06}", at=AT).raw
        lab.history.add(Entry(raw, "Explain", None, None, typed=False))
    assert [entry.message[-9:-3] for entry in lab.history.entries] == [f"{stan:06}" for stan in range(5, 105)]


@pytest.mark.parametrize(
    ("panel", "option", "given", "kept"),
    [
        (GeneratePanel, "network", "visa", "VISA"),
        (GeneratePanel, "entry", "tap", "contactless"),
        (GeneratePanel, "message_type", "Authorization", "auth"),
        (ExplainPanel, "version", 1993, "1993"),
        (ValidatePanel, "interface", "base 24", "base24"),
        (HostPanel, "network", "amex", "AMEX"),
    ],
)
def test_words_are_taken_in_any_spelling(panel: Any, option: str, given: object, kept: str) -> None:
    """As the verb takes them; one that is none is told with the nearest."""
    assert getattr(panel(**{option: given}), option) == kept
    with pytest.raises(traitlets.TraitError, match=f"{option}: expected .*, found 'nonesuch'"):
        panel(**{option: "nonesuch"})


def test_a_panel_takes_a_message_in_any_form() -> None:
    """As its argument and as its trait: bytes, a table; of a table of many it says what shows them."""
    table = sim.generate("auth", network="VISA", at=AT)
    panel = ValidatePanel(bytes.fromhex("600006000008002020000000000000990000123456"))
    assert panel.report.message.mti == "0800"
    panel.message = table
    assert panel.message == table.iso.message
    panel.message = table.iso.message.encode()
    assert panel.report.valid
    with pytest.raises(traitlets.TraitError, match="not int"):
        panel.message = 5
    with pytest.raises(TypeError, match="LogExplorer shows all"):
        ValidatePanel(sim.read([table.iso.message]))
    assert TableView(table.iso.message).total == len(table)

"""The repairs that the validate panel offers: each edit with before and after, safe or not, a way back."""

from __future__ import annotations

from support import AT

from sim.operations import generate, repair
from sim.spec.networks import default_card
from sim.widgets import ValidatePanel

VISA = default_card("VISA").pan
GOOD = generate("financial", network="VISA", entry="chip", at=AT)
WRONG_DIGIT = GOOD.raw.replace(VISA, VISA[:-1] + "2", 1)
# Blanks around a terminal's date: a safe edit; no amount: an unsafe one.
TWO = GOOD.message.replace(de12="10153 ", de4=None)


def words(panel: ValidatePanel) -> list[str]:
    """What the rows say."""
    return [row.children[1].value for row in panel.mending.rows.children]


def test_repairs_are_offered_where_something_is_wrong() -> None:
    """A valid message has none, and an empty panel; nothing is looked for before somebody asks."""
    for raw, offered in ((GOOD.raw, "none"), ("", "none"), (WRONG_DIGIT, None), (GOOD.raw[:50], None)):
        panel = ValidatePanel(raw)
        assert (panel.mending.layout.display, panel.mending.found) == (offered, None)


def test_an_edit_says_what_it_does_and_is_made_by_its_button() -> None:
    """Before and after, hidden as card data is; then the message is valid, and Back gives the one before."""
    panel = ValidatePanel(WRONG_DIGIT)
    panel.mending.look.click()
    assert len(words(panel)) == 1
    for part in ("⚠ unsafe", "DE 2 changed", "411111******1112", "411111******1111", "check digit"):
        assert part in words(panel)[0]
    assert VISA not in str([part.get_state() for part in (panel.mending, *panel.mending.rows.children)])
    panel.mending.rows.children[0].children[0].click()
    assert (panel.message, panel.report.valid) == (GOOD.raw, True)
    assert "1 edit was made, unsafe" in panel.said.value
    assert panel.mending.layout.display == "none"
    panel.actions.back()
    assert panel.message == WRONG_DIGIT
    assert (panel.mending.layout.display, panel.mending.rows.children) == (None, ())


def test_a_text_that_cannot_be_read_is_mended_too() -> None:
    """The text after the edit is a message."""
    panel = ValidatePanel(f'"{GOOD.raw}"')
    panel.mending.run()
    if panel.mending.layout.display is None:
        assert "✔ safe" in words(panel)[0]
        panel.mending.make(1)
    assert panel.report.valid


def test_safe_edits_can_be_made_alone() -> None:
    """Where both kinds are needed a button makes the safe ones; each row makes those above it as well."""
    done = repair(TWO)
    assert len(done.edits) == len(done.texts) > 1
    assert {edit.safe for edit in done.edits} == {True, False}
    panel = ValidatePanel(TWO)
    panel.mending.run()
    assert [row.children[0].description for row in panel.mending.rows.children[:2]] == [
        "Make this edit",
        "Make edits 1 to 2",
    ]
    panel.mending.make(len(done.edits))
    assert panel.report.valid
    assert "of them unsafe" in panel.said.value
    panel.actions.back()
    panel.mending.run()
    panel.mending.safe_button.click()
    assert panel.message == repair(TWO, unsafe=False).text
    assert not panel.report.valid
    assert "safe edit" in panel.said.value


def test_what_no_edit_mends_is_said() -> None:
    """A text that is no message at all has no row."""
    panel = ValidatePanel("no message")
    panel.mending.run()
    assert (words(panel), "No edit" in panel.mending.said.value) == ([], True)
    panel.mending.make(1)
    assert panel.message == "no message"

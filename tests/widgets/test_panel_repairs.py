"""The repairs that the validate panel offers: each proposal with its evidence, a button, a way back."""

from __future__ import annotations

import re

from support import AT

from sim.operations import generate
from sim.spec.networks import default_card
from sim.widgets import ValidatePanel

VISA = default_card("VISA").pan
GOOD = generate("financial", network="VISA", entry="chip", at=AT)
SHORT = GOOD.raw.replace(f"16{VISA}", f"14{VISA}", 1)


def words(panel: ValidatePanel) -> list[str]:
    """What the rows say."""
    return [row.children[-1].value for row in panel.repairs.rows.children]


def test_repairs_are_offered_where_something_is_wrong() -> None:
    """A valid message has none, and an empty panel; nothing is looked for before somebody asks."""
    for raw, offered in ((GOOD.raw, "none"), ("", "none"), (SHORT, None), (GOOD.raw[:50], None)):
        panel = ValidatePanel(raw)
        assert (panel.repairs.layout.display, panel.repairs.found) == (offered, None)


def test_a_proposal_says_what_it_does_and_is_used_by_its_button() -> None:
    """Before, after and evidence without card data; then the message is valid, and Back gives the one
    before."""
    panel = ValidatePanel(SHORT)
    panel.repairs.look.click()
    for part in ("restored", "DE 2 length changed", "14", "16", "check digit"):
        assert part in words(panel)[0]
    assert VISA not in str([part.get_state() for part in (panel.repairs, *panel.repairs.rows.children)])
    panel.repairs.rows.children[0].children[0].click()
    assert (panel.message, panel.report.valid) == (GOOD.raw, True)
    assert "Restored: DE 2 length changed (14 → 16)." in panel.said.value
    assert panel.repairs.layout.display == "none"
    panel.actions.back()
    assert panel.message == SHORT
    assert (panel.repairs.layout.display, panel.repairs.rows.children) == (None, ())


def test_where_nothing_tells_what_was_there_no_button_makes_it_up() -> None:
    """An end that is missing is a row without a button; a text that is no message has no row."""
    panel = ValidatePanel(GOOD.raw[:-5])
    panel.repairs.run()
    assert "unknown" in words(panel)[0]
    assert "end missing" in words(panel)[0]
    assert len(panel.repairs.rows.children[0].children) == 1
    panel.repairs.use(0)
    assert panel.message == GOOD.raw[:-5]
    panel = ValidatePanel("no message")
    panel.repairs.run()
    assert (words(panel), "No repair" in panel.repairs.said.value) == ([], True)
    panel.repairs.use(1)
    assert panel.message == "no message"


def test_a_blank_that_is_missing_is_seen() -> None:
    """Before and after differ in what is shown, also where they differ in blanks at the end."""
    panel = ValidatePanel(GOOD.raw.replace("SHOP  ", "SHOP ", 1))
    panel.repairs.run()
    changes = [re.findall("<code>(.+?)</code>", row) for row in words(panel)]
    before, after = next(change for change in changes if len(change) == 2)
    assert after.count("␣") == before.count("␣") + 1

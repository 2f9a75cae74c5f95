"""`Lab` without a browser: three panels, and a message that goes from one to the next."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

from support import AT

from sim.operations import generate
from sim.widgets import Lab
from sim.widgets.asking import LanguageModel
from sim.widgets.covered_text import MOST_CHARACTERS

ROOT = Path(__file__).parents[2]


def test_a_message_goes_from_panel_to_panel() -> None:
    """Generate, explain this, validate this: the same message, and the tab it went to is open."""
    lab = Lab(at=AT, network="JCB")
    lab.generate.button.click()
    raw = lab.message
    lab.generate.actions.explain_button.click()
    assert (lab.tab, lab.tabs.selected_index, lab.explain.message) == ("Explain", 1, raw)
    lab.explain.actions.validate_button.click()
    assert (lab.tab, lab.validate.message, lab.message) == ("Validate", raw, raw)
    assert lab.validate.report.valid
    lab.validate.actions.explain_button.click()
    assert lab.tab == "Explain"


class Slow(LanguageModel):
    """A language model that does not come back."""

    def refusal(self) -> str:
        """It can be asked."""
        return ""

    async def explain(self, subject: object, **_: Any) -> str:
        """No answer."""
        await asyncio.sleep(600)
        return ""


def test_a_lab_cancels_what_its_panels_do() -> None:
    """As when it is closed."""

    async def kernel() -> None:
        lab = Lab(generate("echo", at=AT).raw, writer=Slow())
        lab.explain.llm = True
        lab.explain.start()
        assert lab.explain.busy
        lab.cancel()
        assert not lab.explain.busy

    asyncio.run(kernel())


def test_a_reply_is_handed_over_too() -> None:
    """What the buttons made of a message is the message."""
    lab = Lab(at=AT)
    lab.generate.run()
    lab.generate.actions.reply("05")
    lab.hand_over("Validate")
    assert lab.validate.message[:4] == "0110"


def test_how_a_message_is_read_goes_with_it() -> None:
    """The version and network chosen for it, and the network it was made for."""
    lab = Lab(at=AT, network="AMEX", pan="4111111111111111")
    lab.generate.run()
    lab.hand_over("Validate")
    assert lab.validate.network == "AMEX"
    assert not lab.validate.report.valid
    lab.validate.version = "1993"
    lab.hand_over("Explain")
    assert (lab.explain.version, lab.explain.network) == ("1993", "AMEX")


def test_a_message_given_is_in_both_readers() -> None:
    """It is explained first, and the message of the lab is that of the open panel."""
    raw = generate(network="VISA", at=AT).raw
    lab = Lab(raw, at=AT)
    assert (lab.tab, lab.message, lab.validate.message) == ("Explain", raw, raw)
    lab.tabs.selected_index = 0
    assert (lab.tab, lab.message) == ("Generate", "")


def test_a_message_assigned_is_shown_in_the_open_panel() -> None:
    """And kept in the history, as one that was typed; the tab stays."""
    raw = generate(at=AT).raw
    lab = Lab(at=AT)
    for tab, panel in lab.panels.items():
        lab.tab = tab
        lab.message = ""
        lab.message = raw
        assert (lab.tab, panel.message, lab.history.entries[-1].message) == (tab, raw, raw)


def test_no_panel_offers_to_go_where_it_is() -> None:
    """Generate offers both readers, each reader the other one."""
    lab = Lab()
    shown = [
        [
            button.layout.display is None
            for button in (one.actions.explain_button, one.actions.validate_button)
        ]
        for one in lab.panels.values()
    ]
    assert shown == [[True, True], [False, True], [True, False]]


def test_its_repr_names_the_open_panel() -> None:
    """Stable and without card data."""
    lab = Lab(at=AT, network="VISA")
    lab.generate.run()
    assert (
        repr(lab)
        == "Lab(Generate: GeneratePanel(0100 authorization request, ISO 8583:1987, VISA, 465 characters))"
    )


def test_the_panels_are_reached_from_the_face() -> None:
    """`sim.widgets.Lab` works after `import sim`, which itself loads no widget."""
    code = (
        "import sys, sim; print('ipywidgets' in sys.modules, 'sim.widgets' in sys.modules);"
        "print(sim.widgets.Lab.__name__, sim.widgets.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.split() == ["False", "False", "Lab", "sim.widgets"]


def test_a_tab_brings_the_message_over() -> None:
    """Whoever opens a reader finds the message that was made or changed last there; a message made before
    does not replace it, and Generate keeps its own."""
    lab = Lab(at=AT, network="JCB")
    lab.generate.run()
    raw = lab.message
    lab.tabs.selected_index = 1
    assert (lab.tab, lab.explain.message) == ("Explain", raw)
    other = generate("echo", at=AT).raw
    lab.explain.message = other
    lab.tabs.selected_index = 2
    assert lab.validate.message == other
    lab.tabs.selected_index = 0
    assert lab.message == raw
    lab.tabs.selected_index = 1
    assert lab.explain.message == other


def test_both_readers_show_what_was_made() -> None:
    """Whichever is opened second, too; how the message is read there stays as it was chosen."""
    lab = Lab(at=AT, network="JCB")
    lab.generate.run()
    lab.tab = "Explain"
    lab.tab = "Validate"
    assert lab.validate.message == lab.explain.message == lab.generate.message
    lab.validate.network = "VISA"
    lab.tab = "Explain"
    assert (lab.explain.network, lab.validate.network) == ("JCB", "VISA")


def test_what_is_too_long_is_no_entry_of_the_history() -> None:
    """The box says that it is; what was there before can be restored."""
    raw = generate("echo", at=AT).raw
    lab = Lab(raw, at=AT)
    lab.explain.message = "0" * (MOST_CHARACTERS + 1)
    assert "At most" in lab.explain.input.text.problem
    assert [entry.message for entry in lab.history.entries] == [raw]
    lab.history.restore()
    assert (lab.explain.message, lab.explain.input.text.problem) == (raw, "")


def test_an_emptied_box_empties_no_other() -> None:
    """What is carried over is a message."""
    raw = generate("echo", at=AT).raw
    lab = Lab(raw, at=AT)
    lab.explain.message = ""
    lab.tab = "Validate"
    assert lab.validate.message == raw


def test_a_front_end_that_draws_no_containers_gets_the_plain_view() -> None:
    """marimo, which asks for `_display_`, gets a sentence on why and the message as it stands, without card
    data; an empty panel says what it is."""
    raw = generate(network="VISA", at=AT).raw
    shown = Lab(raw)._display_()._repr_html_()
    assert "marimo" in shown
    assert "iso-anatomy-page" in shown
    assert "4111111111111111" not in shown
    assert "Lab(Generate" in Lab()._display_()._repr_html_()

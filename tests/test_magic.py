"""`%load_ext sim` in a real kernel: its displays, its errors, its completions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

PAN = "4111111111111111"
ECHO = "08002020000000000000990000123456"
DUMP = "00000000  60 00 06 00 00 08 00 20  20 00 00 00 00 00 00 99\n00000010  00 00 12 34 56"


class Notebook:
    """A kernel, and the outputs of its cells."""

    def __init__(self, client: BlockingKernelClient) -> None:
        self.client = client

    def run(self, code: str) -> list[dict[str, Any]]:
        """Every output of a cell: MIME bundles, streams as `text`, errors as `error`."""
        found: list[dict[str, Any]] = []

        def hear(message: dict[str, Any]) -> None:
            kind, content = message["msg_type"], message["content"]
            if kind in ("execute_result", "display_data"):
                found.append(content["data"])
            elif kind == "stream":
                found.append({"text": content["text"]})
            elif kind == "error":
                found.append({"error": f"{content['ename']}: {content['evalue']}"})

        self.client.execute_interactive(code, output_hook=hear, timeout=120)
        return found

    def complete(self, code: str) -> list[str]:
        """The completions after *code*."""
        asked = self.client.complete(code, len(code))
        while True:
            reply = self.client.get_shell_msg(timeout=60)
            if reply["parent_header"].get("msg_id") == asked and reply["msg_type"] == "complete_reply":
                return list(reply["content"]["matches"])


@pytest.fixture(scope="module")
def notebook() -> Iterator[Notebook]:
    """A kernel with the extension loaded and a message in a variable."""
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        made = Notebook(client)
        assert made.run("%load_ext sim\nimport sim\nmessage = sim.generate('auth', at='2026-11-20')") == []
        yield made
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_a_pasted_dump_becomes_its_anatomy(notebook: Notebook) -> None:
    """The cell's text is one paste; the widget and its plain text show what was read."""
    (shown,) = notebook.run(f"%%iso8583\n{DUMP}")
    assert "application/vnd.jupyter.widget-view+json" in shown
    assert "0800" in str(shown["text/plain"]) + str(shown["text/html"])


def test_lines_of_text_are_messages_each(notebook: Notebook) -> None:
    """Two lines in text form give two tables; --to stores them instead."""
    assert len(notebook.run(f"%%iso8583 parse\n{ECHO}\n{ECHO}")) == 2
    assert notebook.run(f"%%iso8583 parse --to kept\n{ECHO}\n{ECHO}") == []
    assert notebook.run("print(len(kept), kept[0].iso.mti)") == [{"text": "2 0800\n"}]


def test_a_variable_and_a_text_are_taken(notebook: Notebook) -> None:
    """`%iso8583 validate message` accepts a variable or the message itself; the verb may be omitted."""
    assert "No findings" in str(notebook.run("%iso8583 validate message"))
    assert "0800" in str(notebook.run(f"%iso8583 parse {ECHO}"))
    assert "widget-view" in str(notebook.run("%iso8583 message"))
    assert "51" in str(notebook.run("%iso8583 respond message --code 51"))
    assert "AMEX" in str(notebook.run("%iso8583 validate message --against amex --against jcb"))
    assert "sim.explain" not in str(notebook.run("%iso8583 explain message --network visa"))


@pytest.mark.parametrize("verb", ["anatomy", "explain", "guess", "mask", "parse", "validate"])
def test_no_verb_shows_a_card_number(notebook: Notebook, verb: str) -> None:
    """No MIME type of any verb shows a card number, for a valid or a damaged message."""
    raw = notebook.run("print(sim.build(message))")[0]["text"].rstrip("\n")
    for text in (raw, raw[:70]):
        shown = notebook.run(f"%%iso8583 {verb}\n{text}")
        assert shown
        assert PAN not in re.sub(r"[^0-9]", "", str([one.get("text/plain", one) for one in shown]))
        assert PAN not in str(shown)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("%iso8583", "expected a message, or the name of one; or paste it below %%iso8583"),
        ("%%iso8583 validate", "Did you mean the line magic %iso8583"),  # IPython's own words
        ("%%iso8583 parse\n\n", "paste a message below it"),
        ("%iso8583 validat message", "did you mean validate?"),
        ("%%iso8583 parse message\n0800", "found 'message'; put the message below"),
        ("%%iso8583 against=AMEX\n0800", "expected a verb (anatomy, explain"),
        ("%iso8583 validate messag", "found 'messag'; did you mean 'message'?"),
        ("%iso8583 help", "expected a message, or the name of one, found 'help'"),
        ("%iso8583 parse message --network vissa", "did you mean 'VISA'?"),
    ],
)
def test_wrong_words_are_told_in_a_line(notebook: Notebook, code: str, said: str) -> None:
    """A wrong word gives a usage error, not a traceback."""
    shown = str(notebook.run(code))
    assert said in shown
    assert "Traceback" not in shown


def test_tab_offers_what_fits(notebook: Notebook) -> None:
    """Tab offers verbs, and variables with a message; after --network, the networks."""
    assert {"validate", "explain", "message"} <= set(notebook.complete("%iso8583 "))
    assert "VISA" in notebook.complete("%iso8583 parse --network ")
    assert "message" in notebook.complete("%iso8583 parse mess")


def test_it_can_be_unloaded(notebook: Notebook) -> None:
    """Unloading removes everything; the extension can be loaded again."""
    notebook.run("%unload_ext sim")
    assert "not found" in str(notebook.run("%iso8583 message"))
    assert notebook.run("%load_ext sim") == []
    assert "No findings" in str(notebook.run("%iso8583 validate message"))


def test_a_message_keeps_its_blanks(notebook: Notebook) -> None:
    """A message after the magic keeps the blanks that pad its elements."""
    raw = "08002020000000C00000990000123456TERM1   MERCHANT 1    X"
    notebook.run(f"%iso8583 parse {raw} --to spaced")
    assert notebook.run("print(sim.build(spaced))") == [{"text": f"{raw}\n"}]

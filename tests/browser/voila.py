"""Notebooks as pages of their own, served by Voila on loopback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from browser import lab
from playwright.sync_api import Browser
from warmed import VARIABLE

# The page that `make voila` shows: Voila's own asks a content network for icons.
PAGE = Path(__file__).parents[2] / "notebooks" / "page"
# Requests that were blocked, and extensions of JupyterLab that miss what only JupyterLab has.
NOT_OURS = ("ERR_NAME_NOT_RESOLVED", "/voila/labextensions/")


@dataclass
class Voila:
    """A running Voila: `address` is where it shows the notebooks of `folder`."""

    address: str
    folder: Path

    @contextmanager
    def page(
        self, browser: Browser, name: str, source: str, *, theme: str = "light", height: int = 1500
    ) -> Iterator[lab.Sheet]:
        """The page of a notebook with one cell, in a *theme*. Nothing of ours is complained of, and nothing
        asked for outside this machine."""
        (self.folder / name).write_text(json.dumps(lab._notebook([source])), encoding="utf-8")
        context = browser.new_context(viewport={"width": 1100, "height": height}, reduced_motion="reduce")
        sheet = lab.Sheet(context.new_page())
        lab._watch(sheet)
        # All panels in one page take many times as long as a notebook's cell.
        sheet.page.set_default_timeout(2 * lab.PATIENCE)
        try:
            sheet.page.goto(f"{self.address}/{name}?theme={theme}", wait_until="domcontentloaded")
            yield sheet
            complaints = [line for line in sheet.complaints if not any(one in line for one in NOT_OURS)]
            assert (sheet.outside, complaints) == ([], []), (sheet.outside, complaints)
        finally:
            context.close()


@contextmanager
def serving(folder: Path, own: Path) -> Iterator[Voila]:
    """A Voila that shows the notebooks of *folder*; its settings are in *own*."""
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "voila", "--no-browser", "--Voila.ip=127.0.0.1"),
            *(f"--port={lab.free_port()}", "--token=", "--template=iso8583", str(folder)),
        ],
        # Its kernels are started anew: with copies of a warm one a page now and then waits for ever for what
        # its widgets look like.
        env={name: value for name, value in lab._environment(own).items() if name != VARIABLE}
        | {"JUPYTER_PATH": str(PAGE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    listener = lab._Listener(process)
    try:
        yield Voila(f"{listener.wait_ready()}/voila/render", folder)
    finally:
        process.terminate()
        try:
            process.wait(lab.STOP)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        listener.close()

"""A real JupyterLab on loopback and a headless Chromium that looks at it.

    with jupyterlab(folder) as lab, chromium() as browser:
        with lab.notebook(browser, ["1 + 1"]) as sheet:
            sheet.page.locator(...)

All notebooks of a run are opened one after the other in one page, as a person does: the application is
loaded once. Each has a kernel of its own, which ends with it. After a test that failed the page is a new one.

Nothing may leave the machine: no other address is found, and each that was asked for is kept in
`sheet.outside`; what the browser's console complains of is in `sheet.complaints`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

# Generous: a machine that does other work, too, is slow to start a kernel. In milliseconds.
PATIENCE = 90_000
_START = 180
# What JupyterLab itself complains of when a kernel is started again while it is asked.
_UNHEARD = "Could not restore the debugger state"
_ADDRESS = re.compile(r"http://[^\s/:]+:(\d+)")
STOP = 60
_SETTINGS: dict[str, dict[str, Any]] = {
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}
# The status says idle before a kernel exists, so the session itself must be asked; and an order to run does
# nothing before the notebook has its cells, all *count* of them.
_READY = """([name, count]) => {
    const shown = window.jupyterapp.shell.currentWidget;
    const kernel = shown && shown.sessionContext && shown.sessionContext.isReady &&
        shown.context.path === name &&
        shown.sessionContext.session && shown.sessionContext.session.kernel;
    const model = shown && shown.context && shown.context.isReady && shown.content && shown.content.model;
    return !!kernel && kernel.connectionStatus === 'connected' && kernel.status === 'idle' &&
        !!model && model.cells.length === count && shown.content.widgets.length === count &&
        window.jupyterapp.commands.isEnabled('notebook:run-all-cells'); }"""
# A cell gets its number when the kernel is done with it. The page cannot tell: it has only the cells in view.
_ALL_RUN = """() => [...window.jupyterapp.shell.currentWidget.content.model.cells].every(
    cell => cell.type !== 'code' || cell.executionCount !== null)"""
_STARTED = "() => window.jupyterapp && window.jupyterapp.commands.hasCommand('docmanager:open')"
# A notebook that was made by others, opened and not run: its kernel has said what it has to say.
_OPENED = """name => {
    const shown = window.jupyterapp.shell.currentWidget;
    const kernel = shown && shown.context && shown.context.path === name && shown.context.isReady &&
        shown.sessionContext.session && shown.sessionContext.session.kernel;
    return !!kernel && kernel.connectionStatus === 'connected' && kernel.status === 'idle'; }"""
_HEARD = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.info.then(() => null)"
_OPEN = """async name => {
    const app = window.jupyterapp;
    await app.restored;
    app.commands.execute('docmanager:open', { path: name }); }"""
# Without a question whether to save it. The side bar is as at the start.
_CLOSE = """async () => {
    const shell = window.jupyterapp.shell;
    for (const one of [...shell.widgets('main')]) {
        if (one.sessionContext) await one.sessionContext.shutdown();
        one.dispose();
    }
    shell.expandLeft(); }"""
# Not awaited: a dialog of the application would hang the test for ever.
_RUN_ALL = "() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }"
_ASK_KERNEL = """code => {
    window.answer = undefined;
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    const future = kernel.requestExecute({ code });
    let text = '';
    future.onIOPub = message => {
        if (message.header.msg_type === 'stream') text += message.content.text;
        if (message.header.msg_type === 'error') text += message.content.traceback.join('\\n');
    };
    future.done.then(() => { window.answer = text; }); }"""


def chromium_path() -> str | None:
    """Where Chromium is: `CHROMIUM`, else on the path; None where there is none."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


@dataclass
class Sheet:
    """An open notebook, all its cells run."""

    page: Page
    outside: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    look: str = "JupyterLab Light"

    def ask(self, code: str) -> str:
        """What *code* prints when the notebook's kernel runs it, the line ending dropped."""
        self.page.evaluate(_ASK_KERNEL, code)
        self.page.wait_for_function("() => window.answer !== undefined")
        return str(self.page.evaluate("() => window.answer")).rstrip("\n")

    def wait_until(self, code: str, expected: str) -> None:
        """Ask the kernel until *code* prints *expected*: the browser's news takes a moment to arrive."""
        end = time.monotonic() + PATIENCE / 1000
        while (answer := self.ask(code)) != expected:
            assert time.monotonic() < end, f"the kernel says {answer!r}, not {expected!r}"

    def theme(self, name: str) -> None:
        """Change the look of JupyterLab: `JupyterLab Dark`."""
        order = "name => { window.jupyterapp.commands.execute('apputils:change-theme', { theme: name }); }"
        self.page.evaluate(order, name)
        light = str("Dark" not in name).lower()
        # JupyterLab says the new look's name and hides all of itself until the next frame is drawn.
        self.page.wait_for_selector(
            f'body[data-jp-theme-light="{light}"][data-jp-theme-name="{name}"] #main:not(.lm-mod-hidden)'
        )
        self.look = name


@dataclass
class Lab:
    """A running JupyterLab. `address` is its root, `folder` what it serves."""

    address: str
    folder: Path
    _names: Iterator[int] = field(default_factory=count)
    _sheet: Sheet | None = None

    @contextmanager
    def notebook(
        self, browser: Browser, cells: list[str], *, width: int = 1280, height: int = 1000
    ) -> Iterator[Sheet]:
        """A notebook of these *cells*, opened in a window of this size and run."""
        name = f"sheet{next(self._names)}.ipynb"
        (self.folder / name).write_text(json.dumps(_notebook(cells)), encoding="utf-8")
        sheet, self._sheet = self._sheet or self._started(browser), None
        try:
            sheet.page.set_viewport_size({"width": width, "height": height})
            sheet.page.evaluate(_OPEN, name)
            sheet.page.wait_for_function(_READY, arg=[name, len(cells)], timeout=PATIENCE)
            # What JupyterLab complains of as it draws itself; nothing of ours has run yet.
            sheet.complaints.clear()
            sheet.page.evaluate(_RUN_ALL)
            sheet.page.wait_for_function(_ALL_RUN, timeout=PATIENCE)
            yield sheet
            # The look is the server's: the next one wants it as at the start.
            if sheet.look != Sheet.look:
                sheet.theme(Sheet.look)
            sheet.page.evaluate(_CLOSE)
        except BaseException:
            sheet.page.context.close()
            raise
        sheet.outside.clear()
        sheet.complaints.clear()
        self._sheet = sheet

    @contextmanager
    def opened(self, browser: Browser, name: str) -> Iterator[Sheet]:
        """The notebook *name* of the folder as it is opened, nothing run, once its kernel is ready."""
        sheet, self._sheet = self._sheet or self._started(browser), None
        try:
            sheet.page.evaluate(_OPEN, name)
            sheet.page.wait_for_function(_OPENED, arg=name, timeout=PATIENCE)
            # The news of the kernel is taken in as soon as it is there.
            sheet.page.evaluate(_HEARD)
            yield sheet
            sheet.page.evaluate(_CLOSE)
        except BaseException:
            sheet.page.context.close()
            raise
        self._sheet = sheet

    def _started(self, browser: Browser) -> Sheet:
        """The application in a window of its own, light as it comes."""
        context = browser.new_context(reduced_motion="reduce")
        sheet = Sheet(context.new_page())
        _watch(sheet)
        sheet.page.set_default_timeout(PATIENCE)
        sheet.page.goto(f"{self.address}/lab?reset", wait_until="domcontentloaded")
        sheet.page.wait_for_function(_STARTED, timeout=PATIENCE)
        sheet.theme(Sheet.look)
        return sheet


def _watch(sheet: Sheet) -> None:
    # A route of Playwright's own would see the same and turn the browser's cache off.
    def look(request: Request) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            sheet.outside.append(request.url)

    page = sheet.page
    page.on("request", look)
    page.on("console", lambda line: _hear(sheet, line))
    page.on("pageerror", lambda error: sheet.complaints.append(str(error)))


def _hear(sheet: Sheet, line: ConsoleMessage) -> None:
    if line.type == "error" and _UNHEARD not in line.text:
        sheet.complaints.append(line.text)


def _notebook(cells: list[str]) -> dict[str, Any]:
    made: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "id": f"cell{at}",
            "metadata": {},
            "source": source,
            "outputs": [],
            "execution_count": None,
        }
        for at, source in enumerate(cells)
    ]
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    return {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium that knows no address but this machine's."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_path(),
            headless=True,
            args=[
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-gpu",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            ],
        )
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def jupyterlab(folder: Path) -> Iterator[Lab]:
    """A JupyterLab that serves *folder*, without token, settings or news of its own."""
    with tempfile.TemporaryDirectory(prefix="lab") as own:
        settings = Path(own)
        for name, body in _SETTINGS.items():
            file = settings / "settings" / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(body), encoding="utf-8")
        process = subprocess.Popen(
            _command(folder),
            env=_environment(settings),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        listener = _Listener(process)
        try:
            yield Lab(listener.wait_ready(), folder)
        finally:
            process.terminate()
            try:
                process.wait(STOP)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            listener.close()


def _command(folder: Path) -> list[str]:
    return [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1"),
        # One that is taken by now gives way to another: the server says which it has.
        *(f"--port={free_port()}", "--ServerApp.port_retries=50", f"--ServerApp.root_dir={folder}"),
        *("--IdentityProvider.token=", "--ServerApp.password=", "--expose-app-in-browser"),
        *(
            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
            "--LabApp.extension_manager=readonly",
        ),
        "--ServerApp.terminals_enabled=False",
        "--ServerApp.contents_manager_class=server.notebooks.Notebooks",
    ]


def _environment(settings: Path) -> dict[str, str]:
    places = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    return {**os.environ, **{name: str(settings / place) for name, place in places.items()}}


def free_port() -> int:
    """A port that nobody has at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


class _Listener:
    """Reads what the server says, so that it never has to wait for a reader, until it ends."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self._process = process
        self._stream = process.stdout
        self._said: list[str] = []
        self._ready = threading.Event()
        self._port = ""
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        runs = False
        for line in self._stream:
            runs = runs or "is running at" in line
            if not self._ready.is_set():
                self._said.append(line)
            if runs and (found := _ADDRESS.search(line)):
                self._port = self._port or found[1]
                self._ready.set()
        self._ready.set()

    def wait_ready(self) -> str:
        """The server's address, once it says where it runs. Raises RuntimeError with its last words when it
        does not."""
        self._ready.wait(_START)
        if self._process.poll() is not None or not self._port:
            raise RuntimeError("The server did not start:\n" + "".join(self._said[-20:]))
        return f"http://127.0.0.1:{self._port}"

    def close(self) -> None:
        """Let go of the stream, once the server has ended."""
        self._thread.join(STOP)
        self._stream.close()

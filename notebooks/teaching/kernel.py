"""A kernel of a submission, of which only plain values come back.

What a submission prints is nobody's business here, and no submission can reach who judges it: the value of an
answer comes out as text and is read with `literal_eval`.
"""

from __future__ import annotations

import ast
import queue
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

_START = 60.0  # seconds, for a kernel
_LOOK = 1.0  # seconds between two looks whether the kernel lives
# Evaluated in the student's kernel: plain values as they are, messages as their text, a panel as its message,
# a format as its file.
_TELLS = """
def _told(one):
    if one is ... or one is None or isinstance(one, (str, int, float, bool, bytes)):
        return one if not isinstance(one, str) else str(one)
    if hasattr(one, "tolist") and not hasattr(one, "iso"):
        return _told(one.tolist())
    if isinstance(one, dict):
        return {_told(key): _told(value) for key, value in one.items()}
    if isinstance(one, (set, frozenset)):
        return ("set", [_told(each) for each in one])
    if isinstance(one, (list, tuple, range, type({}.keys()), type({}.values()))):
        return [_told(each) for each in one]
    if type(one).__name__ in ("date", "datetime", "time"):
        return (type(one).__name__, one.isoformat())
    if type(one).__name__ == "Format":
        return ("format", __import__("sim").export_format(one, "toml"))
    if type(one).__name__ in ("MessageAnatomy", "GeneratePanel", "ValidatePanel"):
        return ("panel", type(one).__name__, one.message)
    return ("message", str(__import__("sim").build(one)))
"""


class _Shown:
    """A panel as it comes back: its kind and its message."""

    message: str


def _back(told: Any) -> object:
    """The answer that the student's kernel told of."""
    if isinstance(told, list):
        return [_back(one) for one in told]
    if isinstance(told, dict):
        return {_back(key): _back(value) for key, value in told.items()}
    if not isinstance(told, tuple):
        return told
    match told:
        case ("panel", str(name), message):
            shown = type(name, (_Shown,), {})()
            shown.message = message
            return shown
        case ("message", text):
            return text
        case ("set", parts):
            return frozenset(map(_back, parts))
        case ("format", text):
            return _format(text)
        case ("date" | "datetime" | "time", text):
            return getattr(__import__("datetime"), told[0]).fromisoformat(text)
    raise ValueError(told)


def _format(text: str) -> object:
    """A format that was written out as a file."""
    import sim

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answered.toml"
        path.write_text(text, encoding="utf-8")
        return sim.load_format(path)


class Kernel:
    """A kernel of a submission, in a folder of its own, in which a cell may take so many *seconds*."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self._seconds = seconds
        self._manager = KernelManager(kernel_name="python3")
        self._manager.start_kernel(cwd=str(folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._client: BlockingKernelClient = self._manager.blocking_client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=_START)

    def run(self, code: str, **more: Any) -> dict[str, Any]:
        """Run *code* and give its reply. Raises TimeoutError for one that does not end, RuntimeError where
        the kernel ended."""
        asked = self._client.execute(
            code, store_history=False, stop_on_error=False, allow_stdin=False, **more
        )
        end = time.monotonic() + self._seconds
        while time.monotonic() < end:
            try:
                reply = self._client.get_shell_msg(timeout=_LOOK)
            except queue.Empty:
                if not self._manager.is_alive():
                    raise RuntimeError("ended the kernel") from None
                continue
            if reply["parent_header"].get("msg_id") == asked:
                found: dict[str, Any] = reply["content"]
                if any(one["source"] == "ask_exit" for one in found.get("payload", ())):
                    raise RuntimeError("ended the kernel")
                return found
        raise TimeoutError(f"did not end within {self._seconds:g} seconds")

    def value(self, expression: str) -> object:
        """What *expression* gives as a plain value; ... where it gives none."""
        return self._told(_TELLS, f"repr(_told({expression}))")

    def _told(self, code: str, last: str) -> object:
        told = self.run(code, user_expressions={"answer": last}).get("user_expressions", {})
        try:
            return _back(ast.literal_eval(ast.literal_eval(told["answer"]["data"]["text/plain"])))
        except (KeyError, SyntaxError, ValueError, TypeError, OSError):
            return ...

    def forget(self) -> None:
        """Put the dots back in place of the answer: the next exercise does not inherit it."""
        self.run("answer = ...")

    def function(self, expression: str, cases: Iterable[tuple[tuple[Any, ...], Any]]) -> Callable[..., Any]:
        """The function that *expression* gives, as a table of what it gave for the arguments of *cases*, with
        which the judge will call it."""
        wanted = [arguments for arguments, _ in cases]
        code = """
def _tried(function, one):
    from collections.abc import Mapping
    from sim.operations.drill.facts import plain
    try:
        found = function(*one)
        found = dict(found) if isinstance(found, Mapping) else plain(found)
        return ["gave", list(found) if isinstance(found, (list, tuple)) else found]
    except ValueError:
        return ["ValueError"]
    except Exception as error:
        return [type(error).__name__]
"""
        told = self._told(code, f"repr([_tried({expression}, one) for one in {wanted!r}])")
        rows = told if isinstance(told, list) else []
        table = {repr(one): found for one, found in zip(wanted, rows, strict=False)}

        def called(*arguments: Any) -> Any:
            found = table.get(repr(arguments), ["nothing"])
            if found[0] == "gave":
                return found[1]
            raise ValueError if found[0] == "ValueError" else RuntimeError(found[0])

        return called

    def close(self) -> None:
        """End it, whatever it does."""
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)

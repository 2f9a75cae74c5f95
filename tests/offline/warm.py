"""Programs that need not import anew what all of them do: half a second to two of each.

`serving()` starts two processes that wait: one for kernels, one for everything else. A Python that any test,
notebook or JupyterLab starts in the usual way (`python -m server`) finds them by a variable, asks for a copy
of the one (a fork), and stays as that copy's stand-in: it hands signals on, and both end together, with one
status. What a kind of program wants is imported when the first of its kind is asked for.

Of what is ours, kernels find the rooms below the tables, imported and not used; tables, panels and the
modules of the course, which meet the notebook when they are imported, every kernel imports itself, as that of
a user does. A program that is asked how it starts, or watched by its number, is started without the variable.

Linux only; elsewhere, and where nobody serves, Pythons start as they always do.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from warmed import KERNEL, MARK, VARIABLE, WORKER

_ROOMS = ("spec", "codec", "elements", "judge", "operations", "link")
_SERVER = ("server.app", "server.endpoints", "server.workers", "uvloop")
# What a program of `warmed.PROGRAMS` wants imported.
_WARM = {
    KERNEL: (
        *("ipykernel.ipkernel", "ipykernel.kernelapp", "ipykernel.debugger", "psutil", "pdb"),
        *("pandas", "pyarrow.compute", "ipywidgets", "anywidget", "tqdm"),
        *("cryptography.hazmat.primitives.ciphers", "pycountry", "iso4217", "iso18245"),
    ),
    "server": _SERVER,
    MARK: _SERVER,
    WORKER: _SERVER,
    "sim.cli": ("sim.cli.group",),
    "teaching": ("nbclient", "nbformat"),
}
# Programs, and what changes the sockets of the whole process.
_NOT = (".__main__", ".locust", ".pytest_plugin")
_LONGEST, _MOST_FILES = 1 << 20, 250
_FREE = 1000  # the number from which on a copy finds room for its files


@contextmanager
def serving(folder: Path) -> Iterator[None]:
    """Programs started meanwhile are copies of processes that live as long; their sockets are in *folder*."""
    if sys.platform != "linux":
        yield
        return
    with ExitStack() as stack:
        for kind in ("kernels", "programs"):
            command = [sys.executable, str(Path(__file__)), str(folder / kind)]
            process = stack.enter_context(
                subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            )
            stack.callback(process.communicate)  # the end of its input is its end
            assert process.stdout is not None
            process.stdout.readline()  # it listens
        os.environ[VARIABLE] = str(folder)
        try:
            yield
        finally:
            del os.environ[VARIABLE]


def _serve(path: str) -> None:
    """Copy this process whenever asked, until the input ends."""
    awake, waker = socket.socketpair()
    for end in (awake, waker):
        end.setblocking(False)
    signal.set_wakeup_fd(waker.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    copies: dict[int, socket.socket] = {}  # the line to each one's stand-in
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.bind(path)
        door.listen(128)
        print("listening", flush=True)
        while True:
            ready = select.select([door, sys.stdin, awake, *copies.values()], [], [])[0]
            if sys.stdin in ready:
                break
            for copy, line in copies.items():
                if line in ready:  # its stand-in is gone
                    os.kill(copy, signal.SIGKILL)
            if awake in ready:
                awake.recv(_LONGEST)
                _say_who_ended(copies)
            if door in ready:
                line, _ = door.accept()
                if copy := _copied(line, (door, awake, waker, *copies.values())):
                    copies[copy] = line
    for copy in copies:
        os.kill(copy, signal.SIGKILL)


def _copied(line: socket.socket, others: Iterable[socket.socket]) -> int:
    """The number of a copy that is what was asked for on *line*, and has none of the *others*; 0 where who
    asked was killed before all was said."""
    asked, files = _asked(line)
    copy = 0
    if asked:
        _import(asked["program"])
        copy = os.fork()
        if copy == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for one in (line, *others):
                one.close()
            _become(asked, files)
        with suppress(OSError):
            line.sendall(b"%d\n" % copy)
    else:
        line.close()
    for file in files:
        os.close(file)
    return copy


def _say_who_ended(copies: dict[int, socket.socket]) -> None:
    """To their stand-ins, and how."""
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            with copies.pop(found[0]) as line, suppress(OSError):
                line.sendall(b"%d\n" % os.waitstatus_to_exitcode(found[1]))


def _asked(line: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """What the stand-in at the other end of *line* sent, and its files; nothing where it was killed first."""
    data, files = b"", list[int]()
    with suppress(OSError):
        while not data.endswith(b"\n"):
            more, some, _, _ = socket.recv_fds(line, _LONGEST, _MOST_FILES)
            if not more:
                break
            data += more
            files += some
    asked: dict[str, Any] = json.loads(data) if data.endswith(b"\n") else {}
    return asked, files


def _import(program: str) -> None:
    """What most of this kind of program will want, and what they would otherwise look for each."""
    if program in _imported:
        return
    _imported.add(program)
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # says nothing of frozen modules
    root = str(Path(__file__).parents[2])
    if root not in sys.path:
        sys.path.insert(0, root)
    for name in _WARM[program]:
        with suppress(ImportError):  # what this system does not have
            importlib.import_module(name)
    for room in _ROOMS:
        package = importlib.import_module(f"sim.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"sim.{room}."):
            if not module.name.endswith(_NOT):
                importlib.import_module(module.name)
    if _WARM[program] is _SERVER:
        _prepare_service()
    if program == KERNEL:
        importlib.import_module("jupyter_client.localinterfaces").local_ips()  # asks another program
        # As pandas has it where it is imported in a kernel; here it takes this process for a terminal.
        importlib.import_module("pandas").set_option("display.max_columns", 20)
    # A copy that looked at all this for garbage would make its own of it.
    gc.collect()
    gc.freeze()


_imported: set[str] = set()


@cache
def _prepare_service() -> None:
    """Make one, so that the next is made more quickly."""
    app, settings = (importlib.import_module(f"server.{name}") for name in ("app", "settings"))
    app.create_app(settings.Settings(), name="warm")
    importlib.import_module("server.endpoints").prepare()


def _become(asked: dict[str, Any], files: list[int]) -> None:
    """Be the program that was asked for. Does not come back."""
    os.setpgrp()  # not a session: what does the same itself could not
    kept = [fcntl.fcntl(file, fcntl.F_DUPFD, _FREE) for file in files]
    os.closerange(3, _FREE)
    for number, file in zip(asked["files"], kept, strict=True):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(asked["env"])
    os.chdir(asked["cwd"])
    if "PYTHONUNBUFFERED" in os.environ:
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    sys.orig_argv = asked["command"]
    sys.path = [asked["cwd"] if sys.orig_argv[1] == "-m" else "", *asked["path"]]
    os._exit(_finished(_run()))


def _run() -> int:
    """The status of the program in `sys.orig_argv`."""
    way, what, *arguments = sys.orig_argv[1:]
    sys.argv = [way, *arguments]
    try:
        if what == KERNEL:
            sys.argv.append(f"--IPKernelApp.parent_handle={os.getppid()}")
        if way == "-m":
            runpy.run_module(what, run_name="__main__", alter_sys=True)
        else:
            main = sys.modules["__main__"] = ModuleType("__main__")
            exec(what, vars(main))  # noqa: S102
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return (end.code or 0) & 0xFF
        print(end.code, file=sys.stderr)
        return 1
    except BaseException as error:  # noqa: BLE001 # as the interpreter does
        traceback.print_exception(error)
        return 1
    return 0


def _finished(status: int) -> int:
    """*status*, after what is done at the end of every Python, but for taking all apart."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except OSError:
        return 120  # as the interpreter does
    return status


if __name__ == "__main__":
    _serve(sys.argv[1])

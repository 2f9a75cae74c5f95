"""Kernels that need not import anew what all of them do: a second and more of each.

`serving()` starts a process that has imported it and waits. A kernel that any test, notebook or JupyterLab
starts in the usual way (`python -m ipykernel_launcher`) finds it by a variable, asks it for a copy of itself
(a fork), and stays as that copy's stand-in: it hands signals on, and both end together. Of what is ours the
rooms below the tables are there, imported and not used; tables, panels and the modules of the course, which
meet the notebook when they are imported, every kernel imports itself, as that of a user does.

Linux only; elsewhere, and where nobody serves, kernels start as they always do.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

VARIABLE = "TESTS_WARM_KERNELS"  # the path of the socket
_LAUNCHER = "ipykernel_launcher"
_WARM = (
    *("ipykernel.ipkernel", "ipykernel.kernelapp", "ipykernel.debugger", "psutil", "pdb"),
    *("pandas", "pyarrow.compute", "ipywidgets", "anywidget", "tqdm"),
    *("cryptography.hazmat.primitives.ciphers", "pycountry", "iso4217", "iso18245"),
)
_ROOMS = ("spec", "codec", "elements", "judge", "operations", "link")
# Programs, and what changes the sockets of the whole process.
_NOT = (".__main__", ".locust", ".pytest_plugin")
_LONGEST = 1 << 20


@contextmanager
def serving(folder: Path) -> Iterator[None]:
    """Kernels started meanwhile are copies of a process that lives as long; its socket is in *folder*."""
    if sys.platform != "linux":
        yield
        return
    path = folder / "kernels"
    command = [sys.executable, str(Path(__file__)), str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()  # it listens, and answers when it has imported all
        os.environ[VARIABLE] = str(path)
        try:
            yield
        finally:
            del os.environ[VARIABLE]
            process.communicate()  # the end of its input is its end


def take_over() -> None:
    """Called at the start of every Python: where it is to be a kernel, let a copy be it. Does not come back
    then."""
    if VARIABLE not in os.environ or _LAUNCHER not in sys.orig_argv:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        try:
            line.connect(os.environ[VARIABLE])
        except OSError:
            return
        arguments = sys.orig_argv[sys.orig_argv.index(_LAUNCHER) :]
        asked = {"arguments": arguments, "cwd": os.getcwd(), "env": dict(os.environ), "path": sys.path}  # noqa: PTH109
        socket.send_fds(line, [json.dumps(asked).encode() + b"\n"], [0, 1, 2])
        kernel = int(line.recv(32))
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda one, _: os.kill(kernel, one))
        line.recv(1)  # its end
    os._exit(0)


def _serve(path: str) -> None:
    """Copy this process whenever asked, until the input ends."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.bind(path)
        door.listen()
        print("listening", flush=True)
        _import_all()
        # As pandas has it where it is imported in a kernel; here it takes this process for a terminal.
        importlib.import_module("pandas").set_option("display.max_columns", 20)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a copy
        while sys.stdin not in select.select([door, sys.stdin], [], [])[0]:
            line, _ = door.accept()
            if os.fork() == 0:
                door.close()
                _become(line)
                return
            line.close()


def _import_all() -> None:
    """What most kernels will want, and what they would otherwise look for each."""
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # says nothing of frozen modules
    sys.path.insert(0, str(Path(__file__).parents[2]))
    for name in _WARM:
        importlib.import_module(name)
    for room in _ROOMS:
        package = importlib.import_module(f"sim.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"sim.{room}."):
            if not module.name.endswith(_NOT):
                importlib.import_module(module.name)
    importlib.import_module("jupyter_client.localinterfaces").local_ips()  # asks another program
    # A copy that looked at all this for garbage would make its own of it.
    gc.collect()
    gc.freeze()


def _become(line: socket.socket) -> None:
    """Be the kernel that is asked for at the other end of *line*."""
    data, streams, _, _ = socket.recv_fds(line, _LONGEST, 3)
    while not data.endswith(b"\n"):
        data += line.recv(_LONGEST)
    asked: dict[str, Any] = json.loads(data)
    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(asked["env"])
    os.chdir(asked["cwd"])
    sys.argv = [*asked["arguments"], f"--IPKernelApp.parent_handle={os.getppid()}"]
    sys.path = asked["path"]
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    line.sendall(str(os.getpid()).encode())
    threading.Thread(target=_end_with, args=(line,), daemon=True).start()

    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance()


def _end_with(line: socket.socket) -> None:
    """End this process when the stand-in at the other end of *line* has ended, however it did."""
    with suppress(OSError):
        line.recv(1)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    _serve(sys.argv[1])

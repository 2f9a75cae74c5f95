"""The other end of `warm`: loaded by every Python that a test starts, so little is loaded with it."""

import os
import sys

VARIABLE = "TESTS_WARM"  # the folder of the sockets
KERNEL = "ipykernel_launcher"
# How `python -c` begins where a test says that a copy will do.
MARK = "# a copy will do\n"
# How a worker of the service begins, and the variable that says that those of this one may be copies.
WORKER = "from multiprocessing.spawn import spawn_main"
WORKERS = "TESTS_WARM_WORKERS"
# What follows `python -m` or `-c`.
PROGRAMS = {"-m": (KERNEL, "server", "sim.cli", "teaching"), "-c": (MARK, WORKER)}
_FLAGS = ("-Xfrozen_modules=off", "-B")  # what a kernel may be started with, and a worker


def take_over() -> None:
    """Called at the start of every Python: where a copy will do, let one be it. Does not come back then."""
    command = [word for word in sys.orig_argv if word not in _FLAGS]
    program = _program(command)
    if program is None:
        return
    import json
    import signal
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        try:
            line.connect(f"{os.environ[VARIABLE]}/{'kernels' if program == KERNEL else 'programs'}")
        except OSError:
            return
        # A signal that comes before it can be handed on waits until then.
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
        numbers = map(int, os.listdir("/proc/self/fd"))  # noqa: PTH208 # pathlib is not loaded
        files = [number for number in numbers if _is_inherited(number)]
        asked = {"program": program, "command": command, "files": files, "path": sys.path}
        asked |= {"cwd": os.getcwd(), "env": dict(os.environ)}  # noqa: PTH109
        socket.send_fds(line, [json.dumps(asked).encode() + b"\n"], files)
        for number in filter((2).__lt__, files):  # a socket is closed when the copy closes it
            os.close(number)
        answers = line.makefile("r")
        copy = int(answers.readline())

        def hand_on(number: int, _: object) -> None:
            try:
                os.kill(copy, number)
            except ProcessLookupError:  # it has ended; its status is on the way
                return

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, hand_on)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
        status = int(answers.readline() or 1)
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


def _program(command: "list[str]") -> "str | None":
    """Which of PROGRAMS a Python started with *command* would run."""
    if len(command) < 3 or "--workers" in command:  # who has children is found by its own number
        return None
    way, what = command[1:3]
    if what.startswith(WORKER) and WORKERS not in os.environ:  # of somebody else
        return None
    for one in PROGRAMS.get(way, ()):
        if what == one or (way == "-c" and what.startswith(one)):
            return one
    return None


def _is_inherited(number: int) -> bool:
    """Whether the file of that number came from whoever started this process."""
    try:
        return os.get_inheritable(number)
    except OSError:  # what listed them, closed by now
        return False

"""`python -m server`: run the service until SIGTERM or Ctrl-C, then finish the requests in progress and
stop."""

from __future__ import annotations

import argparse
import errno
import os
import socket
import sys
from collections.abc import Sequence
from dataclasses import fields, replace

from server.settings import BACKLOG, Settings, SettingsError, from_environment

PROGRAM = "iso8583-lab-server"


def main(argv: Sequence[str] | None = None) -> int:
    """Serve with the settings in *argv* (default: the command line) and the environment. Returns the exit
    status: 0 after a stop, 1 if the address cannot be used, 2 for an invalid setting."""
    try:
        settings = _settings(argv)
        settings.load_formats()
        sock = listen(settings.host, settings.port)
    except SettingsError as error:
        return _complain(str(error), 2)
    except OSError as error:
        number = error.errno or 0
        # A failed name lookup has its own error numbers, which errno does not contain.
        reason = os.strerror(number) if number in errno.errorcode else str(error.strerror)
        return _complain(f"cannot listen on {settings.host} port {settings.port}: {reason}", 1)
    # Imported here because it takes most of the startup time: the errors above are reported at once.
    from server.workers import serve_many, serve_one

    with sock:
        address = _address(sock)
        sys.stdout.write(f"Serving on {address} (documentation: {address}/docs)\n")
        sys.stdout.flush()
        if settings.workers > 1:
            return serve_many(settings, sock)
        serve_one(settings, sock)
    return 0


def listen(host: str, port: int) -> socket.socket:
    """A listening socket, opened first so that a taken port is reported at once and the number behind port
    0 is known."""
    places = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    # For a name with both kinds of address ("localhost"), use IPv4, which every client tries.
    family, *_, address = min(places, key=lambda place: place[0] != socket.AF_INET)
    return socket.create_server((str(address[0]), port), family=family, backlog=BACKLOG)


def _settings(argv: Sequence[str] | None) -> Settings:
    settings = from_environment()
    parser = argparse.ArgumentParser(PROGRAM, description="Generate, explain and validate ISO 8583 messages.")
    for row in fields(Settings):
        flag, about, default = row.name.replace("_", "-"), row.metadata["about"], row.default
        if row.name in ("host", "port"):
            about += f" (now {getattr(settings, row.name)})"
        if about and isinstance(default, bool):
            parser.add_argument(f"--{flag}", action=argparse.BooleanOptionalAction, help=about)
        elif about:
            parser.add_argument(f"--{flag}", type=row.metadata["read"], help=about)
    parser.epilog = "Each option can also be set in the environment as SIM_HOST, SIM_PORT, ..."
    options = {name: value for name, value in vars(parser.parse_args(argv)).items() if value is not None}
    return replace(settings, **options)


def _address(sock: socket.socket) -> str:
    host, port = sock.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _complain(sentence: str, status: int) -> int:
    sys.stderr.write(f"{PROGRAM}: {sentence}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())

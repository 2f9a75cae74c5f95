"""The HTTP service, started and asked from a notebook: `Service()`, `post`, `stop`."""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
import urllib.error
import urllib.request
from typing import Any


class Service:
    """The service on a free port of this computer, until `stop` or the end of the notebook."""

    def __init__(self) -> None:
        # Port 0: any that is free. The first line that the service prints says which one it took.
        command = [sys.executable, "-m", "server", "--port", "0"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603, our own
        atexit.register(self._process.terminate)  # should the notebook be closed before its end
        assert self._process.stdout is not None  # noqa: S101, for the type checker
        self._lines = self._process.stdout
        self.port = int(self._lines.readline().split()[2].rpartition(":")[2])

    def post(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        """The HTTP status and the answer to a POST of *body*, both as JSON; an error has an answer, too."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=10) as response:  # noqa: S310, our own address
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def stop(self) -> int:
        """Let it finish what it has begun, and end it. Gives its exit status, 0 when all went well."""
        self._process.terminate()
        status = self._process.wait(timeout=20)
        self._lines.close()
        return status

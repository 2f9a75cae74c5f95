"""The service inside a Jupyter server, such as Binder's: jupyter-server-proxy starts it on the first call.

It then answers below the Jupyter server's own address: `iso8583/generate`, `iso8583/docs`.
"""

from __future__ import annotations

import sys
from typing import Any

NAME = "iso8583"  # as pyproject.toml names the entry point, which is where it appears below the address
SECONDS_TO_START = 30


def setup() -> dict[str, Any]:
    """What jupyter-server-proxy asks for: the command that starts the service, and its launcher tile."""
    return {
        "command": [
            sys.executable,
            "-m",
            "server",
            "--host",
            "127.0.0.1",
            "--port",
            "{port}",
            "--workers",
            "1",
        ],
        "timeout": SECONDS_TO_START,
        # The browser's name for the Jupyter server is none that a local service answers for.
        "request_headers_override": {"Host": "localhost"},
        "new_browser_tab": True,
        "launcher_entry": {"title": "ISO 8583 service", "path_info": f"{NAME}/docs"},
    }

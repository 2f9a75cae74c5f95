"""The service inside a Jupyter server, such as Binder's: jupyter-server-proxy starts it on the first call.

It is then available under the Jupyter server's own address: `iso8583/generate`, `iso8583/docs`.
"""

from __future__ import annotations

import sys
from typing import Any

NAME = "iso8583"  # the entry point's name in pyproject.toml, which is also the path of the service
SECONDS_TO_START = 30
_COMMAND = ("-m", "server", "--host", "127.0.0.1", "--port", "{port}", "--workers", "1")


def setup() -> dict[str, Any]:
    """The settings for jupyter-server-proxy: the command that starts the service, and its launcher tile."""
    return {
        "command": [sys.executable, *_COMMAND],
        "timeout": SECONDS_TO_START,
        # A local service does not answer for the name by which the browser knows the Jupyter server.
        "request_headers_override": {"Host": "localhost"},
        "new_browser_tab": True,
        "launcher_entry": {"title": "ISO 8583 service", "path_info": f"{NAME}/docs"},
    }

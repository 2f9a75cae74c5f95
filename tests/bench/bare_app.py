"""The least that a Sanic application can do: read JSON, write JSON. What is measured against it.

`bare_app.py PORT ANSWERS`: ANSWERS is a JSON file, path -> the object to answer a POST there with.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sanic import HTTPResponse, Request, Sanic
from sanic.config import Config
from sanic.response import json as answer


def create_app(answers: dict[str, Any]) -> Sanic[Config, SimpleNamespace]:
    """An application that answers each path of *answers*, and GET /health."""
    app: Sanic[Config, SimpleNamespace] = Sanic("bare", configure_logging=False)

    def route(path: str, held: Any) -> None:
        async def handler(request: Request) -> HTTPResponse:
            if not isinstance(request.json, dict):
                raise TypeError("a JSON object is expected")
            return answer(held)

        app.add_route(handler, path, methods=("POST",), name=path.strip("/"))

    async def health(_: Request) -> HTTPResponse:
        return answer({"status": "ok"})

    app.add_route(health, "/health", name="health")
    for path, held in answers.items():
        route(path, held)
    return app


if __name__ == "__main__":
    served = create_app(json.loads(Path(sys.argv[2]).read_text(encoding="utf-8")))
    served.run(port=int(sys.argv[1]), single_process=True, motd=False, access_log=False)

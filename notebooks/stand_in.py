"""A stand-in for a local model, so that the notebook about models runs without one.

It speaks Ollama's wire format on this machine and gives prepared answers: a structured one where a schema
comes with the request, the text of `tells` else. `seen` is what it was last shown.
"""

from __future__ import annotations

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

seen = ""
tells = ""
proposes: list[dict[str, Any]] = []


class _Model(BaseHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Nothing to log."""

    def do_POST(self) -> None:
        """Answer one request; of several proposals each is made once, the last one for good."""
        global seen
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        seen = str(body["messages"][-1]["content"])
        text = tells
        if "response_format" in body:
            text = json.dumps(proposes.pop(0) if len(proposes) > 1 else proposes[0])
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        answer = {"id": "1", "object": "chat.completion", "created": 1, "model": body["model"]}
        data = json.dumps({**answer, "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def start() -> None:
    """Run it in this process, and name its address as Ollama's."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ["OLLAMA_HOST"] = f"http://127.0.0.1:{server.server_address[1]}"

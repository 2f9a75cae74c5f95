"""A model provider on the loopback that speaks the wire formats of all four, and records what it is sent.

The test queues what the provider shall do; a request takes the next of the queue, or the last one again.
A slow one waits for the test before each sentence, a hanging one for ever; both notice when who asked goes
away.
"""

from __future__ import annotations

import json
import re
import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Cut = Callable[[str], list[str]]
USAGE = {"in": 5, "out": 7}


@dataclass(frozen=True)
class Does:
    """What the provider does with one request: an `answer` (a dict is structured, a str is text), or a
    fault: an HTTP `status`, text `raw` sent as it is with status 200, or `hang` until the test is over.
    What `ends` an answer is `cut` (at the ceiling on tokens) or `withheld`, else it is whole.
    A `slow` text comes by whole sentences, each when the test says `Provider.go()`; what is not streamed
    comes at the first."""

    answer: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: str | None = None
    hang: bool = False
    slow: bool = False
    ends: str = ""


@dataclass
class Call:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """All of it, to search in."""
        return json.dumps([self.path, self.headers, self.body], ensure_ascii=False)


def instructions(call: Call) -> str:
    """The instructions in a request, wherever the format has them."""
    body = call.body
    if "system" in body:
        return " ".join(block["text"] for block in body["system"])
    if "systemInstruction" in body:
        return " ".join(part["text"] for part in body["systemInstruction"]["parts"])
    return str(body["messages"][0]["content"])


class Signal:
    """Permits that can be waited for together with the end of a connection."""

    def __init__(self) -> None:
        self._give, self._take = socket.socketpair()
        self._take.setblocking(False)
        self._lock, self._waiting = threading.Lock(), 0

    def release(self) -> None:
        """One permit more."""
        self._give.send(b".")

    def acquire(self, connection: socket.socket) -> bool:
        """Wait for a permit; False when the other side of *connection* has gone before it came."""
        self._count(1)
        try:
            while True:
                ready, _, _ = select.select([connection, self._take], [], [])
                if connection in ready:
                    return False  # who waits for an answer sends nothing: this is the end
                with suppress(BlockingIOError):
                    return bool(self._take.recv(1))
        finally:
            self._count(-1)

    def close(self) -> None:
        """Who still waits gets no permit."""
        self._give.close()
        self._count(0)

    def _count(self, more: int) -> None:
        with self._lock:
            self._waiting += more
            if self._waiting == 0 and self._give.fileno() < 0:
                self._take.close()


class Provider(ThreadingHTTPServer):
    """The server. `calls` are the requests so far, `queue` what it shall do with the next ones. `hanging`
    counts the times it waited for the test or hung, `gone` the requests given up by who sent them."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.calls: list[Call] = []
        self.queue: list[Does] = []
        self.permits, self.never = Signal(), Signal()
        self.hanging = threading.Semaphore(0)
        self.gone = threading.Semaphore(0)
        self.lock = threading.Lock()

    def go(self) -> None:
        """Let a slow answer say its next sentence."""
        self.permits.release()

    def wait(self, signal: Signal, connection: socket.socket) -> bool:
        """Wait for *signal*; False, and noted, when who asked has gone."""
        self.hanging.release()
        if signal.acquire(connection):
            return True
        self.gone.release()
        return False

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def then(self, *does: Any) -> Provider:
        """What it shall do from now on; anything but a Does is an answer."""
        self.queue[:] = [one if isinstance(one, Does) else Does(one) for one in does]
        return self

    def take(self, call: Call) -> Does:
        """Record *call* and take the next of the queue."""
        with self.lock:
            self.calls.append(call)
            return self.queue.pop(0) if len(self.queue) > 1 else self.queue[0]

    def environment(self) -> dict[str, str]:
        """The variables that point all four providers here."""
        return {
            "ANTHROPIC_API_KEY": "key-anthropic",
            "ANTHROPIC_BASE_URL": self.url,
            "OPENAI_API_KEY": "key-openai",
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "GOOGLE_API_KEY": "key-google",
            "GOOGLE_GEMINI_BASE_URL": self.url,
            "OLLAMA_HOST": self.url,
        }


@contextmanager
def provider() -> Iterator[Provider]:
    """A running provider."""
    server = Provider()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.permits.close()
        server.never.close()
        server.shutdown()
        server.server_close()


class Handler(BaseHTTPRequestHandler):
    """Finds the wire format by the path."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer waits 40 ms for an acknowledgement
    server: Provider

    def log_message(self, *_: Any) -> None:
        """Nothing: the calls are recorded."""

    def do_POST(self) -> None:
        """One request of a provider's client."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        does = self.server.take(Call(self.path, headers, body))
        if does.hang or (does.slow and not self._streamed(body)):
            signal = self.server.never if does.hang else self.server.permits
            self.close_connection = True
            if self.server.wait(signal, self.connection):
                self._answer(body, does)
        elif does.slow:
            self._answer_slowly(body, does)
        elif does.status != 200:
            problem = {"error": {"message": "as the test wants", "type": "test", "code": does.status}}
            self._send(json.dumps(problem), does.status, does.headers)
        elif does.raw is not None:
            self._send(does.raw, 200, does.headers)
        else:
            self._answer(body, does)

    def _streamed(self, body: dict[str, Any]) -> bool:
        return bool(body.get("stream")) or "streamGenerateContent" in self.path

    def _events(self, body: dict[str, Any], does: Does) -> list[dict[str, Any]]:
        speak = next(speak for ending, speak in SPEAKERS.items() if ending in self.path)
        cut = (_sentences if does.slow else _pieces) if self._streamed(body) else None
        return _ending(speak(body, does.answer, cut), does.ends)

    def _answer(self, body: dict[str, Any], does: Does) -> None:
        events = self._events(body, does)
        if not self._streamed(body):
            return self._send(json.dumps(events[0]), 200, {})
        text = "".join(_event(event) for event in events)
        if "/chat/completions" in self.path:
            text += "data: [DONE]\n\n"
        return self._send(text, 200, {}, "text/event-stream")

    def _answer_slowly(self, body: dict[str, Any], does: Does) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in self._events(body, does):
            if _has_text(event) and not self.server.wait(self.server.permits, self.connection):
                return
            self.wfile.write(_event(event).encode())

    def _send(
        self, text: str, status: int, headers: dict[str, str], content_type: str = "application/json"
    ) -> None:
        data = text.encode()
        self.send_response(status)
        for name, value in {"content-type": content_type, "content-length": len(data), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(data)


# How the formats say that an answer is whole, cut off or withheld.
ENDS = {
    "finish_reason": ("stop", "tool_calls", {"cut": "length", "withheld": "content_filter"}),
    "stop_reason": ("end_turn", "tool_use", {"cut": "max_tokens", "withheld": "refusal"}),
    "finishReason": ("STOP", "", {"cut": "MAX_TOKENS", "withheld": "SAFETY"}),
}


def _ending(events: list[dict[str, Any]], ends: str) -> list[dict[str, Any]]:
    text = json.dumps(events)
    for name, (whole, tool, others) in ENDS.items() if ends else ():
        for reason in (whole, tool):
            text = text.replace(f'"{name}": "{reason}"', f'"{name}": "{others[ends]}"')
    made: list[dict[str, Any]] = json.loads(text)
    return made


def _event(event: dict[str, Any]) -> str:
    head = f"event: {event['type']}\n" if "type" in event else ""
    return f"{head}data: {json.dumps(event)}\n\n"


def _has_text(event: dict[str, Any]) -> bool:
    """Whether an event of a stream carries some of the text."""
    if event.get("choices"):
        return bool(event["choices"][0]["delta"].get("content"))
    return event.get("type") == "content_block_delta" or "candidates" in event


def _pieces(text: str) -> list[str]:
    return [text[at : at + 9] for at in range(0, len(text), 9)]


def _sentences(text: str) -> list[str]:
    return re.findall(r".+?(?:[.!?]\s+|$)", text)


def openai(body: dict[str, Any], answer: Any, cut: Cut | None) -> list[dict[str, Any]]:
    """Chat completions, as OpenAI and Ollama speak them: tool calls, or text (also by a schema)."""
    head = {"id": "c-1", "created": 1, "model": body["model"]}
    usage = {"prompt_tokens": USAGE["in"], "completion_tokens": USAGE["out"], "total_tokens": 12}
    message: dict[str, Any] = {"role": "assistant", "content": answer}
    reason = "stop"
    if not isinstance(answer, str):
        given = json.dumps(answer)
        if body.get("tools"):
            name = body["tools"][-1]["function"]["name"]
            call = {"id": "t-1", "type": "function", "function": {"name": name, "arguments": given}}
            message, reason = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
        else:
            message["content"] = given
    if cut is None:
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return [{**head, "object": "chat.completion", "choices": [choice], "usage": usage}]
    chunk = {**head, "object": "chat.completion.chunk"}
    made = [
        {**chunk, "choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
        for piece in cut(message["content"])
    ]
    made.append({**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    return [*made, {**chunk, "choices": [], "usage": usage}]


def anthropic(body: dict[str, Any], answer: Any, cut: Cut | None) -> list[dict[str, Any]]:
    """Messages: content blocks, of text or of a tool's use."""
    usage = {"input_tokens": USAGE["in"], "output_tokens": USAGE["out"]}
    if isinstance(answer, str) or not body.get("tools"):
        answer = answer if isinstance(answer, str) else json.dumps(answer)
        block, reason = {"type": "text", "text": answer}, "end_turn"
    else:
        name = body["tools"][-1]["name"]
        block, reason = {"type": "tool_use", "id": "t-1", "name": name, "input": answer}, "tool_use"
    message = {"id": "m-1", "type": "message", "role": "assistant", "model": body["model"]}
    whole = {**message, "content": [block], "stop_reason": reason, "stop_sequence": None, "usage": usage}
    if cut is None:
        return [whole]
    made: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    ]
    for piece in cut(str(answer)):
        delta = {"type": "text_delta", "text": piece}
        made.append({"type": "content_block_delta", "index": 0, "delta": delta})
    made.append({"type": "content_block_stop", "index": 0})
    stop = {"stop_reason": reason, "stop_sequence": None}
    made.append({"type": "message_delta", "delta": stop, "usage": {"output_tokens": USAGE["out"]}})
    return [*made, {"type": "message_stop"}]


def google(body: dict[str, Any], answer: Any, cut: Cut | None) -> list[dict[str, Any]]:
    """generateContent: candidates with parts, of text or of a function call."""
    if isinstance(answer, str) or not body.get("tools"):
        answer = answer if isinstance(answer, str) else json.dumps(answer)
        parts = [{"text": piece} for piece in (cut(answer) if cut else [answer])]
    else:
        name = body["tools"][-1]["functionDeclarations"][-1]["name"]
        parts = [{"functionCall": {"name": name, "args": answer}}]
    usage = {"promptTokenCount": USAGE["in"], "candidatesTokenCount": USAGE["out"], "totalTokenCount": 12}
    made = []
    for at, part in enumerate(parts, start=1):
        candidate: dict[str, Any] = {"content": {"role": "model", "parts": [part]}, "index": 0}
        if at == len(parts):
            candidate["finishReason"] = "STOP"
        made.append({"candidates": [candidate], "usageMetadata": usage, "responseId": "g-1"})
    return made


SPEAKERS = {
    "/chat/completions": openai,
    "/messages": anthropic,
    "enerateContent": google,
}

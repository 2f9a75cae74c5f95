"""The answers of the service, before they go over the wire."""

from __future__ import annotations

from sanic import HTTPResponse as Response
from sanic.response import BaseHTTPResponse

JSON = "application/json"
__all__ = ["JSON", "Answer", "Response"]


class Answer(BaseHTTPResponse):
    """A success in JSON, with no header of its own: its head is written without a look at each."""

    def __init__(self, body: bytes) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.status = 200
        self.content_type = JSON
        self.body = body

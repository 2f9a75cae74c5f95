"""The application: routes, middleware and Sanic's settings."""

from __future__ import annotations

import gc
from types import SimpleNamespace
from typing import Any, TypeAlias

from pydantic_core import to_json
from sanic import HTTPResponse, Request, Sanic
from sanic.config import Config

from server import hosts, logs, openapi
from server.connection import StrictRequest
from server.endpoints import ENDPOINTS
from server.errors import JSON, JsonErrors
from server.guessing import Guesser
from server.records import Health
from server.settings import Settings, from_environment
from sim import __version__

App: TypeAlias = Sanic[Config, SimpleNamespace]

# Any origin may read the responses; proxies must not cache them, browsers must not guess their type.
_PUBLIC = {
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
# No other page may frame the documentation; older browsers know only X-Frame-Options.
_PAGE = {"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer"}
_PREFLIGHT = {"Access-Control-Allow-Headers": "Content-Type", "Access-Control-Max-Age": "86400"}


def create_app(settings: Settings | None = None, name: str = "iso8583-lab") -> App:
    """The application for *settings* (default: from the environment). *name* must be unique in a process."""
    chosen = from_environment() if settings is None else settings
    chosen.load_formats()
    app: App = Sanic(
        name,
        # Used by requests, together with the guesser.
        ctx=SimpleNamespace(settings=chosen, hosts=hosts.gate(chosen.own_hosts)),
        error_handler=JsonErrors(),
        env_prefix=None,
        request_class=StrictRequest,
        strict_slashes=True,  # our choice: /generate/ is not /generate
        configure_logging=False,
    )
    _configure(app, chosen)
    for endpoint in ENDPOINTS:
        _route(app, endpoint.path, endpoint.handler, ("POST",))
    _route_pages(app)
    app.before_server_start(_start_guessing)
    app.after_server_stop(_stop_guessing)
    if chosen.public:
        app.on_response(_share)  # type: ignore[no-untyped-call]
    if chosen.access_log:
        app.on_response(_tell)  # type: ignore[no-untyped-call]
    return app


async def _start_guessing(app: App) -> None:
    app.ctx.guesser = Guesser(app.ctx.settings)
    # Modules and tables live as long as the process: a full collection would scan them and block requests
    # for a tenth of a second.
    gc.collect()
    gc.freeze()


async def _stop_guessing(app: App) -> None:
    await app.ctx.guesser.close()


async def _share(_: Request, answer: HTTPResponse) -> None:
    answer.headers.update(_PUBLIC)


async def _tell(request: StrictRequest, answer: HTTPResponse) -> None:
    route = request.route.uri if request.route else None
    method = request.method if request.head else "-"
    logs.write_access(method, route, answer.status, len(answer.body or b""), request.begun)


def _configure(app: App, settings: Settings) -> None:
    app.config.update(
        {
            "ACCESS_LOG": False,  # ours writes no URL
            "AUTO_EXTEND": False,  # sanic-ext, if installed, would add its own routes
            "FALLBACK_ERROR_FORMAT": "json",
            "KEEP_ALIVE_TIMEOUT": settings.keep_alive_timeout,
            "MOTD": False,
            "REQUEST_MAX_SIZE": settings.request_max_size,
            "REQUEST_TIMEOUT": settings.request_timeout,
            "RESPONSE_TIMEOUT": settings.response_timeout,
        }
    )


def _route(app: App, path: str, handler: Any, methods: tuple[str, ...]) -> None:
    """Route *methods* on *path* to *handler*; OPTIONS lists them."""
    allow = ", ".join(sorted({*methods, "OPTIONS"}))
    headers = {"Allow": allow}
    if app.ctx.settings.public:
        headers |= _PREFLIGHT | {"Access-Control-Allow-Methods": allow}

    async def options(_: Request) -> HTTPResponse:
        return HTTPResponse(status=204, headers=headers)

    name = path.strip("/").replace(".", "_")
    app.add_route(handler, path, methods=methods, name=name)
    app.add_route(options, path, methods=("OPTIONS",), name=f"{name}_options")


def _route_pages(app: App) -> None:
    """Route everything that is constant while the server runs: health, the OpenAPI document, the
    documentation."""
    document = openapi.document(ENDPOINTS)
    html, policy = openapi.page(document)
    health = Health(version=__version__).model_dump_json()
    for path, body, content_type, headers in (
        ("/health", health, JSON, {"Cache-Control": "no-store"}),
        ("/openapi.json", to_json(document).decode(), JSON, {}),
        ("/docs", html, "text/html; charset=utf-8", {"Content-Security-Policy": policy, **_PAGE}),
    ):
        _route(app, path, _page(body, content_type, headers), ("GET", "HEAD"))
    # Without OPTIONS, because `OPTIONS *` would match as well.
    app.add_route(_home, "/", methods=("GET", "HEAD"), name="home")


async def _home(_: Request) -> HTTPResponse:
    """Redirect to the documentation, by a relative path, which also works behind a proxy's prefix."""
    return HTTPResponse(status=302, headers={"Location": "docs"}, content_type="text/plain; charset=utf-8")


def _page(body: str, content_type: str, headers: dict[str, str]) -> Any:
    async def handler(_: Request) -> HTTPResponse:
        return HTTPResponse(body, headers=headers, content_type=content_type)

    return handler

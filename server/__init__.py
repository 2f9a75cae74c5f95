"""The JSON-over-HTTP service: generate, explain, validate, parse, build and convert messages.

`python -m server` runs it; `server.app.create_app` makes the application. It returns what `sim.operations`
computes, and never uses a DataFrame.
"""

from importlib.util import find_spec

if find_spec("sanic") is None or find_spec("pydantic") is None:
    raise ModuleNotFoundError(
        "the service needs Sanic and pydantic: pip install 'iso8583-lab[server]'", name="sanic"
    )

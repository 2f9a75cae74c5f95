"""The JSON-over-HTTP service: generate, explain and validate ISO 8583 messages.

`python -m server` runs it; `server.app.create_app` makes the application.
It projects what `sim.operations` returns and never sees a DataFrame.
"""

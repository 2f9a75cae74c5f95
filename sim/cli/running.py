"""The commands that run a program: the HTTP service, JupyterLab, the MCP server."""

from __future__ import annotations

import os
import runpy
import sys
from importlib.util import find_spec

import click

# As in `make lab`: no network access for news, updates or extensions.
_QUIET = (
    "--LabApp.extension_manager=readonly",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LanguageServerManager.autodetect=False",
)
_PASSED_ON = {"ignore_unknown_options": True, "help_option_names": []}


@click.command("serve", context_settings=_PASSED_ON)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def serve(arguments: tuple[str, ...]) -> None:
    """Run the HTTP service; ARGUMENTS are those of iso8583-lab-server (--port, --workers, ...)."""
    if find_spec("sanic") is None:
        raise click.UsageError("the service needs Sanic: pip install 'iso8583-lab[server]'")
    sys.argv = ["iso8583-lab-server", *arguments]
    runpy.run_module("server", run_name="__main__")


@click.command("lab", context_settings=_PASSED_ON)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def lab(arguments: tuple[str, ...]) -> None:
    """Open JupyterLab in this folder, asking nothing of the network; ARGUMENTS are those of jupyter lab."""
    if find_spec("jupyterlab") is None:
        raise click.UsageError("JupyterLab is not installed: pip install 'iso8583-lab[lab]'")
    command = [sys.executable, "-m", "jupyterlab", *_QUIET, *arguments]
    os.execv(sys.executable, command)  # noqa: S606, its own interpreter


@click.command("mcp")
def mcp() -> None:
    """Run a Model Context Protocol server on standard input and output, for an AI assistant."""
    if find_spec("mcp") is None:
        raise click.UsageError("AI assistants need the package mcp: pip install 'iso8583-lab[mcp]'")
    from sim.mcp import main

    main()

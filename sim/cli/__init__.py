"""`iso8583`: the toolkit's verbs as shell commands.

Commands take a message as an argument, from a file or from a pipe. They print for people on a terminal and,
with `--json`, one JSON object per line for programs. Exit status: 0 success, 1 a problem with the message
(invalid, unreadable, different), 2 wrong usage. Displayed messages are masked; commands that make messages
(generate, build, convert ...) print them in clear, for the next program.
"""

from sim.cli.group import main

__all__ = ["main"]

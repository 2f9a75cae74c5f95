"""`iso8583`: each verb of the toolkit once more, for a shell.

Commands take a message as an argument, from a file or from a pipe, print for people on a terminal and, with
`--json`, a JSON object a line for programs. Exit status: 0 all is well, 1 the message is not (invalid,
unreadable, different), 2 the command was called wrongly. Card data are hidden wherever a message is
shown; what makes messages (generate, build, convert ...) prints them whole, for the next program.
"""

from sim.cli.group import main

__all__ = ["main"]

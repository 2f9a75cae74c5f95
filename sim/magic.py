"""`%load_ext sim`: `%iso8583 validate message`, and `%%iso8583`, which shows the anatomy of a pasted message.

A message is pasted unchanged (text, hex dump, log line, bytes in any notation) or named by a variable.
"""

from __future__ import annotations

import re
from argparse import BooleanOptionalAction
from collections.abc import Callable
from typing import Any

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

import sim
from sim.errors import IsoError, closest, did_you_mean, quoted_value
from sim.operations.reading import separate
from sim.verbs import MESSAGES, Option, elsewhere, names, verb

_NAME = "iso8583"
_KEYS = (f"%{_NAME}", f"%%{_NAME}")
_ANATOMY = "anatomy"
# A longer word may be a message in Base64.
_NAMES = re.compile(r"[^\W\d]\w{0,30}")
_HEX = re.compile(r"[0-9A-Fa-f]+")


def _anatomy(message: Any, **options: Any) -> Any:
    """The anatomy of a message: a widget if widgets are installed, otherwise its table."""
    table = sim.parse(message, **options)
    try:
        from sim.widgets import MessageAnatomy

        return MessageAnatomy(table)
    except ModuleNotFoundError:
        return table


def _alone(name: str) -> bool:
    """Whether a verb is about a message, and requires nothing else."""
    options = verb(name).options
    needed = [option.name for option in options if option.required]
    return len(needed) == 1 and needed[0] == options[0].name and needed[0] in MESSAGES


_VERBS: dict[str, Callable[..., Any]] = {
    _ANATOMY: _anatomy,
    **{name: verb(name) for name in names() if _alone(name)},
}


def _options(name: str) -> dict[str, Option]:
    return {opt.name: opt for opt in verb("parse" if name == _ANATOMY else name).options[1:] if opt.is_plain}


_OPTIONS = {name: option for verb_name in _VERBS for name, option in _options(verb_name).items()}


def _projected(function: Callable[..., Any]) -> Callable[..., Any]:
    """*function* with an argument for each option of the verbs, described as in their docstrings."""
    for name, option in reversed(_OPTIONS.items()):
        flag, kind = f"--{name.replace('_', '-')}", option.plain
        how: dict[str, Any] = {"type": kind, "action": "append" if option.many else "store"}
        if kind is bool:
            how = {"action": BooleanOptionalAction, "default": None}
        about = elsewhere(option.about).replace("%", "%%")
        function = argument(flag, help=about, **how)(function)
    return function


@magics_class
class IsoMagics(Magics):
    """The magic; its shell has the variables of the notebook."""

    @magic_arguments()
    @argument("verb", nargs="?", default=_ANATOMY, help=f"{', '.join(_VERBS)}; without it, {_ANATOMY}")
    @argument("message", nargs="*", help="a message, or the name of a variable; a cell's text is the message")
    @_projected
    @argument("--to", metavar="NAME", help="keep the result under this name")
    @line_cell_magic
    def iso8583(self, line: str, cell: str | None = None) -> Any:
        """Look at ISO 8583 messages: `%iso8583 validate message`, or a paste below `%%iso8583`."""
        args = parse_argstring(self.iso8583, line)
        if args.verb not in _VERBS:
            near = closest(args.verb, {name: name for name in _VERBS})
            if near and args.message:
                raise UsageError(f"%{_NAME} {args.verb}: did you mean {near}?")
            # `%iso8583 message`: a first word that is not a verb is the message.
            args.message, args.verb = [args.verb, *args.message], _ANATOMY
        options = {name: getattr(args, name) for name in _options(args.verb)}
        chosen = {name: value for name, value in options.items() if value is not None}
        try:
            results = [_VERBS[args.verb](message, **chosen) for message in self._messages(args, line, cell)]
        except (IsoError, TypeError) as error:
            raise UsageError(str(error)) from error
        if args.to:
            self.shell.user_ns[args.to] = results[0] if len(results) == 1 else results
            return None
        if len(results) == 1:
            return results[0]
        for result in results:
            display(result)
        return None

    def _messages(self, arguments: Any, line: str, cell: str | None) -> list[Any]:
        if cell is not None:
            if arguments.message:
                raise UsageError(
                    f"%%{_NAME}: expected a verb ({', '.join(_VERBS)}) and options such as --network visa, "
                    f"found {quoted_value(' '.join(arguments.message))}; put the message below"
                )
            if texts := separate(cell):
                return list(texts)
            raise UsageError(f"%%{_NAME}: paste a message below it")
        text = _as_it_stands(line, arguments.message)
        if not text:
            raise UsageError(f"%{_NAME}: expected a message, or the name of one; or paste it below %%{_NAME}")
        return [self._variable(text) if _NAMES.fullmatch(text) else text]

    def _variable(self, text: str) -> Any:
        """The variable *text*. Raises UsageError if there is none, unless *text* may be bytes in hex."""
        names = self.shell.user_ns
        if text in names or _HEX.fullmatch(text):
            return names.get(text, text)
        hint = did_you_mean(text, [*_VERBS, *_holding_messages(names)])
        raise UsageError(
            f"%{_NAME}: expected a message, or the name of one, found {quoted_value(text)}{hint}"
        )


def _as_it_stands(line: str, words: list[str]) -> str:
    """The *words* as written in *line*, with all blanks between them: a message may have several in a row."""
    match = re.search(r"\s+".join(map(re.escape, words)), line)
    return match[0] if match else " ".join(words)


def _holding_messages(names: dict[str, Any]) -> list[str]:
    """Those of the variables *names* that contain a message."""
    return [name for name, value in names.items() if name[0] != "_" and hasattr(value, "iso")]


def _complete(shell: InteractiveShell, event: Any) -> list[str]:
    """Completions for Tab: verbs first, then options, networks, and variables with a message."""
    line = str(event.line)
    words = line.split()[1:]
    last = words[-1] if words and not line.endswith(" ") else ""
    before = words[: len(words) - bool(last)]
    if before and before[-1] == "--network":
        return list(sim.NETWORKS)
    if before and before[-1] == "--version":
        return list(sim.VERSIONS)
    return [
        *_holding_messages(shell.user_ns),
        *(f"--{name.replace('_', '-')}" for name in (*_OPTIONS, "to")),
        *([] if before else _VERBS),
    ]


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Called by `%load_ext sim`."""
    shell.register_magics(IsoMagics)
    for key in _KEYS:
        shell.set_hook("complete_command", _complete, str_key=key)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Called by `%unload_ext sim`; IPython leaves the removal to the extension."""
    for magics in shell.magics_manager.magics.values():
        magics.pop(_NAME, None)
    for key in _KEYS:
        shell.strdispatchers["complete_command"].strs.pop(key, None)

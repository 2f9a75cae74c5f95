"""A message as something to be pasted elsewhere: text, hex, JSON, Python, a call of the service, a test.

What is copied runs. Test cards stand in for card numbers unless the caller says otherwise
(`sim.operations.stand_ins`): every character keeps its place, and no form holds a star where a digit was.
"""

from __future__ import annotations

import html
import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sim.codec import Message, ParseError, build, parse
from sim.codec.text import MTI_WIDTH
from sim.elements.mti import split
from sim.operations.choosing import chosen_version
from sim.operations.recalled import in_words, recalled
from sim.operations.stand_ins import with_stand_ins
from sim.operations.validation import validate
from sim.spec.spellings import choose

_SERVICE = "http://127.0.0.1:8000"
_HEADER = 2  # bytes of the length in front, most significant first
_WIDTH = 16  # bytes of a line of hex digits


@dataclass(frozen=True)
class Copied:
    """A message and how it is shown. `raw` is its text, sound or broken."""

    raw: str
    version: str
    network: str | None
    masked: bool

    @cached_property
    def text(self) -> str:
        """The text, with test cards in it if card data is to be masked."""
        return with_stand_ins(self.raw, self.version) if self.masked else self.raw

    @cached_property
    def message(self) -> Message | None:
        """The message of the text, None where it is none."""
        try:
            return parse(self.text, self.version)
        except ParseError:
            return None

    @property
    def fields(self) -> Mapping[int, str]:
        """The elements of the message."""
        return self.message.fields if self.message else {}

    @property
    def hides(self) -> bool:
        """Whether something stands in for what was there."""
        return self.text != self.raw


def as_dict(held: Copied) -> dict[str, Any]:
    """MTI, version and elements by number, as `sim.build` takes them: `{"mti": "0800", "11": "000042"}`; of a
    text that is no message the text."""
    if held.message is None:
        return {"text": held.text, "version": held.version}
    return {"mti": held.message.mti, **{str(number): value for number, value in sorted(held.fields.items())}}


def as_json(held: Copied) -> str:
    """The same as JSON."""
    return json.dumps(as_dict(held), indent=2, ensure_ascii=False)


def as_hex(held: Copied) -> str:
    """The text's bytes behind a length of two bytes, in hex digits, 16 bytes a line. A text that does not
    begin with an MTI has no length in front: who reads it could not tell it from the message."""
    data = held.text.encode("utf-8", errors="replace")
    framed = len(data) < 1 << 8 * _HEADER and _has_mti(held.text)
    whole = len(data).to_bytes(_HEADER, "big") + data if framed else data
    return "\n".join(whole[at : at + _WIDTH].hex(" ").upper() for at in range(0, len(whole), _WIDTH))


def _has_mti(text: str) -> bool:
    """Whether *text* begins with an MTI all of whose digits mean something."""
    mti = split(text[:MTI_WIDTH])
    return bool(mti.version and mti.message_class and mti.function and mti.origin)


def as_python(held: Copied) -> str:
    """The call that builds the message."""
    if held.message is None:
        return f"{_warning(held)}import sim\n\nmessage = sim.parse({held.text!r}, version={held.version!r})\n"
    lines = [f'    "mti": {held.message.mti!r},']
    lines += [f"    {number}: {value!r}," for number, value in sorted(held.fields.items())]
    version = "" if chosen_version(held.message.mti, None) == held.version else f", version={held.version!r}"
    made = "\n".join(lines)
    return f"{_warning(held)}import sim\n\nmessage = sim.build({{\n{made}\n}}{version})\n"


def as_generate(held: Copied) -> str:
    """The call that generates a message like it, and which elements it makes otherwise; of a message that no
    call makes, as an answer, the call that builds it."""
    found = recalled(held.message, held.network) if held.message else None
    if found is None:
        return f"# sim.generate makes no message like this one.\n{as_python(held)}"
    lines = [*in_words(found), "import sim", "", f"message = {found.call(found.options.get('pan'))}"]
    return "\n".join([*([_warning(held).rstrip()] if held.hides else []), *lines, ""])


def as_curl(held: Copied) -> str:
    """A request to the service's `/validate`."""
    body = {"message": held.text, "version": held.version, "network": held.network}
    data = json.dumps({key: value for key, value in body.items() if value is not None})
    return (
        f"{_warning(held)}curl -sS {_SERVICE}/validate \\\n"
        f"  -H 'Content-Type: application/json' \\\n  --data {shlex.quote(data)}\n"
    )


def as_pytest(held: Copied) -> str:
    """A test that holds the message to its verdict of today: its errors by rule."""
    report = validate(held.text, network=held.network, version=held.version)
    found = sorted({one.rule for one in report.findings if str(one.severity) == "error"})
    made = as_python(held).removeprefix(_warning(held))
    body = made.removeprefix("import sim\n\n").replace("\n", "\n    ").rstrip()
    options = "".join(f", {name}={value!r}" for name, value in _options(held).items())
    return (
        f"{_warning(held)}import sim\n\n\ndef test_message() -> None:\n"
        f'    """{"Breaks " + ", ".join(found) if found else "Breaks no rule"}."""\n'
        f"    {body}\n"
        f"    findings = sim.validate(message{options})\n"
        f'    errors = findings[findings["severity"] == "error"]\n'
        f'    assert sorted(set(errors["rule"])) == {found!r}\n'
    )


def _options(held: Copied) -> dict[str, str]:
    return {"version": held.version} | ({"network": held.network} if held.network else {})


def _warning(held: Copied) -> str:
    return "# Card data replaced with test data.\n" if held.hides else ""


# What a message can be copied as: words for people, the suffix of a file, and how it is made.
FORMS: Mapping[str, tuple[str, str, Callable[[Copied], str]]] = {
    "text": ("text", "txt", lambda held: held.text),
    "hex": ("hex with a length header", "hex", as_hex),
    "json": ("JSON", "json", as_json),
    "python": ("Python: sim.build(...)", "py", as_python),
    "generate": ("Python: sim.generate(...)", "py", as_generate),
    "curl": ("curl to the service", "sh", as_curl),
    "pytest": ("a pytest case", "py", as_pytest),
}


def copied(
    message: str | Message,
    form: str,
    *,
    version: str | None = None,
    network: str | None = None,
    masked: bool = True,
) -> str:
    """*message* as *form*, one of `FORMS`.

    >>> copied("08002020000000000000990000123456", "json")
    '{\\n  "mti": "0800",\\n  "3": "990000",\\n  "11": "123456"\\n}'
    """
    return FORMS[choose("form", form, FORMS)][2](
        held(message, version=version, network=network, masked=masked)
    )


def held(
    message: str | Message, *, version: str | None = None, network: str | None = None, masked: bool = True
) -> Copied:
    """*message* as the functions here take it."""
    if isinstance(message, Message):
        return Copied(build(message), version or message.version, network, masked)
    return Copied(message, chosen_version(message, version), network, masked)


# On paper and on a telephone nothing can be pointed at: whole texts instead of ellipses. What is wider than
# the screen scrolls by itself, by the keyboard, too.
_PAGE = (
    ":root { color-scheme: light dark; } "
    "body { font-family: system-ui, sans-serif; line-height: 1.45; margin: 1em; } "
    "main { overflow-x: auto; } main:focus-visible { outline: 2px solid; outline-offset: 4px; } "
    "main table.dataframe.iso8583 { border-collapse: collapse; width: auto; } "
    "main table.dataframe.iso8583 tr { border-bottom: 1px solid rgba(128, 128, 128, 0.35); } "
    "main table.dataframe.iso8583 td:is(.v, .t) { white-space: pre-wrap; overflow-wrap: anywhere; } "
    "main table.dataframe.iso8583 td.w { max-width: 40em; min-width: 9em; overflow: visible; } "
    # A row of a narrow screen is a paragraph: its cells after each other.
    "@media (max-width: 44em) { main table:not(.bits), main table:not(.bits) tbody { display: block; } "
    "main table:not(.bits) thead, main table.iso8583 tr > th { display: none; } "
    "main table:not(.bits) tr { display: flex; flex-wrap: wrap; gap: 0 0.8em; padding: 0.3em 0; } "
    "main table:not(.bits) tr > td:is(td, .w, .v) { min-width: 0; max-width: 100%; padding: 0 0 0 0.5em; } "
    "main table:not(.bits) td:empty { display: none; } "
    "main .iso-anatomy-page table.bits td { min-width: 1.9em; padding: 1px 0; font-size: 68%; } }"
)


def page(body: str, title: str) -> str:
    """HTML as a page of its own, light or dark as its reader likes it."""
    name = html.escape(title)
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{name}</title><style>{_PAGE}</style></head>\n"
        f'<body>\n<main tabindex="0" aria-label="{name}">\n{body}\n</main>\n</body>\n</html>\n'
    )

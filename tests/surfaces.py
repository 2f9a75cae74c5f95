"""Every surface that can show a message, and the search for card data on it."""

from __future__ import annotations

import io
import json
import logging
import traceback
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from IPython.core.formatters import DisplayFormatter

import sim
from sim.codec import Message, ParseError, parse
from sim.elements.meaning import meaning
from sim.errors import IsoError
from sim.operations import explain, validate
from sim.operations.anatomy import masked_text
from sim.spec import spec
from sim.widgets import MessageAnatomy, MessageDiff, anatomy_html, anatomy_text
from sim.widgets.model import view

# A number with a right check digit whose digits do not repeat, and what stands behind it on a stripe.
PAN = "453957876362148" + "6"
BEHIND = "98765432109"
TRACK_2 = f"{PAN}=2912201{BEHIND}"
TRACK_1 = f"B{PAN}^PLANTED/QWERTZ^2912201{BEHIND}"
_APPROVED = {"1987": "00", "1993": "000", "2003": "0000"}
_EBCDIC = PAN.encode("cp037").hex().upper()
_GROUPS = [PAN[at : at + 4] for at in range(0, 16, 4)]
# The spellings of a card number that are looked for in every element.
SPELLINGS = {
    "plain": PAN,
    "in words": f"REF {PAN} END",
    "with blanks": " ".join(_GROUPS),
    "with dashes": "-".join(_GROUPS),
    "digit by digit": " ".join(PAN),
    "hex of ASCII": PAN.encode().hex().upper(),
    "hex of EBCDIC": _EBCDIC,
    "BCD in pairs": " ".join(PAN[at : at + 2] for at in range(0, 16, 2)),
    "chip tag": f"5A08{PAN}",
    "chip track": f"5713{PAN}D2912201{BEHIND}F",
    "track 2": TRACK_2,
    "track 1": TRACK_1,
    "behind its length": f"0216{PAN}",
}


def dump(data: bytes, encoding: str = "latin-1") -> str:
    """*data* as a dump: offsets, bytes in hex, a gutter in *encoding*."""
    lines = []
    for at in range(0, len(data), 16):
        part = data[at : at + 16]
        said = "".join(char if char.isprintable() else "." for char in part.decode(encoding))
        lines.append(f"{at:08x}  {part.hex(' '):<48} |{said}|")
    return "\n".join(lines)


def leaks(text: str) -> list[str]:
    """The card data in *text*, in any notation: eight consecutive digits (other than the first eight,
    which identify only the issuer), the rest of a track, the cardholder's name."""
    tight = "".join(char for char in text.replace("<wbr>", "") if char.isalnum()).upper()
    windows = [PAN[at : at + 8] for at in range(1, 9)]
    windows += [one.encode().hex().upper() for one in windows]
    windows += [PAN[at : at + 8].encode("cp037").hex().upper() for at in range(1, 9)]
    wanted = [*windows, BEHIND, "PLANTED", "QWERTZ"]
    return [one for one in wanted if one in tight]


def quick(raw: str, version: str | None) -> Iterator[tuple[str, str]]:
    """The surfaces that need neither pandas nor widgets: masked text, repr, meanings, story, findings,
    errors, and what could be read of a broken text."""
    read_as = version or "1987"
    yield "masked text", masked_text(raw, read_as)
    report = validate(raw, version=read_as)
    yield "findings", repr(report.findings) + repr(report.errors)
    try:
        message = parse(raw, read_as)
    except ParseError as error:
        yield "error", "".join(traceback.format_exception(error)) + repr(error)
        yield "partial", repr(error.partial) + str(error.partial)
        yield "located", f"{error.expected}{error.found}"
        return
    yield "repr", repr(message) + str(message)
    yield "masked", repr(message.masked())
    yield "meanings", " ".join(meaning(message, number) for number in message.fields)
    try:
        yield "story", explain(message).summary
    except IsoError as error:
        yield "error", "".join(traceback.format_exception(error))


_FORMATTER = DisplayFormatter()  # takes longer to make than most things to show


def _shown(thing: Any) -> str:
    """What a notebook stores for *thing*."""
    formats, _ = _FORMATTER.format(thing)
    return str(formats) + repr(thing)


def tables(raw: str, version: str | None) -> Iterator[tuple[str, str]]:
    """The surfaces of the notebook interface: every display of every table."""
    made = {
        "parse": sim.parse(raw, version=version),
        "explain": sim.explain(raw, version=version),
        "validate": sim.validate(raw, version=version),
        "diff": sim.diff(raw, "08002020000000000000990000123456"),
        "read": sim.read([raw, raw], version=version),
    }
    for name, table in made.items():
        yield f"{name}: notebook", _shown(table)
        yield f"{name}: string", table.to_string() + table.to_latex()
        yield f"{name}: html", table.to_html()
        yield f"{name}: style", table.style.to_html()
        yield f"{name}: shown", sim.show(table).to_html() if name != "read" else ""
        yield f"{name}: columns", "".join(_shown(table[column]) for column in table.columns)
        yield f"{name}: rows", "".join(_shown(table.iloc[at]) for at in range(min(len(table), 20)))
        yield f"{name}: masked, exported", table.masked().to_csv() + table.masked().to_json()
        yield f"{name}: facts", str(dict(table.attrs))
    message = made["parse"].iso.message
    yield "text", repr(message)
    yield "mask", sim.mask(raw, version=version)
    yield "accessor", repr(made["parse"].iso) + made["explain"].iso.summary + str(made["read"].iso)
    try:
        sim.build(made["parse"])
    except IsoError as error:
        yield "build error", "".join(traceback.format_exception(error))


def _state(widget: Any, seen: set[int]) -> Iterator[str]:
    """The state that a notebook saves of a widget and the widgets in it."""
    if id(widget) in seen:
        return
    seen.add(id(widget))
    state = {name: value for name, value in widget.get_state().items() if name not in ("_esm", "_css")}
    yield str(state)
    for child in getattr(widget, "children", ()):
        yield from _state(child, seen)


def widgets(raw: str, version: str | None) -> Iterator[tuple[str, str]]:
    """The surfaces of the widgets: state, static substitutes, and messages sent unprompted."""
    from sim.widgets.panels.explain import ExplainPanel
    from sim.widgets.panels.validate import ValidatePanel

    sent: list[object] = []

    class Heard(MessageAnatomy):
        def send(self, content: Any, buffers: Any = None) -> None:
            sent.append(content)

    heard = Heard(raw, version=version, editable=True)
    heard.set_value(3, "00000")
    yield "view", json.dumps(view(raw, version))
    panels = {
        "anatomy": MessageAnatomy(raw, version=version),
        "diff": MessageDiff(raw, "08002020000000000000990000123456", version=version),
        "validate panel": ValidatePanel(raw, version=version),
        "explain panel": ExplainPanel(raw, version=version),
    }
    for name, widget in panels.items():
        yield f"{name}: state", "".join(_state(widget, set()))
        bundle: Any = widget._repr_mimebundle_()
        yield f"{name}: stored", str(bundle)
        yield f"{name}: repr", repr(widget)
    yield "sent", str(sent) + str(heard.problem)
    yield "page", anatomy_html(raw, version)
    yield "plain", anatomy_text(raw, version).replace("\n", "")


def plots(raw: str) -> Iterator[tuple[str, str]]:
    """Plots as SVG with real text."""
    from matplotlib import pyplot, rc_context

    with rc_context({"svg.fonttype": "none"}):
        for kind in ("traffic", "amounts", "responses", "presence"):
            try:
                axes = sim.plot([raw, raw], kind=kind)
            except (ValueError, TypeError):
                continue
            held = io.StringIO()
            axes.figure.savefig(held, format="svg")
            pyplot.close(axes.figure)
            yield f"plot of {kind}", held.getvalue()


def printed(raw: str, version: str | None) -> Iterator[tuple[str, str]]:
    """Everything written to the streams and the log while a message is examined."""
    out, log = io.StringIO(), io.StringIO()
    handler = logging.StreamHandler(log)
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        with redirect_stdout(out), redirect_stderr(out):
            list(quick(raw, version))
            sim.read([raw], version=version)
    finally:
        root.handlers[:] = before
        root.setLevel(level)
    yield "streams", out.getvalue()
    yield "log", log.getvalue()


def planted(version: str, text: str, *, with_card: bool) -> Iterator[tuple[int, Message]]:
    """A message with *text* in one element after another, if it fits and is not already the value."""
    mti = {"1987": "0100", "1993": "1100", "2003": "2100"}[version]
    head = {2: PAN} if with_card else {}
    for element in spec(version).elements:
        if element.number < 2 or len(text) > element.width:
            continue
        room = element.width - len(text) if element.fixed else 0
        if room and element.content in ("n", "x+n", "b") and not with_card:
            continue  # a card number with zeros behind it is another number
        fill = "0" if element.content in ("n", "x+n", "b") else " "
        value = text + fill * room
        yield (
            element.number,
            Message(mti, {**head, 3: "000000", 39: _APPROVED[version], element.number: value}, version),
        )

"""A message to paste elsewhere: as text, hex, JSON, Python, a call of the service, a test.

Copies run. Unless the caller says otherwise, test cards replace card numbers: lengths do not change, and no
digit becomes an asterisk. Published test cards are no secret, so a message with only such cards stays
unchanged. Any other number becomes a test card of the same network and length, with a check digit just as
valid or invalid, everywhere: in tracks, chip data and free text. Other sensitive data (PINs, verification
values, names, keys) becomes zeros, and letters become X.
"""

from __future__ import annotations

import html
import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from pathlib import Path
from typing import Any

from sim.codec import Message, ParseError, build, parse
from sim.codec.text import MTI_WIDTH
from sim.elements.mti import split
from sim.masking import card_numbers, mask_pan, mask_piece
from sim.masking.search import is_card, spellings
from sim.masking.written import SHORTEST
from sim.operations.anatomy import Anatomy, dissect
from sim.operations.asked import usual_entry, written_call
from sim.operations.generation import generate, native_version
from sim.operations.validation import validate
from sim.parts import chip_data
from sim.spec import emv
from sim.spec.elements import spec
from sim.spec.networks import check_digit, default_card, detect, luhn_ok, test_cards
from sim.spec.spellings import choose, chosen_version

# The defaults of generate, which a call leaves out.
_DEFAULTS = {name: parameter.default for name, parameter in signature(generate).parameters.items()}
# Options that a message without a card does not use.
NO_CARD = ("pan", "amount_minor_units", "currency", "purpose", "entry")


def call_of(options: Mapping[str, Any], description: str = "") -> str:
    """The call of `sim.generate` for the options of the form, without those that are defaults.

    >>> call_of({"message_type": "financial", "network": "JCB", "stan": "123456"})
    "sim.generate('financial', network='JCB')"
    """
    usual = _DEFAULTS
    if text := description.strip():
        arguments, names = [f"description={text!r}"], options.keys() & {"version"}
    else:
        kind = options["message_type"]
        arguments = [repr(kind)]
        names = options.keys() - {"message_type", *(NO_CARD if kind == "echo" else ())}
        usual = usual | {
            "entry": usual_entry(str(options.get("purpose", usual["purpose"]))),
            "version": native_version(options.get("network"), options.get("pan")),
        }
    arguments += [
        f"{name}={value!r}" for name, value in options.items() if name in names and value != usual.get(name)
    ]
    return written_call("sim.generate", arguments)


def covered_call(call: str, pan: str | None) -> str:
    """*call* at the same length, with the card number and anything that looks like one masked."""
    text = call.replace(pan, mask_pan(pan)) if pan and len(pan) >= len(mask_pan("4" * 12)) else call
    covered = mask_piece(text)
    return covered if len(covered) == len(call) else text


_FIRST, _LAST = 6, 4  # digits of a card number that masking leaves
_PREFIX = 8  # digits of the IIN
_CHIP = 55
_STARS = re.compile(r"\*+")
_BETWEEN = r"[^0-9A-Za-z]{0,5}"
# After the card number in track data: expiry and service code, and the padding in chip data.
_TRACK_END = r"(?:[=D]|\^[^^]*\^)([0-9]{0,7})(?:[0-9]*(F))?"


def with_stand_ins(raw: str, version: str) -> str:
    """*raw*, valid or broken, safe to show and to run.

    >>> with_stand_ins("0100" + "4000000000000000" + "16" + "4539578763621486", "1987")[-16:]
    '4111111111111111'
    """
    view = dissect(raw, version)
    cards = _cards(view)
    taken = {card.pan for card in test_cards()} & cards
    if cards and taken == cards:
        return raw
    text = raw
    for card in sorted(cards - taken, key=lambda card: (-len(card), card)):
        test_card = next(number for number in _alike(card) if number not in taken)
        taken.add(test_card)
        text = _replaced(text, card, test_card)
    return _without_secrets(dissect(text, version), taken)


def _cards(view: Anatomy) -> set[str]:
    """The card numbers of a message: those in card elements, and those that masking finds elsewhere."""
    numbers = set(card_numbers(view.cells, view.version))
    for start, end in _hidden(view):
        digits = view.raw[max(start - _FIRST, 0) : end + _LAST]
        if digits.isascii() and digits.isdecimal() and len(digits) >= SHORTEST and is_card(digits):
            numbers.add(digits)
    return {number for number in numbers if number.isascii() and number.isdecimal()}


def _hidden(view: Anatomy) -> Iterator[tuple[int, int]]:
    """The spans of the text that masking hides."""
    for stars in _STARS.finditer(view.shown_text):
        if view.raw[stars.start() : stars.end()] != stars[0]:
            yield stars.span()


def _alike(card: str) -> Iterator[str]:
    """Numbers that can replace *card*, published ones first."""
    owner = detect(card)
    network = owner.network if owner else None
    right, size = luhn_ok(card), len(card)
    published = [entry.pan for entry in test_cards(network)] if network else []
    if network:
        published.sort(key=lambda pan: pan != default_card(network).pan)
    seeds = [pan[:_PREFIX] for pan in published] or [card[:_FIRST]]
    yield from (pan for pan in published if len(pan) == size and luhn_ok(pan) == right)
    for count in range(10 ** min(size - _PREFIX - 1, 6)):
        for seed in seeds:
            body = seed + f"{count:0{size - len(seed) - 1}}"
            digit = check_digit(body)
            number = body + (digit if right else str((int(digit) + 1) % 10))
            if number != card:
                yield number


def _pattern(digits: str) -> re.Pattern[str]:
    """A pattern for *digits* in any notation within a text."""
    forms = (_BETWEEN.join(map(re.escape, form)) for form in spellings(digits))
    return re.compile("|".join(forms), re.IGNORECASE)


def _replaced(text: str, card: str, stand_in: str) -> str:
    """*text* with *stand_in* in place of *card*, in the same notation."""
    forms = {len(form): form for form in spellings(stand_in)}
    spelled = dict(zip(spellings(card), spellings(stand_in), strict=True))

    def written(match: re.Match[str]) -> str:
        tight = re.sub("[^0-9A-Za-z]", "", match[0]).upper()
        digits = iter(spelled.get(tight, forms[len(tight)]))
        return "".join(next(digits) if char.isalnum() else char for char in match[0])

    return _pattern(card).sub(written, text)


def _without_secrets(view: Anatomy, cards: set[str]) -> str:
    """The text of *view* without its sensitive data, except *cards*, which may be shown."""
    text, positions = list(view.raw), set[int]()
    for card in cards:
        for match in _pattern(card).finditer(view.raw):
            positions |= set(range(*match.span()))
            if track := re.compile(_TRACK_END).match(view.raw, match.end()):
                positions |= {match.end(), *range(*track.span(1)), *range(*track.span(2))}
    letter = ["X"] * len(text)
    for place in view.places:
        element = spec(view.version).elements[place.number - 1] if 1 < place.number <= 128 else None
        if place.number == _CHIP or (element and element.binary):
            letter[place.value_start : place.end] = "0" * (place.end - place.value_start)
    for start, end in _hidden(view):
        for at in range(start, end):
            if at not in positions and text[at].isalnum():
                text[at] = "0" if text[at].isdigit() else letter[at]
    for start, end in _names(view):
        text[start:end] = "58" * ((end - start) // 2)  # XX
    return "".join(text)


def _names(view: Anatomy) -> Iterator[tuple[int, int]]:
    """The spans of cardholder names in chip data, in hex digits."""
    for place in view.places:
        if place.number == _CHIP:
            chip = chip_data.read(view.value(place))
            for tag in chip.tags:
                if emv.role(tag.tag) == "name" and not tag.constructed:
                    yield place.value_start + tag.value_start, place.value_start + tag.end


_SERVICE = "http://127.0.0.1:8000"
_HEADER = 2  # bytes of the length header, big-endian
_WIDTH = 16  # bytes per line of hex


@dataclass(frozen=True)
class Copied:
    """A message to copy, masked or not. `raw` is its text, valid or broken."""

    raw: str
    version: str
    network: str | None
    masked: bool

    @cached_property
    def text(self) -> str:
        """The text, with test data in place of card data if masked."""
        return with_stand_ins(self.raw, self.version) if self.masked else self.raw

    @cached_property
    def message(self) -> Message | None:
        """The message of the text, None if it does not parse."""
        try:
            return parse(self.text, self.version)
        except ParseError:
            return None

    @property
    def fields(self) -> Mapping[int, str]:
        """The elements of the message."""
        return self.message.fields if self.message else {}

    @property
    def warning(self) -> str:
        """A comment that test data replaces card data, if any; else empty."""
        return "# Card data replaced with test data.\n" if self.text != self.raw else ""


def as_dict(held: Copied) -> dict[str, Any]:
    """MTI and elements by number, as `sim.build` takes them: `{"mti": "0800", "11": "000042"}`, with the
    version if the MTI has another; text and version if it does not parse."""
    if held.message is None:
        return {"text": held.text, "version": held.version}
    mti, version = held.message.mti, held.message.version
    other = {} if version == chosen_version(mti, None) else {"version": version}
    return {"mti": mti, **other, **{str(number): value for number, value in sorted(held.fields.items())}}


def as_json(held: Copied) -> str:
    """`as_dict` as JSON."""
    return json.dumps(as_dict(held), indent=2, ensure_ascii=False)


def as_hex(held: Copied) -> str:
    """The text's bytes after a two-byte length header, in hex, 16 bytes per line. A text that does not begin
    with an MTI has no header, because a reader could not tell it from the message."""
    data, mti = held.text.encode("utf-8", errors="replace"), split(held.text[:MTI_WIDTH])
    has_mti = mti.version and mti.message_class and mti.function and mti.origin  # none of them reserved
    framed = len(data) < 1 << 8 * _HEADER and has_mti
    packet = len(data).to_bytes(_HEADER, "big") + data if framed else data
    return "\n".join(packet[at : at + _WIDTH].hex(" ").upper() for at in range(0, len(packet), _WIDTH))


def as_python(held: Copied) -> str:
    """The call that builds the message."""
    return f"{held.warning}import sim\n\n{_call(held)}\n"


def _call(held: Copied) -> str:
    if held.message is None:
        return f"message = sim.parse({held.text!r}, version={held.version!r})"
    lines = [f"    {number}: {value!r}," for number, value in sorted(held.fields.items())]
    version = "" if chosen_version(held.message.mti, None) == held.version else f", version={held.version!r}"
    return "\n".join(["message = sim.build({", f'    "mti": {held.message.mti!r},', *lines, f"}}{version})"])


def as_curl(held: Copied) -> str:
    """A request to the service's `/validate`."""
    body = {"message": held.text, "version": held.version, "network": held.network}
    data = json.dumps({key: value for key, value in body.items() if value is not None})
    return (
        f"{held.warning}curl -sS {_SERVICE}/validate \\\n"
        f"  -H 'Content-Type: application/json' \\\n  --data {shlex.quote(data)}\n"
    )


def as_pytest(held: Copied) -> str:
    """A test that asserts the current errors of the message, by rule."""
    report = validate(held.text, network=held.network, version=held.version)
    rules = sorted({finding.rule for finding in report.findings if str(finding.severity) == "error"})
    body = _call(held).replace("\n", "\n    ")
    options = f", version={held.version!r}" + (f", network={held.network!r}" if held.network else "")
    return (
        f"{held.warning}import sim\n\n\ndef test_message() -> None:\n"
        f'    """{"Breaks " + ", ".join(rules) if rules else "Breaks no rule"}."""\n'
        f"    {body}\n"
        f"    findings = sim.validate(message{options})\n"
        f'    errors = findings[findings["severity"] == "error"]\n'
        f'    assert sorted(set(errors["rule"])) == {rules!r}\n'
    )


# The forms of a copy: label, file suffix, and function.
FORMS: Mapping[str, tuple[str, str, Callable[[Copied], str]]] = {
    "text": ("text", "txt", lambda held: held.text),
    "hex": ("hex with a length header", "hex", as_hex),
    "json": ("JSON", "json", as_json),
    "python": ("Python: sim.build(...)", "py", as_python),
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
    write = FORMS[choose("form", form, FORMS)][2]
    return write(copied_from(message, version=version, network=network, masked=masked))


def copied_from(message: str | Message, *, version: str | None, network: str | None, masked: bool) -> Copied:
    """*message* as a `Copied`."""
    if isinstance(message, Message):
        return Copied(build(message), version or message.version, network, masked)
    return Copied(message, chosen_version(message, version), network, masked)


def page(body: str, title: str) -> str:
    """HTML as a standalone page, light or dark by the reader's preference.

    Paper and phones have no hover, so full texts replace ellipses; wide content can be scrolled, also by
    keyboard; on a narrow screen, a row is a paragraph: one cell after another.
    """
    style = " ".join(Path(__file__).with_name("page.css").read_text(encoding="utf-8").split())
    name = html.escape(title)
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{name}</title><style>{style}</style></head>\n"
        f'<body>\n<main tabindex="0" aria-label="{name}">\n{body}\n</main>\n</body>\n</html>\n'
    )

"""The shortest edits that make a message read or valid, each tried and each marked safe or unsafe.

Nothing is believed: an edit is kept only when the message reads after it, or has fewer errors and no new
ones. Safe is what changes how something is written (framing, letter case, padding), or takes out
what nobody wants there; unsafe is what makes up a value, or touches a card number, an amount or a currency.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from sim.codec import Message, build
from sim.errors import BITMAP_FIELD, IsoError, element_label
from sim.judge import Finding
from sim.operations.answering import respond
from sim.operations.choosing import chosen_version
from sim.operations.generation import generate
from sim.operations.repairing.reading import Mended, mended
from sim.operations.validation import validate
from sim.spec import ElementSpec
from sim.spec.networks import check_digit
from sim.spec.spellings import network_named

__all__ = ["Edit", "Repair", "repair"]
_KINDS = ("auth", "financial", "advice", "reversal", "echo")
_ENTRIES = ("manual", "stripe", "chip", "contactless", "ecommerce")
_MOST = 24
_NOT_ASKED = "nothing asks for it here"
_SAMPLED = "a value such as a sample message of this kind has"
# Card numbers and what is derived from cards, amounts, currencies: never changed as if it were nothing.
_TENDER = frozenset({2, 4, 5, 6, 8, 9, 10, 14, 28, 29, 30, 31, 34, 35, 36, 45, 49, 50, 51, 52, 54, 55, 95})


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit: of element `field` (0 the MTI, None the whole text), what was done, `before` and `after` as
    they may be shown, `why`, the `rule` that it satisfies, and whether it is `safe`."""

    field: int | None
    name: str
    action: str
    before: str
    after: str
    why: str
    rule: str
    safe: bool


@dataclass(frozen=True, slots=True)
class Repair:
    """What became of a message: `edits` in their order, the `message` after them (None where it still cannot
    be read) and its `text`; `left` are the errors that no edit takes away; `texts` is the text after each
    edit."""

    edits: tuple[Edit, ...]
    message: Message | None
    text: str = field(repr=False)
    version: str = ""
    left: tuple[Finding, ...] = ()
    texts: tuple[str, ...] = field(default=(), repr=False)

    @property
    def valid(self) -> bool:
        """Whether no error is left."""
        return self.message is not None and not self.left

    @property
    def safe(self) -> bool:
        """Whether every edit is safe."""
        return all(edit.safe for edit in self.edits)


def repair(
    message: str | Message, *, version: str | None = None, network: str | None = None, unsafe: bool = True
) -> Repair:
    """Find the shortest edits that make *message* (a text, sound or broken, a paste of bytes, or a
    Message) read or valid, and the errors that are left. *unsafe* False makes no edit but safe ones.
    Raises ChoiceError where no version or network is called that.

    >>> done = repair('"08002020000000000000990000123456"')
    >>> done.valid, [edit.action for edit in done.edits]
    (True, ['stripped'])
    """
    own = None if network is None else network_named(network)
    steps: list[_Step] = []
    if isinstance(message, Message):
        held: Message = message
    else:
        report = validate(message, network=own, version=version)
        if report.message is None:
            where = report.framing.field if report.framing else None
            found = readable(message, chosen_version(message, version), where, unsafe=unsafe)
            if found is None:
                unread = (report.framing,) if report.framing else ()
                return Repair((), None, message, chosen_version(message, version), unread)
            held = found.message
            steps.append((_framing_edit(found), held))
        else:
            held = report.message
    more, left = _valid(held, own, unsafe)
    steps += more
    if steps:
        held = steps[-1][1]
    texts = tuple(_text(one) for _, one in steps)
    return Repair(tuple(edit for edit, _ in steps), held, _text(held), held.version, left, texts)


def _text(message: Message) -> str:
    try:
        return build(message)
    except IsoError:
        return ""


def readable(raw: str, version: str, where: int | None, *, unsafe: bool) -> Mended | None:
    """The text, which stops at element *where*, mended so that it reads: safe ways first, then those that
    leave few errors, then short."""
    best: tuple[tuple[bool, int, int], Mended] | None = None
    for one in mended(raw, version, where):
        if not (one.safe or unsafe):
            continue
        rank = (not one.safe, len(validate(one.message).errors), one.cost)
        if best is None or rank < best[0]:
            best = rank, one
        if rank[:2] == (False, 0):
            break
    return best[1] if best else None


def _framing_edit(one: Mended) -> Edit:
    name = one.message.spec[one.field].name if one.field and one.field > BITMAP_FIELD else "message"
    return Edit(one.field, name, one.action, one.before, one.after, one.why, "framing", one.safe)


_Key = tuple[str, str, str]
# An edit, and the message after it.
_Step = tuple[Edit, Message]


def _errors(message: Message, network: str | None) -> dict[_Key, Finding]:
    found = validate(message, network=network).findings
    return {(one.network, one.rule, one.path): one for one in found if one.is_error}


def _valid(message: Message, network: str | None, unsafe: bool) -> tuple[list[_Step], tuple[Finding, ...]]:
    """The steps that leave as few errors of *message* as edits can."""
    steps: list[_Step] = []
    errors = _errors(message, network)
    while errors and len(steps) < _MOST:
        step = _step(message, network, errors, safe=True) or (
            _step(message, network, errors, safe=False) if unsafe else None
        )
        if step is None:
            break
        message, edit, errors = step
        steps.append((edit, message))
    return steps, tuple(errors.values())


def _step(
    message: Message, network: str | None, errors: dict[_Key, Finding], *, safe: bool
) -> tuple[Message, Edit, dict[_Key, Finding]] | None:
    """The first edit, of the safe ones or of the others, that takes an error away and brings none."""
    for finding in errors.values():
        for changed, action, why in (_safe if safe else _unsafe)(message, finding, network):
            left = _errors(changed, network)
            if len(left) < len(errors) and left.keys() <= errors.keys():
                return changed, _edit(message, changed, finding, action, why, safe), left
    return None


def _edit(message: Message, changed: Message, finding: Finding, action: str, why: str, safe: bool) -> Edit:
    before, after = (_shown(one, finding.field) for one in (message, changed))
    name = finding.name if finding.field is not None else element_label(None)
    return Edit(finding.field, name, action, before, after, why, finding.rule, safe)


def _shown(message: Message, number: int | None) -> str:
    """What stands in an element, as it may be shown."""
    if number is None or number not in message:
        return ""
    return message.masked()[number]


# A message changed, the action, and why.
_Attempt = tuple[Message, str, str]


def _safe(message: Message, finding: Finding, network: str | None) -> Iterator[_Attempt]:
    """What changes how something is written, or takes out what nobody wants there."""
    number = finding.field
    if number is None or number not in message or number in _TENDER:
        return
    yield from _rewrites(message, number)
    if finding.rule == "forbidden-element":
        yield _with(message, number, None), "removed", _NOT_ASKED


def _unsafe(message: Message, finding: Finding, network: str | None) -> Iterator[_Attempt]:
    """What makes up a value, or touches a card number, an amount or a currency."""
    number = finding.field
    if number is None or number <= BITMAP_FIELD:
        return
    value = message.get(number)
    if number in message and number in _TENDER:
        yield from _rewrites(message, number)
    if finding.rule == "luhn" and value.isdigit():
        right = value[:-1] + check_digit(value[:-1])
        yield _with(message, number, right), "changed", "the check digit that the other digits give"
    for donor in _donors(message.mti, message.version, network):
        if number in donor and donor[number] != message.get(number):
            action = "changed" if number in message else "added"
            yield _with(message, number, donor[number]), action, _SAMPLED
    if number in message and (number in _TENDER or finding.rule != "forbidden-element"):
        yield _with(message, number, None), "removed", _NOT_ASKED


def _rewrites(message: Message, number: int) -> Iterator[_Attempt]:
    for changed, why in _rewritten(message[number], message.spec[number]):
        yield _with(message, number, changed), "rewritten", why


def _with(message: Message, number: int, value: str | None) -> Message:
    return message.replace(**{f"de{number}": value})


def _rewritten(value: str, element: ElementSpec) -> Iterator[tuple[str, str]]:
    """The same value, written otherwise."""
    bare = value.strip()
    if element.binary:
        if len(value) % 2:
            yield "0" + value, "whole bytes: a zero in front"
        return
    if value.upper() != value:
        yield value.upper(), "capital letters"
    if bare != value:
        if element.fixed:
            yield bare.rjust(element.width, "0"), "zeros in front instead of blanks"
            yield bare.ljust(element.width), "blanks behind"
        else:
            yield bare, "no blanks around it"
    digits = "".join(char for char in value if char.isdigit())
    if digits != value and len(digits) == len(bare.replace("-", "").replace(".", "").replace(" ", "")):
        yield digits.zfill(element.width) if element.fixed else digits, "digits alone"


@lru_cache(maxsize=64)
def _donors(mti: str, version: str, network: str | None) -> tuple[Message, ...]:
    """Sample messages of the same type: how others of this kind fill an element."""
    found = []
    for kind in _KINDS:
        for entry in _ENTRIES:
            try:
                made = generate(kind, network=network, version=version, entry=entry).message
                if made.mti[1:3] != mti[1:3]:
                    made = respond(made).message
            except IsoError:
                continue
            if made.mti[1:3] == mti[1:3]:
                found.append(made)
    return tuple(found)

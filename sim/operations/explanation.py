"""Explain a message in plain English, by rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sim.codec import Message, build, parse
from sim.codec.message import is_mti
from sim.codec.text import strip_line_ending
from sim.elements.card import chosen_network
from sim.errors import MTI_FIELD
from sim.masking import cover_fields, tells_itself
from sim.operations.anatomy import dissect
from sim.operations.story import tell, tellers
from sim.paste.reading import TEXT, UNSURE, Reading
from sim.paste.worth import oddities
from sim.spec.interfaces import rows_of
from sim.spec.spellings import chosen_version

_OF_THE_MTI = "opening"
_DAMAGED = "The message is truncated or damaged: the values below may be wrong."
# If this many of the values are odd, they are not elements.
_FEW_ODD, _ODD_SHARE, _SHOWN_ODD = 2, 3, 3
SOURCE_RULES = "rules"  # our choice: the contract leaves the values of `source` open


class Told(NamedTuple):
    """A sentence, and the numbers of the elements it covers, ascending; 0 is the MTI."""

    sentence: str
    elements: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """An explanation of a message. `sentences` are in reading order; the first is a warning if the format of
    the message is uncertain. `summary` joins them."""

    message: Message
    network: str | None
    sentences: tuple[str, ...]
    source: str
    warned: bool = False

    @property
    def mti(self) -> str:
        """The message type indicator."""
        return self.message.mti

    @property
    def summary(self) -> str:
        """The whole explanation as one paragraph."""
        return " ".join(self.sentences)

    @property
    def told(self) -> tuple[Told, ...]:
        """The sentences with the numbers of their elements; those of a model have none."""
        if self.source != SOURCE_RULES:
            return tuple(Told(sentence, ()) for sentence in self.sentences)
        warning = tuple(Told(sentence, ()) for sentence in self.sentences[: self.warned])
        return (*warning, *sentences_of(tellable(self.message), rows_of(self.message.spec, self.network)))


def explain(
    message: str | Message | Reading, *, version: str | None = None, network: str | None = None
) -> Explanation:
    """The explanation of *message* (text, Message or Reading) by rules.

    *version* None reads it off the MTI; *network* None is the card's. Raises ParseError for a text that is
    not a message, BuildError for a Message that cannot be written, ChoiceError for an unknown version or
    network. For a Reading, it also covers what does not fit.
    """
    if isinstance(message, Reading):
        view = dissect(message, network=network)
        if view.findings:
            return Explanation(view.message, view.network, (explain_so_far(message),), SOURCE_RULES)
        parsed, network = view.message, view.network
    elif isinstance(message, Message):
        build(message)
        parsed = message
    else:
        raw = strip_line_ending(message)
        parsed = parse(raw, chosen_version(raw, version))
    chosen = chosen_network(parsed, network)
    sentences = tuple(tell(tellable(parsed), rows_of(parsed.spec, chosen)).values())
    warning = _warning(message) if isinstance(message, Reading) else ()
    return Explanation(parsed, chosen, (*warning, *sentences), SOURCE_RULES, bool(warning))


def _warning(reading: Reading) -> tuple[str, ...]:
    """A warning that the guessed format of a message is uncertain, or that a text form that does not fit is
    damaged."""
    if reading.confidence != UNSURE:
        return ()
    if reading.format == TEXT:
        return () if reading.complete else (_DAMAGED,)
    return (f"The format of this message is uncertain ({reading.read_as}): the values below may be wrong.",)


def explain_so_far(reading: Reading, *, stopped: bool = True) -> str:
    """What *reading* says until it misfits, and the misfits; *stopped* False leaves out why reading stopped.
    Card data is masked as in all broken texts. Empty if everything fits.

    >>> from sim.paste.reading import read_text
    >>> explain_so_far(read_text("08002020000000000000990000123456X", "1987")).rpartition(": ")[2]
    'expected the end of the message, found 1 character more.'
    """
    if reading.kind:
        heads = ((f"{piece.name.strip()} {piece.value}".strip(), piece.meaning) for piece in reading.pieces)
        pieces = "; ".join(": ".join(filter(None, pair)) for pair in heads)
        return f"This is not an ISO 8583 message. {reading.reasons[0]}" + (f" {pieces}." if pieces else "")
    view = dissect(reading)
    if not view.findings:
        return ""
    if MTI_FIELD in view.misfits or not (view.message.fields or is_mti(view.message.mti)):
        return f"Nothing could be read: {view.findings[0].message}." if stopped else ""
    covered = {number: value for number, (_, value) in view.covered.items()}
    fields = {
        number: value if tells_itself(number, view.version) else covered[number]
        for number, value in view.message.fields.items()
        if number not in view.misfits
    }
    odd = oddities(view.message) if view.fault else []
    if len(odd) >= _FEW_ODD and _ODD_SHARE * len(odd) >= len(fields):
        details = "; ".join(odd[:_SHOWN_ODD])
        sentences = [f"MTI {view.message.mti} starts a message whose elements do not fit ({details})."]
    else:
        sentences = [*_warning(reading), *tell(replace(view.message, fields=fields), view.rows).values()]
    if stopped:
        head = "Reading stopped" if view.fault else "Omitted, because it does not fit"
        sentences += [f"{head}: {finding.message}." for finding in view.findings]
    return view.hidden_alike(" ".join(sentences))


def tellable(message: Message) -> Message:
    """*message* without card data in elements that should have none, because sentences would repeat it."""
    fields = cover_fields(message.fields, message.version)
    return message if fields is message.fields else replace(message, fields=dict(fields))


class _Noted(dict[int, str]):
    """Data elements that record which of those present were looked up."""

    def __init__(self, fields: dict[int, str]) -> None:
        super().__init__(fields)
        self.seen: set[int] = set()

    def __getitem__(self, number: int) -> str:
        self.seen.add(number)
        return super().__getitem__(number)

    def __contains__(self, number: object) -> bool:
        present = super().__contains__(number)
        if present and isinstance(number, int):
            self.seen.add(number)
        return present

    def get(self, number: int, default: Any = None) -> Any:
        """The value of an element, or *default*."""
        return self[number] if number in self else default  # noqa: SIM401, this defines `get`


def sentences_of(message: Message, network: str | None) -> tuple[Told, ...]:
    """The sentences of `tell` on *message*, each with its elements.

    >>> sentences_of(Message("0800", {11: "000042", 70: "301"}), None)[-1]
    Told(sentence='It can be traced by STAN 000042.', elements=(11,))
    """
    noted = _Noted(message.fields)
    watched = replace(message, fields=noted)
    sentences = []
    for teller in tellers(message, network):
        noted.seen = {MTI_FIELD} if teller.what == _OF_THE_MTI else set()
        if sentence := teller.say(watched, network):
            sentences.append(Told(sentence, tuple(sorted(noted.seen))))
    return tuple(sentences)

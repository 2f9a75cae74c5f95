"""Judge a message by the standard's rules, its network's and others'."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from sim.codec import Message, ParseError, build, parse
from sim.errors import BuildError
from sim.judge import Finding
from sim.judge.kind import Key, Kind, kind_of
from sim.judge.look import look_for, see
from sim.operations.choosing import chosen_network, chosen_version
from sim.operations.framing import framing_finding
from sim.operations.project import strip_line_ending
from sim.operations.verdict import MOST_SAID, VERDICTS, Judgement, Verdict
from sim.spec.networks import NETWORKS
from sim.spec.spellings import network_named, several

SEVERAL = "networks such as VISA and AMEX"


@dataclass(slots=True, eq=False, repr=False)
class Report:
    """The verdict on one message. `asked` are the networks asked for, in the order of NETWORKS. What is
    given is the message, or the text in which it was looked at, or None where a text does not parse."""

    verdict: Verdict
    _given: Message | str | None
    asked: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(valid={self.valid}, message={self.message!r}, asked={self.asked!r})"

    @property
    def message(self) -> Message | None:
        """The message; None where the text does not parse. Read when somebody asks for it, where a text like
        others was all it took to judge it."""
        if isinstance(self._given, str):
            self._given = parse(self._given, self.version)
        return self._given

    @property
    def version(self) -> str:
        """The version the message was read as."""
        return self.verdict.version

    @property
    def network(self) -> str | None:
        """The message's own network: the one given, else its card's."""
        return self.verdict.network

    @property
    def networks(self) -> dict[str, Judgement]:
        """The results of the networks asked for (none when the text does not parse). Other networks'
        results never change `valid`."""
        return self.verdict.results(self.asked)

    @property
    def framing(self) -> Finding | None:
        """What is wrong with a text that does not parse, or with elements that cannot be written."""
        return self.verdict.framing

    @property
    def valid(self) -> bool:
        """Whether neither the standard nor the message's own network has an error."""
        standard, own = self.verdict.standard, self.verdict.own
        return standard is not None and standard.passed and (own is None or own.passed)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The standard's own findings and those of the message's network, warnings and hints included."""
        standard, own, framing = self.verdict.standard, self.verdict.own, self.framing
        if standard is None:
            return (framing,) if framing else ()
        return (*standard.findings, *own.findings) if own else standard.findings

    @property
    def errors(self) -> list[str]:
        """The errors as sentences."""
        standard, own, framing = self.verdict.standard, self.verdict.own, self.verdict.framing
        if standard is None:
            return [framing.message] if framing else []
        return standard.errors + own.errors if own and not own.passed else standard.errors

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """`findings` and what the other networks asked for say."""
        others = (
            finding
            for name, result in self.networks.items()
            if name != self.network
            for finding in result.findings
        )
        return (*self.findings, *others)


def validate(
    message: str | Message,
    *,
    against: Iterable[str] = (),
    network: str | None = None,
    version: str | None = None,
) -> Report:
    """All that is wrong with *message*, which may be text or a Message.

    Checks the standard and the message's own network (*network*, else the card's), and gives a
    result for each network of *against*, for every network when it is empty. *version* None reads
    it off the MTI. A text that does not parse is one finding, never an exception; ChoiceError is
    raised for an unknown version or network.
    """
    asked = _asked(several("against", against, SEVERAL)) if against else NETWORKS
    if network is not None and network not in NETWORKS:
        network = network_named(network)
    if isinstance(message, Message):
        try:
            build(message)
        except BuildError as error:
            return Report(Verdict(message.version, network, framing_finding(error, message.spec)), message)
        return judge(message, network, asked)
    raw = strip_line_ending(message)
    chosen = chosen_version(raw, version)
    if (look := look_for(raw, chosen)) is not None and (seen := look(raw)) is not None:
        key, made = seen
        verdict = VERDICTS.young.get((key, network))
        if verdict is not None and asked in verdict.asked:
            return Report(verdict, made or raw, asked)
        return _told(made or parse(raw, chosen), key, network, asked)
    try:
        parsed = parse(raw, chosen)
    except ParseError as error:
        return Report(Verdict(chosen, network, framing_finding(error, chosen, raw=raw)), None)
    return judge(parsed, network, asked, see if look is None else Kind.look)


@lru_cache(maxsize=64)
def _asked(against: tuple[str, ...]) -> tuple[str, ...]:
    """The networks of *against*, all when it is empty, in the order of NETWORKS."""
    named = {network_named(name, "against") for name in against}
    return tuple(name for name in NETWORKS if name in named) or NETWORKS


def judge(
    message: Message,
    network: str | None,
    asked: tuple[str, ...],
    look: Callable[[Kind, Message], Key] = see,
) -> Report:
    """The report on a message that is well framed; a result per network of *asked*. *look* gives the key that
    its kind sees of it."""
    kind = kind_of(message)
    if kind.lasting:
        return _told(message, look(kind, message), network, asked)
    # Nothing is remembered of it, so it needs no key.
    own = chosen_network(message, network)
    return Report(Verdict.on(message, kind, kind.ask(message), own, asked), message, asked)


def _told(message: Message, key: Key, network: str | None, asked: tuple[str, ...]) -> Report:
    """The report on a message of which *key* was seen, by the verdict that is kept for it or will be."""
    place = key, network
    verdict = VERDICTS.get(place)
    if verdict is None:
        verdict = Verdict.on(message, key[0], key, chosen_network(message, network), asked)
        if len(key[-1]) <= MOST_SAID:
            VERDICTS.keep(place, verdict).kept = True
    elif asked not in verdict.asked:
        verdict.ask(message, asked)
    return Report(verdict, message, asked)

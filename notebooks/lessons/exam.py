"""Notebook 22: the exam. A name gives the paper, so that every student has another one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property, lru_cache

import sim
from lessons.answers import Moment
from lessons.judging import Exercise, Lesson, members, wants
from lessons.names import person
from lessons.paper import chip_request, dice, ruled, signed_amount, story, tags, wanted
from lessons.sheets import facts
from lessons.traffic import NOON
from sim.codec import build
from sim.operations import generate, respond, reverse
from sim.operations.drill.facts import Digits, Fact, NetworkName, Number, YesNo
from sim.spec import lookup

_LINES = 1000
_STARS = 6  # of a card number of 16 digits
_OUTAGES = ("91", "96", "05")
_DECISIONS = ("00", "51", "54", "55", "41", "91")


@dataclass(frozen=True)
class _Key:
    """What one student is asked, all of it from `name`, and so what is right."""

    name: str

    @cached_property
    def signed(self) -> sim.Message:
        """The chip 0100 as the chip signed it."""
        return chip_request(f"exam/{self.name}")

    @cached_property
    def message(self) -> sim.Message:
        """The chip 0100 as it arrived: one time in three, somebody has changed its amount on the way."""
        chance, amount = dice(f"way/{self.name}"), self.signed[4]
        if chance.randrange(3):
            return self.signed
        return self.signed.replace(de4=f"{int(amount) + chance.randint(1, 999) * 5:0{len(amount)}}")

    @cached_property
    def answered(self) -> sim.Message:
        """Its answer."""
        return respond(self.message, dice(f"answer/{self.name}").choice(_DECISIONS)).message

    @cached_property
    def undone(self) -> sim.Message:
        """A reversal of another request."""
        # The 42 digits of DE 90 may look like a card number, which would be starred out: then another one.
        made = (self._reversal(number) for number in range(99))
        return next(one for one in made if sim.mask(one).count("*") == _STARS)

    def _reversal(self, number: int) -> sim.Message:
        chance = dice(f"reversal/{self.name}/{number}")
        at = NOON + timedelta(hours=chance.randint(1, 9))
        kind = chance.choice(("auth", "financial"))
        first = chip_request(f"reversed/{self.name}/{number}", kind)
        return reverse(first, stan=f"{chance.randint(1, 999_999):06}", at=at).message

    @cached_property
    def whole(self) -> str:
        """The echo test that was damaged."""
        chance = dice(f"echo/{self.name}")
        at = NOON + timedelta(minutes=chance.randint(1, 700))
        made = generate("echo", network="VISA", stan=f"{chance.randint(100_000, 999_998)}", at=at)
        return build(made.message)

    @cached_property
    def broken(self) -> str:
        """The echo test, damaged in one of three ways."""
        text, way = self.whole, dice(f"damage/{self.name}").randrange(3)
        if way == 0:
            return f"{len(text):04}{text}"
        if way == 1:
            return text[:47] + text[48:]
        return text[:6] + "3" + text[7:]

    @cached_property
    def incident(self) -> tuple[str, str, str]:
        """Who failed (a network), how (a code) and since when (hhmm, UTC) in the log."""
        chance = dice(f"incident/{self.name}")
        since = NOON.replace(hour=3, minute=chance.randint(1, 29))
        return chance.choice(sim.NETWORKS), chance.choice(_OUTAGES), f"{since:%H%M}"

    @cached_property
    def log(self) -> tuple[str, ...]:
        """A night of a thousand lines, in which one network begins to fail."""
        chance = dice(f"log/{self.name}")
        failing, code, since = self.incident
        seconds = sorted(chance.sample(range(2 * 3600, 4 * 3600), _LINES // 2))
        lines = []
        for number, second in enumerate(seconds, 1):
            at = NOON.replace(hour=0) + timedelta(seconds=second)
            name = chance.choice(sim.NETWORKS)
            asked = generate("auth", network=name, version="1987", stan=f"{number:06}", at=at).message
            usual = chance.choices(["00", "51", "05", "91"], [91, 5, 3, 1])[0]
            fails = name == failing and f"{at:%H%M}" >= since
            lines += [build(asked), build(respond(asked, code if fails else usual).message)]
        return tuple(lines)


@lru_cache(maxsize=64)
def _key(name: str) -> _Key:
    return _Key(name)


def key(student: str) -> _Key:
    """What is right in the paper of *student*. For teachers: marks tell of a submission that asks for it."""
    return _key(person(student))


class Paper:
    """What one student is handed: shown, it is what is asked, and `log` is the night. It holds no answers."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def log(self) -> tuple[str, ...]:
        """The night, a thousand lines."""
        return _key(self.name).log

    def __repr__(self) -> str:
        right = _key(self.name)
        stan, sent = sim.codec.parse(right.whole)[11], sim.codec.parse(right.whole)[7]
        parts = {
            "1 to 3. The request": ruled(right.message),
            "4. The response to it": ruled(right.answered),
            "5. A reversal": ruled(right.undone),
            f"6. An echo test, damaged. It was sent at {sent} (DE 7) with STAN {stan}": right.broken,
        }
        return "\n\n".join(f"{title}\n{text}" for title, text in parts.items())


class Exam(Lesson):
    """The lesson of a student: `paper(name)` chooses whose."""

    by_name = True
    _name = ""

    def paper(self, student: str = "", *, silent: bool = False) -> Paper:
        """The paper of *student*, whose name may be written as people write it; *silent*, and no verdict is
        shown until the papers are marked."""
        self._name = person(student)
        self._silent = silent
        return Paper(self._name)

    def seat(self, student: str) -> None:
        """Judge by the paper of *student*."""
        self.paper(student)

    def __dir__(self) -> list[str]:
        return ["paper"]


def _present() -> _Key:
    """The paper that is being judged."""
    return _key(exam._name)


def _request() -> dict[str, Fact]:
    return story(_present().message)


def _chip() -> dict[str, Fact]:
    paper = _present()
    found = tags(paper.message)
    return {
        "wish": wanted(paper.message),
        "counter": Number(int(found["9F36"], 16)),
        "signed amount": signed_amount(paper.signed, paper.message),
        "agrees": YesNo(found["9F02"] == paper.message[4], "agrees"),
    }


def _answer() -> dict[str, Fact]:
    message = _present().answered
    found = lookup("response_code", message[39], version="1987")
    return {
        "mti": Digits(message.mti),
        "code": Digits(message[39]),
        "approved": YesNo(found is not None and found.kind == "approved", "approved"),
    }


def _reversal() -> dict[str, Fact]:
    message = _present().undone
    return {
        "own stan": Digits(message[11], padded=True),
        "original stan": Digits(message[90][4:10], padded=True),
        "original mti": Digits(message[90][:4]),
    }


def _incident() -> dict[str, Fact]:
    network, code, _ = _present().incident
    log = sim.read(_present().log, progress=False)
    rows = log[(log["network"] == network) & (log["mti"] == "0110")]
    last_good = rows.loc[rows["DE39"] != code].index[-1]
    first = rows.loc[rows.index > last_good, "DE7"].iloc[0][4:8]
    return {"network": NetworkName(network), "code": Digits(code), "since": Moment(first)}


def _mended() -> Exercise:
    def wish_for(message: sim.Message) -> str:
        if build(message) == _present().whole:
            return ""
        return (
            "it can be read, but it is not what was sent. Compare the STAN, time and bitmap with the table."
        )

    return wants(
        wish_for, stronger="A length at the start, a digit lost, or an extra bit: which of the three?"
    )


exam = Exam(
    "exam",
    members(lambda: _present().message.fields, "four bits for each digit of the bitmap, counted from 1."),
    facts(_request),
    facts(_chip),
    facts(_answer),
    facts(_reversal),
    _mended(),
    facts(_incident),
)

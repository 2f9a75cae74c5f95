"""Notebook 22: the exam. A name gives the paper, so that every student has another one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property, lru_cache

import sim
from lessons.judging import Exercise, Lesson, members, wants
from lessons.paper import Ways, chip_request, dice, ruled, story, tags, ways_of_amount, wish
from lessons.sheets import facts
from lessons.traffic import NOON
from sim.codec import build
from sim.operations import generate, respond, reverse
from sim.spec import lookup

_LINES = 1000
_STARS = 6  # of a card number of 16 digits
_OUTAGES = ("91", "96", "05")
_DECISIONS = ("00", "51", "54", "55", "41", "91")


@dataclass(frozen=True)
class Paper:
    """What one student is asked, all of it from `name`."""

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

    def __repr__(self) -> str:
        stan, sent = sim.codec.parse(self.whole)[11], sim.codec.parse(self.whole)[7]
        parts = {
            "1 to 3. The request": ruled(self.message),
            "4. The answer to it": ruled(self.answered),
            "5. A reversal": ruled(self.undone),
            f"6. An echo test, damaged. It was sent at {sent} (DE 7) with STAN {stan}": self.broken,
        }
        return "\n\n".join(f"{title}\n{text}" for title, text in parts.items())


@lru_cache(maxsize=64)
def _paper(name: str) -> Paper:
    return Paper(name)


class Exam(Lesson):
    """The lesson of a student: `paper(name)` chooses whose."""

    name_of_student = ""

    def paper(self, student: str = "") -> Paper:
        """The paper of *student*; letter case and blanks around make no difference."""
        self.name_of_student = student.strip().lower()
        return self.present

    def seat(self, student: str) -> None:
        """Judge by the paper of *student*."""
        self.paper(student)

    @property
    def present(self) -> Paper:
        """The paper that is being judged."""
        return _paper(self.name_of_student)


def _request() -> dict[str, Ways]:
    return story(exam.present.message)


def _chip() -> dict[str, Ways]:
    paper = exam.present
    found = tags(paper.message)
    return {
        "wish": (wish(paper.message), found["9F27"]),
        "counter": (int(found["9F36"], 16),),
        "signed amount": (*ways_of_amount(paper.signed), found["9F02"]),
        "agrees": (found["9F02"] == paper.message[4],),
    }


def _answer() -> dict[str, Ways]:
    message = exam.present.answered
    found = lookup("response_code", message[39], version="1987")
    return {
        "mti": (message.mti,),
        "code": (message[39],),
        "approved": (found is not None and found.kind == "approved",),
    }


def _reversal() -> dict[str, Ways]:
    message = exam.present.undone
    return {
        "own stan": (message[11],),
        "original stan": (message[90][4:10],),
        "original mti": (message[90][:4],),
    }


def _incident() -> dict[str, Ways]:
    network, code, _ = exam.present.incident
    log = sim.read(exam.present.log, progress=False)
    rows = log[(log["network"] == network) & (log["mti"] == "0110")]
    last_good = rows.loc[rows["DE39"] != code].index[-1]
    first = rows.loc[rows.index > last_good, "DE7"].iloc[0][4:8]
    return {"network": (network,), "code": (code,), "since": (first, f"{first[:2]}:{first[2:]}")}


def _mended() -> Exercise:
    def wish_for(message: sim.Message) -> str:
        if build(message) == exam.present.whole:
            return ""
        return (
            "it can be read, but it is not what was sent. Compare STAN, time and bitmap with what is known."
        )

    return wants(
        wish_for, stronger="A length in front, a digit lost, or one bit too many: which of the three?"
    )


exam = Exam(
    "exam",
    members(lambda: exam.present.message.fields, "four bits for each digit of the bitmap, counted from 1."),
    facts(_request),
    facts(_chip),
    facts(_answer),
    facts(_reversal),
    _mended(),
    facts(_incident),
)

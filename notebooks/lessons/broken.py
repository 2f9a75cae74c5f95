"""Notebook 13: three echo tests, each damaged in a way of its own."""

from __future__ import annotations

from datetime import datetime

import sim
from lessons.judging import Exercise, Lesson, Verdict, wants
from lessons.traffic import NOON


def _echo(stan: str, at: datetime) -> str:
    return str(sim.generate("echo", network="VISA", stan=stan, at=at).iso.message)


# The messages that were damaged, each with a STAN and a moment of its own.
ECHOES = (
    _echo("000042", NOON),
    _echo("000097", NOON.replace(hour=14, minute=30)),
    _echo("000311", NOON.replace(hour=18, minute=45, second=10)),
)


def _mended(which: int, hint: str, stronger: str) -> Exercise:
    def wish(message: sim.Message) -> str:
        text = str(sim.build(message))
        if text == ECHOES[which]:
            return ""
        if text in ECHOES:
            return "that is one of the other two messages: each has its own STAN and time."
        wanted = sim.codec.parse(ECHOES[which])
        if message.fields.keys() != wanted.fields.keys():
            return "the bitmap should announce the elements of an echo test: 7, 11 and 70."
        wrong = next((number for number in wanted.fields if message[number] != wanted[number]), 0)
        return f"it can be read, but DE {wrong} is not what was sent. {hint[:1].upper()}{hint[1:]}"

    judged = wants(wish, stronger=stronger)

    def judge(answer: object) -> Verdict:
        found = judged.judge(answer)
        if found.hint.startswith("this text cannot"):
            return Verdict(f"{found.hint} {hint[:1].upper()}{hint[1:]}")
        return found

    return Exercise(judge, stronger)


broken = Lesson(
    "broken",
    _mended(
        0,
        "the message starts with its MTI; remove only what precedes it.",
        "A ten-digit address starting with 60 precedes it.",
    ),
    _mended(
        1,
        "one character is missing: put it back where it was lost.",
        "Which value looks wrong first? The STAN was 000097.",
    ),
    _mended(
        2,
        "the data is correct, but the bitmap is not: clear the bit of the element that was never sent.",
        "The bitmap of an echo test begins with 8220.",
    ),
)

"""Grades the exercises of the notebooks: `check.mti(1, answer)` prints what the answer deserves.

An answer still `...` is "not tried yet", a wrong one gets a hint. What is right is worked out by the
toolkit itself; an exercise that asks for a message accepts every message that does what was asked.
`check.progress()` shows the whole course. The lessons stand in `lessons/`, a file each.
"""

from __future__ import annotations

from lessons import progress as _progress
from lessons.bitmap import bitmap
from lessons.broken import broken
from lessons.by_hand import by_hand
from lessons.card import card
from lessons.chip import chip
from lessons.day import day
from lessons.dialects import dialects
from lessons.dumps import dumps
from lessons.exam import exam
from lessons.generate import generate
from lessons.http import http
from lessons.judging import Lesson
from lessons.keys import keys
from lessons.life import life
from lessons.money import money
from lessons.mti import mti
from lessons.networks import networks
from lessons.panels import panels
from lessons.parser import parser
from lessons.prefixes import prefixes
from lessons.service_point import service_point
from lessons.start import start
from lessons.traffic import a_day
from lessons.validate import validate
from lessons.versions import versions
from lessons.wire import wire

__all__ = ["LESSONS", "Lesson", "a_day", "progress"]

# In the order of the course.
LESSONS: dict[str, Lesson] = {
    lesson.name: lesson
    for lesson in (
        start,
        mti,
        bitmap,
        prefixes,
        generate,
        validate,
        card,
        money,
        networks,
        life,
        service_point,
        chip,
        by_hand,
        versions,
        broken,
        http,
        day,
        panels,
        wire,
        dumps,
        dialects,
        keys,
        parser,
        exam,
    )
}


def progress() -> None:
    """Print which exercises of the whole course have been solved on this computer."""
    print(_progress.table({name: len(lesson) for name, lesson in LESSONS.items()}))

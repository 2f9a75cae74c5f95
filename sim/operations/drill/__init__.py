"""Small questions on each idea of the standard, with levels, a streak and what to read again; and the facts
that an answer states, here and in the exercises of the course.

The same topic, level and seed give the same questions. What is right is worked out by the toolkit.
"""

from __future__ import annotations

from sim.operations.drill.asking import Drill, drill
from sim.operations.drill.facts import Fact, fact
from sim.operations.drill.topics import LEVELS, TOPICS, Question, question

__all__ = ["LEVELS", "TOPICS", "Drill", "Fact", "Question", "drill", "fact", "question"]

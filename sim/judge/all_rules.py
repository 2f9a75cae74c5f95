"""Every rule of the standard, in one list: importing the files of rules enters them."""

from __future__ import annotations

from sim.judge import between, chip, elements, message  # noqa: F401
from sim.judge.rules import OF_EVERY as OF_EVERY
from sim.judge.rules import RULES as RULES

"""Every rule, in one list: importing the files of rules enters them."""

from __future__ import annotations

from sim.judge import (  # noqa: F401
    agreement,
    chip,
    chip_agreement,
    chip_results,
    chip_tags,
    class_codes,
    content,
    contradictions,
    cross,
    days,
    groups,
    layout,
    omissions,
    structure,
)
from sim.judge.engine import RULES as RULES

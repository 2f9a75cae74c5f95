"""What a rule found: the one row shape that tables, panels and JSON project."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from sim.judge.pages import rule_page


class Severity(StrEnum):
    """How bad a finding is. Only errors make a message invalid."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    rank: int  # 0 is the worst


for _rank, _severity in enumerate(Severity):
    _severity.rank = _rank


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem with one message.

    `network` is empty for the standard's own rules. `field` is the data element (0 MTI, 1 bitmap,
    None the whole message), `path` the same down to a tag: `55.9F26`. `start` and `end` bound the
    faulty characters of the text form; both None where something is missing. Texts are masked.
    """

    severity: Severity
    network: str
    field: int | None
    path: str
    name: str
    rule: str
    message: str
    start: int | None
    end: int | None
    expected: str
    found: str
    hint: str
    source: str

    @property
    def is_error(self) -> bool:
        """Whether the finding makes the message invalid."""
        return self.severity is Severity.ERROR

    @property
    def url(self) -> str:
        """The page about its rule; empty where no site of documentation is known, see `sim.judge.pages`."""
        return rule_page(self.rule)


class Hit(NamedTuple):
    """What a rule's check reports: where and what, without the rule's own words.

    `at` and `size` bound the fault inside the element's value, in characters; *size* None is to
    the value's end. `path` names a tag or part inside the element. `found` must be masked.
    `hint` and `severity` replace the rule's own where this case needs another. With a `tag`, `at` counts from
    the value of that tag. `said` is the sentence where
    it is known beforehand: of an element that is not there, so that it names no place.
    """

    field: int | None
    expected: str
    found: str
    at: int = 0
    size: int | None = None
    path: str = ""
    hint: str = ""
    severity: Severity | None = None
    tag: str = ""
    said: str = ""

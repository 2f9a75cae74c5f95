"""What a fault and a broken message are."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

from sim.codec import Message
from sim.judge import Severity

CONTENT, FRAMING = "content", "framing"


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to break a message. `rule` is the id of the rule that finds it, `what` a sentence for
    people. It is possible in `versions` of the standard; `network` is the one it concerns (empty: any).
    `kinds` are the messages it is shown on. `group` says whether the text can still be parsed: `content`,
    or `framing` when not."""

    id: str
    rule: str
    what: str
    versions: tuple[str, ...]
    kinds: tuple[str, ...]
    group: str
    network: str = ""


@dataclass(frozen=True, slots=True)
class Broken:
    """A broken message and the one finding it must cause: `rule`, `severity`, `field` (0 the MTI, 1 the
    bitmap, None the whole message), `path` down to a tag, `start` in `raw` (None where something is
    missing). To be read as `version` on the link of `network`; `original` is the text before the fault,
    `kind` the kind of message that was broken (empty for one of the caller's). `also` names the few rules
    that may say the same of another element."""

    raw: str = dataclasses.field(repr=False)
    version: str
    network: str | None
    fault: str
    rule: str
    severity: Severity
    field: int | None
    path: str
    start: int | None
    what: str
    original: str = dataclasses.field(repr=False)
    kind: str = ""
    also: tuple[str, ...] = ()


# Puts a fault into a message of a network; None where that cannot be done, BuildError where what comes of it
# cannot be written.
Attempt = Callable[[Message, str | None], Broken | None]


def broken(
    fault: Fault,
    original: str,
    raw: str,
    place: tuple[int | None, int | None],
    version: str,
    network: str | None,
    severity: Severity,
    path: str = "",
    also: tuple[str, ...] = (),
) -> Broken:
    """The record of *fault* put into *original*; *place* is field and start of the finding."""
    number, start = place
    return Broken(
        raw=raw,
        version=version,
        network=network,
        fault=fault.id,
        rule=fault.rule,
        severity=severity,
        field=number,
        path=path or ("" if number is None else str(number)),
        start=start,
        what=fault.what,
        original=original,
        also=also,
    )

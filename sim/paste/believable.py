"""Whether the best candidate is a message at all, damaged perhaps, or a chance reading of something else."""

from __future__ import annotations

from sim.paste.anchors import usual
from sim.paste.candidate import Candidate
from sim.paste.front import OFF_BY
from sim.paste.spellings import CUT
from sim.paste.weights import WEIGHTS

_EVIDENCE = WEIGHTS["evidence"]
_EVIDENCE_USUAL = WEIGHTS["evidence_usual"]
_EVIDENCE_FRAMED = WEIGHTS["evidence_framed"]
_FEWEST = 2
_ENOUGH = WEIGHTS["enough"]
# So few of 64 bits are set by chance once in a million million, so few once in a hundred.
_MOST_THIN, _MOST_ROUTED = 8, 23
_FARTHER = 16
_EVIDENCE_THIN = WEIGHTS["evidence_thin"]
_EVIDENCE_ROUTED = WEIGHTS["evidence_routed"]
# What stands in front of messages of ISO 8583 and of hardly anything else.
_ROUTED = frozenset(("tpdu", "tpdu-ascii", "base24", "rbp", "visa", "unionpay", "unionpay-switch"))
# What no other text or bytes begin with: a usual MTI behind it is a message's, whatever its bitmap names.
_PLAIN_HEADS = frozenset(("base24", "a4m", "unionpay-switch"))


def believable(best: Candidate) -> bool:
    """Whether the best candidate is a message at all, damaged perhaps, and no chance reading."""
    # The other text that it stands in says nothing about what reads to its end.
    if best.fits and (best.score >= 0 or best.score - min(best.reading.saved, 0.0) >= _ENOUGH):
        return True
    near = usual(best.anchor.mti) and any(OFF_BY in one for one in best.odd)
    if near and best.steps and not best.steps[0].odd:
        return True
    if _begins_well(best, near) or _only_the_front(best):
        return True
    if best.score < 0 or len(best.steps) < _FEWEST:
        return False
    framed = near or not best.front.unknown
    if usual(best.anchor.mti) and framed:
        sound = any(layer.name and not layer.odd for layer in best.front.layers)
        least = _EVIDENCE_FRAMED if sound else _EVIDENCE_USUAL
    else:
        least = _EVIDENCE
    return best.evidence >= least


def _begins_well(best: Candidate, near: bool) -> bool:
    """Whether what stands in front of the elements is a message's, wherever these stop: a usual MTI behind
    nothing unknown, and a bitmap that bytes hardly have by chance."""
    if not usual(best.anchor.mti) or (best.front.unknown and not near):
        return False
    count = len(best.anchor.numbers)
    if any(layer.name in _PLAIN_HEADS for layer in best.front.layers):
        return count >= _FEWEST
    routed = near or any(layer.name in _ROUTED for layer in best.front.layers)
    routed = routed or (best.front.cut and not best.reading.text) or CUT in best.reading.notes
    if routed and _FEWEST <= count <= _MOST_ROUTED:
        return best.evidence >= _EVIDENCE_ROUTED
    return _FEWEST <= count <= _MOST_THIN and best.evidence >= _EVIDENCE_THIN


def _only_the_front(best: Candidate) -> bool:
    """Whether all is well but what stands in front, which bytes lost or added made unknown."""
    sound = best.complete and best.odd == best.front.odd and best.behind is not None and not best.behind.odd
    thin = _FEWEST <= len(best.anchor.numbers) <= _MOST_THIN
    return sound and thin and usual(best.anchor.mti) and best.front.unknown <= _FARTHER

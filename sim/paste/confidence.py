"""Whether the best candidate is a message at all, perhaps damaged, or a chance reading of something else; how
sure it is, and why. `sure` promises that nothing is odd and that there is no other reading."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sim.paste.anchors import is_known_mti, usual
from sim.paste.candidate import OTHER_CARD, PAGES_DIFFER, Candidate, same
from sim.paste.front import OFF_BY
from sim.paste.reading import HEX_OF_OTHERS, LIKELY, SURE, TEXT, UNSURE, is_hexed
from sim.paste.spellings import CUT, MASKED
from sim.paste.weights import WEIGHTS
from sim.paste.worth import NO_DIGITS

_RIVAL = WEIGHTS["rival"]
_FEW, _FEW_DIALECT, _FEW_FOREIGN = 3, 6, 8
_WRITTEN_OUT = 3  # bytes of a prefix that encodes 0 in this many digits
_SHOWN = 6
_SPOILED = 2  # characters after the text form
_EVIDENCE_USUAL = WEIGHTS["evidence_usual"]
_EVIDENCE_FRAMED = WEIGHTS["evidence_framed"]
_FEWEST = 2
_ENOUGH = WEIGHTS["enough"]
# By chance, so few of 64 bits are set once in 10^12 cases, and so few once in 100.
_MOST_THIN, _MOST_ROUTED = 8, 23
_FARTHER = 16
_EVIDENCE_THIN = WEIGHTS["evidence_thin"]
_EVIDENCE_ROUTED = WEIGHTS["evidence_routed"]
# What precedes ISO 8583 messages and hardly anything else.
_ROUTED = frozenset(("tpdu", "tpdu-ascii", "base24", "rbp", "visa", "unionpay", "unionpay-switch"))
# The begin of a text form: hex digits of other things hardly have so few letters behind 16 of them.
_BEGUN = re.compile(rb"[0-9]{4}([0-9A-Fa-f]{16})[0-9]{12}")
_BLANK = re.compile(rb"\s")
# What no other text or bytes start with: a usual MTI after it is a message's, whatever its bitmap announces.
_PLAIN_HEADS = frozenset(("base24", "a4m", "unionpay-switch"))


def believable(best: Candidate) -> bool:
    """Whether the best candidate is a message, perhaps damaged, and not a chance reading."""
    # The text around it is no evidence against what reads to its end.
    if best.fits and (best.score >= 0 or best.score - min(best.reading.saved, 0.0) >= _ENOUGH):
        return True
    near = usual(best.anchor.mti) and any(OFF_BY in oddity for oddity in best.odd)
    if near and best.steps and not best.steps[0].odd:
        return True
    if _begins_well(best, near) or _only_the_front(best):
        return True
    if best.score < 0 or len(best.steps) < _FEWEST:
        return False
    if not usual(best.anchor.mti) or (best.front.unknown and not near):
        return best.evidence >= 0
    sound = any(layer.name and not layer.odd for layer in best.front.layers)
    return best.evidence >= (_EVIDENCE_FRAMED if sound else _EVIDENCE_USUAL)


def _begins_well(best: Candidate, near: bool) -> bool:
    """Whether what precedes the elements is a message's, wherever they stop: a usual MTI with no unknown
    bytes before it, and a bitmap that bytes hardly have by chance."""
    if not usual(best.anchor.mti) or (best.front.unknown and not near):
        return False
    if best.is_text and not best.anchor.at and _is_begun(best):
        return True
    count = len(best.anchor.numbers)
    if any(layer.name in _PLAIN_HEADS for layer in best.front.layers):
        return count >= _FEWEST
    routed = near or any(layer.name in _ROUTED for layer in best.front.layers)
    routed = routed or (best.front.cut and not best.reading.text) or CUT in best.reading.notes
    if routed and _FEWEST <= count <= _MOST_ROUTED:
        return best.evidence >= _EVIDENCE_ROUTED
    return _FEWEST <= count <= _MOST_THIN and best.evidence >= _EVIDENCE_THIN


def _is_begun(best: Candidate) -> bool:
    """Whether a text form begins the text, with letters in its bitmap, or as all of a paste that is not
    the hex digits of something else."""
    begun = _BEGUN.match(best.data)
    if begun is None or not begun[1].isdigit():
        return begun is not None
    return best.reading.name == TEXT and not is_hexed(
        _BLANK.sub(b"", best.data).decode("latin-1"), whole=False
    )


def _only_the_front(best: Candidate) -> bool:
    """Whether all is well except the framing, which lost or added bytes made unknown."""
    sound = best.complete and best.odd == best.front.odd and best.behind is not None and not best.behind.odd
    thin = _FEWEST <= len(best.anchor.numbers) <= _MOST_THIN
    return sound and thin and usual(best.anchor.mti) and best.front.unknown <= _FARTHER


def judge(best: Candidate, others: Sequence[Candidate]) -> None:
    """Set the confidence and the reasons of *best*, compared with all *others*."""
    rivals = [
        other
        for other in others
        if not same(best, other)
        and (
            _spoiled_text(best, other)
            or (other.fits and (other.score > best.score - _RIVAL or not (other.odd or other.unusual)))
        )
    ]
    _note(best)
    best.reasons = [*best.odd, *best.unusual, *(_beside(best, rival) for rival in rivals[:2])]
    best.confidence = _confidence(best.plainer or best, rivals)
    if best.confidence == SURE:
        best.reasons = ["it reads to the end with nothing unusual, and no other reading gives other values"]


def _note(best: Candidate) -> None:
    """Note what is not odd but leaves little to check, or another explanation."""
    if len(best.steps) < _FEW and not best.is_text:
        best.unusual.append("few elements, so little to check")
    if not is_known_mti(best.anchor.mti):
        best.unusual.append(f"MTI {best.anchor.mti} is not a usual one")
    if best.is_text and not best.fits and is_hexed(best.data.decode("latin-1"), whole=False):
        best.unusual.append(HEX_OF_OTHERS)


def _spoiled_text(best: Candidate, other: Candidate) -> bool:
    """Whether *best* are bytes whose hex digits are the text form, too, but for one or two digits more: a
    digit typed twice makes such bytes."""
    left = other.behind.size if other.behind and not other.behind.name else 0
    whole = other.is_text and other.complete and not other.anchor.at and 0 < left <= _SPOILED
    return whole and not best.reading.text and len(other.odd) == 1


def _beside(best: Candidate, rival: Candidate) -> str:
    mine, theirs = best.message.fields, rival.message.fields
    differ = [f"DE {number}" for number in sorted({*mine, *theirs}) if mine.get(number) != theirs.get(number)]
    where = ", ".join(differ[:_SHOWN]) or "the MTI"
    how = "to the end as well" if rival.fits else "to the end but for a digit or two"
    verb = "differ" if len(differ) > 1 else "differs"
    return f"{rival.title} {rival.version} reads {how}, with MTI {rival.anchor.mti}; {where} {verb}"


def _confidence(best: Candidate, rivals: Sequence[Candidate]) -> str:
    if not best.fits or len(best.odd) > 1 or any(OFF_BY in oddity for oddity in best.odd):
        return UNSURE
    if any(_as_good(rival, best) or not rival.fits for rival in rivals):
        return UNSURE
    if (best.odd and _is_doubtful(best, bool(rivals))) or _is_brittle(best):
        return UNSURE
    return LIKELY if best.odd or best.unusual or rivals else SURE


def _is_doubtful(best: Candidate, rivaled: bool) -> bool:
    """Whether more speaks against a reading that fits than its one oddity."""
    content = any(oddity.startswith("DE ") for oddity in best.odd)
    blind = any(not layer.name and "'" not in layer.label for layer in best.front.layers)
    shaky = bool(best.dialect) or not content or best.foreign
    return (
        rivaled
        or bool(set(best.unusual) - {*best.padding.unsettled, *best.reading.notes})
        or any(step.odd and (step.way.change or step.odd.endswith(NO_DIGITS)) for step in best.steps)
        or (shaky and (content or bool(best.dialect) or best.foreign or blind))
        or (content and best.reading.text and best.reading.saved < 0)
    )


def _is_brittle(best: Candidate) -> bool:
    """Whether a lost, added or flipped byte or bit turns another message into such a reading, which reads to
    its end with no sign that it is not what was sent."""
    framed, count = any(layer.is_length for layer in best.front.layers), len(best.steps)
    fill = best.behind is not None and best.behind.name == "fill" and best.behind.size == 1
    ends_in_digits = best.reading.text and best.steps[-1:] and best.steps[-1].value.isdigit()
    empty = [step for step in best.steps if step.start == step.end]
    unmarked = any(step.way.field.prefix < _WRITTEN_OUT for step in empty)
    mti = best.anchor.mti
    # The usual MTI of an acquirer is the most that a few elements can support.
    few = count < _FEW and not best.is_text and not (usual(mti) and mti[3] == "0")
    thin = count < _FEW_FOREIGN and (best.foreign or unmarked or bool(best.front.unknown))
    # Characters in place of packed digits are not such digits with a byte lost or added.
    moved = any(step.way.note and (step.way.change or {}).keys() != {"written"} for step in best.steps)
    alone = moved or few or thin
    return (
        bool(best.padding.doubtful)
        or (fill and not ends_in_digits)
        or len(empty) > 1
        or not {PAGES_DIFFER, OTHER_CARD, MASKED}.isdisjoint((*best.unusual, *best.reading.notes))
        or len(best.dialect) > 1
        or (bool(best.dialect) and (count < _FEW_DIALECT or not (usual(mti) and is_known_mti(mti))))
        or (alone and not framed)
    )


def _as_good(rival: Candidate, best: Candidate) -> bool:
    near = rival.score > best.score - _RIVAL
    return near and len(rival.odd) <= len(best.odd) and len(rival.dialect) <= len(best.dialect)

"""A plan as it is shown while it is typed: the words that were understood, each with its option."""

from __future__ import annotations

from collections.abc import Iterator

from sim.exchanges.plan import Plan, shown
from sim.verbs import verb
from sim.widgets.markup import hint, joined, markup, wrong

_BETWEEN = " … "
_TITLES = {one.name: one.label for name in ("exchange", "generate") for one in verb(name).options}


def planned(plan: Plan) -> str:
    """*plan* as HTML: its text with the words underlined, what they give, what was assumed, what is
    unclear."""
    text = shown(plan.text)
    parts, at = [], 0
    for start, end, title, known in _spans(plan, text):
        parts += [text[at:start], markup("u" if known else "mark", text[start:end], title=title)]
        at = end
    rows = [
        joined(
            markup("dt", shown(words)),
            markup("dd", f"{_TITLES.get(name, name)}: {shown(str(value))}"),
        )
        for _, _, name, value, words in plan.rows()
        if words
    ]
    said = [hint(f"Assumed: {note}.") for note in plan.notes]
    if plan.cost:
        said.append(hint(plan.cost))
    if plan.unclear:
        said.append(wrong(f"Not understood: {shown('; '.join(plan.unclear))}.", "p"))
    elif plan.not_possible:
        said.append(wrong(f"Not possible: {plan.not_possible}.", "p"))
    told = markup("p", joined(*parts, text[at:]), "iso-planned")
    return told + markup("dl", joined(*dict.fromkeys(rows)), "iso-plan") + "".join(said)


def _spans(plan: Plan, text: str) -> Iterator[tuple[int, int, str, bool]]:
    """Where words of the plan stand in *text*: start, end, what they give, whether they were understood."""
    found: dict[tuple[int, int], tuple[list[str], bool]] = {}
    said = [(words, f"{_TITLES.get(name, name)}: {shown(str(value))}", True)
            for _, _, name, value, words in plan.rows()]  # fmt: skip
    said += [(words, "not understood", False) for words in plan.unclear]
    for words, title, known in said:
        for part in filter(None, shown(words).split(_BETWEEN)):
            at = text.find(part)
            if at >= 0:
                titles, _ = found.setdefault((at, at + len(part)), ([], known))
                titles.append(title)
    last = 0
    for (start, end), (titles, known) in sorted(found.items()):
        if start >= last:
            yield start, end, ", ".join(dict.fromkeys(titles)), known
            last = end

"""Traffic as a line of small bars, from the first message of a log to its last."""

from __future__ import annotations

_HEIGHT = 40


def sparkline(whole: list[int], bad: list[int]) -> str:
    """Bars of how many messages stand where, the bad ones in front, as SVG with its meaning in words."""
    most = max(whole, default=0)
    if not most:
        return ""
    bars = [_bar(at, count, most, "all") for at, count in enumerate(whole) if count]
    bars += [_bar(at, count, most, "bad") for at, count in enumerate(bad) if count]
    words = (
        f"Where in the log: {len(whole)} equal parts, at most {most:,} messages in one; "
        f"invalid ones at the bottom, {sum(bad):,} in all."
    )
    box = f'viewBox="0 0 {len(whole)} {_HEIGHT}" preserveAspectRatio="none"'
    return f'<svg {box} role="img" aria-label="{words}"><title>{words}</title>{"".join(bars)}</svg>'


def _bar(at: int, count: int, most: int, kind: str) -> str:
    tall = max(_HEIGHT * count / most, 1)
    return f'<rect class="{kind}" x="{at}" y="{_HEIGHT - tall:.1f}" width="0.9" height="{tall:.1f}"/>'

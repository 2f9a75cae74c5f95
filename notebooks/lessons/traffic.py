"""Made-up traffic for the notebooks: always the same, as long as the toolkit is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from random import Random

from sim.operations import generate, respond
from sim.spec.networks import NETWORKS

NOON = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)


@cache
def a_day(purchases: int = 300) -> tuple[str, ...]:
    """The log of a made-up day, always the same: purchases, most of them answered; two lines broken."""
    dice = Random(8583)  # noqa: S311, made up on purpose
    seconds = sorted(int(dice.triangular(6 * 3600, 23 * 3600, 17 * 3600)) for _ in range(purchases))
    lines = []
    for number, second in enumerate(seconds, 1):
        name = dice.choice(NETWORKS)
        request = generate(
            network=name,
            version="1987",
            amount_minor_units=dice.randint(150, 25_000),
            currency="JPY" if name == "JCB" else "USD",
            stan=f"{number:06}",
            at=NOON.replace(hour=0) + timedelta(seconds=second),
            entry=dice.choice(["chip", "contactless", "contactless", "ecommerce"]),
        )
        lines.append(request.raw)
        code = dice.choices(["00", "51", "05", "54", ""], [88, 6, 3, 1, 2])[0]
        if code:
            lines.append(respond(request.message, code).raw)
    lines[100], lines[200] = lines[100][:90], "0191" + lines[200]
    return tuple(lines)

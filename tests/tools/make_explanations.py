"""Write the golden file of explanations: `python tests/tools/make_explanations.py`, then read the difference.

`tests/operations/explanations.jsonl` has one message a line with the paragraph that explain gives.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support import AT, VECTORS

from sim.codec import Message, build
from sim.operations import explain, generate, respond, reverse

GOLDEN = Path(__file__).parents[1] / "operations" / "explanations.jsonl"
# Vectors that differ in kind, version, network, currency, entry or outcome.
_IDS = """
    m0001 m0002 m0004 m0006 m0007 m0009 m0011 m0014 m0015 m0018 m0020 m0021 m0024 m0132 m0213 m0260 m0295
    m0301 m0311 m0312 m0313 m0314 m0677 m0680 m0683 m0689 m0727 m0739 m0742 m0748 m0780 m0792 m0834
""".split()  # noqa: SIM905, thirty-three quoted ids would be harder to read


def messages() -> list[tuple[str, str, str]]:
    """Title, version and raw text of every message of the golden file."""
    rows: dict[str, dict[str, Any]] = {row["id"]: row for row in VECTORS}
    told = [(f"{one} {rows[one]['kind']}", rows[one]["version"], rows[one]["message"]) for one in _IDS]
    return told + [(title, message.version, build(message)) for title, message in _generated()]


def _generated() -> list[tuple[str, Message]]:
    def make(kind: str = "auth", **options: Any) -> Message:
        return generate(kind, at=AT, **options).message

    purchase = make()
    return [
        ("yen, keyed", make(currency="JPY", amount_minor_units=5000)),
        ("dinar, contactless", make(currency="KWD", amount_minor_units=12345, entry="contactless")),
        ("Chilean peso, e-commerce", make(currency="CLP", amount_minor_units=99990, entry="ecommerce")),
        (
            "dong, stripe, Mastercard",
            make(currency="VND", amount_minor_units=1500000, entry="stripe", network="MASTERCARD"),
        ),
        (
            "cash withdrawal, chip, UnionPay",
            make("financial", purpose="cash", entry="chip", network="UNIONPAY"),
        ),
        ("refund, JCB", make("financial", purpose="refund", network="JCB")),
        ("balance inquiry, 1993, Amex", make(purpose="balance", version="1993", network="AMEX")),
        ("lost card", respond(purchase, "41").message),
        ("call the issuer", respond(purchase, "01").message),
        ("unknown code", respond(purchase, "ZZ").message),
        ("reversal of a purchase", reverse(purchase).message),
        ("stand-in advice, 2003, Discover", make("advice", version="2003", network="DISCOVER")),
        ("echo, 1993", make("echo", version="1993")),
    ]


def explained() -> list[dict[str, str]]:
    """The rows of the golden file as explain gives them now."""
    return [
        {"title": title, "version": version, "message": raw, "summary": explain(raw, version=version).summary}
        for title, version, raw in messages()
    ]


if __name__ == "__main__":
    GOLDEN.write_text("".join(json.dumps(row) + "\n" for row in explained()), encoding="utf-8")

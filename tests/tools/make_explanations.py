"""Write the golden file of explanations: `python tests/tools/make_explanations.py`, then read the difference.

`tests/operations/explanations.jsonl` has one message a line with the paragraph that explain gives.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from sim.codec import Message, build
from sim.operations import NETWORKS, explain, generate, respond, reverse
from sim.operations.generation import native_version
from sim.spec.tables import read_toml

sys.path[:0] = [str(Path(__file__).parents[1])]
from combined import combinations  # noqa: E402
from support import AT, VECTORS  # noqa: E402

GOLDEN = Path(__file__).parents[1] / "operations" / "explanations.jsonl"
TEMPLATES = read_toml("templates")
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


def _make(kind: str = "auth", **options: Any) -> Message:
    return generate(kind, at=AT, **options).message


def _with(message: Message, **values: str) -> Message:
    """*message* with other elements: `de44="5Y"`."""
    return message.replace(**values)


def _generated() -> list[tuple[str, Message]]:
    return [
        *_plain(),
        *_answers(),
        *_by_network(),
        *_own_parts(),
        *_odd(),
        *_purposes(),
        *_declines(),
        *_replies(),
    ]


def _plain() -> list[tuple[str, Message]]:
    return [
        ("yen, keyed", _make(currency="JPY", amount_minor_units=5000)),
        ("dinar, contactless", _make(currency="KWD", amount_minor_units=12345, entry="contactless")),
        ("Chilean peso, e-commerce", _make(currency="CLP", amount_minor_units=99990, entry="ecommerce")),
        (
            "dong, stripe, Mastercard",
            _make(currency="VND", amount_minor_units=1500000, entry="stripe", network="MASTERCARD"),
        ),
        (
            "cash withdrawal, chip, UnionPay",
            _make("financial", purpose="cash", entry="chip", network="UNIONPAY"),
        ),
        ("refund, JCB", _make("financial", purpose="refund", network="JCB")),
        ("balance inquiry, 1993, Amex", _make(purpose="balance", version="1993", network="AMEX")),
        ("stand-in advice, 2003, Discover", _make("advice", version="2003", network="DISCOVER")),
        ("echo, 1993", _make("echo", version="1993")),
    ]


def _answers() -> list[tuple[str, Message]]:
    purchase, cash = _make(), _make("financial", purpose="cash", entry="chip")
    later = _make(version="1993", network="AMEX")
    return [
        ("lost card", respond(purchase, "41").message),
        ("call the issuer", respond(purchase, "01").message),
        ("unknown code", respond(purchase, "ZZ").message),
        ("issuer out of reach", respond(purchase, "91").message),
        ("reversal of a purchase", reverse(purchase).message),
        ("answer to that reversal", respond(reverse(purchase).message).message),
        ("cash approved", respond(cash).message),
        ("cash declined", respond(cash, "51").message),
        ("refund approved", respond(_make("financial", purpose="refund")).message),
        ("balance approved", respond(_make(purpose="balance")).message),
        ("cash back approved", respond(_make(purpose="cashback")).message),
        ("partial approval", _with(respond(purchase).message, de39="10", de54="0057840C000000002000")),
        (
            "partial approval, 1993",
            _with(respond(later).message, de39="002", de30="000000002000000000000000"),
        ),
        ("account verified", _with(respond(purchase).message, de4="0" * 12, de39="85")),
        ("advice acknowledged, 1987", respond(_make("advice")).message),
        ("advice acknowledged, 1993", respond(_make("advice", version="1993")).message),
        ("advice acknowledged, 2003", respond(_make("advice", version="2003")).message),
        ("echo answered", respond(_make("echo")).message),
        ("echo answered, 1993", respond(_make("echo", version="1993")).message),
        ("sign-on answered", _with(respond(_make("echo")).message, de70="001")),
    ]


def _by_network() -> list[tuple[str, Message]]:
    made = []
    for network, version in (
        ("VISA", "1987"),
        ("MASTERCARD", "1987"),
        ("AMEX", "1993"),
        ("DISCOVER", "1993"),
        ("JCB", "1987"),
        ("UNIONPAY", "1987"),
    ):
        options = {"network": network, "version": version}
        made += [
            (f"{network}, {entry}", _make(entry=entry, **options))
            for entry in ("chip", "contactless", "ecommerce")
        ]
        made.append((f"{network}, reversal", _make("reversal", **options)))
        made.append(
            (
                f"{network}, 2003, cash at a machine",
                _make("financial", network=network, version="2003", purpose="cash", entry="chip"),
            )
        )
    return made


def _own_parts() -> list[tuple[str, Message]]:
    """Elements that a network lays out itself: checks, 3-D Secure, card on file, tokens."""
    visa, mastercard = _make(entry="ecommerce"), _make(entry="ecommerce", network="MASTERCARD")
    amex = _make(entry="ecommerce", version="1993", network="AMEX")
    stored = "T" + "22080504C101" + "42070103212" + "610500001"
    return [
        ("Visa, 3-D Secure, card on file", _with(visa, de60="000000000510", de126="0008000000000000C")),
        ("Visa, recurring", _with(visa, de22="100", de60="000000000200", de126="0008000000000000R")),
        ("Visa, results of checks", _with(respond(visa).message, de44="5Y  2 2   M  2")),
        ("Visa, address does not match", _with(respond(visa, "05").message, de44="5N       N")),
        ("Visa, telephone order", _with(_make(), de25="08", de60="0000000001")),
        ("Visa, account verification", _with(_make(), de4="0" * 12, de25="51")),
        ("Mastercard, 3-D Secure, card on file", _with(mastercard, de48=stored)),
        (
            "Mastercard, results of checks",
            _with(respond(mastercard).message, de48="T8301Y8701M8402242002TV"[:15]),
        ),
        ("Mastercard, stop recurring", _with(respond(mastercard, "05").message, de48="840221")),
        ("Mastercard, pre-authorization", _with(_make(network="MASTERCARD"), de61="000000400060784010001")),
        ("Mastercard, account status", _with(_make(network="MASTERCARD"), de4="0" * 12, de61="00000080006")),
        ("Amex, 3-D Secure", _with(amex, de61="AXASK05AEVV" + "0" * 40)),
        ("Amex, results of checks", _with(respond(amex).message, de44="YY")),
        (
            "Discover, results of checks",
            _with(respond(_make(network="DISCOVER", version="1987")).message, de44="AM"),
        ),
        ("JCB, pre-authorization", _with(_make(network="JCB"), de61="001840")),
        ("UnionPay, e-commerce", _with(_make("financial", network="UNIONPAY"), de60="0000000000600050")),
    ]


def _odd() -> list[tuple[str, Message]]:
    purchase = _make()
    undone = reverse(purchase).message
    return [
        ("partial reversal", _with(undone, de95="000000000400" + "0" * 30)),
        ("reversal of nothing", _with(undone, de90="0" * 42, de95=f"{undone[4]}{'0' * 30}")),
        ("transfer", _with(_make("financial"), de3="401020", de102="ACCOUNT-1", de103="ACCOUNT-2")),
        ("PIN online", _with(_make("financial", entry="stripe", purpose="cash"), de52="0123456789ABCDEF")),
        ("sign-off", _with(_make("echo"), de70="002")),
        ("key exchange", _with(_make("echo"), de70="161")),
        ("cutover, 1993", _with(_make("echo", version="1993"), de24="821")),
    ]


def _purposes() -> list[tuple[str, Message]]:
    """Each purpose on each network whose way of saying it is known, in the network's own version."""
    made = []
    for name in NETWORKS:
        version = native_version(name, None)
        for kind, purpose, entry in combinations(name, version):
            usual = TEMPLATES["purposes"][purpose]
            alone = TEMPLATES["kinds"][kind].get("alone")
            if alone or (kind == usual["kinds"][0] and entry == usual["entry"] and purpose != "purchase"):
                title = f"{name}, {kind if alone else purpose}"
                made.append((title, _make(kind, network=name, version=version, purpose=purpose, entry=entry)))
    return made


def _replies() -> list[tuple[str, Message]]:
    """Answers to what is no sale, approved and declined; parts undone; tokens and checks."""
    made = []
    for name in NETWORKS:
        version = native_version(name, None)
        declined = {"1987": "05", "1993": "100"}[version]
        for kind, purpose, entry in combinations(name, version):
            usual, alone = TEMPLATES["purposes"][purpose], TEMPLATES["kinds"][kind].get("alone")
            if not alone and (kind, entry) != (usual["kinds"][0], usual["entry"]):
                continue
            asked = _make(kind, network=name, version=version, purpose=purpose, entry=entry)
            title = f"{name}, answer to {kind if alone else purpose}"
            if alone and kind not in ("echo", "sign_on", "sign_off"):
                made.append((title, respond(asked).message))
            elif not alone and purpose not in ("purchase", "completion", "dcc", "recurring", "instalment"):
                made.append((title, respond(asked).message))
                made.append((f"{title}: declined", respond(asked, declined).message))
        bought = _make(network=name, version=version, entry="chip")
        made.append((f"{name}, a part undone", reverse(bought, final_amount_minor_units=400).message))
    for name, details in (
        ("VISA", {"token": True, "three_d_secure": "authenticated"}),
        ("MASTERCARD", {"token": True, "three_d_secure": "authenticated"}),
        ("AMEX", {"postal_code": "10001", "cvv2": "1234"}),
        ("JCB", {"three_d_secure": "attempted", "cvv2": "123"}),
        ("UNIONPAY", {"token": True}),
    ):
        version = native_version(name, None)
        paid = _make(network=name, version=version, entry="ecommerce", details=details)
        made += [(f"{name}, {' and '.join(details)}", paid), (f"{name}, its answer", respond(paid).message)]
    return made


def _declines() -> list[tuple[str, Message]]:
    """Answers that tell who decided, and what can be done."""
    visa, amex = _make(entry="chip"), _make(version="1993", network="AMEX")
    atm, later = _make("financial", purpose="cash", entry="chip"), _make(version="2003")
    codes = ("14", "15", "54", "55", "75", "91", "1A", "N7", "R0", "Z3")
    return [
        *((f"Visa declines, {code}", respond(visa, code).message) for code in codes),
        ("Visa stands in", _with(respond(visa, "05").message, de44="4")),
        ("too much cash", respond(atm, "61").message),
        *((f"Amex declines, {code}", respond(amex, code).message) for code in ("106", "112", "122")),
        *((f"2003 declines, {code}", respond(later, code).message) for code in ("1017", "1064")),
    ]


def explained() -> list[dict[str, str]]:
    """The rows of the golden file as explain gives them now."""
    return [
        {"title": title, "version": version, "message": raw, "summary": explain(raw, version=version).summary}
        for title, version, raw in messages()
    ]


if __name__ == "__main__":
    GOLDEN.write_text("".join(json.dumps(row) + "\n" for row in explained()), encoding="utf-8")

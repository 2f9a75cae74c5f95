"""Whose card a number is, what a network says of it, and the published test cards."""

from __future__ import annotations

import re
from collections import Counter

from support import together

from sim.spec import networks
from sim.spec.networks import NETWORKS, network
from sim.spec.tables import read_csv, read_toml

CONFIDENCES = {"published", "secondary"}

DETECTED = [
    ("220499", None, "Mir"),
    ("220500", None, None),
    ("222099", None, None),
    ("222100", "MASTERCARD", "Mastercard"),
    ("272099", "MASTERCARD", "Mastercard"),
    ("272100", None, None),
    ("509999", None, "Maestro or national scheme"),
    ("510000", "MASTERCARD", "Mastercard"),
    ("559999", "MASTERCARD", "Mastercard"),
    ("560000", None, "Maestro"),
    ("590000", None, None),
    ("340000", "AMEX", "American Express"),
    ("350000", None, None),
    ("352799", None, None),
    ("352800", "JCB", "JCB"),
    ("358999", "JCB", "JCB"),
    ("359000", None, None),
    ("360000", "DISCOVER", "Diners Club"),
    ("379999", "AMEX", "American Express"),
    ("380000", "DISCOVER", "Diners Club"),
    ("299999", None, None),
    ("300000", "DISCOVER", "Diners Club"),
    ("305999", "DISCOVER", "Diners Club"),
    ("306000", None, None),
    ("308800", "JCB", "JCB"),
    ("309499", "JCB", "JCB"),
    ("309500", "DISCOVER", "Diners Club"),
    ("309600", "JCB", "JCB"),
    ("310300", None, None),
    ("333700", "JCB", "JCB"),
    ("334999", "JCB", "JCB"),
    ("335000", None, None),
    ("213100", "JCB", "JCB"),
    ("213200", None, None),
    ("180000", "JCB", "JCB"),
    ("400000", "VISA", "Visa"),
    ("601099", None, "Maestro or national scheme"),
    ("601100", "DISCOVER", "Discover"),
    ("601200", None, "Maestro or national scheme"),
    ("622125", "UNIONPAY", "UnionPay"),
    ("622126", "UNIONPAY", "UnionPay"),
    ("622925", "UNIONPAY", "UnionPay"),
    ("622926", "UNIONPAY", "UnionPay"),
    ("643999", None, "Maestro or national scheme"),
    ("644000", "DISCOVER", "Discover"),
    ("649999", "DISCOVER", "Discover"),
    ("650000", "DISCOVER", "Discover"),
    ("660000", None, "Maestro or national scheme"),
    ("809999", None, None),
    ("810000", "UNIONPAY", "UnionPay"),
    ("817199", "UNIONPAY", "UnionPay"),
    ("817200", None, None),
    ("000000", None, None),
    ("999999", None, None),
    ("4", "VISA", "Visa"),
    ("", None, None),
]


# --- Test cards ---


def luhn(pan: str) -> bool:
    """The check digit rule, written out."""
    doubled = [int(digit) * (1 + at % 2) for at, digit in enumerate(reversed(pan))]
    return sum(value // 10 + value % 10 for value in doubled) % 10 == 0


def test_test_cards_are_what_they_say() -> None:
    """Numbers are unique, their length, check digit and detected network are as written."""
    cards = networks.test_cards()
    assert len({card.pan for card in cards}) == len(cards) == len(read_csv("networks/test_cards"))
    for row, card in zip(read_csv("networks/test_cards"), cards, strict=True):
        assert len(card.pan) == int(row["length"])
        assert luhn(card.pan) == card.luhn
        found = networks.detect(card.pan)
        assert ((found and found.network) or "") == card.detected, row
        assert (card.network != card.detected) == bool(card.exception), row
        assert card.confidence in CONFIDENCES


def test_test_cards_are_allowed_on_their_network() -> None:
    """No published test card is refused by its own network; co-brands and one-list ranges warn."""
    severities = Counter(
        networks.judge(card.network, card.pan).severity for card in networks.test_cards() if card.network
    )
    assert severities["error"] == 0
    assert severities["warning"] == 3
    assert severities[None] > 75


def test_default_cards() -> None:
    """Each network has one default: a published number that its own network takes without a word."""
    for name in NETWORKS:
        assert [card for card in networks.test_cards(name) if card.default] == [networks.default_card(name)]
        card = networks.default_card(name)
        assert card.luhn
        assert card.confidence == "published"
        assert networks.judge(name, card.pan).severity is None
        assert len(card.pan) == (15 if name == "AMEX" else 16)
    assert networks.default_card("VISA").pan == "4111111111111111"


def test_card_repr_holds_no_number() -> None:
    """The repr of a test card does not show the number."""
    card = networks.default_card("VISA")
    assert card.pan not in repr(card)


# --- Detection and verdicts ---


@together("prefix, owner, brand", DETECTED)
def test_detection_boundaries(prefix: str, owner: str | None, brand: str | None) -> None:
    """The longest known prefix decides, to the last digit of each range."""
    found = networks.detect(prefix.ljust(16, "0") if len(prefix) == 6 else prefix)
    assert (found and found.network, found and found.brand) == (owner, brand)


def test_detection_agrees_with_the_ranges() -> None:
    """At both ends of every range, and one beyond, detection says what a scan of all ranges says."""
    titles = {name: network(name).title for name in NETWORKS}
    owned = [
        (block.low, block.high, name, block.brand)
        for name in NETWORKS
        for block in network(name).ranges
        if block.brand == titles[name] or block.brand not in titles.values()
    ]
    other = [(row["low"], row["high"], None, row["brand"]) for row in read_toml("networks/other")["ranges"]]
    edges = {
        int(low.ljust(6, "0")) - step for low, *_ in owned + other for step in (0, 1)
    } | {int(high.ljust(6, "9")) + step for _, high, *_ in owned + other for step in (0, 1)}  # fmt: skip
    for iin in (f"{edge:06}" for edge in edges if edge < 1_000_000):
        hits = [row for row in owned + other if row[0] <= iin[: len(row[0])] <= row[1]]
        best = max(hits, key=lambda row: (len(row[0]), row[2] is not None), default=(None,) * 4)
        found = networks.detect(iin + "0" * 10)
        assert (found and found.network, found and found.brand) == best[2:], iin


def test_no_prefix_has_two_owners() -> None:
    """Two networks never claim the same card by ranges of equal prefix length."""
    titles = {name: network(name).title for name in NETWORKS}
    own = [(n, b) for n in NETWORKS for b in network(n).ranges if b.brand in (titles[n], "Diners Club")]
    for name, block in own:
        for other, rival in own:
            if name < other and len(block.low) == len(rival.low):
                assert block.high < rival.low or rival.high < block.low, (name, other, block.low)


@together(
    "name, pan, severity",
    [
        ("VISA", "4111111111111111", None),
        ("VISA", "41111111", "error"),
        ("VISA", "5555555555554444", "error"),
        ("MASTERCARD", "4111111111111111", "error"),
        ("MASTERCARD", "6304000000000000", "info"),
        ("VISA", "6304000000000000", "error"),
        ("MASTERCARD", "2200000000000000", "error"),
        ("AMEX", "378282246310005", None),
        ("AMEX", "3782822463100050", "error"),
        ("DISCOVER", "378282246310005", "error"),
        ("DISCOVER", "3530111333300000", "info"),
        ("DISCOVER", "36227206271667", "info"),
        ("DISCOVER", "6221261111117766", "info"),
        ("DISCOVER", "62123456789002", "info"),
        ("DISCOVER", "2131000000000008", "warning"),
        ("DISCOVER", "9999999999999995", "error"),
        ("DISCOVER", "60111111111111", "error"),
        ("JCB", "2131000000000008", "info"),
        ("JCB", "3088000000000017", "warning"),
        ("JCB", "36227206271667", "error"),
        ("UNIONPAY", "6221261111117766", None),
        ("UNIONPAY", "4427802641004797", "warning"),
        ("UNIONPAY", "5520012345678903", "warning"),
        ("UNIONPAY", "2221000000000009", "error"),
        ("UNIONPAY", "3530111333300000", "error"),
        ("VISA", "6221261111117766", "error"),
    ],
)
def test_card_on_a_network(name: str, pan: str, severity: str | None) -> None:
    """Exclusive ranges exclude both ways; shared ranges inform; co-brands and Maestro warn."""
    verdict = networks.judge(name, pan)
    got, reason = verdict.severity, verdict.reason
    assert got == severity
    assert reason
    assert not re.search(r"\d{8}", reason)


def test_verdict_names_the_allowed_lengths() -> None:
    """A wrong length is said with the lengths there are, and a foreign card with the network's prefixes."""
    short = networks.judge("VISA", "41111111")
    assert (short.expected, short.found) == ("13, 16, 18 or 19 digits", "8 digits")
    foreign = networks.judge("MASTERCARD", "4111111111111111")
    assert foreign.expected == "a card number of Mastercard, beginning with 510000-559999 or 222100-272099"
    assert foreign.found == "a card number of Visa"


def test_luhn_is_not_asked_of_unionpay_cards() -> None:
    """A UnionPay card keeps its freedom from Luhn on Discover's rails, too."""
    for found in (networks.detect("6222040000030012"), networks.detect("8171999927660000")):
        assert found is not None
        assert not found.range.luhn
    discover = networks.detect("6011111111111117")
    assert discover is not None
    assert discover.range.luhn

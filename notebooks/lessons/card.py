"""Notebook 06: the card number."""

from __future__ import annotations

from lessons.answers import Masked
from lessons.judging import Lesson, equal
from sim.masking import mask_pan
from sim.operations.drill.facts import NetworkName
from sim.spec import networks
from sim.spec.networks import detect, test_cards

_DIGITS = "7992739872"

card = Lesson(
    "card",
    equal(
        lambda: networks.check_digit(_DIGITS),
        "double the last of the ten digits, then every second one to the left.",
        "Doubled: 2, 8, 3, 2, 9. Subtract 9 from doubles above 9. The check digit makes the total end in 0.",
        {
            "9": "that is the last digit of the sum. The check digit brings the sum to the next multiple of ten.",
            "3": "that belongs to 7992739871, the example above.",
            "7": "did you double the right digits? The last of the ten is the first to be doubled.",
        },
    ),
    equal(
        lambda: NetworkName(getattr(detect("2720990000000000"), "network", "")),
        "look for the range around 272099; a range has a lowest and a highest number.",
        "There are ranges that begin with 2.",
        {
            "VISA": "Visa's numbers begin with 4.",
            "JCB": "JCB's ranges begin with 35; look again at those that begin with 2.",
            "DISCOVER": "look at the first digits of its ranges: none begins with 27.",
        },
    ),
    equal(
        lambda: Masked(
            mask_pan(next(one.pan for one in test_cards() if one.network == "AMEX" and one.default))
        ),
        "six digits, asterisks, four digits: 15 characters in total.",
        "The asterisks replace the digits in between.",
        {
            "378282******0005": "that is one asterisk too many: the card has 15 digits.",
            "378282****0005": "that is one asterisk too few: the card has 15 digits.",
            "378282*****10005": "only the last four digits may be shown.",
            "378282******005": "four digits may be shown at the end, not three.",
            "3782*******0005": "the first six digits may be shown, not only four.",
            "37828*******005": "the first six and the last four digits may be shown.",
        },
    ),
)

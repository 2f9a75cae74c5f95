"""Where each element of a message stands, and what it is called."""

from __future__ import annotations

import re

import pytest

from sim.operations import anatomy, generate
from sim.operations.explanation import explain_so_far
from sim.operations.reading import read


def test_every_place_has_its_name_and_what_is_left_over_is_unread() -> None:
    """MTI and bitmap by name, elements as the standard calls them; what no element announces is shown as it
    is, and called unread."""
    seen = anatomy.dissect("0800" + "0020000000000000" + "123456" + "left over")
    names = [seen.name(place) for place in seen.places]
    assert names == ["Message type indicator", "Bitmap", "Systems trace audit number (STAN)", "unread"]
    assert [seen.raw[place.start : place.end] for place in seen.places] == [
        "0800",
        "0020000000000000",
        "123456",
        "left over",
    ]


def test_the_interface_of_a_message_is_that_of_its_table() -> None:
    """None where the message is of the standard or of its card's network."""
    raw = generate("auth", network="VISA").raw
    assert anatomy.dissect(read(raw, interface="base24")).interface == "base24"
    assert anatomy.dissect(raw).interface is None


@pytest.mark.parametrize("length", ["13", "14", "15", "17"])
def test_a_card_number_longer_than_its_element_shows_the_same_digits_everywhere(length: str) -> None:
    """With a wrong length, the value, its meaning and the explanation mask the same digits, so that together
    they show no more than the first six and last four."""
    pan = "4012888888881881"
    raw = generate("auth", network="VISA", pan=pan).raw.replace(f"16{pan}", f"{length}{pan}", 1)
    view = anatomy.dissect(raw)
    shown = view.shown_values[2]
    meaning = next(view.meaning(place) for place in view.places if place.number == 2)
    assert shown in meaning
    texts = (meaning, explain_so_far(read(raw)))
    assert not [text for text in texts if re.search(r"401288\*+\d{4}", text.replace(shown, ""))]

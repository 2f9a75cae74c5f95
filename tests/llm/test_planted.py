"""Card data planted in messages: no request to a provider holds any of it."""

from __future__ import annotations

import json
import re

import pytest
from llm.expected import NOW
from llm.wire import Provider
from support import together, turns

from sim import models as room
from sim.codec import Message, build
from sim.models.telling import Known
from sim.operations import NETWORKS, VERSIONS, explain, generate
from sim.operations.anatomy import dissect
from sim.parts import chip_data
from sim.paste.reading import read_text
from sim.spec.networks import check_digit

PAN = "4111111111111111"
DISCRETIONARY = "987654321098765"
TRACK_2 = f"{PAN}=2912201{DISCRETIONARY[:13]}"
TRACK_1 = f"B{PAN}^PLANTED/CARDHOLDER^2912201{DISCRETIONARY}"
PIN_BLOCK = "DEADBEEFCAFE4711"
CVV = "739"
CHIP = chip_data.write_tags(
    {
        "5A": PAN,
        "57": TRACK_2.replace("=", "D"),
        "5F20": b"PLANTED/HOLDER".hex().upper(),
        "9F26": "A1B2C3D4E5F60718",
    }
)
# Whatever of it is searched for, in any case.
PLANTED = (
    PAN, PAN[6:12], "4111 1111 1111 1111", "4111-1111", TRACK_2, DISCRETIONARY[:13], "PLANTED", PIN_BLOCK,
    CHIP, "A1B2C3D4E5F60718", b"PLANTED".hex(), "GB29NWBK60161331926819", "0123456789012345",
)  # fmt: skip


def planted(version: str) -> Message:
    """A message with card data where it belongs, and with copies of it where it does not."""
    message = generate("financial", network="VISA", version=version, at=NOW, entry="chip").message
    values = {35: TRACK_2, 45: TRACK_1, 52: PIN_BLOCK, 53: "0123456789012345", 55: CHIP}
    values |= {102: "GB29NWBK60161331926819", 103: PAN}
    values[48] = f"92{len(CVV):02}{CVV}"
    values[60] = f"COPY {PAN} AND {PIN_BLOCK}"
    values[61] = "PAN 4111-1111-1111-1111 / 4111 1111 1111 1111"
    values[62] = f"CVV2={CVV} PIN:{CVV}1 {TRACK_2}"
    values[63] = f"{CHIP} {DISCRETIONARY[:13]}"
    values[44] = PAN
    if version == "1987":
        values |= {44: PAN[:25], 126: f"{CVV}{PIN_BLOCK}", 125: PIN_BLOCK}
        values[43] = f"{PAN:<25}{'NEW YORK':<13}US"
    if version == "2003":
        values[53] = "0123456789012345" + "00" * 10
        values |= {49: CVV + "0" * 13, 34: b"PLANTED".hex() + "0" * 2}
    message.fields.update(values)
    return message


@pytest.mark.parametrize(("provider", "version"), turns(room.PROVIDERS, VERSIONS))
def test_no_request_holds_card_data(llm: Provider, provider: str, version: str) -> None:
    """Masked or hidden in its own element and wherever a copy of it stands, findings included."""
    message = planted(version)
    build(message)
    llm.then("This is a request.")
    room.explain(message, provider=provider)
    [call] = llm.calls
    text = call.text.upper()
    assert [value for value in PLANTED if value.upper() in text] == []
    assert "411111******1111" in text
    assert not re.search(rf"\b{CVV}1?\b", text), "the verification code"
    assert build(message) not in call.text


# Another card than the message's own, built here so that no file holds it.
OTHER = "453957876362148" + check_digit("453957876362148")
_GROUPS = [OTHER[at : at + 4] for at in range(0, 16, 4)]


def _shown(message: Message) -> str:
    """What a model is shown of *message*."""
    view = dissect(read_text(build(message), message.spec))
    known = Known(view, explain(message))
    return json.dumps(known.shown)


@pytest.mark.parametrize("number", [43, 48, 54, 60, 61, 62, 63, 104])
@together(
    "text, secret",
    [
        (OTHER, OTHER[6:12]),
        (" ".join(_GROUPS), OTHER[6:12]),
        ("-".join(_GROUPS), OTHER[6:12]),
        (" ".join(OTHER), OTHER[6:12]),
        (f"{OTHER} = 2912201", "2912201"),
        (f"B{OTHER}^DOE/JO^2912", "DOE"),
        ("CVV2 VALUE 739", "739"),
        ("THE PIN IS 4821", "4821"),
        ("PINBLOCK 0A1B2C3D 4E5F6071", "0A1B2C3D"),
        ("GB29 NWBK 6016 1331 9268 19", "6016"),
        ("AJkBB4OBmQAAAAAHc4GZAAAAAAA=", "AJkBB4OBm"),
    ],
)
def test_card_data_of_others_is_hidden_too(number: int, text: str, secret: str) -> None:
    """In free text it is found by its form, though no element of the message has it."""
    message = generate("auth", network="VISA", at=NOW).message
    message = message.replace(**{f"de{number}": f"{text:<40}"[:40] if number == 43 else text})
    shown = _shown(message)
    assert secret not in shown
    assert not re.search(r"[\W_]{0,3}".join(secret), shown)


def test_names_of_the_chip_and_the_track_are_hidden_elsewhere() -> None:
    """A cardholder's name that a chip or a track carries is not shown where a copy of it stands."""
    chip = chip_data.write_tags({"5F20": b"PLANTED/HOLDER".hex().upper()})
    message = generate("auth", network="VISA", at=NOW).message
    message = message.replace(de55=chip, de45=TRACK_1, de63="MR HOLDER PLANTED, CARDHOLDER PLANTED")
    assert "PLANTED" not in _shown(message)


@pytest.mark.parametrize(("network", "version"), turns(NETWORKS, VERSIONS))
def test_no_request_about_a_generated_message_holds_its_card(
    llm: Provider, network: str, version: str
) -> None:
    """Whatever generate builds, the middle of its card number is in no request."""
    llm.then("This is a request.")
    for kind in ("auth", "reversal"):
        for entry in ("stripe", "chip", "ecommerce"):
            made = generate(kind, network=network, version=version, at=NOW, entry=entry)
            room.explain(made.raw, version=version, provider="ollama")
            text = llm.calls[-1].text
            pan = made.message[2]
            assert pan not in text
            assert made.message.get(35, pan) not in text
            assert made.message.get(55, pan) not in text
            assert made.raw not in text


def test_long_values_take_no_place(llm: Provider) -> None:
    """Free text of any length is not sent at all."""
    message = generate("auth", at=NOW).message.replace(de63="word " * 150)
    llm.then("This is a request with {DE63}.")
    assert room.explain(message, provider="ollama").summary.endswith("DE 63 (V.I.P. private-use fields).")
    assert "word word" not in llm.calls[0].text
    assert len(json.dumps(llm.calls[0].body)) < 12_000

"""The responses of the three endpoints: their records, their contents, and the choices that the document
leaves open."""

from __future__ import annotations

import json
import random
from itertools import product
from typing import Any

import pytest
from support import together

NETWORKS = ("VISA", "MASTERCARD", "AMEX", "DISCOVER", "JCB", "UNIONPAY")
PROVIDERS = ("anthropic", "openai", "google", "ollama")
ECHO = "0800822000000000000004000000000000001120093000123456301"
PAN = "4111111111111111"
MTI = {"auth": "0100", "financial": "0200", "echo": "0800"}


def values(answer: Any) -> dict[int, str]:
    """Number -> value of a response's fields, which must be ascending."""
    fields = answer.json()["fields"]
    numbers = [field["number"] for field in fields]
    assert numbers == sorted(set(numbers))
    assert all(list(field) == ["number", "name", "value"] and field["name"] for field in fields)
    return {field["number"]: field["value"] for field in fields}


def bits(message: str) -> set[int]:
    """The data elements in a message's bitmaps."""
    digits = message[4:36] if int(message[4], 16) >= 8 else message[4:20]
    flags = bin(int("1" + digits, 16))[3:]
    return {number for number, flag in enumerate(flags, 1) if flag == "1"} - {1}


@together("kind", MTI)
@together("network", [None, *NETWORKS])
def test_generate_answer(client: Any, kind: str, network: str | None) -> None:
    """All five fields; the message starts with the MTI and contains exactly the listed fields."""
    answer = client.post("/generate", {"message_type": kind, "network": network})
    body = answer.json()
    assert list(body) == ["message", "mti", "network", "fields", "source"]
    assert body["mti"] == body["message"][:4]
    # Networks may carry another message in place of the 0100/0200; the version and class stay.
    assert body["mti"][0] == MTI[kind][0]
    assert body["network"] == (network or (None if kind == "echo" else "VISA"))
    assert set(values(answer)) == bits(body["message"])
    assert all(value in body["message"] for value in values(answer).values())


@pytest.mark.parametrize("kind", MTI)
@together("network, amount", lambda: product(NETWORKS, (0, 1, 999_999_999_999)))
def test_generated_message_is_valid(client: Any, kind: str, network: str, amount: int) -> None:
    """A generated message can be explained, and is valid, also on its own network."""
    asked = {"message_type": kind, "network": network, "amount_minor_units": amount}
    made = client.post("/generate", asked)
    message = made.json()["message"]
    told = client.post("/explain", {"message": message})
    assert told.status_code == 200
    assert list(told.json()) == ["fields", "mti", "source", "summary"]
    assert told.json()["fields"] == made.json()["fields"]
    assert told.json()["source"] == "rules"
    assert told.json()["summary"]
    judged = client.post("/validate", {"message": message, "against": [network], "network": network}).json()
    assert judged == {"valid": True, "errors": [], "networks": {network: {"passed": True, "errors": []}}}


def test_generate_puts_the_options_into_the_message(client: Any) -> None:
    """Card, amount, STAN and currency are in their standard elements."""
    asked = {"pan": "5555555555554444", "amount_minor_units": 1234, "stan": "000042", "currency": "978"}
    answer = client.post("/generate", asked)
    fields = values(answer)
    assert answer.json()["network"] == "MASTERCARD"
    assert fields[2] == "5555555555554444"
    assert fields[4] == "000000001234"
    assert fields[11] == "000042"
    assert fields[49] == "978"


def test_generate_defaults(client: Any) -> None:
    """Without options: an authorization of 1000 minor units of 840, STAN 123456, on a VISA test card."""
    fields = values(client.post("/generate", {}))
    assert (fields[4], fields[11], fields[49]) == ("000000001000", "123456", "840")
    assert fields[2].startswith("4")


def test_echo_carries_no_card(client: Any) -> None:
    """An echo test has neither PAN nor amount, whatever was requested; the network is as requested."""
    answer = client.post("/generate", {"message_type": "echo", "pan": PAN, "amount_minor_units": 5})
    assert not {2, 4, 14, 35} & set(values(answer))
    assert answer.json()["network"] is None
    assert client.post("/generate", {"message_type": "echo", "network": "JCB"}).json()["network"] == "JCB"


@pytest.mark.parametrize(
    ("asked", "network"),
    [
        ({"pan": PAN}, "VISA"),
        ({"pan": "378282246310005"}, "AMEX"),
        ({"pan": "9" * 16}, None),
        ({"pan": PAN, "network": "AMEX"}, "AMEX"),
        ({"pan": "4111111111111112"}, "VISA"),
    ],
)
def test_generate_network_of_a_card(client: Any, asked: dict[str, str], network: str | None) -> None:
    """The network is the requested one, else the card's; null if the card has none."""
    answer = client.post("/generate", asked)
    assert answer.status_code == 200
    assert answer.json()["network"] == network
    assert values(answer)[2] == asked["pan"]


UNREADABLE = [
    "",
    "x",
    "0",
    "01",
    "9999",
    "0100",
    "01007",
    "0100723C648108E08010",
    "0100723C648108E08010" + "99",
    "٠١٠٠" + "0" * 16,
    "0100" + "G" * 16,
    ECHO[:-1],
    ECHO + "0",
    ECHO + " ",
    ECHO + "\n\n",
    " " + ECHO,
    "\ufeff" + ECHO,
    "\x00",
    "😀" * 100,
]


@together("message", UNREADABLE)
def test_unreadable_message(client: Any, message: str) -> None:
    """Validate responds 200 and invalid, without network results; explain 422 with the position of the
    fault."""
    judged = client.post("/validate", {"message": message})
    assert judged.status_code == 200
    assert judged.json()["valid"] is False
    assert judged.json()["errors"]
    assert judged.json()["networks"] == {}
    answer = client.post("/explain", {"message": message})
    assert answer.status_code == 422
    (fault,) = answer.json()["detail"]
    assert fault["type"] == "iso8583_parse"
    assert fault["loc"] == ["body", "message"]
    assert set(fault["ctx"]) == {"field", "offset", "expected", "found"}
    assert "input" not in fault
    assert fault["msg"] in judged.json()["errors"]


@pytest.mark.parametrize("ending", ["\n", "\r", "\r\n"])
def test_line_ending_is_dropped(client: Any, ending: str) -> None:
    """A message copied with its line ending is read as without it."""
    for path in ("/explain", "/validate"):
        plain, ended = client.post(path, {"message": ECHO}), client.post(path, {"message": ECHO + ending})
        assert plain.status_code == ended.status_code == 200
        assert plain.json() == ended.json()


def test_error_text_holds_no_card_data(client: Any) -> None:
    """The error for a message that breaks after its PAN contains no digit of it."""
    message = "0100" + "7000000000000000" + "16" + PAN + "0000"
    for path in ("/explain", "/validate"):
        assert PAN not in client.post(path, {"message": message}).text
        assert PAN[4:12] not in client.post(path, {"message": message}).text


def test_summary_masks_the_card(client: Any) -> None:
    """The summary shows at most the first six and last four digits of the PAN."""
    message = client.post("/generate", {"pan": PAN}).json()["message"]
    told = client.post("/explain", {"message": message}).json()
    assert PAN not in told["summary"]
    assert PAN in [field["value"] for field in told["fields"]]


@pytest.mark.parametrize(
    ("against", "names"),
    [
        ([], NETWORKS),
        (["JCB"], ("JCB",)),
        (["UNIONPAY", "VISA"], ("VISA", "UNIONPAY")),
        (["VISA", "VISA"], ("VISA",)),
        (list(reversed(NETWORKS)), NETWORKS),
    ],
)
def test_validate_networks(client: Any, against: list[str], names: tuple[str, ...]) -> None:
    """One result per requested network, or every network for an empty list, in the order of the
    enumeration."""
    message = client.post("/generate", {"network": "VISA"}).json()["message"]
    body = client.post("/validate", {"message": message, "against": against}).json()
    assert list(body) == ["valid", "errors", "networks"]
    assert tuple(body["networks"]) == names
    for result in body["networks"].values():
        assert list(result) == ["passed", "errors"]
        assert result["passed"] is not bool(result["errors"])


def test_other_networks_do_not_change_the_verdict(client: Any) -> None:
    """A VISA message fails AMEX's check but stays valid; as an AMEX message it is invalid."""
    message = client.post("/generate", {"network": "VISA"}).json()["message"]
    body = client.post("/validate", {"message": message, "against": ["AMEX"]}).json()
    assert body["valid"] is True
    assert body["networks"]["AMEX"]["passed"] is False
    assert client.post("/validate", {"message": message, "network": "AMEX"}).json()["valid"] is False


@pytest.mark.parametrize("version", ["1993", "2003"])
def test_version_is_not_read_off_the_message(client: Any, version: str) -> None:
    """A message whose MTI implies another version than the one it is read as is invalid."""
    body = client.post("/validate", {"message": ECHO, "version": version}).json()
    assert body["valid"] is False
    assert body["errors"]


@pytest.mark.parametrize("path", ["/explain", "/validate"])
def test_no_message_breaks_the_server(client: Any, path: str) -> None:
    """Altered and truncated messages get a documented response, never a 500."""
    chance = random.Random(8583)
    made = client.post("/generate", {"message_type": "financial"}).json()["message"]
    for _ in range(400):
        letters = list(made)
        for _ in range(chance.randint(1, 4)):
            letters[chance.randrange(len(letters))] = chance.choice("0123456789ABCDEF é\x00😀٣²-+")
        message = "".join(letters)[: chance.choice([None, chance.randrange(len(letters))])]
        version = chance.choice(["1987", "1993", "2003"])
        answer = client.post(path, {"message": message, "version": version})
        assert answer.status_code in ((200,) if path == "/validate" else (200, 422)), (message, version)


@pytest.mark.parametrize(
    ("path", "body", "asked_by"),
    [
        ("/generate", {"description": "a refund"}, "description"),
        ("/explain", {"message": ECHO, "llm": True}, "llm"),
    ],
)
class TestLlmAsked:
    """The responses of the two endpoints to a request for an LLM if none is configured."""

    @pytest.mark.parametrize("provider", [None, *PROVIDERS])
    def test_local_server_has_none(
        self, client: Any, path: str, body: dict[str, Any], asked_by: str, provider: str | None
    ) -> None:
        """503 without a provider or with a known one."""
        answer = client.post(path, body | {"provider": provider, "model": "some-model"})
        assert answer.status_code == 503
        assert [fault["type"] for fault in answer.json()["detail"]] == ["llm_unavailable"]

    @pytest.mark.parametrize("provider", ["nobody", "", "OpenAI", " openai", "anthropic\n", "x" * 5000])
    def test_unknown_provider(
        self, client: Any, path: str, body: dict[str, Any], asked_by: str, provider: str
    ) -> None:
        """422 for a provider that is not exactly one of the four names."""
        answer = client.post(path, body | {"provider": provider})
        assert answer.status_code == 422
        (fault,) = answer.json()["detail"]
        assert (fault["type"], fault["loc"]) == ("llm_provider_unknown", ["body", "provider"])

    @pytest.mark.parametrize("provider", ["openai", "nobody"])
    def test_public_demo_refuses_first(
        self, public_client: Any, path: str, body: dict[str, Any], asked_by: str, provider: str | None
    ) -> None:
        """403 on a public demo, before any provider is checked."""
        answer = public_client.post(path, body | {"provider": provider})
        assert answer.status_code == 403
        (fault,) = answer.json()["detail"]
        assert (fault["type"], fault["loc"]) == ("llm_disabled", ["body", asked_by])

    def test_constraints_come_first(
        self, public_client: Any, path: str, body: dict[str, Any], asked_by: str
    ) -> None:
        """A request that violates a constraint gets 422, even if it requests an LLM."""
        assert public_client.post(path, body | {"network": "visa"}).status_code == 422


def test_explain_asks_for_an_llm_before_it_reads(client: Any) -> None:
    """The missing LLM is reported even if the message is unreadable."""
    assert client.post("/explain", {"message": "x", "llm": True}).status_code == 503


@pytest.mark.parametrize("path", ["/generate", "/explain"])
def test_provider_is_ignored_without_an_llm(public_client: Any, path: str) -> None:
    """provider and model have no effect unless an LLM is requested, also on the public demo."""
    body = {"message": ECHO, "provider": "nobody", "model": "m", "llm": False, "description": " "}
    assert public_client.post(path, body).status_code == 200


def test_answers_are_utf8_json(client: Any) -> None:
    """A value outside ASCII is returned unchanged."""
    answer = client.post("/generate", {"network": "é😀"})
    assert answer.headers["content-type"] == "application/json"
    assert json.loads(answer.content.decode())["detail"][0]["input"] == "é😀"

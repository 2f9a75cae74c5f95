"""The server for assistants, called over stdio by the protocol's own client."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from sim.codec import parse
from sim.codec.wire import encode
from sim.mcp import NO_TOOLS, tools
from sim.operations import generate
from sim.verbs import names

if TYPE_CHECKING:
    from mcp import Client

PAN = "4111111111111111"
REQUEST = generate("financial", network="VISA", stan="000007").raw
Asked = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]
Work: TypeAlias = "Callable[[Client, Asked], Coroutine[Any, Any, None]]"


class Line:
    """A server process and its client, in their own event loop; they end with the module."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.client: Client
        self.ready, self.ended = threading.Event(), asyncio.Event()
        self.thread = threading.Thread(target=self.loop.run_until_complete, args=(self._serve(),))

    async def _serve(self) -> None:
        from mcp import Client, StdioServerParameters  # not for whoever only collects the tests

        how = StdioServerParameters(
            command=sys.executable, args=["-m", "sim.cli", "mcp"], env=dict(os.environ)
        )
        try:
            async with Client(how) as self.client:
                self.ready.set()
                await self.ended.wait()
        finally:
            self.ready.set()

    async def ask(self, tool: str, given: dict[str, Any]) -> dict[str, Any]:
        """The result of *tool*."""
        found = await self.client.call_tool(tool, given)
        assert not found.is_error, found
        return json.loads(found.content[0].text)  # type: ignore[union-attr, no-any-return]  # it is text


@pytest.fixture(scope="module")
def talk() -> Iterator[Callable[[Work], None]]:
    """A server process, and a client that *work* uses."""
    line = Line()
    line.thread.start()
    line.ready.wait()
    yield lambda work: asyncio.run_coroutine_threadsafe(work(line.client, line.ask), line.loop).result()
    line.loop.call_soon_threadsafe(line.ended.set)
    line.thread.join()
    line.loop.close()


def test_every_verb_is_a_tool_and_every_table_a_resource(talk: Callable[[Work], None]) -> None:
    """Tools and resources have the toolkit's names, descriptions for the model, and contents."""

    async def work(client: Client, ask: Asked) -> None:
        tools = (await client.list_tools()).tools
        wanted = {name for name in names() if name not in NO_TOOLS} - {"build"} | {"build_message"}
        assert {one.name for one in tools} == wanted
        assert all(one.description for one in tools)
        told = {one.name: one.input_schema["properties"] for one in tools}
        for tool, options in told.items():
            assert all("description" in option for option in options.values()), tool
            assert not {"provider", "model", "llm", "ask", "language", "options"} & set(options), tool
            assert ("description" in options) == (tool == "plan")
        assert told["generate"]["amount_minor_units"]["type"] == "integer"
        assert told["generate"]["instalments"]["anyOf"][0]["type"] == "integer"
        assert "contactless" in json.dumps(told["generate"]["entry"])
        templates = (await client.list_resource_templates()).resource_templates
        assert {str(one.uri_template) for one in templates} == {
            "iso8583://fields/{version}",
            "iso8583://codes/{name}",
            "iso8583://flows/{network}",
        }
        for uri in ("fields/1993", "codes/response_code", "rules", "formats", "flows/VISA"):
            found = await client.read_resource(f"iso8583://{uri}")
            assert len(json.loads(found.contents[0].text)) > 5  # type: ignore[union-attr]  # it is text
        for uri, said in (("codes/response", "did you mean 'response_code'?"), ("fields/1999", "1987, 1993")):
            found = await client.read_resource(f"iso8583://{uri}")
            told = json.loads(found.contents[0].text)  # type: ignore[union-attr]  # it is text
            assert said in told["error"]

    talk(work)


def test_a_model_works_with_a_message(talk: Callable[[Work], None]) -> None:
    """Generate, validate, explain, convert, break: each result is valid input for the next call."""

    async def work(client: Client, ask: Asked) -> None:
        made = await ask("generate", {"message_type": "refund", "network": "visa", "clear": True})
        assert (await ask("validate", {"message": made["message"], "against": ["MASTERCARD"]}))[
            "valid"
        ] is True
        assert "refund" in (await ask("explain", {"message": made["message"]}))["summary"]
        newer = await ask("convert", {"message": made["message"], "to": "1993", "clear": True})
        assert (await ask("parse", {"message": newer["message"]}))["version"] == "1993"
        packed = await ask("convert", {"message": made["message"], "to": "bcd", "clear": True})
        assert bytes.fromhex(packed["message"]) == encode(parse(made["message"]), "bcd")
        assert (await ask("parse", {"message": packed["message"]}))["mti"] == "0200"
        faults = (await ask("break_message", {"message": made["message"]}))["faults"]
        broken = await ask(
            "break_message", {"message": made["message"], "fault": "cut-in-mti", "clear": True}
        )
        assert "cut-in-mti" in [one["fault"] for one in faults]
        assert (await ask("validate", {"message": broken["message"]}))["valid"] is False
        answer = await ask("respond", {"message": made["message"], "code": "51", "clear": True})
        assert parse(answer["message"]).get(39) == "51"
        sent = {"message_type": "auth", "network": "VISA", "format": "visa-base1", "clear": True}
        packed = (await ask("generate", sent))["message"]
        answer = await ask("respond", {"message": packed, "format": "visa-base1"})
        assert "DE 62 is left out" in answer["notes"][0]
        built = await ask("build_message", {"mti": "0800", "fields": {"3": "990000", "11": "123456"}})
        assert built["message"] == "08002020000000000000990000123456"

    talk(work)


def test_no_answer_shows_card_data_unasked(talk: Callable[[Work], None]) -> None:
    """No tool shows a card number or track, for text, bytes or a damaged message."""

    async def work(client: Client, ask: Asked) -> None:
        packed = encode(parse(REQUEST), "bcd").hex()
        for message in (REQUEST, packed, REQUEST[:60], f"2026-11-20 {REQUEST}"):
            for tool in (
                "parse",
                "explain",
                "validate",
                "guess",
                "mask",
                "respond",
                "reverse",
                "break_message",
            ):
                assert PAN not in json.dumps(await ask(tool, {"message": message})), (tool, message)
            assert PAN not in json.dumps(await ask("convert", {"message": message, "to": "1993"}))
            assert PAN not in json.dumps(await ask("diff", {"a": message, "b": REQUEST}))
        assert PAN not in json.dumps(await ask("generate", {"message_type": "auth"}))
        assert (await ask("generate", {"message_type": "auth"}))["masked"] is True

    talk(work)


WRONG: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("generate", {"network": "VISSA"}, "did you mean 'VISA'?"),
    ("build_message", {"mti": "0800", "fields": {"DE11": "000001"}}, "fields: expected numbers of data"),
    ("generate", {"purpose": "cahs"}, "did you mean 'cash'?"),
    ("generate", {"amount_minor_units": 10**40}, "amount_minor_units: expected 0 to"),
    ("generate", {"merchant_amount_minor_units": 10**40, "purpose": "dcc"}, "merchant_amount_minor_units"),
    ("generate", {"instalments": 10**40}, "instalments"),
    ("respond", {"message": REQUEST, "amount_minor_units": 10**40}, "expected"),
    ("reverse", {"message": REQUEST, "final_amount_minor_units": 10**40}, "expected"),
    ("build_message", {"mti": "0800", "fields": {"9" * 5000: "1"}}, "fields: expected numbers of data"),
    ("compare", {"first": "VISA", "second": "VISSA"}, "did you mean 'VISA'?"),
    ("explain", {"message": "hello"}, "expected"),
    ("convert", {"message": REQUEST, "to": "1988"}, "to: expected 1987, 1993, 2003, text, "),
    ("validate", {"message": REQUEST, "against": ["DINERS"]}, "against"),
)


def test_what_is_wrong_is_the_answer(talk: Callable[[Work], None]) -> None:
    """An error is returned as a sentence that a model can act on, not as a traceback."""

    async def work(client: Client, ask: Asked) -> None:
        for tool, given, said in WRONG:
            assert said in (await ask(tool, given))["error"]

    talk(work)


REJECTED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("generate", {"pan": int(PAN)}, "pan"),
    ("generate", {"clear": PAN}, "clear"),
    ("parse", {"message": {"pan": PAN}}, "message"),
    ("validate", {"message": REQUEST, "against": PAN}, "against"),
    ("build_message", {"mti": "0100", "fields": {"2": int(PAN)}}, "fields.2"),
    ("build_message", {"mti": "0100", "fields": PAN}, "fields"),
    ("learn", {"messages": PAN}, "messages"),
    ("explain", {"text": REQUEST}, "text"),
    ("generate", {"amount": 2500}, "amount"),
    ("respond", {"message": REQUEST, "response_code": "51"}, "response_code"),
)


def test_rejected_arguments_are_named_but_not_quoted(talk: Callable[[Work], None]) -> None:
    """A wrong type and an option that the tool does not have are errors that name the argument and never
    show its value."""

    async def work(client: Client, ask: Asked) -> None:
        for tool, given, name in REJECTED:
            found = await client.call_tool(tool, given)
            text = found.content[0].text  # type: ignore[union-attr]  # it is text
            assert found.is_error, (tool, given)
            assert f"\n{name}\n" in text
            assert PAN[:7] not in text
        assert all(
            one.input_schema["additionalProperties"] is False for one in (await client.list_tools()).tools
        )

    talk(work)


def test_a_number_of_any_length_is_an_answer() -> None:
    """A number with more digits than Python prints gets a result: JSON cannot carry it, but a caller in
    this process can."""
    for given in (
        {"amount_minor_units": 10**5000},
        {"purpose": "cashback", "cashback_minor_units": 10**5000},
        {"purpose": "dcc", "merchant_amount_minor_units": 10**5000},
        {"instalments": 10**5000},
    ):
        assert "expected" in tools["generate"](**given)["error"]
    for tool in ("respond", "reverse"):
        option = "amount_minor_units" if tool == "respond" else "final_amount_minor_units"
        assert "expected" in tools[tool](message=REQUEST, **{option: 10**5000})["error"]


def test_a_description_is_planned_by_rules() -> None:
    """An assistant gets the calls, without card data, and what was not understood."""
    plan = tools["plan"](description="Visa 4242424242424242, 25 EUR, NSF, frobnicated")
    assert [row["option"] for row in plan["rows"] if row["option"] == "amount_minor_units"]
    assert {"words": "frobnicated", "note": "Not understood"}.items() <= plan["rows"][-1].items()
    assert plan["code"].startswith("exchange = sim.exchange(")
    assert "4242424242424242" not in str(plan)


def test_an_assistant_asks_no_language_model() -> None:
    """No argument reaches a language model: no tool has its options."""
    for name in ("description", "provider", "model"):
        with pytest.raises(TypeError, match=name):
            tools["generate"](**{name: "x"})

"""The exercises of the notebooks can be solved, and wrong answers are told apart from right ones."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support import check_module

import sim
from sim.codec import bitmap
from sim.codec.wire import encode
from sim.elements import tlv
from sim.widgets import GeneratePanel, MessageAnatomy, ValidatePanel

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
NOON = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)
ECHO = "0800822000000000000004000000000000001120120000000042301"


def _changed(number: int, value: str) -> Any:
    table = sim.generate("auth", at=NOON)
    table.loc[table["number"] == number, "value"] = value
    return table


def _day(mti: str) -> Any:
    log = sim.read(check_module().a_day(), progress=False)
    return log[log["error"].isna() & (log["mti"] == mti)]


def _most_approvals() -> str:
    responses = _day("0110")
    shares = {
        name: (responses.loc[responses["network"] == name, "DE39"] == "00").mean() for name in sim.NETWORKS
    }
    return max(shares, key=lambda name: shares[name])


def _generated(message_type: str, network: str) -> GeneratePanel:
    panel = GeneratePanel(message_type=message_type, network=network)
    panel.run()
    return panel


def _declined(code: str) -> Any:
    answered = sim.parse(encode(sim.respond(sim.generate("auth")).iso.to_message(), "ebcdic").hex())
    answered.loc[answered["number"] == 39, "value"] = code
    return answered


# By lesson: for each exercise a right answer and answers that are nearly right.
SOLUTIONS: dict[str, list[tuple[Callable[[], Any], list[Callable[[], Any]]]]] = {
    "start": [
        (
            lambda: sim.generate("auth", network="MASTERCARD", amount_minor_units=4000),
            [
                lambda: sim.generate("auth", network="MASTERCARD", amount_minor_units=40),
                lambda: sim.generate("auth", network="VISA", amount_minor_units=4000),
                lambda: sim.generate("echo", network="MASTERCARD"),
            ],
        ),
        (lambda: 14, [lambda: 13, lambda: "14"]),
        (
            lambda: sim.respond(sim.generate("auth"), "54"),
            [
                lambda: sim.respond(sim.generate("auth"), "33"),
                lambda: sim.respond(sim.generate("financial"), "54"),
                lambda: sim.respond(sim.generate("auth")),
            ],
        ),
    ],
    "mti": [
        (lambda: "0220", [lambda: "0221", lambda: "0210", lambda: 220]),
        (lambda: "0430", [lambda: "0431", lambda: "0410"]),
        (
            lambda: ["0101", "0401", "0421"],
            [lambda: ["0101", "0401"], lambda: ["0101", "0110", "0421"]],
        ),
    ],
    "dumps": [
        (lambda: 143, [lambda: 8, lambda: "143", lambda: 92]),
        (lambda: 70, [lambda: 77, lambda: 7]),
        (lambda: _declined("51"), [lambda: _declined("05"), lambda: sim.generate("auth")]),
    ],
    "bitmap": [
        (lambda: list(bitmap.numbers("7020000000C00000")), [lambda: [1, 2, 3, 10, 40, 41]]),
        (lambda: bitmap.to_hex([7, 11, 39, 70]), [lambda: bitmap.to_hex([7, 11, 39])]),
        (lambda: 32, [lambda: 16, lambda: "32"]),
    ],
    "prefixes": [
        (lambda: "76543210", [lambda: "0876543210", lambda: 76543210]),
        (lambda: "011HELLO WORLD", [lambda: "11HELLO WORLD", lambda: "010HELLOWORLD"]),
        (lambda: 27, [lambda: 25, lambda: 28]),
    ],
    "generate": [
        (
            lambda: sim.generate(
                "financial", network="MASTERCARD", purpose="cash", amount_minor_units=6000, currency="EUR"
            ),
            [
                lambda: sim.generate(
                    "financial", network="MASTERCARD", purpose="cash", amount_minor_units=6000
                ),
                lambda: sim.generate("auth", network="MASTERCARD", purpose="cash", currency="EUR"),
            ],
        ),
        (
            lambda: sim.generate("echo", stan="000777"),
            [lambda: sim.generate("echo", stan="777000"), lambda: sim.generate("auth", stan="000777")],
        ),
        (
            lambda: sim.generate(at=datetime(2026, 11, 20, 9, 30, tzinfo=timezone(timedelta(hours=1)))),
            [
                lambda: sim.generate(at=datetime(2026, 11, 20, 9, 30, tzinfo=UTC)),
                lambda: sim.generate("echo"),
            ],
        ),
    ],
    "validate": [
        (lambda: _changed(13, "1131"), [lambda: _changed(49, "123"), lambda: _changed(13, "1120")]),
        (lambda: "currency", [lambda: "minor-unit", lambda: "date"]),
        (
            lambda: sim.generate("auth", network="AMEX", version="1987"),
            [lambda: sim.generate("auth", network="VISA"), lambda: _changed(13, "1131")],
        ),
    ],
    "card": [
        (lambda: "1", [lambda: "3", lambda: 1]),
        (lambda: "MASTERCARD", [lambda: "VISA", lambda: None]),
        (lambda: "378282*****0005", [lambda: "378282******0005", lambda: "3782***********"]),
    ],
    "money": [
        (lambda: 1250, [lambda: 125000, lambda: 1250.0]),
        (lambda: "000000007500", [lambda: "000000000750", lambda: "7500"]),
        (lambda: "1121021500", [lambda: "1120211500", lambda: "1120161500"]),
    ],
    "networks": [
        (lambda: {48, 61}, [lambda: {48, 60, 61}, lambda: [48]]),
        (lambda: "270", [lambda: "301", lambda: 270]),
        (lambda: ["AMEX", "DISCOVER"], [lambda: ["AMEX"], lambda: ["AMEX", "VISA"]]),
    ],
    "life": [
        (
            lambda: sim.respond(sim.generate("auth"), "55"),
            [lambda: sim.respond(sim.generate("auth"), "51"), lambda: sim.generate("auth")],
        ),
        (lambda: [38, 39], [lambda: [39], lambda: [11, 38, 39]]),
        (
            lambda: sim.reverse(sim.generate("auth", amount_minor_units=7500, stan="004242")),
            [
                lambda: sim.reverse(sim.generate("auth", amount_minor_units=7500, stan="004243")),
                lambda: sim.reverse(sim.generate("auth", amount_minor_units=75, stan="004242")),
                lambda: sim.generate("auth", amount_minor_units=7500, stan="004242"),
            ],
        ),
    ],
    "service_point": [
        (lambda: "071", [lambda: "051", lambda: "072"]),
        (
            lambda: sim.generate("auth", network="MASTERCARD", entry="ecommerce"),
            [
                lambda: sim.generate("auth", network="MASTERCARD"),
                lambda: sim.generate("auth", network="VISA", entry="ecommerce"),
            ],
        ),
        (lambda: "80", [lambda: "79", lambda: "90"]),
    ],
    "chip": [
        (lambda: ["5F2A", "9A", "9C"], [lambda: ["5F", "2A", "9A", "9C"], lambda: ["9A", "9C"]]),
        (lambda: "9F0206000000001234", [lambda: "9F0212000000001234", lambda: tlv.write({"9F02": "1234"})]),
        (lambda: "40", [lambda: "80", lambda: "00"]),
    ],
    "versions": [
        (lambda: "1100", [lambda: "0100", lambda: "2100"]),
        (lambda: "n 14", [lambda: "n 12", lambda: "n14"]),
        (lambda: "1993", [lambda: "2003", lambda: 1993]),
    ],
    "broken": [
        (lambda: ECHO, [lambda: "6000030000" + ECHO, lambda: ECHO[:-1]]),
        (
            lambda: ECHO,
            [lambda: ECHO.replace("0042", "0420"), lambda: ECHO.replace("42301", "4230")],
        ),
        (lambda: ECHO, [lambda: ECHO.replace("80082200", "80082300"), lambda: ECHO.replace("301", "001")]),
    ],
    "http": [
        (
            lambda: {
                "message_type": "financial",
                "network": "JCB",
                "currency": "392",
                "amount_minor_units": 500,
            },
            [
                lambda: {
                    "message_type": "financial",
                    "network": "JCB",
                    "currency": "392",
                    "amount_minor_units": 50000,
                },
                lambda: {
                    "message_type": "financial",
                    "network": "JCB",
                    "currency": 392,
                    "amount_minor_units": 500,
                },
                lambda: {},
            ],
        ),
        (lambda: 200, [lambda: 422, lambda: "200"]),
        (lambda: 422, [lambda: 200, lambda: 500]),
    ],
    "day": [
        (lambda: int((_day("0110")["DE39"] == "51").sum()), [lambda: 0, lambda: "14"]),
        (_most_approvals, [lambda: "VISA", lambda: None]),
        (
            lambda: len(set(_day("0100")["DE11"]) - set(_day("0110")["DE11"])),
            [lambda: 0, lambda: len(_day("0100")) - len(_day("0110"))],
        ),
    ],
    "panels": [
        (
            lambda: MessageAnatomy(sim.generate("echo", stan="000777")),
            [
                lambda: MessageAnatomy(sim.generate("echo")),
                lambda: MessageAnatomy(sim.generate("auth", stan="000777")),
                lambda: MessageAnatomy(""),
            ],
        ),
        (
            lambda: _generated("financial", "UNIONPAY"),
            [
                lambda: _generated("auth", "UNIONPAY"),
                lambda: _generated("financial", "JCB"),
                lambda: GeneratePanel(message_type="financial", network="UNIONPAY"),
            ],
        ),
        (
            lambda: ValidatePanel(sim.generate(amount_minor_units=1234, currency="EUR")),
            [lambda: ValidatePanel(sim.generate(amount_minor_units=1234)), ValidatePanel],
        ),
    ],
}

CASES = [
    pytest.param(lesson, number, right, wrong, id=f"{lesson}-{number}")
    for lesson, exercises in SOLUTIONS.items()
    for number, (right, wrong) in enumerate(exercises, 1)
]


@pytest.fixture(scope="module")
def check() -> ModuleType:
    """What the notebooks import."""
    return check_module()


@pytest.mark.parametrize(("lesson", "number", "right", "wrong"), CASES)
def test_the_solution_is_right(
    check: ModuleType, lesson: str, number: int, right: Callable[[], Any], wrong: list[Callable[[], Any]]
) -> None:
    """The exercise has an answer, and near misses get a hint."""
    judge = getattr(check, lesson)
    assert judge.verdict(number, right()) == "right. Well done."
    for answer in wrong:
        assert judge.verdict(number, answer()).startswith("not yet. ")


def test_every_lesson_is_solved(check: ModuleType) -> None:
    """No exercise of check.py is without a solution here."""
    lessons = {name: len(one) for name, one in vars(check).items() if isinstance(one, check.Lesson)}
    assert lessons == {name: len(exercises) for name, exercises in SOLUTIONS.items()}


_CALL = re.compile(r"^check\.(\w+)\((\d), answer\)$", re.MULTILINE)


def _calls(path: Path) -> list[tuple[str, int]]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    sources = ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    return [(name, int(number)) for source in sources for name, number in _CALL.findall(source)]


def test_every_lesson_belongs_to_one_notebook(check: ModuleType) -> None:
    """A notebook that grades asks for the exercises 1, 2 and 3 of one lesson, in order, and no lesson is
    left over."""
    asked = [calls for path in sorted(NOTEBOOKS.glob("*.ipynb")) if (calls := _calls(path))]
    for calls in asked:
        assert calls == [(calls[0][0], number) for number in (1, 2, 3)]
    assert sorted(calls[0][0] for calls in asked) == sorted(SOLUTIONS)

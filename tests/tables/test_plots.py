"""The plots: their figures, their texts, and the absence of card data."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import Any

import pandas as pd
import pytest
from support import AT, SETTLED, some, together

import sim
from sim.codec import Message, build
from sim.operations import generate, respond
from sim.tables.plots.charts import rows_of
from sim.tables.plots.draw import colour_of

KINDS = ("traffic", "responses", "presence", "amounts", "lanes")
PAN = "4111111111111111"


@pytest.fixture(autouse=True)
def pyplot() -> Iterator[ModuleType]:
    """Draw plots to memory, and close them afterwards."""
    from matplotlib import pyplot  # not above: every worker would load it to collect the tests

    pyplot.switch_backend("agg")
    yield pyplot
    pyplot.close("all")


def message(kind: str = "auth", **options: Any) -> Message:
    """A message with the tests' own time."""
    return generate(kind, **{"network": "VISA", "at": AT, **options}).message


def texts(ax: Any) -> list[str]:
    """All texts in the plot, each once."""
    ax.figure.canvas.draw()
    parts = ax.figure.findobj(lambda part: hasattr(part, "get_text"))
    return list(dict.fromkeys(part.get_text() for part in parts if part.get_text()))


def labels(ax: Any) -> list[str]:
    """The names of the rows, from the top."""
    ticks = sorted(zip(ax.get_yticks(), ax.get_yticklabels(), strict=True), key=lambda pair: pair[0])
    named = [label.get_text() for _, label in ticks]
    return named if ax.yaxis_inverted() else named[::-1]


def cells(ax: Any) -> dict[tuple[str, str], str]:
    """The texts of a matrix, by the name of the row and the first line of the column's."""
    heads = {at: tick.get_text().split("\n")[0] for at, tick in enumerate(ax.get_xticklabels())}
    rows = dict(enumerate(labels(ax)))
    return {
        (rows[round(one.get_position()[1])], heads[round(one.get_position()[0])]): one.get_text()
        for one in ax.texts
    }


def test_traffic_has_a_strip_for_each_network_and_mti() -> None:
    """By network and MTI, each with its count; an echo test has no card and so no network."""
    auth = message()
    found = sim.plot([auth, message(stan="000002"), respond(auth).message, message("echo")])
    assert labels(found) == ["VISA  0100", "VISA  0110", "no network  0800"]
    assert [one.get_text() for one in found.texts] == ["2", "1", "1"]
    assert found.get_title(loc="right") == "Highest: 2 in a second"


def test_traffic_crosses_the_turn_of_the_year() -> None:
    """The last evening of a year is to the left of the first morning of the next."""
    start = datetime(2026, 12, 31, 20, tzinfo=UTC)
    sent = [message(at=start + timedelta(hours=hour)) for hour in range(10)]
    written = texts(sim.plot(sent))
    days = [line.split("\n")[1] for line in written if "\n" in line]
    assert days == ["31 Dec", "1 Jan"]


def test_traffic_by_the_local_time_where_the_transmission_time_is_missing() -> None:
    """DE 13 and 12 of 1987, DE 12 of 1993; messages without a time are counted below."""
    old = Message("0100", {3: "000000", 12: "101530", 13: "1120"})
    new = Message("1100", {3: "000000", 12: "261120101530"}, "1993")
    none = Message("0100", {3: "000000"})
    found = sim.plot([old, new, none])
    assert labels(found) == ["no network  0100", "no network  1100"]
    assert found.get_xlabel() == "Not shown: 1 without time"
    assert found.get_title(loc="right") == "Highest: 1 in a second"


def test_many_kinds_of_traffic_end_in_one_strip() -> None:
    """At most 24 strips; none of the messages is lost."""
    sent = [Message(f"0{at}0{at % 6}", {7: "1120101530"}) for at in range(10)] * 3
    sent += [Message(f"1{at}0{at % 6}", {7: "1120101530"}, "1993") for at in range(10)]
    sent += [Message(f"2{at}0{at % 6}", {7: "1120101530"}, "2003") for at in range(10)]
    found = sim.plot(sent)
    assert len(labels(found)) == 24
    assert labels(found)[-1] == "7 others"
    assert sum(int(one.get_text()) for one in found.texts) == len(sent)


def test_response_codes_by_network_with_their_meanings() -> None:
    """Responses count, requests do not; few messages give counts, many give percentages."""
    visa, amex = message(), message(network="AMEX")
    sent = [visa, respond(visa).message, respond(visa, "51").message, respond(amex).message]
    found = cells(sim.plot(sent, "responses"))
    assert found["00  approved", "VISA"] == "1"
    assert found["51  not sufficient funds", "VISA"] == "1"
    assert found["51  not sufficient funds", "AMEX"] == ""
    many = cells(sim.plot(sent * 50, "responses"))
    assert many["00  approved", "VISA"] == "50.0"
    assert many["00  approved", "AMEX"] == "100.0"


def test_rare_response_codes_are_one_row() -> None:
    """Fourteen codes have their own rows, the rest is summed up."""
    sent = [Message("0110", {39: f"{code:02}"}) for code in range(20)] * 2
    drawn = sim.plot(sent, "responses")
    assert cells(drawn)["6 other codes", "no network"] == "12"
    assert drawn.figure.get_figheight() > len(labels(drawn)) / 4, "a row has room for its text"


def test_presence_says_how_often() -> None:
    """A full or empty cell has no text, others have the percentage."""
    sent = [message(), message(entry="chip"), message(entry="chip"), message("echo")]
    found = cells(sim.plot(sent, "presence"))
    assert found["2  Primary account number (PAN)", "0100"] == ""
    assert found["55  Chip data", "0100"] == "67"
    assert found["55  Chip data", "0800"] == ""
    assert "70  Network management information code" in {row for row, _ in found}


@together(
    "code, alpha, said",
    [("840", "USD", "12.50"), ("392", "JPY", "1,250"), ("048", "BHD", "1.250")],
)
@together("version", ["1987", "1993", "2003"])
def test_amounts_have_the_decimals_of_their_currency(code: str, alpha: str, said: str, version: str) -> None:
    """Two, none or three; in 2003 currency and decimals precede the amount."""
    sent = message(currency=code, amount_minor_units=1250, version=version)
    found = sim.plot([sent], "amounts")
    assert labels(found) == [alpha]
    assert [one.get_text() for one in found.texts] == [f"{said}   (1)"]


def test_each_currency_has_a_scale_of_its_own() -> None:
    """The strip of a rare currency is as high as that of a common one."""
    drawn = sim.plot([message(currency="EUR"), *[message()] * 9], "amounts").collections
    common, rare = (max(path.vertices[:, 1].max() for path in strip.get_paths()) for strip in drawn)
    assert common - rare == pytest.approx(1)


def test_amounts_of_requests_not_twice() -> None:
    """A response repeats the amount, so it counts only if there is nothing else."""
    asked = message()
    answer = respond(asked).message
    assert [one.get_text() for one in sim.plot([asked, answer], "amounts").texts] == ["10.00   (1)"]
    assert [one.get_text() for one in sim.plot([answer, answer], "amounts").texts] == ["10.00   (2)"]


def test_amounts_tell_what_they_leave_out() -> None:
    """Zero has no position on an axis of powers of ten, an unknown currency no decimals."""
    odd = [message(amount_minor_units=0), message().replace(de49="000"), message()]
    assert sim.plot(odd, "amounts").get_xlabel() == "Not shown: 1 of zero, 1 without known currency"


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_draw_is_said(kind: Any) -> None:
    """Without messages the plot has a sentence; broken ones raise nothing."""
    assert any(line.startswith("No ") for line in texts(sim.plot([], kind)))
    assert any(line.startswith("No ") for line in texts(sim.plot(["0100x", ""], kind)))


@pytest.mark.parametrize("kind", KINDS)
def test_all_vectors_can_be_drawn_and_show_no_card_number(kind: Any) -> None:
    """Whatever the messages are, no run of digits is as long as a card number."""
    sent = [row["message"] for row in some(SETTLED, 10)]
    written = " ".join(texts(sim.plot(sent, kind)))
    assert not any(len(run) > 9 for run in "".join(c if c.isdigit() else " " for c in written).split())
    assert "broken" in written


def test_hostile_columns_draw_nothing_of_the_card() -> None:
    """A table with card numbers in its MTI, network or code columns does not get them into a plot."""
    frame = pd.DataFrame(
        {"mti": ["0110", PAN], "network": [PAN, "VISA"], "version": [PAN, PAN], "39": [PAN, "00"], "49": PAN}
    )
    kind: Any
    for kind in KINDS:
        assert PAN not in " ".join(texts(sim.plot(frame, kind)))


@pytest.mark.parametrize("name", [4, "4", "DE4", "DE 4", "de_004", "F4", "Amount, transaction"])
def test_columns_by_number_or_name(name: object) -> None:
    """A data element's column may be named by its number, in several ways, or by its name."""
    rows = rows_of(pd.DataFrame({"mti": ["0100"], name: ["000000001000"], "line": [1], "999": ["x"]}))
    assert rows.numbers() == [4]
    assert rows.frame["version"].tolist() == ["1987"]


def test_every_form_of_messages_gives_the_same_rows() -> None:
    """Texts, `Message`s, message tables, a Series, an iterator, a single message."""
    one, two = message(), message("echo")
    forms: list[object] = [
        [build(one), build(two)],
        [one, two],
        [sim.parse(build(one)), sim.parse(build(two))],
        pd.Series([build(one), build(two)]),
        iter([one, build(two)]),
    ]
    first = rows_of(forms[0]).frame
    for form in forms[1:]:
        pd.testing.assert_frame_equal(rows_of(form).frame, first)
    for alone in (one, build(one), sim.parse(build(one))):
        assert rows_of(alone).frame["mti"].tolist() == ["0100"]


def test_tables_with_a_row_per_message_may_come_in_parts() -> None:
    """A file read in chunks comes in parts; rows with an error count as broken."""
    part = pd.DataFrame({"mti": ["0100", "0100"], "DE3": ["000000", None], "error": [None, "DE 3: wrong"]})
    rows = rows_of(iter([part, part]))
    assert (len(rows.frame), rows.broken) == (2, 2)
    assert rows_of(part).numbers() == [3]


@pytest.mark.parametrize("wrong", [7, None, [7]])
def test_what_is_no_message_is_told(wrong: Any) -> None:
    """A TypeError, not an empty plot."""
    with pytest.raises(TypeError, match="message"):
        sim.plot(wrong)


def test_an_unknown_kind_is_told() -> None:
    """The error lists the kinds."""
    wrong: Any = "pie"
    with pytest.raises(sim.ChoiceError, match="traffic, responses, presence, amounts or lanes"):
        sim.plot([], wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_an_axes_given_is_drawn_on(kind: Any, pyplot: Any) -> None:
    """The Axes is returned; its figure keeps its background, one made here has none."""
    figure, ax = pyplot.subplots()
    ground = figure.get_facecolor()
    assert sim.plot([message()], kind, ax) is ax
    assert figure.get_facecolor() == ground
    made: Any = sim.plot([message()], kind).figure
    assert made.get_facecolor()[3] == 0


def test_text_in_cells_stands_out_on_dark_and_light_ground(pyplot: Any) -> None:
    """White letters on a dark page, dark ones on a light page, for a nearly empty cell."""
    sent = [message(), message(entry="chip")] + [message()] * 30
    light = {one.get_text(): one.get_color() for one in sim.plot(sent, "presence").texts}
    with pyplot.style.context("dark_background"):
        dark = {one.get_text(): one.get_color() for one in sim.plot(sent, "presence").texts}
    assert light["3"] == "black"
    assert dark["3"] == "white"


def _lightness(rgb: tuple[float, ...]) -> float:
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in rgb]
    return sum(part * weight for part, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


def test_colours_of_networks_stand_out_on_a_dark_page(pyplot: Any) -> None:
    """A contrast of three to one, as WCAG 2 requires of graphics, even for a transparent strip."""
    from matplotlib.colors import to_rgba

    ground = to_rgba("#111111")[:3]
    with pyplot.style.context("dark_background"):
        for name in sim.NETWORKS:
            seen = [
                0.75 * part + 0.25 * behind
                for part, behind in zip(to_rgba(colour_of(name))[:3], ground, strict=True)
            ]
            assert (_lightness(tuple(seen)) + 0.05) / (_lightness(ground) + 0.05) >= 3


def test_no_span_of_time_is_without_marks(pyplot: Any) -> None:
    """From seconds to months the axis has ticks, without a warning from matplotlib."""
    for minutes in (0.2, 2, 30, 240, 300, 2_000, 5_000, 60_000):
        moments = [AT, AT + timedelta(minutes=minutes)]
        ax = sim.plot([generate("echo", at=moment).raw for moment in moments], "traffic")
        assert len(ax.get_xticks()) >= 2
        pyplot.close(ax.figure)


def _axis(ax: Any) -> list[str]:
    ax.figure.canvas.draw()
    return [tick.get_text() for tick in ax.get_xticklabels()]


@pytest.mark.parametrize("seconds", [0, 1, 2, 5, 70, 4000])
def test_no_two_moments_of_an_axis_are_called_alike(seconds: int) -> None:
    """However close together the messages are, even within one second, no two ticks have the same label."""
    made = [message(at=AT), message(at=AT + timedelta(seconds=seconds))]
    told = _axis(sim.plot(made, "traffic"))
    assert len(told) == len(set(told)) > 0


@pytest.mark.parametrize(
    ("amounts", "told"),
    [((1000, 2400), ["10", "20"]), ((150_000, 180_000), ["1,000", "2,000"]), ((25, 60), ["0.2", "0.5"])],
)
def test_amounts_close_together_have_an_axis_to_read(amounts: tuple[int, ...], told: list[str]) -> None:
    """The axis has more than one power of ten: values in between are labeled, too."""
    ax = sim.plot([message(amount_minor_units=one) for one in amounts], "amounts")
    written = _axis(ax)
    assert len(written) == len(set(written)) >= 2
    left, right = ax.get_xlim()
    assert all(left <= place <= right for place in ax.get_xticks())
    assert any(one in written for one in told)


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """An ImportError that says what to install."""
    real = builtins.__import__

    def refuse(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.partition(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match=r"pip install 'iso8583-lab\[plot\]'"):
        sim.plot([message()])

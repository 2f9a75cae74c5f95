"""Read a day of traffic in parallel, and find what is odd in it: `python day_with_dask.py [FOLDER]`.

Without a folder of logs one is made: three terminals, one of which began to decline in the afternoon.
Needs the extra `dask`.
"""

from __future__ import annotations

import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import sim

MORNING = datetime(2026, 11, 20, 6, tzinfo=UTC)


def make_logs(folder: Path, hours: int = 12, an_hour: int = 6) -> None:
    """A log for each terminal: requests and answers, a message in each line."""
    for number, network in enumerate(("VISA", "MASTERCARD", "AMEX"), 1):
        lines = []
        for minute in range(hours * an_hour):
            at = MORNING + timedelta(minutes=minute * 60 / an_hour)
            request = sim.generate(network=network, version="1987", stan=f"{minute + 1:06}", at=at)
            request.loc[request["number"] == 41, "value"] = f"TERM000{number}"
            broken = number == 2 and at.hour >= 14 and minute % 3 == 0
            answer = sim.respond(request, "91" if broken else "00")
            lines += [sim.build(request), sim.build(answer)]
        (folder / f"terminal{number}.log").write_text("\n".join(lines) + "\n", encoding="utf-8")


def oddities(folder: Path) -> None:
    """Print what stands out: bad lines, and hours in which a terminal declined more than usual."""
    traffic = sim.read(str(folder / "*.log"), engine="dask", validate=True)
    bad = traffic[traffic["error"].notnull()]
    print("lines that cannot be read:", len(bad))

    answers = traffic[traffic["mti"].isin(["0110", "0210"])][["DE7", "DE39", "DE41"]].compute()
    answers["hour"] = answers["DE7"].str[4:6]
    answers["declined"] = answers["DE39"] != "00"
    rates = answers.groupby(["DE41", "hour"])["declined"].agg(["mean", "size"])
    usual = answers["declined"].mean()
    print(rates[rates["mean"] > 3 * usual].round(2).to_string())


if __name__ == "__main__":
    if sys.argv[1:]:
        oddities(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as made:
            make_logs(Path(made))
            oddities(Path(made))

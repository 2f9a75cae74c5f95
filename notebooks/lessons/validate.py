"""Notebook 05: findings and rules."""

from __future__ import annotations

import sim
from lessons.answers import Spelling
from lessons.judging import Lesson, equal, wants
from sim.judge import catalogue


def _broken_rules(message: sim.Message, severity: str) -> list[str]:
    found = sim.validate(message)
    return [str(rule) for rule in found.loc[found["severity"] == severity, "rule"]]


def _one_date(message: sim.Message) -> str:
    found = _broken_rules(message, "error")
    if found == ["date"]:
        return ""
    if not found:
        return "it has no error yet: write an impossible date, such as month 13."
    if "date" not in found:
        return f"the error is of the rule `{found[0]}`. Break a date instead."
    return f"there are {len(found)} errors; the exercise asks for only one, of the rule `date`."


def _warned(message: sim.Message) -> str:
    if found := _broken_rules(message, "error"):
        return f"it has an error (`{found[0]}`), so it is not valid."
    return (
        ""
        if _broken_rules(message, "warning")
        else "it has no warning. Whose cards do not belong in an 0100?"
    )


validate = Lesson(
    "validate",
    wants(_one_date, stronger="Copy `request`, and write `1301` into the cell of DE 13."),
    equal(
        lambda: Spelling(
            next(name for name, rule in catalogue().items() if "are in ISO 4217" in rule.checks)
        ),
        "filter `sim.rules()` by its column `checks`, and use the name of an error, not a warning.",
        "`rules[rules['checks'].str.contains('4217')]` leaves two or three rows.",
        {
            "minor-unit": "that rule looks at decimals. Which one looks at the code?",
            "date": "that rule looks at dates.",
            "amount-without-currency": "that rule only checks whether there is a currency, not which one.",
        },
    ),
    wants(_warned, stronger='American Express uses 1993: what about an 0100 made with `version="1987"`?'),
)

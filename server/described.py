"""POST /plan, and POST /generate of a description."""

from __future__ import annotations

from typing import Any

from server.errors import Problem, problem
from server.written import fields_of
from sim.exchanges.plan import Plan, Run, UnclearError, shown


def generate(made: Plan) -> dict[str, Any]:
    """The answer of POST /generate: the message that the description of a plan is about. Raises Problem."""
    try:
        run = made.run()
    except UnclearError as error:
        raise _refused(made, error) from None
    message = _message(run, run.subject)
    del message["role"]
    return message | {"network": run.exchange.network, "source": made.source}


def plan(made: Plan) -> dict[str, Any]:
    """The answer of POST /plan, also where nothing can be made."""
    messages = []
    if made.makes_messages and not made.unclear and not made.not_possible:
        run = made.run()
        messages = [_message(run, at) for at in range(len(run.exchange))]
    unclear = [f"Not understood: {shown(words)}" for words in made.unclear]
    impossible = [f"Not possible: {made.not_possible}"] if made.not_possible else []
    steps: list[dict[str, Any]] = []
    for number, call, name, value, words in made.rows():
        if number > len(steps):
            steps.append({"call": call, "options": {}, "words": {}})
        if name:
            steps[-1]["options"][name] = value
        if words:
            steps[-1]["words"][name] = shown(words)
    return {
        "steps": steps,
        "notes": [
            *made.remarks,
            *unclear,
            *impossible,
            *filter(None, [made.cost]),
        ],
        "code": made.code,
        "messages": messages,
        "source": made.source,
    }


def _message(run: Run, at: int) -> dict[str, Any]:
    step = run.exchange.steps[at]
    fields = fields_of(step.message)
    return {"message": run.text(at), "mti": step.message.mti, "role": step.role, "fields": fields}


def _refused(made: Plan, error: UnclearError) -> Problem:
    unclear = [shown(words) for words in error.words]
    ctx = {"understood": made.understood(), "unclear": unclear}
    type_ = "not_possible" if error.not_possible else "description_unclear"
    return problem(422, type_, ["body", "description"], shown(str(error)), ctx=ctx)

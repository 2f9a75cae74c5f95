"""Write what is kept of generate, respond and explain anew: `python tests/tools/make_explanations.py`.

Each line of `tests/operations/explanations.jsonl` has a title, a version, a message and what explain tells of
it. A message is added as a line without its paragraph. `tests/operations/digests.csv` has a digest for each
message type, purpose, entry and option, of all messages made with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from combined import combinations
from operations.test_purposes import OPTIONS
from support import AT

from sim.elements.mti import response_mti
from sim.operations import NETWORKS, VERSIONS, explain, generate, respond, reverse
from sim.operations.options import has_option
from sim.spec.tables import read_toml

GOLDEN = Path(__file__).parents[1] / "operations" / "explanations.jsonl"
DIGESTS = GOLDEN.with_name("digests.csv")


def golden() -> list[dict[str, str]]:
    """The rows of the golden file."""
    return [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]


def explained(row: dict[str, str]) -> dict[str, str]:
    """A row as explain gives it now."""
    return row | {"summary": explain(row["message"], version=row["version"]).summary}


def _made(**options: Any) -> Iterator[str]:
    """The message with these options, its answer and its reversal."""
    message = generate(**options, at=AT).message
    yield repr((message.mti, message.fields))
    if response_mti(message.mti):
        yield repr(respond(message, at=AT).message.fields)
    if message.mti[1] in "12":
        yield repr(reverse(message, reason="timeout", at=AT).message.fields)


def digests() -> dict[str, str]:
    """A digest of the messages of every message type, purpose, entry and option, all networks and versions
    together."""
    texts: dict[str, list[str]] = {}
    choices = read_toml("templates")["options"]
    for network in (None, *NETWORKS):
        for version in VERSIONS:
            shown = set[str]()
            for kind, purpose, entry in combinations(network, version):
                words = {kind, purpose, entry} - shown  # the first message with each
                shown |= words
                made = _made(
                    message_type=kind, network=network, version=version, purpose=purpose, entry=entry
                )
                text = "".join(made) if words else ""
                for word in words:
                    texts.setdefault(word, []).append(text)
            for name, options in OPTIONS.items():
                for value in choices[name].get("choices", [options["details"][name]]):
                    if has_option(name, network, version):
                        chosen = options | {"details": options["details"] | {name: value}}
                        texts.setdefault(name, []).extend(_made(network=network, version=version, **chosen))
    return {word: sha256("".join(text).encode()).hexdigest()[:12] for word, text in texts.items()}


def kept_digests() -> dict[str, str]:
    """The digests of the golden file."""
    return dict(line.split(",") for line in DIGESTS.read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    GOLDEN.write_text("".join(json.dumps(explained(row)) + "\n" for row in golden()), encoding="utf-8")
    rows = sorted(digests().items())
    DIGESTS.write_text("".join(f"{word},{digest}\n" for word, digest in rows), encoding="utf-8")

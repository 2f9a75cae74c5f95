"""The instructions for a model. Data is in a fence with a new mark on every call, so no data can close it.

The texts are in `prompts.toml`.
"""

from __future__ import annotations

import json
import secrets
import tomllib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

_TEXTS = tomllib.loads((Path(__file__).parent / "prompts.toml").read_text(encoding="utf-8"))
MOST_WORDS: int = _TEXTS["most_words"]
LANGUAGES: dict[str, str] = {code: row["name"] for code, row in _TEXTS["languages"].items()}
NOT_CHECKED: dict[str, str] = {code: row["not_checked"] for code, row in _TEXTS["languages"].items()}


def fence() -> str:
    """A mark that no existing text can have."""
    return f"data-{secrets.token_hex(8)}"


def restate_instructions(mark: str, now: datetime, choices: Mapping[str, str]) -> str:
    """The instructions for restating a description, with the *choices* of fields, if the model does not see
    them in the schema."""
    moment = f"{now:%A %Y-%m-%d %H:%M} {now:%Z}".strip()
    examples = "\n".join(f"{row['text']} -> {json.dumps(row['fields'])}" for row in _TEXTS["examples"])
    told = "".join(f"{name}: {those}.\n" for name, those in choices.items())
    return _text("restate", mark, choices=told, now=moment, examples=examples)


def explain_instructions(mark: str, language: str) -> str:
    """The instructions for explaining a message in *language*."""
    return _text("explain", mark, words=MOST_WORDS, language=language)


def _text(name: str, mark: str, **blanks: object) -> str:
    text: str = _TEXTS[name]
    return text.format(fence=_TEXTS["fence"].format(mark=mark), **blanks)


def block(mark: str, data: Any) -> str:
    """*data* as JSON in its fence. Angle brackets are escaped, so no line can look like the end."""
    text = json.dumps(data, ensure_ascii=True, indent=0)
    return f"<{mark}>\n{text.replace('<', chr(92) + 'u003c').replace('>', chr(92) + 'u003e')}\n</{mark}>"

"""Pastes as message tables: what is no text form goes through the guess, and the table says what it was read
as, and where each element stood in the bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from sim.codec import Message
from sim.operations import guess
from sim.operations.choosing import chosen_version
from sim.operations.reading import recognised
from sim.paste import Guess, Guessed
from sim.spec.words import AnyNetwork, AnyVersion
from sim.tables.argument import Given, refuse_many, take

if TYPE_CHECKING:
    from sim.codec.wire import Format

BYTE_COLUMNS = ("byte_start", "byte_end")
TEXT_FORM = "text form"
_INTEGER = "Int64"
_HINT = "Read up to there. What speaks against this reading: {}. `sim.guess` lists the other candidates."


def take_paste(
    message: object,
    version: AnyVersion | None,
    network: AnyNetwork | None,
    format: Format | str | None,
) -> tuple[Given, Guess | None]:
    """A message argument as `take` gives it, and the guess where it is a paste that is no text form. Bytes
    are taken as well. Raises as `take` does, SpecError for an unknown format."""
    if isinstance(message, bytes | bytearray):
        found: Guess | None = guess(bytes(message), format=format, version=version)
        found = None if found is None or found.best.message is None else found
    elif isinstance(message, str):
        refuse_many(str(message))
        found = recognised(str(message), format=format, version=version)
    else:
        found = None
    if found is None:
        return take(message, version, network), None
    return _given(found.best, version, network), found


def given_of(
    message: object,
    format: Format | str | None = None,
    *,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
) -> Given:
    """A message argument in one form, a paste or bytes read as what they are. Raises as `take_paste` does."""
    return take_paste(message, version, network, format)[0]


def _given(best: Guessed, version: AnyVersion | None, network: AnyNetwork | None) -> Given:
    held = best.message
    own = held.dialect if held else None
    content: str | Message = best.partial_text
    if best.complete and held:
        content = held if own else best.text or held
    agrees = best.version == chosen_version(best.mti, None)
    base = take(content, best.version, network)
    return Given(base.content, best.version, version is not None or not agrees, base.network, own)


def said(table: pd.DataFrame, found: Guess | None) -> None:
    """Write into *table* what it was read as, and where its elements stood in the bytes."""
    if found is None:
        return
    best = found.best
    told: dict[str, Any] = {"read_as": best.read_as, "confidence": best.confidence, "format": best.format}
    told |= {"framing": list(best.framing), "reasons": list(best.reasons), "messages": len(found.messages)}
    table.attrs["iso"] = {**table.attrs["iso"], "recognised": told}
    if best.error is not None:
        say_fault(table, best, "finding")
    if best.spans:
        numbers = [None if pd.isna(one) else int(one) for one in table["number"].tolist()]
        spans = [best.spans.get(-1 if number is None else number) for number in numbers]
        for name, at in zip(BYTE_COLUMNS, (0, 2), strict=True):
            table[name] = pd.Series([span[at] if span else None for span in spans], dtype=_INTEGER)


def say_fault(table: pd.DataFrame, best: Guessed, column: str) -> None:
    """The misfit as the reader of the bytes says it, in place of what *column* says of the text form."""
    cells = table[column].tolist()
    row = next((at for at, text in enumerate(cells) if isinstance(text, str) and text), None)
    if row is not None:
        table.loc[table.index[row], column] = str(best.error)
        table.loc[table.index[row], "hint"] = _HINT.format("; ".join(best.reasons))

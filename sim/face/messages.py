"""One message: parse, explain, validate, repair, build, diff, mask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sim.codec.wire import Format
    from sim.spec.words import AnyNetwork, AnyVersion
    from sim.tables import DiffTable, EditsTable, FindingsTable, MessageArgument, MessageTable, RawMessage


def parse(
    raw: MessageArgument | bytes,
    *,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    format: Format | str | None = None,
) -> MessageTable:
    """Split a message into MTI, bitmap and data elements, and say what each of them means.

    Only framing is judged here; `validate` judges the rest. What is no text form is guessed: hex, dumps,
    literals, base64, log lines, jPOS XML, with any framing in any format; `.iso.read_as` says what it was.

    Parameters
    ----------
    raw
        A message in any form: its raw text, a message table, a `Message`.
    version
        One of `sim.VERSIONS`; None reads it off the MTI.
    network
        One of `sim.NETWORKS`, whose meanings to give; None is the card's.
    format
        The name of a wire format, where it is known; None guesses, `text` takes the text form only.

    Returns
    -------
    MessageTable
        A row per data element; `start` and `end` bound all of it, length prefix included, in characters
        from 0 (those of a finding the fault alone). Where bytes were read, `byte_start` and `byte_end` count
        those of the paste. A broken text gives a table as well: what was
        read, the piece that misfits with its finding and hint, the unread rest.

    Raises
    ------
    TypeError
        *raw* is no message argument.
    ChoiceError
        No version or network is called that.
    SpecError
        No format is called that.

    Examples
    --------
    >>> import sim
    >>> table = sim.parse("08002020000000000000990000123456")
    >>> table["number"].tolist()
    [0, 1, 3, 11]
    >>> sim.parse("0800202000000000000099000012")["finding"].iloc[-1]
    'DE 11 at offset 26: expected n 6, found 2 characters'
    """
    from sim import tables

    return tables.parse(raw, version=version, network=network, format=format)


def explain(
    message: MessageArgument | bytes,
    *,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    format: Format | str | None = None,
    llm: bool = False,
    provider: str | None = None,
    model: str | None = None,
) -> MessageTable:
    """Say in plain English what a message is about.

    Parameters
    ----------
    message
        A message in any form that `parse` takes. A broken text gives its pieces, and no summary.
    version
        One of `sim.VERSIONS`; None reads it off the MTI.
    network
        One of `sim.NETWORKS`; None is the card's.
    format
        The name of a wire format, where it is known; None guesses, `text` takes the text form only.
    llm
        Whether a language model writes the summary. It sees the elements with card data hidden.
    provider, model
        The language model to ask; see `sim.llm.status()`.

    Returns
    -------
    MessageTable
        A row per data element, shown with the summary above it, which is also `.iso.summary`.

    Raises
    ------
    TypeError
        *message* is no message argument.
    ChoiceError
        No version or network is called that.
    SpecError
        No format is called that.
    BuildError
        A language model is to explain a broken text.
    LlmError
        A language model was asked for in vain.

    Examples
    --------
    >>> import sim
    >>> bool(sim.explain(sim.generate("auth")).iso.summary)
    True
    """
    from sim import tables

    if llm:
        return tables.explain_by_model(
            message, version=version, network=network, format=format, provider=provider, model=model
        )
    return tables.explain(message, version=version, network=network, format=format)


def validate(
    message: MessageArgument | bytes,
    *,
    against: Iterable[AnyNetwork] = (),
    network: AnyNetwork | None = None,
    version: AnyVersion | None = None,
    format: Format | str | None = None,
) -> FindingsTable:
    """Check a message by the standard's rules and by its network's.

    Parameters
    ----------
    message
        A message in any form that `parse` takes. A broken text or a bad cell is a finding.
    against
        Other networks whose findings to list as well; they never make the message invalid.
    network
        The message's own, one of `sim.NETWORKS`; None is the card's.
    version
        One of `sim.VERSIONS`; None reads it off the MTI.
    format
        The name of a wire format, where it is known; None guesses, `text` takes the text form only.

    Returns
    -------
    FindingsTable
        A row per finding, none when all is well; `.iso.valid` is the verdict, `.iso.networks` what each
        network says.

    Raises
    ------
    TypeError
        *message* is no message argument.
    ChoiceError
        No version or network is called that.
    SpecError
        No format is called that.

    Examples
    --------
    >>> import sim
    >>> report = sim.validate("0800202000000000000099000012")
    >>> report.iso.valid, len(report)
    (False, 1)
    """
    from sim import tables

    return tables.validate(message, against=against, network=network, version=version, format=format)


def build(
    fields: MessageArgument | Mapping[Any, str] | bytes,
    *,
    version: AnyVersion | None = None,
    format: Format | str | None = None,
) -> RawMessage:
    """Write a message as text: MTI, bitmap, data elements; or as the bytes of a wire format.

    Parameters
    ----------
    fields
        A message in any form, or a dict of `0` (or `"mti"`) and data element numbers. The bitmap follows
        from them.
    version
        One of `sim.VERSIONS`; None reads it off the MTI.
    format
        The wire format to write it in, as hexadecimal digits without framing; None and `text` are the text
        form.

    Returns
    -------
    RawMessage
        A str whose repr leaves the elements out, so that no card number stays in a notebook; `print`
        shows it all.

    Raises
    ------
    BuildError
        An element cannot be written; the error names it, what was expected and what was found.
    ChoiceError
        No version is called that.

    Examples
    --------
    >>> import sim
    >>> print(sim.build({"mti": "0800", 3: "990000", 11: "123456"}))
    08002020000000000000990000123456
    """
    from sim import tables

    return tables.build(fields, version=version, format=format)


def diff(
    a: MessageArgument | bytes, b: MessageArgument | bytes, *, format: Format | str | None = None
) -> DiffTable:
    """Put the data elements in which two messages differ side by side, also across versions.

    Parameters
    ----------
    a, b
        Messages in any form that `parse` takes.
    format
        The name of a wire format, where it is known; None guesses, `text` takes the text form only.

    Returns
    -------
    DiffTable
        `number`, `name`, `a`, `b`, `meaning_a`, `meaning_b`; empty when they are equal. An element that
        one of them lacks is missing there. The bitmap, which follows from the elements, is left out.

    Raises
    ------
    TypeError
        One of them is no message argument.

    Examples
    --------
    >>> import sim
    >>> one, two = (sim.generate("echo", stan=stan) for stan in ("000001", "000002"))
    >>> sim.diff(one, two)["number"].tolist()[-1]
    11
    """
    from sim import tables

    return tables.diff(a, b, format=format)


def mask(
    message: MessageArgument | bytes,
    *,
    version: AnyVersion | None = None,
    format: Format | str | None = None,
) -> str:
    """Star out the card data of a message, so that its text can go into a ticket or a mail.

    A PAN keeps its first 6 and last 4 digits; track data, PIN blocks and chip data keep nothing. The
    layout stays, so that lengths and offsets can still be followed. A broken text keeps no long run
    of digits.

    Parameters
    ----------
    message
        A message in any form.
    version
        One of `sim.VERSIONS`; None reads it off the MTI.
    format
        The name of a wire format: what is read by it is given as text. None takes *message* as it stands.

    Returns
    -------
    str
        The text, as long as the message's.

    Raises
    ------
    TypeError
        *message* is no message argument.
    ChoiceError
        No version is called that.

    Examples
    --------
    >>> import sim
    >>> sim.mask("0100400000000000000016" + "4111111111111111")
    '0100400000000000000016411111******1111'
    """
    from sim import tables

    return tables.mask(message, version=version, format=format)


def repair(
    message: MessageArgument | bytes,
    *,
    version: AnyVersion | None = None,
    network: AnyNetwork | None = None,
    unsafe: bool = True,
    format: Format | str | None = None,
) -> EditsTable:
    """Find the shortest edits that make a message read or valid. The message itself is left as it is.

    Parameters
    ----------
    message
        A message in any form, a broken one too.
    version, network
        As in `validate`.
    unsafe
        False makes no edit but safe ones: those that change how something is written, or take out what
        nobody asks for. The others make up a value, or touch a card number, an amount or a currency.
    format
        The name of a wire format, where it is known; None guesses, `text` takes the text form only.

    Returns
    -------
    EditsTable
        A row per edit: `field`, `name`, `action`, `before`, `after` (card data hidden), `why`, `rule`,
        `safe`. `.message` is the message after all of them, `.raw` its text, `.valid` the verdict on it,
        `.left` the errors that no edit takes away.

    Raises
    ------
    TypeError
        *message* is no message argument.
    ChoiceError
        No version or network is called that.

    Examples
    --------
    >>> import sim
    >>> broken = sim.build(sim.generate("auth")).replace("164111111111111111", "164111111111111112")
    >>> edits = sim.repair(broken)
    >>> edits[["field", "action", "rule", "safe"]].values.tolist(), edits.valid
    ([[2, 'changed', 'luhn', False]], True)
    """
    from sim import tables

    return tables.repair(message, version=version, network=network, unsafe=unsafe, format=format)

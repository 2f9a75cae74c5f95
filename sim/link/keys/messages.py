"""Keys applied to a message: its PIN block, its MAC, the chip cryptogram and the issuer's response to it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from hmac import compare_digest
from typing import Any, Literal

from sim.codec import Message, build
from sim.codec.wire import Format, encode
from sim.elements.card import account, chosen_network
from sim.errors import OptionError
from sim.link.keys.chip import arpc, arqc, counter_key, icc_master_key, script_key, session_key
from sim.link.keys.key import Key, Step, Worked, octets, text
from sim.link.keys.mac import MacAlgorithm, mac
from sim.link.keys.pin import PinFormat, pin_block
from sim.parts import chip_data
from sim.spec.networks import network
from sim.spec.tables import read_csv

_CHIP, _SEQUENCE = 55, 23
_MACS = (64, 128)
_TEXT = "text"
# The tags that every cryptogram protects, in this order (EMV 4.3 Book 2, table 26); the rest differs.
_PROTECTED = ("9F02", "9F03", "9F1A", "95", "5F2A", "9A", "9C", "9F37", "82", "9F36")
_COUNTER, _UNPREDICTABLE, _ISSUER_DATA, _CRYPTOGRAM, _ANSWER = "9F36", "9F37", "9F10", "9F26", "91"


@dataclass(frozen=True, slots=True)
class _Cryptogram:
    """How one cryptogram version works: a row of the table. `at` is the position of its number in the
    issuer's data, `session` and `script` are the derivations of the keys for a cryptogram and a script,
    `assumed` is what no public document states."""

    scheme: str
    cvn: str
    at: int
    option: Literal["A", "B"]
    session: str
    own: slice
    rest: slice
    padding: Literal[1, 2]
    arpc: Literal[1, 2]
    arpc_key: str
    script: str
    assumed: str


def with_pin_block(
    message: Message, pin: str, key: Key | str | bytes, *, format: PinFormat = 0, fill: str | None = None
) -> Message:
    """Put an encrypted PIN into DE 52.

    Parameters
    ----------
    message
        A message with a card number in DE 2, 34, 35 or 45, to which the block is bound.
    pin, key, format, fill
        As in `pin_block`. Format 4 has 16 bytes, too many for DE 52.

    Returns
    -------
    Message
        A copy.

    Raises
    ------
    OptionError
        No card number, or an argument that `pin_block` rejects.

    Examples
    --------
    >>> import sim
    >>> key = "0123456789ABCDEFFEDCBA9876543210"
    >>> request = sim.keys.with_pin_block(sim.generate("financial"), "1234", key)
    >>> sim.keys.read_pin_block(request.iso[52], request.iso[2], key=key).value
    '1234'
    """
    if format == 4:
        raise OptionError("format", "0, 1 or 3; DE 52 has only 8 bytes", "4, which needs 16")
    if format == 2:
        raise OptionError("format", "0, 1 or 3, for a PIN on a link", "2, used only between reader and chip")
    pan = account(message)[1] or None
    return message.replace(de52=pin_block(pin, pan, format=format, key=key, fill=fill).value)


def with_mac(
    message: Message,
    key: Key | str | bytes,
    *,
    algorithm: MacAlgorithm = "X9.19",
    padding: Literal[1, 2] = 1,
    format: Format | str = _TEXT,
) -> Message:
    """Protect a message with a MAC in its last element: DE 128 if it has a second bitmap, otherwise DE 64.

    Parameters
    ----------
    message
        The message to send; an existing MAC is replaced.
    key, algorithm, padding
        As in `mac`.
    format
        The wire format (a format, or a name of `sim.formats()`): the MAC covers the message's bytes up to
        the MAC itself; `"text"` is the text form in ASCII. Parties that leave out or add data agree on it
        among themselves.

    Returns
    -------
    Message
        A copy.

    Raises
    ------
    OptionError, ChoiceError
        An argument that `mac` rejects.
    BuildError
        A message that *format* cannot encode.

    Examples
    --------
    >>> import sim
    >>> key = "0123456789ABCDEFFEDCBA9876543210"
    >>> protected = sim.keys.with_mac(sim.generate("financial"), key)
    >>> len(protected.iso[64])
    16
    """
    number = _MACS[message.has_secondary]
    fields = {place: value for place, value in message.fields.items() if place not in _MACS}
    bare = Message(message.mti, fields, message.version, message.empty_secondary, message.dialect)
    zeros = "0" * 16
    announced = bare.replace(**{f"de{number}": zeros})
    if format == _TEXT:
        data = build(announced)[: -len(zeros)].encode("ascii", "replace")
    else:
        # The MAC is the last element: it starts where two encodings with different values differ.
        low, high = encode(announced, format), encode(announced.replace(**{f"de{number}": "F" * 16}), format)
        data = low[: next(at for at, pair in enumerate(zip(low, high, strict=True)) if pair[0] != pair[1])]
    code = mac(data, key, algorithm=algorithm, padding=padding).value.ljust(16, "0")
    return bare.replace(**{f"de{number}": code})


def mac_number(message: Message) -> int:
    """The element with the MAC of *message*, right or wrong; 0 if it has none."""
    return next((number for number in reversed(_MACS) if number in message), 0)


def check_mac(
    message: Message,
    key: Key | str | bytes,
    *,
    algorithm: MacAlgorithm = "X9.19",
    padding: Literal[1, 2] = 1,
    format: Format | str = _TEXT,
) -> bool:
    """Check the MAC of *message*.

    Parameters
    ----------
    message
        With DE 64 or 128.
    key, algorithm, padding, format
        As given to `with_mac`.

    Returns
    -------
    bool
        False if the message was changed in transit, or the MAC was made with another key.

    Raises
    ------
    OptionError
        No MAC to check, or an argument that `mac` rejects.

    Examples
    --------
    >>> import sim
    >>> key = "0123456789ABCDEFFEDCBA9876543210"
    >>> protected = sim.keys.with_mac(sim.generate("financial"), key)
    >>> sim.keys.check_mac(protected, key)
    True
    >>> protected.iso[4] = "000000009900"
    >>> sim.keys.check_mac(protected, key)
    False
    """
    number = mac_number(message)
    if not number:
        raise OptionError("message", "a MAC in DE 64 or 128", "neither")
    expected = with_mac(message, key, algorithm=algorithm, padding=padding, format=format)
    return number in expected and compare_digest(expected[number].upper(), message[number].upper())


def message_arqc(message: Message, issuer_key: Key | str | bytes) -> Worked:
    """Compute the cryptogram that the chip of *message* should have made, from DE 55.

    Parameters
    ----------
    message
        A message with a card number, and with chip data in DE 55 of a publicly known cryptogram version:
        Visa's 10, 18 and 22, Mastercard's 16, 17, 20 and 21, JCB's, UnionPay's and American Express's 1.
        None of Discover's is public.
    issuer_key
        The issuer's master key for cryptograms: TDES, 16 bytes.

    Returns
    -------
    Worked
        `value` is 16 hexadecimal digits.

    Raises
    ------
    OptionError
        Chip data without the protected values, or with another cryptogram version.

    Examples
    --------
    >>> import sim
    >>> key = "0123456789ABCDEFFEDCBA9876543210"
    >>> len(sim.keys.message_arqc(sim.generate("auth", network="VISA"), key).value)
    16
    """
    chip, how = _chip(message)
    card, key = _keys(message, issuer_key, chip, how, how.session)
    issuer = bytes.fromhex(chip.value(_ISSUER_DATA))
    data = bytes.fromhex("".join(chip.value(tag) for tag in _PROTECTED)) + issuer[how.own] + issuer[how.rest]
    cryptogram = arqc(key, data, padding=how.padding)
    steps = (
        Step("cryptogram version", f"{how.scheme} {int(how.cvn, 16)}", f"{how.cvn} in tag 9F10"),
        *([Step("assumed", how.assumed)] if how.assumed else []),
        Step("card's key", card.check_value, f"option {how.option}; its check value"),
        Step("transaction's key", key.check_value, _DERIVATIONS[how.session]),
        Step("data", f"{len(data)} bytes", f"{', '.join(_PROTECTED)} and the data from 9F10"),
    )
    return Worked("message_arqc", cryptogram.value, (*steps, *cryptogram.steps))


def check_arqc(message: Message, issuer_key: Key | str | bytes) -> bool:
    """Check whether the cryptogram in DE 55 (tag 9F26) was made by a card with this issuer key.

    Parameters
    ----------
    message, issuer_key
        As in `message_arqc`.

    Returns
    -------
    bool
        False if the chip data was changed in transit, or the cryptogram was made with another key.

    Raises
    ------
    OptionError
        Chip data without the protected values, or with another cryptogram version.

    Examples
    --------
    >>> import sim
    >>> key = "0123456789ABCDEFFEDCBA9876543210"
    >>> request = sim.generate("auth", network="VISA")  # its cryptogram is made up
    >>> sim.keys.check_arqc(request, key), sim.keys.check_arqc(sim.keys.with_arqc(request, key), key)
    (False, True)
    """
    chip, _ = _chip(message)
    return compare_digest(message_arqc(message, issuer_key).value, chip.value(_CRYPTOGRAM).upper())


def with_arqc(message: Message, issuer_key: Key | str | bytes) -> Message:
    """Give a message the cryptogram that a card with this issuer key would have made.

    Parameters
    ----------
    message, issuer_key
        As in `message_arqc`.

    Returns
    -------
    Message
        A copy with a new tag 9F26.

    Raises
    ------
    OptionError
        Chip data without the protected values, or with another cryptogram version.

    Examples
    --------
    >>> import sim
    >>> key = "0123456789ABCDEFFEDCBA9876543210"
    >>> sim.keys.check_arqc(sim.keys.with_arqc(sim.generate("auth", network="VISA"), key), key)
    True
    """
    cryptogram = message_arqc(message, issuer_key).value
    chip, _ = _chip(message)
    return message.replace(de55=_with_tag(chip, _CRYPTOGRAM, cryptogram))


def with_arpc(
    answer: Message, request: Message, issuer_key: Key | str | bytes, *, code: str = "00"
) -> Message:
    """Give a response the issuer's cryptogram: tag 91 of DE 55.

    Parameters
    ----------
    answer
        The response; it keeps the other tags of its DE 55.
    request
        Its request, with its chip data.
    issuer_key
        As in `message_arqc`.
    code
        Method 1: the response code, two characters. Method 2: the card status update, 8 hexadecimal digits.

    Returns
    -------
    Message
        A copy.

    Raises
    ------
    OptionError
        Chip data from which the method cannot be determined, or in the fixed layout, whose response is not
        public; a *code* of the wrong length.

    Examples
    --------
    >>> import sim
    >>> key = "0123456789ABCDEFFEDCBA9876543210"
    >>> request = sim.keys.with_arqc(sim.generate("auth", network="VISA"), key)
    >>> answer = sim.keys.with_arpc(sim.respond(request), request, key)
    >>> answer.iso[55][:4]  # tag 91, 10 bytes: the ARPC and the response code
    '910A'
    """
    chip, how = _chip(request)
    if chip.layout == chip_data.FIXED:
        expected = "DE 55 in BER-TLV, because the fixed layout of responses is not public"
        raise OptionError("request", expected, "the fixed layout", _CHIP)
    card, key = _keys(request, issuer_key, chip, how, how.session)
    if how.arpc == 2 and len(code) == 2:
        # The card is not to be changed: a status update that only says whether the issuer approves.
        code = "00820000" if code == "00" else "00020000"
    arpc_key = key if how.arpc_key == "session" else card
    proof = arpc(arpc_key, chip.value(_CRYPTOGRAM), code, method=how.arpc)
    return answer.replace(de55=_with_tag(chip_data.read(answer.get(_CHIP)), _ANSWER, proof.value))


def script_mac(
    message: Message,
    command: bytes | str,
    issuer_key: Key | str | bytes,
    *,
    data: bytes | str = b"",
    length: int = 8,
) -> Worked:
    """Compute the MAC of a script command that the issuer sends to the card (tags 71 and 72).

    Parameters
    ----------
    message
        The request to which the script responds, with its chip data: the card, its counter and its
        cryptogram.
    command
        The command header, five bytes, such as `8424000008` (unblock the PIN); its last byte is the length
        of *data* and the MAC.
    issuer_key
        The issuer's master key for the integrity of scripts: TDES, 16 bytes.
    data
        The command data, such as a new limit or an encrypted PIN block.
    length
        4 to 8 bytes.

    Returns
    -------
    Worked
        `value` is hexadecimal digits, two for each byte.

    Raises
    ------
    OptionError
        Chip data with a cryptogram version that is not public; a command that is not five bytes.

    Notes
    -----
    Source: EMV 4.3 Book 2, 9.2 (format 2); pyemv for each cryptogram version.

    Examples
    --------
    >>> from sim.operations.generation import generate
    >>> tapped = generate(network="VISA", entry="chip", stan="000001").message
    >>> len(script_mac(tapped, "8424000008", "0123456789ABCDEFFEDCBA9876543210").value)
    16
    """
    chip, how = _chip(message)
    head = octets(command, "command", 5, "5 bytes: class, instruction, two parameters, length")
    rest = octets(data, "data")
    card, key = _keys(message, issuer_key, chip, how, how.script)
    counter, arqc_value = bytes.fromhex(chip.value(_COUNTER)), bytes.fromhex(chip.value(_CRYPTOGRAM))
    worked = mac(head + counter + arqc_value + rest, key, algorithm="ISO9797-1-3", padding=2, length=length)
    steps = (
        Step("card's key", card.check_value, f"option {how.option}; its check value"),
        Step("script's key", key.check_value, _DERIVATIONS[how.script]),
        Step("data", text(head + counter + arqc_value + rest), "command, 9F36, 9F26, the command data"),
    )
    return Worked("script_mac", worked.value, (*steps, *worked.steps))


# The derivations of a transaction's or a script's key from the card's, by their words in the table.
_DERIVATIONS = {
    "none": "the card's own",
    "common": "derived with the transaction counter 9F36",
    "unpredictable": "derived with 9F36 and the unpredictable number 9F37",
    "cryptogram": "derived with the cryptogram 9F26",
    "counter": "9F36, and 9F36 inverted, encrypted by the card's",
    "xor": "the card's xor 9F36, and xor 9F36 inverted",
}


def _chip(message: Message) -> tuple[chip_data.ChipData, _Cryptogram]:
    chip = chip_data.read(message.get(_CHIP))
    missing = [tag for tag in (*_PROTECTED, _ISSUER_DATA, _CRYPTOGRAM) if not chip.value(tag)]
    if missing:
        raise OptionError("message", f"DE 55 with tag {missing[0]}", "none", _CHIP)
    scheme = chosen_network(message, None) or ""
    issuer = bytes.fromhex(chip.value(_ISSUER_DATA))
    for how in _cryptograms():
        if how.scheme == scheme and issuer[how.at : how.at + 1].hex().upper() == how.cvn:
            return chip, how
    versions = ", ".join(sorted(f"{network(how.scheme).title} {int(how.cvn, 16)}" for how in _cryptograms()))
    raise OptionError("message", f"a publicly documented cryptogram version ({versions})", "another", _CHIP)


def _keys(
    message: Message, issuer_key: Key | str | bytes, chip: chip_data.ChipData, how: _Cryptogram, way: str
) -> tuple[Key, Key]:
    """The card's key, and the one that is derived from it in this *way*."""
    sequence = (message.get(_SEQUENCE) or chip.value("5F34") or "00")[-2:]
    card = icc_master_key(issuer_key, account(message)[1], sequence, option=how.option)
    counter, cryptogram = chip.value(_COUNTER), chip.value(_CRYPTOGRAM)
    if way == "none":
        return card, card
    if way in ("counter", "xor"):
        return card, (counter_key if way == "counter" else script_key)(card, bytes.fromhex(counter))
    tail = chip.value(_UNPREDICTABLE) if way == "unpredictable" else "0" * 8
    return card, session_key(card, cryptogram if way == "cryptogram" else f"{counter}0000{tail}")


def _with_tag(chip: chip_data.ChipData, name: str, value: str) -> str:
    if chip.layout == chip_data.FIXED:
        return chip_data.write_fixed({**chip.values, name: value})
    tags = [(tag.tag, value if tag.tag == name else tag.value) for tag in chip.tags]
    return chip_data.write_tags(tags if name in chip else [*tags, (name, value)])


@cache
def _cryptograms() -> tuple[_Cryptogram, ...]:
    rows = []
    for row in read_csv("keys/cryptograms"):
        cells: dict[str, Any] = {field.name: row.get(field.name) for field in fields(_Cryptogram)}
        start, rest = int(row["cvr_start"] or 0), int(row["rest"] or 0)
        cells["own"] = slice(start, start + int(row["cvr_size"])) if row["cvr_size"] else slice(None)
        cells["rest"] = slice(rest, None) if rest else slice(0, 0)
        cells |= {name: int(row[name]) for name in ("at", "padding", "arpc")}
        rows.append(_Cryptogram(**cells))
    return tuple(rows)

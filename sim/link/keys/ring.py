"""The keys at one end of a connection: a zone key, and the working keys that are exchanged under it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from hmac import compare_digest
from pathlib import Path
from typing import Any, Literal, cast, get_args

from sim.codec import Message
from sim.codec.wire import Format
from sim.elements import mti as mtis
from sim.elements.card import account
from sim.errors import ChoiceError, OptionError, SpecError
from sim.link.keys.blocks import is_cryptogram, key_block, read_cryptogram, read_key_block
from sim.link.keys.key import CipherName, Key, digits
from sim.link.keys.mac import MacAlgorithm
from sim.link.keys.mac import mac as _mac
from sim.link.keys.messages import check_mac, mac_number, with_mac
from sim.link.keys.pin import PinFormat, read_pin_block, translate_pin_block
from sim.masking.files import text_of
from sim.spec import number_of
from sim.spec.tables import read_csv, read_toml, toml_of

_PIN_DATA = 52
_PIN, _MAC = "P", "M"  # the first character of a key block's usage
_WORDS = ("zone", "pin", "mac", "macs", "pins", "pin_format", "mac_algorithm", "mac_padding")

Algorithm = MacAlgorithm
Macs = Literal["required", "checked"]


class KeyRing:
    """The keys at one end of a connection. Displays show check values, never a key or a PIN.

    Parameters
    ----------
    zone
        The key under which working keys are exchanged: TDES of 16 or 24 bytes, or an AES `Key`. None: no
        key exchanges.
    pin
        The working key of PIN blocks (DE 52); None until one is exchanged.
    mac
        The working key of MACs (DE 64, DE 128); None until one is exchanged. Without one, MACs are not
        checked.
    macs
        With a MAC key, `"required"` rejects a message without a MAC; otherwise anybody could omit it.
        Network management (0800) is accepted, because a link first signs on and gets its keys. `"checked"`
        accepts messages without a MAC.
    pins
        What the issuer knows: card number -> PIN. The PIN of any other card is read but not compared.
    pin_format
        The PIN blocks' format: 0, 1 or 3.
    mac_algorithm, mac_padding
        As in `mac`.
    fresh
        A function that returns the given number of random bytes, for new keys.

    Raises
    ------
    OptionError
        A key of the wrong length, or an invalid PIN. The error shows neither.

    Examples
    --------
    >>> KeyRing("0123456789ABCDEFFEDCBA9876543210")
    KeyRing(zone 08D7B4, no PIN key, no MAC key)
    """

    def __init__(
        self,
        zone: Key | str | bytes | None = None,
        *,
        pin: Key | str | bytes | None = None,
        mac: Key | str | bytes | None = None,
        macs: Macs = "required",
        pins: Mapping[str, str] | None = None,
        pin_format: PinFormat = 0,
        mac_algorithm: Algorithm = "X9.19",
        mac_padding: Literal[1, 2] = 1,
        fresh: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        if macs not in get_args(Macs):
            raise ChoiceError.of("macs", macs, get_args(Macs))
        self.pin_format, self.mac_algorithm, self.mac_padding = pin_format, mac_algorithm, mac_padding
        self.zone, self.pin, self.macs = _key(zone), _key(pin), macs
        mac_key = _key(mac, "AES" if mac_algorithm.endswith("AES") else "TDES")
        self.mac = None if mac_key is None else self._fit(mac_key)
        self._pins = {
            digits(str(pan).replace(" ", ""), "pins", 12, 19): digits(str(pin_of_card), "pins", 4, 12)
            for pan, pin_of_card in (pins or {}).items()
        }
        self._fresh = fresh

    @classmethod
    def of(cls, source: object) -> KeyRing | None:
        """The ring in any form that a caller may give: a ring, a mapping of its parts, or the path of a TOML
        file. Raises OptionError for anything else, without quoting it."""
        if source is None or isinstance(source, KeyRing):
            return source
        parts: Any = source
        if isinstance(source, str | Path):
            expected = "a TOML file with zone, pin, mac, pins"
            try:
                parts = toml_of(text_of("keys", source))
            except OSError:  # the name may be a key: do not quote it
                raise OptionError("keys", expected, "no such file") from None
            except SpecError as error:
                at = f" at line {error.offset}" if error.offset else ""
                raise OptionError("keys", expected, f"no TOML{at}") from None
        if not isinstance(parts, Mapping):
            raise OptionError("keys", "a KeyRing, a mapping or a TOML file", f"a {type(source).__name__}")
        if unknown := [str(name) for name in parts if name not in _WORDS]:
            raise ChoiceError.of("keys", unknown[0], _WORDS)
        return cls(**parts)

    def __repr__(self) -> str:
        working = (("PIN", self.pin), ("MAC", self.mac))
        parts = [f"{name} key {key.check_value}" if key else f"no {name} key" for name, key in working]
        return f"KeyRing({', '.join([f'zone {self.zone.check_value}' if self.zone else 'no zone', *parts])})"

    def wrong(self, message: Message, format: Format | str = "text", network: str | None = None) -> str:
        """What is wrong with the MAC or PIN block of *message*: `no_mac`, `wrong_mac`, `pin_block` (cannot be
        read) or `wrong_pin`; empty if nothing is, or nothing can be checked. *format* is its wire format;
        *network* determines where a new key is."""
        if wrong := self.wrong_mac(message, format, network):
            return wrong
        if self.pin is None or _PIN_DATA not in message:
            return ""
        pan = account(message)[1]
        try:
            read = read_pin_block(message[_PIN_DATA], pan or None, format=self.pin_format, key=self.pin).value
        except OptionError:
            return "pin_block"
        pin_of_card = self._pins.get(pan)
        return "" if pin_of_card is None or compare_digest(pin_of_card, read) else "wrong_pin"

    def wrong_mac(self, message: Message, format: Format | str = "text", network: str | None = None) -> str:
        """What is wrong with the MAC: `no_mac`, `wrong_mac`, or empty."""
        if self.mac is None:
            return ""
        if not mac_number(message):
            return "no_mac" if self._asks_mac(message) else ""
        return "" if self.mac_key(message, format, network) else "wrong_mac"

    def mac_key(
        self, message: Message, format: Format | str = "text", network: str | None = None
    ) -> Key | None:
        """The key that made the MAC of *message*: the MAC key, or the new key in a key exchange; None if
        neither.

        No public document says which of the two makes the MAC of a key exchange, and public programs differ.
        Both are accepted (our choice), and the response uses the same one.
        """
        if not mac_number(message):
            return None
        for key in (self.mac, self._new_key(message, network)):
            try:
                if key is not None and check_mac(message, key, format=format, **self._how()):
                    return key
            except OptionError:  # the key's length does not suit the MAC algorithm
                continue
        return None

    def _new_key(self, message: Message, network: str | None) -> Key | None:
        """The key in *message*, without installing it; None if there is none that can be read."""
        if self.zone is not None and mtis.is_network_management(message.mti):
            _, block = self._brought(message, network)
            with suppress(OptionError):
                return self._read(block)[1] if block else None
        return None

    def sealed(
        self,
        message: Message,
        request: Message | None = None,
        format: Format | str = "text",
        key: Key | None = None,
    ) -> Message:
        """*message* with a MAC made with *key*, by default the MAC key. A response gets one if *request* had
        one; a request gets one if it is required, or replaces an existing one. Without a key *message* is
        unchanged."""
        required = self._asks_mac(message) or mac_number(message) if request is None else mac_number(request)
        key = key or self.mac
        if key is None or not required:
            return message
        return with_mac(message, key, format=format, **self._how())

    def _asks_mac(self, message: Message) -> bool:
        return self.macs == "required" and not mtis.is_network_management(message.mti)

    def _how(self) -> dict[str, Any]:
        return {"algorithm": self.mac_algorithm, "padding": self.mac_padding}

    def translated(self, message: Message, to: KeyRing) -> Message:
        """*message* for the next zone: its PIN block under the PIN key of *to*.

        Raises OptionError if a PIN key is missing or the block cannot be read.
        """
        if _PIN_DATA not in message:
            return message
        pan = account(message)[1] or None
        if self.pin is None or to.pin is None:
            raise OptionError("keys", "a PIN key on both sides", "none")
        formats = {"format": self.pin_format, "to_format": to.pin_format}
        translated = translate_pin_block(message[_PIN_DATA], pan, key=self.pin, to_key=to.pin, **formats)
        return message.replace(de52=translated.value)

    def exchange(self, request: Message, network: str | None = None) -> tuple[dict[int, str], str]:
        """Carry out the key exchange that *request* asks for: install the key block in it, or make a new key
        if there is none. Returns the elements of the response and a sentence with the key's check value.
        *network* determines the element.

        Raises OptionError if there is no zone key, or the block was not made with it.
        """
        if self.zone is None:
            raise OptionError("keys", "a zone key", "none")
        number, block = self._brought(request, network)
        usage = _usage(request, network)
        if block:
            key = self._install(block, usage)
            return {number: request[number]}, f"key {key.check_value} installed"
        number, front = _places(network, request.version)[0]
        # As long as the zone key, but no longer than PIN blocks and MACs allow.
        key = Key(self._fresh(min(self.zone.size, 16)), self.zone.cipher)
        key = key.with_odd_parity() if key.cipher == "TDES" else key
        block = front + key_block(key, self.zone, usage=usage)
        self._keep(usage, key)
        value = block.encode("ascii").hex().upper() if _is_binary(number, request) else block
        return {number: value}, f"key {key.check_value} sent"

    def install(self, message: Message, network: str | None = None) -> Key:
        """Install the working key that *message*, a request or a response, contains under the zone key.

        Raises OptionError if there is none, or it was not made with the zone key.
        """
        number, block = self._brought(message, network)
        if not block:
            raise OptionError("message", f"a key in DE {number}", "none", number)
        return self._install(block, _usage(message, network))

    def _brought(self, message: Message, network: str | None) -> tuple[int, str]:
        """The element with the key in *message*, and the key; if there is none, the usual element and an
        empty string."""
        places = _places(network, message.version)
        keys = ((number, _block_in(message, number, front)) for number, front in places)
        return next((pair for pair in keys if pair[1]), (places[0][0], ""))

    def _install(self, block: str, usage: str) -> Key:
        """Keep the key of *block* for the usage in its header; without a key block for *usage*."""
        own_usage, key = self._read(block)
        return self._keep(own_usage or usage, key)

    def _read(self, block: str) -> tuple[str, Key]:
        """The usage in the header of *block* (empty if it has none), and its key."""
        if self.zone is None:
            raise OptionError("keys", "a zone key", "none")
        if is_cryptogram(block):
            return "", read_cryptogram(block, self.zone)
        read = read_key_block(block, self.zone)
        if read.key is None or read.usage[:1] not in (_PIN, _MAC):
            raise OptionError("block", "a key for PINs (P0) or MACs (M0 to M8)", f"usage {read.usage}")
        check_value = read.optional.get("KC", "")[2:]
        if check_value and check_value != read.key.check_value:
            raise OptionError("block", "the check value of its key", "another one")
        return read.usage, read.key

    def _keep(self, usage: str, key: Key) -> Key:
        if usage[:1] == _MAC:
            self.mac = self._fit(key)
        else:
            self.pin = key
        return key

    def _fit(self, key: Key) -> Key:
        """*key*, if the MAC algorithm accepts it: a key that could check no message is rejected at once."""
        _mac(b"", key, **self._how())
        return key


def _key(value: Key | str | bytes | None, cipher: CipherName = "TDES") -> Key | None:
    return value if value is None or isinstance(value, Key) else Key(value, cipher)


@cache
def _places(network: str | None, version: str) -> tuple[tuple[int, str], ...]:
    """Where a key is: elements, and the prefix before it. Keys are sent in the first."""
    rows = [row for row in read_csv("keys/exchange") if version in row["versions"].split("|")]
    own_rows = [row for row in rows if row["network"] == (network or "")]
    chosen = own_rows or [row for row in rows if not row["network"]]
    return tuple((int(row["number"]), row["front"]) for row in chosen)


def _is_binary(number: int, message: Message) -> bool:
    return message.spec[number].content == "b"


def _block_in(message: Message, number: int, front: str) -> str:
    value = message.get(number)
    if not value.startswith(front):
        return ""
    if is_cryptogram(plain := value.removeprefix(front).rstrip()):
        return plain
    if value and _is_binary(number, message):
        with suppress(ValueError):  # not hexadecimal: reported later as not a key block
            value = bytes.fromhex(value).decode("ascii", "replace")
    return value.removeprefix(front).rstrip()


def _usage(request: Message, network: str | None) -> str:
    """The usage of the requested key: by the network's own element, or by the network management code."""
    rows = read_toml("link")["exchange"]
    row = rows["networks"].get(network or "")
    usage = row["usage"].get(request.get(row["element"])[:1]) if row else None
    code = request.get(number_of("network-code", request.version))
    return cast(str, usage or rows["usage"].get(code, rows["usual"]))

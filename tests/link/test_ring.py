"""Keys on a connection: exchanged under the zone key, used to verify PINs and MACs, never shown."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from psec import tr31

import sim
from sim.codec import Message
from sim.errors import ChoiceError, OptionError
from sim.link import rules_of
from sim.link.issuer import Accounts, Issuer, Session
from sim.link.keys.blocks import key_block, read_key_block
from sim.link.keys.key import Key
from sim.link.keys.messages import check_mac, with_mac, with_pin_block
from sim.link.keys.ring import KeyRing
from sim.link.rules import Table
from sim.operations import NETWORKS, generate

# psec calls cryptography as its older versions wanted to be called.
pytestmark = pytest.mark.filterwarnings("ignore::cryptography.utils.CryptographyDeprecationWarning")

ZONE = "0123456789ABCDEFFEDCBA9876543210"
PIN_KEY = "1C1C2A2A4C4C68687070A4A4C2C2E0E0"
MAC_KEY = "2A2A1C1C4C4C68687070A4A4C2C2E0E0"
OTHER_KEY = "4C4C1C1C2A2A68687070A4A4C2C2E0E0"
AES_ZONE = Key("FEDCBA9876543210F1F1F1F1F1F1F1F1", "AES")
PAN = "4111111111111111"
PINS = {PAN: "1234"}


def request(number: int = 1, network: str | None = None) -> Message:
    """A request of one card with its own STAN; of *network* in version 1987."""
    pan = None if network else PAN
    return generate("financial", stan=f"{number:06}", version="1987", network=network, pan=pan).message


def asked(network: str | None, code: str | None = None) -> Message:
    """A request for a new key, without a key in it."""
    made = generate("echo", network=network, stan="000009", version="1987").message
    usual = {"MASTERCARD": "161"}.get(network or "", "101")
    return made.replace(de70=code or usual)


@pytest.mark.parametrize("zone", [Key(ZONE), AES_ZONE], ids=["version B", "version D"])
@pytest.mark.parametrize("travels", [Key(PIN_KEY), Key(PIN_KEY + "0123456789ABCDEF"), AES_ZONE], ids=repr)
def test_a_key_block_is_read_by_another_hand(zone: Key, travels: Key) -> None:
    """psec reads the key, and its usage, from our key block."""
    block = key_block(travels, zone, usage="M3", mode="G", exportability="N")
    header, key = tr31.unwrap(zone.data, block)
    assert key == travels.data
    told = (header.key_usage, header.mode_of_use, header.exportability)
    assert told == ("M3", "G", "N")
    assert read_key_block(block, zone).optional["KC"][2:] == travels.check_value


@pytest.mark.parametrize("network", [*NETWORKS, None])
def test_a_new_key_comes_with_its_check_value_and_serves_at_once(network: str | None) -> None:
    """Both ends have the same key after 0800 and 0810 with the network's code; a PIN under it is verified."""
    ours, pins = KeyRing(ZONE), {request(1, network)[2]: "1234"}
    with sim.host(network=network, keys={"zone": ZONE, "pins": pins}) as host, sim.client(host) as client:
        exchange = client.send(asked(network))
        assert exchange.answer is not None
        key = ours.install(exchange.answer, network)
        said = {
            pin: client.send(with_pin_block(request(at, network), pin, key)).code
            for at, pin in enumerate(("1234", "4321"), 1)
        }
    assert said == {"1234": "00", "4321": "55"}


@pytest.mark.parametrize("version", ["1987", "1993", "2003"])
def test_a_key_exchange_that_is_generated_asks_for_a_key(version: str) -> None:
    """The host responds with a key that psec can read, and verifies PINs under it."""
    with sim.host(keys={"zone": ZONE, "pins": PINS}) as host, sim.client(host) as client:
        answer = client.send(sim.generate("key_exchange", version=version)).answer
        assert answer is not None
        brought = answer[110] if version == "1987" else bytes.fromhex(answer[96]).decode()
        _, key = tr31.unwrap(bytes.fromhex(ZONE), brought)
        wrong = with_pin_block(generate("financial", pan=PAN, version=version).message, "4321", key)
        assert client.send(wrong).code == {"1987": "55", "1993": "117", "2003": "1017"}[version]


def test_an_answer_with_another_stan_has_a_mac_that_fits() -> None:
    """Only its STAN is wrong; its MAC is correct."""
    rules = Table(rules_of([{"action": "wrong-stan"}]))
    issuer = Issuer(rules, Accounts(), keys=KeyRing(mac=MAC_KEY))
    answer = issuer.decide(with_mac(request(7), MAC_KEY), Session()).answer
    assert answer is not None
    assert answer[11] == "000008"
    assert check_mac(answer, MAC_KEY)


def _notes(host: Any) -> list[str]:
    return [entry.note for entry in host.seen]


@pytest.mark.parametrize("version", ["1987", "1993", "2003"])
def test_a_key_that_is_brought_is_installed(version: str) -> None:
    """The request may contain the block; the response repeats it, with the check value inside."""
    host = KeyRing(ZONE)
    number = 110 if version == "1987" else 96
    block = key_block(PIN_KEY, ZONE)
    value = block if version == "1987" else block.encode().hex().upper()
    sent = generate("key_exchange", version=version, stan="000001").message.replace(**{f"de{number}": value})
    more, note = host.exchange(sent)
    assert more == {number: value}
    assert note == f"key {Key(PIN_KEY).check_value} installed"
    assert host.pin == Key(PIN_KEY)


def test_the_code_says_which_key_is_wanted() -> None:
    """160 means a MAC key, every other code a PIN key."""
    ring = KeyRing(ZONE)
    ring.exchange(asked(None, "160"))
    assert ring.mac is not None
    assert ring.pin is None
    ring.exchange(asked(None, "161"))
    assert ring.pin is not None


@pytest.mark.parametrize("format", [None, "bcd", "ebcdic"])
def test_macs_are_checked_and_answered_with_one(format: str | None) -> None:
    """A changed message is declined; the response has a MAC over its own encoded bytes."""
    name = format or "text"
    with sim.host(keys={"mac": MAC_KEY}, format=format) as host, sim.client(host) as client:
        whole = with_mac(request(1), MAC_KEY, format=name)
        answer = client.send(whole).answer
        assert answer is not None
        assert answer[39] == "00"
        assert check_mac(answer, MAC_KEY, format=name)
        changed = with_mac(request(2), MAC_KEY, format=name).replace(de4="000000999999")
        assert client.send(changed).code == "63"
        assert client.send(request(3)).code == "63"
        balance = host.balance(PAN)
    assert balance == host.server.accounts.opening - int(request(1)[4])


def test_a_pin_block_of_another_key_is_no_pin() -> None:
    """It is declined as unreadable, and nothing is booked."""
    with sim.host(keys={"pin": PIN_KEY, "pins": PINS}) as host, sim.client(host) as client:
        assert client.send(with_pin_block(request(1), "1234", MAC_KEY)).code == "86"
        assert host.balance(PAN) == host.server.accounts.opening


def test_a_block_of_another_zone_is_refused() -> None:
    """The key store is unchanged, and the response says why."""
    brought = asked(None).replace(de110=key_block(PIN_KEY, MAC_KEY))
    with sim.host(keys={"zone": ZONE}) as host, sim.client(host) as client:
        assert client.send(brought).code == "63"
        assert host.server.issuer.keys is not None
        assert host.server.issuer.keys.pin is None


def test_without_keys_everything_is_as_before() -> None:
    """A key exchange is approved without a key; PIN blocks and MACs are ignored."""
    with sim.host() as host, sim.client(host) as client:
        answer = client.send(asked(None)).answer
        assert answer is not None
        assert (answer[39], 110 in answer) == ("00", False)
        assert client.send(with_mac(request(1), MAC_KEY).replace(de64="0" * 16)).code == "00"


def test_a_pin_goes_from_zone_to_zone() -> None:
    """A switch translates the PIN from one zone to the next; a wrong key is reported, not shown."""
    acquirer, issuer = KeyRing(pin=PIN_KEY), KeyRing(pin=MAC_KEY, pins=PINS)
    there = acquirer.translated(with_pin_block(request(1), "1234", PIN_KEY), issuer)
    assert issuer.wrong(there) == ""
    assert acquirer.wrong(there) == "pin_block"
    with pytest.raises(OptionError):
        acquirer.translated(there, issuer)
    assert acquirer.translated(without := request(2), issuer) == without


def test_a_key_that_is_missing_or_of_another_use_is_told() -> None:
    """Without a zone key, a PIN key or a key in the message, and for a key of another usage, the error says
    what is needed."""
    bare, ring = KeyRing(mac=MAC_KEY), KeyRing(ZONE)
    brought = asked(None).replace(de110=key_block(PIN_KEY, ZONE, usage="K0"))
    for call, text in (
        (lambda: bare.exchange(asked(None)), "keys: expected a zone key, found none"),
        (lambda: bare.install(brought), "keys: expected a zone key, found none"),
        (lambda: ring.install(asked(None)), "message: expected a key in DE 110, found none"),
        (lambda: ring.install(brought), r"block: expected a key for PINs \(P0\) .*, found usage K0"),
        (
            lambda: bare.translated(with_pin_block(request(), "1234", PIN_KEY), ring),
            "a PIN key on both sides",
        ),
    ):
        with pytest.raises(OptionError, match=text):
            call()


def test_keys_come_from_a_file(tmp_path: Path) -> None:
    """A TOML file, as for `iso8583 host --keys`; unknown words and other values are rejected."""
    path = tmp_path / "keys.toml"
    path.write_text(f'zone = "{ZONE}"\npin = "{PIN_KEY}"\n[pins]\n"{PAN}" = "1234"\n', encoding="utf-8")
    ring = KeyRing.of(path)
    assert ring is not None
    assert ring.wrong(with_pin_block(request(1), "4321", PIN_KEY)) == "wrong_pin"
    with pytest.raises(ChoiceError):
        KeyRing.of({"zon": ZONE})
    with pytest.raises(OptionError):
        KeyRing.of(7)


def test_no_key_and_no_pin_is_ever_shown(caplog: pytest.LogCaptureFixture) -> None:
    """No repr, table, log line or error shows a key or PIN, whatever is wrong."""
    caplog.set_level(logging.DEBUG)
    ring = KeyRing(ZONE, pin=PIN_KEY, mac=MAC_KEY, pins=PINS)
    shown = [repr(ring), str(ring)]
    with sim.host(keys=ring) as host, sim.client(host) as client:
        for at, key in enumerate((PIN_KEY, MAC_KEY), 1):
            client.send(with_mac(with_pin_block(request(at), "1234", key), key))
        client.send(asked(None))
        client.send(asked(None).replace(de110="B0096nonsense"))
        shown += [repr(host.traffic), repr(client.traffic), repr(host), *_notes(host)]
        made = [one.data.hex().upper() for one in (ring.pin, ring.mac) if one]
    for wrong in (
        {"zone": ZONE[:-1]},
        {"pin": PIN_KEY + "00"},
        {"pins": {PAN: "12345678901234"}},
        {"zone": "zone" + ZONE},
        f"no {ZONE} here.toml",
        f'zone = "{ZONE}\n',
    ):
        with pytest.raises((OptionError, OSError)) as caught:
            KeyRing.of(wrong)
        shown += [str(caught.value), repr(caught.value)]
    told = "\n".join([*shown, caplog.text]).upper()
    for secret in (ZONE, PIN_KEY, MAC_KEY, PAN, *made, "1234567890"):
        assert secret not in told


@pytest.mark.parametrize(
    ("network", "version", "code"),
    [("VISA", "1987", "63"), ("UNIONPAY", "1987", "A0"), ("VISA", "1993", "916"), ("VISA", "2003", "9116")],
)
def test_a_mac_is_required_where_there_is_a_key(network: str, version: str, code: str) -> None:
    """A message without a MAC, or with a wrong one, is declined with the code of the network or version;
    nothing is booked."""
    made = generate("financial", stan="000001", version=version, network=network).message
    pan = made[2]
    with sim.host(keys={"mac": MAC_KEY}) as host, sim.client(host) as client:
        done = client.send(made)
        assert done.code == code
        again = made.replace(de11=made[11][:-1] + "2")
        assert client.send(with_mac(again, PIN_KEY)).code == code
        assert host.balance(pan) == host.server.accounts.opening
        assert "no MAC" in "".join(_notes(host))
        assert client.send(with_mac(again, MAC_KEY)).code != code
        assert host.balance(pan) < host.server.accounts.opening


def test_a_mac_may_be_left_out_where_that_is_asked_for() -> None:
    """With `macs="checked"` a message without a MAC passes; a wrong MAC is still rejected."""
    with sim.host(keys={"mac": MAC_KEY, "macs": "checked"}) as host, sim.client(host) as client:
        assert client.send(request(1)).code == "00"
        assert client.send(with_mac(request(2), PIN_KEY)).code == "63"
    with pytest.raises(ChoiceError, match="required"):
        KeyRing(mac=MAC_KEY, macs="no")  # type: ignore[arg-type]


def test_the_line_is_managed_without_a_mac() -> None:
    """Echo tests and key exchanges precede a MAC key and need no MAC; one with a wrong MAC is rejected."""
    with sim.host(keys={"zone": ZONE, "mac": MAC_KEY}) as host, sim.client(host) as client:
        echo = generate("echo", stan="000001", version="1987").message
        assert client.send(echo).code == "00"
        assert client.send(asked(None)).code == "00"
        assert client.send(with_mac(echo.replace(de11="000002"), PIN_KEY)).code == "63"


@pytest.mark.parametrize("format", [None, "bcd", "ebcdic"])
def test_a_client_makes_macs_and_checks_them(format: str | None) -> None:
    """Requests get a MAC; a response with another key's MAC, or without one, is reported."""
    with sim.host(keys={"mac": MAC_KEY}, format=format) as host:
        with sim.client(host, keys={"mac": MAC_KEY}) as client:
            done = client.send(request(1))
            assert (done.code, done.note) == ("00", "")
            assert check_mac(done.request, MAC_KEY, format=format or "text")
        with sim.client(host, keys={"mac": PIN_KEY}) as client:
            done = client.send(request(2))
            assert (done.code, "the MAC of the response is wrong" in done.note) == ("63", True)
    with sim.host(format=format) as host, sim.client(host, keys={"mac": MAC_KEY}) as client:
        assert "has no MAC" in client.send(request(3)).note


def test_a_reversal_after_a_time_out_has_its_mac() -> None:
    """The host that dropped the response accepts the client's reversal, and returns the money."""
    rules = [{"mti": "02xx", "action": "drop", "code": "00"}]
    with (
        sim.host(rules, keys={"mac": MAC_KEY}) as host,
        sim.client(host, keys={"mac": MAC_KEY}) as client,
    ):
        done = client.send(request(1), timeout=0.05)
        assert done.reversal is not None
        assert (done.status, done.reversal.code) == ("timed out", "00")
        assert host.balance(PAN) == host.server.accounts.opening


def _reset(kind: str, **fields: str) -> Message:
    """UnionPay's key reset: DE 53 says which key, *fields* contain it."""
    security = f"{kind}{'6' if 'de48' in fields else '0'}".ljust(16, "0")
    made = generate("echo", network="UNIONPAY", stan="000009", version="1987").message
    return made.replace(de70="101", de53=security, **fields)


@pytest.mark.parametrize("check", [0, 3, 4], ids=["bare", "3 bytes of check value", "4 bytes"])
@pytest.mark.parametrize(("kind", "key"), [("1", PIN_KEY), ("2", MAC_KEY)], ids=["PIN", "MAC"])
def test_a_key_travels_without_a_block(kind: str, key: str, check: int) -> None:
    """UnionPay's DE 48 NK: the key encrypted under the zone key, with or without its check value."""
    made = Key(key)
    value = Key(ZONE).encipher(made.data).hex().upper() + made.encipher(bytes(8))[:check].hex().upper()
    with sim.host(network="UNIONPAY", keys={"zone": ZONE}) as host, sim.client(host) as client:
        done = client.send(_reset(kind, de48=f"NK{value}"))
        assert done.answer is not None
        assert (done.code, done.answer[48]) == ("00", f"NK{value}")
        ring = host.server.issuer.keys
        assert ring is not None
        assert (ring.pin if kind == "1" else ring.mac) == made
        assert any(made.check_value in note for note in _notes(host))


@pytest.mark.parametrize("sealing", [MAC_KEY, OTHER_KEY], ids=["old key", "new key"])
def test_a_reset_of_the_mac_key_has_a_mac_of_either_key(sealing: str) -> None:
    """Public documents do not say which key: both are accepted, and the response uses the same one; from
    then on only the new key is valid, and the MAC of a third key is rejected."""
    made = Key(OTHER_KEY)
    sent = _reset("2", de48=f"NK{Key(ZONE).encipher(made.data).hex().upper()}")
    with (
        sim.host(network="UNIONPAY", keys={"zone": ZONE, "mac": MAC_KEY}) as host,
        sim.client(host) as client,
    ):
        done = client.send(with_mac(sent.replace(de11="000008"), PIN_KEY))
        assert done.code == "A0"
        done = client.send(with_mac(sent, sealing))
        assert done.answer is not None
        assert (done.code, check_mac(done.answer, sealing)) == ("00", True)
        assert client.send(with_mac(request(1, "UNIONPAY"), MAC_KEY)).code == "A0"
        assert client.send(with_mac(request(2, "UNIONPAY"), OTHER_KEY)).code == "00"


def test_a_short_key_fits_into_one_element() -> None:
    """DE 96 has room for a single-length key, which works only for MACs of algorithm 1."""
    short = Key("0123456789ABCDEF")
    sent = _reset("2", de96=Key(ZONE).encipher(short.data).hex().upper())
    ring = KeyRing(ZONE, mac_algorithm="ISO9797-1-1")
    assert ring.install(sent, "UNIONPAY") == short == ring.mac
    with pytest.raises(OptionError, match="16 bytes"):
        KeyRing(ZONE).install(sent, "UNIONPAY")


@pytest.mark.parametrize("check", ["", "000000"], ids=["parity", "check value"])
def test_a_key_of_another_zone_is_seen(check: str) -> None:
    """The check value reveals it, or, without one, the parity of its bytes; an AES zone accepts only key
    blocks."""
    sent = _reset("1", de48=f"NK{Key(MAC_KEY).encipher(Key(PIN_KEY).data).hex().upper()}{check}")
    for zone, said in ((Key(ZONE), "(wrong|different) zone key"), (AES_ZONE, "a key block under an AES")):
        with pytest.raises(OptionError, match=said):
            KeyRing(zone).install(sent, "UNIONPAY")


def test_a_key_that_makes_no_mac_is_refused_at_once() -> None:
    """An unsuitable key is rejected at once, not at the first message; a file can name an AES key by its
    algorithm."""
    with pytest.raises(OptionError, match="16 bytes"):
        KeyRing(mac="0123456789ABCDEF")
    assert KeyRing(mac=MAC_KEY, mac_algorithm="CMAC-AES").mac == Key(MAC_KEY, "AES")

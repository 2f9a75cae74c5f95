"""Turn a caller's options, in any helpful spelling, into those that generate takes.

The HTTP service does not use it: its contract fixes the spelling of each option.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from operator import index
from typing import Any

from sim.codec.text import is_digits
from sim.codec.wire import Format
from sim.elements.mti import is_response
from sim.errors import ChoiceError, OptionError, quoted_value
from sim.operations.building import named_format
from sim.operations.generation import Generated, generate, native_version
from sim.operations.options import mti_of
from sim.spec.elements import version_of
from sim.spec.interfaces import interface as interface_of
from sim.spec.spellings import interface_named, network_named, template_word, version_named
from sim.spec.tables import read_toml

_WIDEST = 88  # characters of a line of code
_STAN_DIGITS = 6
_MTI_DIGITS = 4
_MOST_WORDS = 3  # of a message type; a longer text is a description
_MOST_DIGITS = 20
_LARGE = 10**_MOST_DIGITS
_BETWEEN_GROUPS = str.maketrans("", "", " -")


def options_of(
    message_type: object,
    *,
    network: object,
    pan: object,
    amount_minor_units: object,
    currency: object,
    stan: object,
    version: object,
    at: object,
    purpose: object,
    entry: object,
    format: Format | str | None = None,
    interface: object = None,
    **others: object,
) -> dict[str, Any]:
    """The options of `generation.generate` in its own spelling; *others* are its details, without those that
    are None or False. If neither *version* nor an MTI gives the version, that of the interface or *format*
    applies, if it has one. *interface* None is that of *format*, unless it is a network's.

    Raises ChoiceError or OptionError, which name the argument. It leaves impossible values, such as a STAN of
    seven digits, to generate.

    >>> usual = {"amount_minor_units": 1000, "at": None, "purpose": "purchase", "entry": "tap"}
    >>> made = options_of("1200", network="visa", pan=None, currency=978, stan=7, version=None, **usual)
    >>> made["message_type"], made["version"], made["network"], made["currency"], made["stan"]
    ('financial', '1993', 'VISA', '978', '000007')
    """
    owner = None if network is None else network_named(network)
    card = _digits(pan)
    if isinstance(card, str):
        card = card.translate(_BETWEEN_GROUPS)
    text, fmt = str(message_type), named_format(format)
    of_format = fmt.interface if fmt else ""
    spoken = interface_named(interface) if interface is not None else of_format
    link = interface_of(spoken) if spoken else None
    if interface is None and link and link.network:  # a network's messages are in its format anyway
        link = None
    if version is not None:
        edition = version_named(version)
    else:
        of_text = version_of(text) if _is_mti(text) else None
        spoken_by = link.network if link and link.network else owner
        native = native_version(spoken_by, card if isinstance(card, str) else None)
        edition = of_text or (fmt.version if fmt else None) or native
    if link is not None and link.version and edition != link.version:
        if version is not None or _is_mti(text):
            label = f"{link.name}, which uses {link.version}"
            raise OptionError("interface", f"one that uses {edition}", label)
        edition = link.version
    kind, meant = _kind(message_type, owner, edition)
    aim = meant or template_word("purpose", purpose)
    read = usual_entry(aim) if entry is None else template_word("entry", entry)
    arguments = {row.get("argument"): name for name, row in read_toml("templates")["details"].items()}
    details = {
        arguments.get(name, name): _detail(name, value)
        for name, value in others.items()
        if value is not None and (value is not False or name == "pin")
    }
    if _is_mti(text) and text != mti_of(kind, owner, edition):
        details["mti"] = text
    return {
        "message_type": kind,
        "network": owner,
        "pan": card,
        "amount_minor_units": _python_int(amount_minor_units),
        "currency": _digits(currency, 3),
        "stan": _digits(stan, _STAN_DIGITS),
        "version": edition,
        "at": moment(at),
        "purpose": aim,
        "entry": read,
        "details": details,
        "interface": link and link.name,
    }


def generated(message_type: object, **options: Any) -> Generated:
    """The message that a caller requests. Raises ChoiceError or OptionError with the caller's name for the
    option."""
    try:
        return generate(**options_of(message_type, **options))
    except OptionError as error:
        raise as_asked(error, options) from None


def written_call(head: str, arguments: Sequence[str]) -> str:
    """A call as code, on one line if it fits.

    >>> written_call("sim.generate", ["'echo'", "network='JCB'"])
    "sim.generate('echo', network='JCB')"
    """
    flat = f"{head}({', '.join(arguments)})"
    if len(flat) <= _WIDEST:
        return flat
    return "\n".join([f"{head}(", *(f"    {argument}," for argument in arguments), ")"])


def option_named(detail: str) -> str:
    """The caller's name for a detail of generate.

    >>> option_named("name"), option_named("city")
    ('merchant', 'city')
    """
    return str(read_toml("templates")["details"].get(detail, {}).get("argument", detail))


def as_asked(error: OptionError, given: Mapping[str, object]) -> OptionError:
    """*error* with the caller's name for its option, if *given* has that option."""
    option = option_named(error.option)
    if option == error.option or given.get(option) is None:
        return error
    return OptionError(option, error.expected, error.found, error.field, error.nearest)


def _detail(name: str, value: object) -> object:
    """A detail as generate spells it: whole numbers as digits with leading zeros."""
    templates = read_toml("templates")
    row = templates["details"].get(name) or templates["options"].get(name, {})
    digits = _digits(value, row.get("digits", 1))
    if isinstance(digits, int) and not isinstance(digits, bool):
        raise OptionError(name, f"fewer than {_MOST_DIGITS} digits", quoted_value(digits))
    return digits


def usual_entry(purpose: str) -> str:
    """The default card entry for *purpose*.

    >>> usual_entry("purchase")
    'chip'
    """
    return str(read_toml("templates")["purposes"][purpose]["entry"])


def moment(at: object) -> datetime | None:
    """The date and time of *at*: a datetime, a date (midnight) or ISO 8601 text.

    >>> moment("2026-11-20")
    datetime.datetime(2026, 11, 20, 0, 0)
    """
    if at is None or (isinstance(at, datetime) and at == at):  # NaT is not equal to itself
        return at
    if isinstance(at, date) and not isinstance(at, datetime):
        return datetime.combine(at, time())
    if isinstance(at, str):
        with suppress(ValueError):
            return datetime.fromisoformat(at.strip())
    raise OptionError("at", "a datetime, a date or a text such as 2026-11-20T10:15", quoted_value(at))


def _kind(message_type: object, network: str | None, version: str) -> tuple[str, str | None]:
    """The message type, and the purpose if it implies one: `refund` is a financial message for a refund."""
    kinds, mtis = read_toml("templates")["kinds"], dict[str, str]()
    pairs = [(mti_of(kind, network, version), kind) for kind in kinds]
    pairs += [(mti, kind) for kind, row in kinds.items() for mti in row.get("also", {}).get(version, ())]
    for mti, kind in pairs:
        mtis.setdefault(mti, kind)
    if isinstance(message_type, str) and message_type in mtis:
        return mtis[message_type], None
    try:
        return template_word("message_type", message_type), None
    except ChoiceError as error:
        try:
            purpose = template_word("purpose", message_type)
            return str(read_toml("templates")["purposes"][purpose]["kinds"][0]), purpose
        except ChoiceError:
            if _is_mti(text := str(message_type)) and is_response(text):
                expected = "a request or an advice (sim.respond makes the response to it)"
                raise OptionError("message_type", expected, f"{text}, a response") from None
            with suppress(ChoiceError):
                name = network_named(message_type)
                expected = f"a message type such as 'auth' (the network is network={name!r})"
                raise OptionError("message_type", expected, f"{error.found}, a network") from None
            if len(text.split()) > _MOST_WORDS:
                expected = "a message type such as 'auth' (a sentence is description='...')"
                raise OptionError("message_type", expected, error.found) from None
            choices = (*error.choices, *mtis)
            raise ChoiceError(error.option, error.found, choices, error.nearest) from None


def _is_mti(text: str) -> bool:
    return is_digits(text) and len(text) == _MTI_DIGITS


def mti_named(message_type: object, name: str, version: str) -> str:
    """The MTI of network *name* in *version* for a message type, which may itself be an MTI.

    >>> mti_named("reversal", "JCB", "1987"), mti_named("auth", "AMEX", "1993")
    ('0420', '1100')
    """
    text = str(message_type)
    return text if _is_mti(text) else mti_of(_kind(message_type, name, version)[0], name, version)


def _digits(value: object, width: int = 1) -> object:
    """A whole number of any library as digits with leading zeros; anything else, also a number of too many
    digits, unchanged."""
    number = _python_int(value)
    is_number = isinstance(number, int) and not isinstance(number, bool) and abs(number) < _LARGE
    return f"{number:0{width}}" if is_number else value


def _python_int(value: object) -> object:
    """A whole number of any library as a Python int."""
    try:
        return value if isinstance(value, bool) else index(value)  # type: ignore[arg-type]
    except TypeError:
        return value

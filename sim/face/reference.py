"""What the standard and the networks say: data elements, code lists, rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.frames import Table


def fields(version: str = "1987", network: str | None = None) -> Table:
    """Give the data dictionary: the data elements of one version of ISO 8583.

    Columns: `number`, `name`, `format` (the standard's notation: `n 6`, `n..19`, `ans..999`, `b 8`),
    `pattern` (of dates), `note`, `source`; with *network* also `required_in`, the MTIs that must have
    the element, and `network_format`, what the network expects of it. Raises SpecError for an
    unknown version or network.

    >>> import sim
    >>> sim.fields("1993").set_index("number").loc[39, "format"]
    'n 3'
    """
    from sim import frames

    return frames.fields(version, network)


def codes(name: str | None = None) -> Table:
    """Give a code list, such as `response_code`, `countries` or `currencies`; without *name* the names
    of all lists and how many codes each has. Raises SpecError for an unknown name.

    >>> import sim
    >>> response = sim.codes("response_code")
    >>> response.loc[response["code"] == "51", "meaning"].iloc[0]
    'not sufficient funds'
    """
    from sim import frames

    return frames.codes(name)


def rules() -> Table:
    """Give the catalogue of rules.

    Columns: `rule` (as findings name it), `network` (empty where it is the standard's or all networks'
    own), `severity`, `checks`, `source`, `hint`, `example` (a fault for `break_message`). Raises nothing.

    >>> import sim
    >>> "framing" in sim.rules()["rule"].tolist()
    True
    """
    from sim import frames

    return frames.rules()

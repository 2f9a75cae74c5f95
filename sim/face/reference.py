"""What the standard and the networks say: data elements, code lists, rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.frames import Table
    from sim.spec.words import AnyNetwork, AnyVersion


def fields(version: AnyVersion = "1987", network: AnyNetwork | None = None) -> Table:
    """Give the data dictionary: the data elements of one version of ISO 8583.

    Parameters
    ----------
    version
        One of `sim.VERSIONS`.
    network
        One of `sim.NETWORKS`, to say what it asks of the elements as well.

    Returns
    -------
    Table
        `number`, `name`, `format` (the standard's notation: `n 6`, `n..19`, `ans..999`, `b 8`), `pattern`
        (of dates), `note`, `source`; with *network* also `required_in`, the MTIs that must have the
        element, and `network_format`, what the network expects of it.

    Raises
    ------
    ChoiceError
        No version or network is called that.

    Examples
    --------
    >>> import sim
    >>> sim.fields("1993").set_index("number").loc[39, "format"]
    'n 3'
    """
    from sim import frames

    return frames.fields(version, network)


def codes(name: str | None = None) -> Table:
    """Give a code list.

    Parameters
    ----------
    name
        Such as `response_code`, `countries` or `currencies`; None gives the names of all lists.

    Returns
    -------
    Table
        `code`, `meaning` and what else the list has; without *name*, `name` and how many `codes`.

    Raises
    ------
    ChoiceError
        No list is called that.

    Examples
    --------
    >>> import sim
    >>> response = sim.codes("response_code")
    >>> response.loc[response["code"] == "51", "meaning"].iloc[0]
    'not sufficient funds'
    """
    from sim import frames

    return frames.codes(name)


def rules() -> Table:
    """Give the catalogue of rules.

    Returns
    -------
    Table
        `rule` (as findings name it), `network` (empty where it is the standard's or all networks' own),
        `severity`, `checks`, `source`, `hint`, `example` (a fault for `break_message`).

    Examples
    --------
    >>> import sim
    >>> "framing" in sim.rules()["rule"].tolist()
    True
    """
    from sim import frames

    return frames.rules()

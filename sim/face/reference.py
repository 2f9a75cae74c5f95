"""What the standard and the networks say: data elements, code lists, rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.spec.words import AnyNetwork, AnyVersion, MessageType, SearchKind
    from sim.tables import Table


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
    from sim import tables

    return tables.fields(version, network)


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
    from sim import tables

    return tables.codes(name)


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
    from sim import tables

    return tables.rules()


def flows(network: AnyNetwork | None = None) -> Table:
    """Give what networks call their flows, and which elements carry them.

    Parameters
    ----------
    network
        One of `sim.NETWORKS`; None gives the flows of all.

    Returns
    -------
    Table
        `flow` (partial approval, balance inquiry, sign-on ...), `network` (empty for the standard's own
        way), `messages` (MTIs), `carried_by` (elements and sub-fields: `60.10` is sub-field 10 of DE 60),
        `source`, `confidence`, `note`.

    Raises
    ------
    ChoiceError
        No network is called that.

    Examples
    --------
    >>> import sim
    >>> table = sim.flows("mastercard").set_index("flow")
    >>> table.loc["pre-authorization", "carried_by"]
    '61.7 = 4; 61.12 days; hold 30 days'
    """
    from sim import tables

    return tables.flows(network)


def compare(
    first: AnyNetwork,
    second: AnyNetwork,
    message_type: MessageType | str = "auth",
    *,
    version: AnyVersion | None = None,
) -> Table:
    """Set side by side what two networks ask differently of one kind of message.

    Parameters
    ----------
    first, second
        Two of `sim.NETWORKS`.
    message_type
        auth, financial, echo, advice or reversal, or an MTI such as 0110.
    version
        One of `sim.VERSIONS`; None is the version that both networks' own interfaces speak, 1987 where they
        speak different ones.

    Returns
    -------
    Table
        A row per element and rule that differ: `number`, `name`, `rule` (`mti`, `presence` or the id of a
        format) and a column per network, empty where it has no such rule.

    Raises
    ------
    ChoiceError
        No network, version or message type is called that.

    Examples
    --------
    >>> import sim
    >>> table = sim.compare("VISA", "MASTERCARD")
    >>> table[table["number"] == 61]["rule"].tolist()[:3]
    ['other-amounts', 'pos-data', 'pos-data-absent']
    """
    from sim import tables

    return tables.compare(first, second, message_type, version)


def search(text: str, kind: SearchKind | None = None) -> Table:
    """Look for words, numbers, codes and tags in all that the toolkit knows.

    Parameters
    ----------
    text
        One or more words, all of which must be there: `terminal`, `de 41`, `9F1C`, `51`, `visa token`.
    kind
        Only these: element, part (of an element, by network), code, tag (of chip data, and its bits), rule,
        fault or flow. None looks for all.

    Returns
    -------
    Table
        Best first: `kind`, `key` (`DE 41`, `9F1C`, `51`), `name`, `inside` (the list, element or tag around
        it), `versions` and `network` (empty where it is any), `text`, `source`, `call` (what gives all of
        it). No rows where nothing has all words.

    Raises
    ------
    ChoiceError
        There is no such kind.
    OptionError
        There is no word in *text*.

    Examples
    --------
    >>> import sim
    >>> sim.search("9F1C")[["key", "name"]].iloc[0].tolist()
    ['9F1C', 'Terminal identification']
    """
    from sim import tables

    return tables.search(text, kind)

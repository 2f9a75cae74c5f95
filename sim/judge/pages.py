"""Where the page about a rule stands: on the site of documentation, which `make docs` builds.

The address of the site is `SIM_DOCS`, or else what the installed package names as its documentation. While
that is a placeholder, no page is known.
"""

from __future__ import annotations

import os
from functools import cache

ADDRESS = "SIM_DOCS"
_PACKAGE = "iso8583-lab"
_LABEL = "Documentation"
_PLACEHOLDER = "example.org"


def rule_page(rule: str) -> str:
    """The address of the page about *rule*; empty where no site is known.

    >>> os.environ["SIM_DOCS"] = "https://docs.example/iso8583/"
    >>> rule_page("framing")
    'https://docs.example/iso8583/rules/framing.html'
    >>> del os.environ["SIM_DOCS"]
    """
    site = (os.environ.get(ADDRESS) or _published()).rstrip("/")
    return f"{site}/rules/{rule}.html" if site and rule else ""


@cache
def _published() -> str:
    """The site that the package names; empty while it names a placeholder, or is not installed."""
    # Here, for it brings sockets and mail with it, and few verdicts are asked for a page.
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        named = metadata(_PACKAGE).get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    sites = dict(line.split(", ", 1) for line in named if ", " in line)
    site = sites.get(_LABEL, "")
    return "" if _PLACEHOLDER in site else site

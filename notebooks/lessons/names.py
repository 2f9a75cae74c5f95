"""Names of people, compared as people compare them."""

from __future__ import annotations

import re
import unicodedata

# What Moodle puts behind the name in a folder of submissions.
HANDED_IN = re.compile(r"_\d+_assignsubmission_\w*$", re.IGNORECASE)


def person(name: str) -> str:
    """*name* as it is compared: letter case, accents and how they are encoded, blanks, underscores and hyphens,
    the order of first and last name, and what a learning platform adds make no difference.

    >>> person("Bob Smith_48151_assignsubmission_file_"), person("smith, bob"), person("Zoë_Meyer-Lang")
    ('bob smith', 'bob smith', 'lang meyer zoe')
    """
    plain = unicodedata.normalize("NFKD", HANDED_IN.sub("", name.strip()).casefold())
    letters = "".join(one for one in plain if not unicodedata.combining(one))
    return " ".join(sorted(re.findall(r"[^\W_]+", re.sub(r"['’`.]", "", letters))))

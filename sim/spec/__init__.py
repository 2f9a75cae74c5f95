"""What ISO 8583 says: element tables, code lists, networks, currencies. Sole reader of `data/`."""

from sim.spec.codes import Code, code_list, code_lists, lookup, lookup_anywhere
from sim.spec.elements import (
    VERSIONS,
    ElementSpec,
    Role,
    Spec,
    is_particular,
    number_of,
    particular,
    reshaped,
    role,
    spec,
    version_of,
)
from sim.spec.registries import (
    Country,
    Currency,
    countries,
    country,
    currencies,
    currency,
    merchant_category,
    region,
)

__all__ = [
    "VERSIONS",
    "Code",
    "Country",
    "Currency",
    "ElementSpec",
    "Role",
    "Spec",
    "code_list",
    "code_lists",
    "countries",
    "country",
    "currencies",
    "currency",
    "is_particular",
    "lookup",
    "lookup_anywhere",
    "merchant_category",
    "number_of",
    "particular",
    "region",
    "reshaped",
    "role",
    "spec",
    "version_of",
]

"""Loaded by every Python that a test starts: its sockets are refused as the test's own are."""

import sys
from typing import Any

import refusing
import warm_kernels

refusing.install()

# jsonschema builds 38 grammars when it is imported, two seconds of every process that reads a notebook, for
# the format "iri", which no schema here has. It does without them where this package is missing.
_modules: dict[str, Any] = sys.modules
_modules["rfc3987_syntax"] = None

warm_kernels.take_over()

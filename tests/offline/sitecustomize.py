"""Loaded by every Python that a test starts: its sockets are refused as the test's own are.

Some hundred are started in a run: what most do not use is loaded where it is used.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _first_socket(event: str, arguments: "tuple[Any, ...]") -> None:
    """Before anything is done with a socket: what refuses. It asks for the name of this machine itself."""
    if event[:7] == "socket." and event != "socket.gethostname" and not _seen:
        _seen.append(event)
        import refusing

        refusing.install()
        refusing._hook(event, arguments)


_seen: "list[str]" = []
sys.addaudithook(_first_socket)

# jsonschema builds 38 grammars when it is imported, two seconds of every process that reads a notebook, for
# the format "iri", which no schema here has. It does without them where this package is missing.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]

if "TESTS_WARM" in os.environ:
    import warmed

    warmed.take_over()

"""Loaded by every Python that a test starts: its sockets are refused as the test's own are."""

import refusing

refusing.install()

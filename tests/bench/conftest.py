"""Benchmarks are run by `make bench`, in an environment of their own, and not collected here."""

collect_ignore_glob = ["*.py"]

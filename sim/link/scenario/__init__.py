"""Suites of scenarios: read, run against a host, told as JUnit XML and as a page, written as pytest code."""

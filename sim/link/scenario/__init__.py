"""Test suites: read, run against a host, reported as JUnit XML and as a page, exported as pytest code."""

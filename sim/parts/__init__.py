"""Reads and writes what is inside an element's value: its parts, by layout rows, and chip data."""

"""ISO 8583 in Jupyter."""

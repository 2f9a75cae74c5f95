"""The exercises of the course, a file per lesson. `check.py` is what the notebooks import."""

"""Explain by a model: it writes sentences with slots, and the program fills them from the message."""

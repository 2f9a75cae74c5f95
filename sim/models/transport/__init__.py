"""The way to a language model and back: which one, by which wire, within which limits."""

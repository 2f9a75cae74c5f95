"""Transport to a language model: which provider, which client, which limits."""

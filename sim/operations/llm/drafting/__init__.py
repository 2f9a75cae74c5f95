"""Generate from a description: the model proposes an intent, our builder makes the message of it."""

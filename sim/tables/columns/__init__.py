"""Many messages at once: columns cut out of a buffer of bytes, one row per message."""

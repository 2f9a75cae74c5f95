"""The panels: one file each, and what they share."""

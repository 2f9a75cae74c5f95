"""The words for how sure a reading of a paste is."""

SURE, LIKELY, UNSURE, NONE = "sure", "likely", "unsure", "none"

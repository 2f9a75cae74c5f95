"""The other side of the wire: what talks, and the keys that it talks with. Nothing here needs pandas."""

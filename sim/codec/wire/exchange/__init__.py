"""Formats from and to what people have: packagers of jPOS, specifications of moov-io/iso8583, pyiso8583."""

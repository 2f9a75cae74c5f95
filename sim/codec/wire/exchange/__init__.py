"""Import and export of formats: jPOS packagers, specifications of moov-io/iso8583 and pyiso8583."""

"""Real peers: jPOS and moov-io/iso8583, built from their sources, packing, reading and talking with ours."""

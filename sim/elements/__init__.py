"""The meaning of single values: MTI, PAN, amounts, dates, tracks, chip data, code lists."""

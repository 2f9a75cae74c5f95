"""What one value means: MTI, PAN, amounts, dates, tracks, chip data, code lists."""

"""What keeps looking for faults: fuzzing, contract, differential and soak runs, and what they have found."""

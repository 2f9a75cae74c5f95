"""`python -m sim.cli`: the same as the command `iso8583`."""

from sim.cli import main

main()

"""`python -m sim.cli`: the same as the command `iso8583`."""

from sim.cli import main

if __name__ == "__main__":
    main()

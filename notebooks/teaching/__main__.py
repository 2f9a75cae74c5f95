"""`python -m teaching COMMAND`, in the notebooks' folder: editions, grade, aims, route, sheet, slides."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from teaching import slides, tables
from teaching.editions import EDITIONS, make
from teaching.grade import SECONDS, grade, write
from teaching.sheet import cheat_sheet


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m teaching", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser(
        "editions", help="make the editions for students, of solutions, and for teachers"
    )
    one.add_argument("target", type=Path)
    one.add_argument("--only", nargs="*", default=[], metavar="NOTEBOOK")
    one.add_argument("--edition", choices=EDITIONS, action="append")
    one = commands.add_parser("grade", help="points of a folder of submissions, as CSV")
    one.add_argument("folder", type=Path)
    one.add_argument("--seconds", type=float, default=SECONDS, help="for a cell (default: %(default)g)")
    commands.add_parser("aims", help="aims against exercises, as a table")
    commands.add_parser("route", help="the two-hour route, counted")
    commands.add_parser("sheet", help="the cheat sheet")
    one = commands.add_parser("slides", help="slides of the first notebooks")
    one.add_argument("target", type=Path)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line asks for."""
    options = _parser().parse_args(arguments)
    if options.command == "editions":
        make(options.target, tuple(options.edition or EDITIONS), tuple(options.only))
    elif options.command == "grade":
        marks = grade(options.folder, seconds=options.seconds)
        if not marks:
            print(f"no NAME/NOTEBOOK.ipynb and no NAME__NOTEBOOK.ipynb in {options.folder}", file=sys.stderr)
            return 1
        write(marks, sys.stdout)
    elif options.command == "slides":
        slides.make(options.target)
    else:
        print({"aims": tables.aims, "route": tables.route, "sheet": cheat_sheet}[options.command]())
    return 0


if __name__ == "__main__":
    sys.exit(main())

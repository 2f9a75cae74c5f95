"""`python -m teaching COMMAND`, in the notebooks' folder: editions, grade, aims, route, sheet, slides."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sim.files import write_text
from teaching import tables
from teaching.editions import EDITIONS, make
from teaching.grade import SECONDS, feedback, grade, text
from teaching.sheet import cheat_sheet
from teaching.submissions import roster


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m teaching", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("editions", help="make the editions for students, solutions and teachers")
    one.add_argument("target", type=Path)
    one.add_argument("--only", nargs="*", default=[], metavar="NOTEBOOK")
    one.add_argument("--edition", choices=EDITIONS, action="append")
    one.add_argument("--silent", action="store_true", help="hide verdicts in the students' exam")
    one = commands.add_parser("grade", help="mark a folder of submissions and print CSV")
    one.add_argument("folder", type=Path)
    one.add_argument("--seconds", type=float, default=SECONDS, help="for a cell (default: %(default)g)")
    one.add_argument("--roster", type=Path, help="CSV file with a row per student and a column `name`")
    one.add_argument("--out", type=Path, help="file for the marks (default: standard output)")
    one.add_argument("--feedback", type=Path, help="folder for a page per student (default: FOLDER-feedback)")
    commands.add_parser("aims", help="a table of aims and exercises")
    commands.add_parser("route", help="the time of the two-hour route")
    commands.add_parser("sheet", help="the cheat sheet")
    one = commands.add_parser("slides", help="slides of the first notebooks")
    one.add_argument("target", type=Path)
    return parser


def _grade(options: argparse.Namespace) -> int:
    try:
        known = roster(options.roster) if options.roster else None
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    marks = grade(options.folder, seconds=options.seconds, roster=known)
    if not any(one.lines or one.remarks for one in marks):
        print(f"no NAME/NOTEBOOK.ipynb and no NAME__NOTEBOOK.ipynb in {options.folder}", file=sys.stderr)
        return 1
    if options.out:
        write_text(options.out, text(marks))
    else:
        sys.stdout.write(text(marks))
    folder = options.folder.resolve()
    feedback(marks, options.feedback or folder.with_name(f"{folder.name}-feedback"))
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line asks for."""
    options = _parser().parse_args(arguments)
    if options.command == "editions":
        make(options.target, tuple(options.edition or EDITIONS), tuple(options.only), silent=options.silent)
    elif options.command == "grade":
        return _grade(options)
    elif options.command == "slides":
        from teaching import slides  # loads nbconvert, which nothing else needs

        slides.make(options.target)
    else:
        print({"aims": tables.aims, "route": tables.route, "sheet": cheat_sheet}[options.command]())
    return 0


if __name__ == "__main__":
    sys.exit(main())

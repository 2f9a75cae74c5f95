"""Build the site of documentation, with no network: `python tests/tools/site/build.py SITE [LITE]`.

Its sources are `notebooks/site`, the notebooks, the docstrings and the tables. What is made from the last
three is written beside a copy of the first, below `build/pages`, and never kept. LITE is a JupyterLite site
that `make lite` built; with it the pages can be tried in the browser. Warnings are errors, and so is a link
that leads nowhere.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import course
import reference
import rules
import tables
from check_links import report

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ROOT / "notebooks" / "site"


def write_sources(folder: Path, lite: Path | None) -> None:
    """Everything that Sphinx reads, in *folder*: the written pages and those that are made."""
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(SOURCES, folder, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    shutil.copytree(ROOT / "notebooks" / "images", folder / "images")
    start = folder / "index.md"
    there = (
        course.TRY_IT.format(up="", page="in_the_browser.ipynb", text="Try it in the browser") if lite else ""
    )
    start.write_text(start.read_text(encoding="utf-8").replace("<!-- try it -->", there), encoding="utf-8")
    course.write(ROOT / "notebooks", folder / "course", lite, rules.names())
    rules.write(folder / "rules", ROOT / "tests" / "vectors")
    reference.write(folder / "reference")
    tables.write(folder / "tables")
    shutil.copy(ROOT / "tests" / "peers" / "RESULTS.md", folder / "peers.md")


def main() -> int:
    """Build, and check the links. 0 when all is well."""
    site = Path(sys.argv[1]).resolve()
    lite = Path(sys.argv[2]).resolve() if sys.argv[2:] and Path(sys.argv[2]).is_dir() else None
    pages = site.parent / "pages"
    write_sources(pages, lite)
    if site.exists():
        shutil.rmtree(site)
    sphinx = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    done = subprocess.run([*sphinx, "-d", str(site.parent / "doctrees"), str(pages), str(site)], check=False)
    if done.returncode:
        return done.returncode
    if lite:
        shutil.copytree(lite, site / "lite")
    return report(site)


if __name__ == "__main__":
    sys.exit(main())

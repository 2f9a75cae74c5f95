"""Build the JupyterLite site, with no network: `python tests/tools/lite/build.py PARTS SITE`.

PARTS is what `fetch.py` made. SITE becomes a folder of static files: JupyterLab, Python and this toolkit
run in the browser, with no server behind them. Everything served lies in SITE. Only packages that have to
be compiled are not in it: pandas and matplotlib are named by their address at Pyodide's own host, and are
loaded from there when a cell imports them; without them the panels show no tables.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable
from email.parser import Parser
from pathlib import Path
from typing import Any

from jupyterlite_pyodide_kernel.constants import PYODIDE_CDN_URL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
OWN = "iso8583-lab"
LOCK = "pyodide-lock.json"
ELSEWHERE = ("pandas", "pyarrow", "matplotlib", "jinja2")
START = "in_the_browser.ipynb"
# How JupyterLite's own front page goes on, to an empty launcher; the rest of it is read by the application.
_ONWARDS = "await import('./config-utils.js');"
# What the kernel brings itself, what no browser has, and what the toolkit does without there.
_LEFT_OUT = {"ipykernel", "pexpect", "widgetsnbextension", "pandas", "pyarrow", "jinja2", "pydantic", "sanic"}
_BROWSER = {
    "extra": "",
    "implementation_name": "cpython",
    "os_name": "posix",
    "platform_machine": "wasm32",
    "platform_python_implementation": "CPython",
    "platform_system": "Emscripten",
    "sys_platform": "emscripten",
}


def build_wheel(folder: Path) -> None:
    """This toolkit as a wheel, by the build back end that is installed."""
    command = [
        *(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--no-build-isolation", "--no-index", f"--wheel-dir={folder}", str(ROOT)),
    ]
    subprocess.run(command, check=True)


def lock(folder: Path) -> list[str]:
    """Write the lock file: the wheels in *folder*, and the packages from elsewhere. Returns their names;
    exits where a wheel needs one that is not there."""
    path = folder / LOCK
    whole = json.loads(path.read_text(encoding="utf-8"))
    python = whole["info"]["python"]
    browser = {**_BROWSER, "python_full_version": python, "python_version": python.rpartition(".")[0]}
    wheels = {canonicalize_name(parse_wheel_filename(file.name)[0]): file for file in folder.glob("*.whl")}
    needs = {
        name: _needs(file, {**browser, "extra": "jupyter" if name == OWN else ""})
        for name, file in wheels.items()
    }
    for need in (one for several in needs.values() for one in several.values()):
        file = wheels.get(canonicalize_name(need.name))
        if file is None or not need.specifier.contains(parse_wheel_filename(file.name)[1]):
            sys.exit(f"not among the wheels: {need}")
    packages = {name: _entry(name, file, sorted(needs[name])) for name, file in sorted(wheels.items())}
    packages |= {name: entry for name, entry in _elsewhere(whole["packages"]).items() if name not in packages}
    path.write_text(json.dumps({**whole, "packages": packages}), encoding="utf-8")
    return sorted(packages)


def _needs(file: Path, browser: dict[str, str]) -> dict[str, Requirement]:
    """What the wheel *file* needs in a *browser*, by name."""
    with zipfile.ZipFile(file) as wheel:
        metadata = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        told = Parser().parsestr(wheel.read(metadata).decode()).get_all("Requires-Dist") or []
    return here(map(Requirement, told), browser)


def here(wanted: Iterable[Requirement], browser: dict[str, str]) -> dict[str, Requirement]:
    """Those of *wanted* that hold in a *browser*, by name. A package may stand there once for each extra:
    those whose marker does not hold say nothing, the bounds of the others hold together."""
    found: dict[str, Requirement] = {}
    for one in wanted:
        name = canonicalize_name(one.name)
        if name in _LEFT_OUT or (one.marker and not one.marker.evaluate(browser)):
            continue
        if name in found:
            one.specifier &= found[name].specifier
        found[name] = one
    return found


def _entry(name: str, file: Path, needs: list[str]) -> dict[str, Any]:
    with zipfile.ZipFile(file) as wheel:
        tops = {one.split("/")[0].removesuffix(".py") for one in wheel.namelist() if one.endswith(".py")}
    return {
        "name": name,
        "version": str(parse_wheel_filename(file.name)[1]),
        "file_name": file.name,
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "package_type": "package",
        "install_dir": "site",
        "imports": sorted(top for top in tops if "." not in top),
        "depends": needs,
        "unvendored_tests": False,
    }


def _elsewhere(known: dict[str, Any]) -> dict[str, Any]:
    """Entries of Pyodide's own lock file, with their full address, and what they need."""
    found: dict[str, Any] = {}
    wanted = [name for name in ELSEWHERE if name in known]
    while wanted:
        name = wanted.pop()
        if name not in found:
            found[name] = {**known[name], "file_name": f"{PYODIDE_CDN_URL}/{known[name]['file_name']}"}
            wanted += known[name]["depends"]
    return found


def build_site(parts: Path, site: Path) -> None:
    """Put Pyodide, wheels, notebooks and JupyterLab together, in a fresh folder: what a former build left
    behind would make this one skip steps."""
    with tempfile.TemporaryDirectory(prefix="lite") as work:
        pyodide = Path(work, "pyodide")
        shutil.copytree(parts / "pyodide", pyodide)
        for wheel in (parts / "wheels").glob("*.whl"):
            shutil.copy(wheel, pyodide)
        build_wheel(pyodide)
        lock(pyodide)
        archive = Path(work, "pyodide.tar.bz2")
        with tarfile.open(archive, "w:bz2", compresslevel=1) as files:
            files.add(pyodide, "pyodide")
        settings = Path(work, "settings")
        shutil.copytree(HERE / "settings", settings)
        shutil.rmtree(site, ignore_errors=True)
        command = [
            *(sys.executable, "-m", "jupyterlite_core", "build", "--no-sourcemaps", f"--pyodide={archive}"),
            *(f"--lite-dir={settings}", f"--output-dir={site}", f"--contents={HERE / 'content'}"),
        ]
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
    front = (site / "index.html").read_text(encoding="utf-8")
    if _ONWARDS not in front:
        sys.exit("JupyterLite's front page is another one: it would open its launcher")
    front = front.replace(_ONWARDS, f'window.location.replace("lab/index.html?path={START}");')
    front = front.replace("</head>", '<link rel="icon" href="lab/favicon.ico"></head>')
    (site / "index.html").write_text(front, encoding="utf-8")


def main() -> None:
    """Build, and say how to look at it."""
    parts, site = (Path(argument).resolve() for argument in sys.argv[1:3])
    build_site(parts, site)
    size = sum(file.stat().st_size for file in site.rglob("*") if file.is_file())
    print(f"{site}: {size / 1e6:.0f} MB of static files; to look at it: python3 -m http.server -d {site}")


if __name__ == "__main__":
    main()

"""Rehearse a Binder build and session without Docker: `python tests/tools/rehearse_binder.py FOLDER`.

As repo2docker does: a copy of the repository, a fresh environment with the Python of binder/runtime.txt and
the Jupyter packages that its image brings, binder/requirements.txt, binder/postBuild. Then as the hub does:
binder/start with a JupyterLab below an address of its own and with a token. What people find there is asked
for: the first notebook opens and runs, the service answers, Voila shows the panels.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
START = "notebooks/00_start_here.ipynb"
PANELS = "notebooks/panels.ipynb"
BASE = "/user/somebody-on-binder"
TOKEN = "rehearsal"  # noqa: S105, of a server that lives a minute
PATIENCE = 180
# What the image of repo2docker 2026.4 brings before requirements.txt is read, and nothing may change.
IMAGE = (
    *("jupyterlab==4.4.9", "notebook==7.4.7", "jupyter-server==2.17.0"),
    *("ipywidgets==8.1.7", "jupyterhub==5.4.0"),
)
OLDEST = (3, 11)


class RehearsalError(Exception):
    """Something is not as Binder needs it."""


def wanted_python() -> tuple[str, str]:
    """The Python that binder/runtime.txt names, or the newest there is that will do; and its version."""
    wanted = (ROOT / "binder" / "runtime.txt").read_text(encoding="utf-8").strip().removeprefix("python-")
    names = [wanted, *(f"3.{minor}" for minor in range(20, OLDEST[1] - 1, -1) if f"3.{minor}" != wanted)]
    for version in names:
        for candidate in _candidates(version):
            if _works(candidate):
                if version != wanted:
                    print(f"Note: Python {wanted} of runtime.txt is not on this machine; using {version}.")
                return candidate, version
    raise RehearsalError(f"neither Python {wanted} nor any other from 3.{OLDEST[1]} on was found")


def _candidates(version: str) -> list[str]:
    own = [sys.executable] if version == f"{sys.version_info[0]}.{sys.version_info[1]}" else []
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    kept = sorted(map(str, pyenv.glob(f"{version}.*/bin/python")))
    return [*([found] if (found := shutil.which(f"python{version}")) else []), *reversed(kept), *own]


def _works(python: str) -> bool:
    """Whether it starts and can make environments."""
    done = subprocess.run([python, "-c", "import ensurepip, venv"], capture_output=True, check=False)
    return done.returncode == 0


def copy_repository(target: Path) -> None:
    """What a clone of this folder would have; in no Git repository, all of it that is not made."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        made = shutil.ignore_patterns(".venv*", "build", "dist", "__pycache__", "*.egg-info", ".*_cache")
        shutil.copytree(ROOT, target, ignore=made)
        return
    for name in filter(None, listed.stdout.split("\0")):
        if (source := ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name)


class Place:
    """The rehearsed image: a copy of the repository, an environment, a home."""

    def __init__(self, folder: Path) -> None:
        self.repository = folder / "repository"
        self.environment = folder / "environment"
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        clean = {
            name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "SIM_"))
        }
        clean.pop("PYTHONPATH", None)
        self.variables = clean | {
            "HOME": str(self.home),
            "PATH": f"{self.environment / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "NB_PYTHON_PREFIX": str(self.environment),
            "REPO_DIR": str(self.repository),
        }

    def run(self, *command: str) -> str:
        """What *command* prints, in the repository. Raises RehearsalError with it when it fails."""
        done = subprocess.run(
            command, cwd=self.repository, env=self.variables, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RehearsalError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        return done.stdout

    def pip(self, *arguments: str) -> str:
        """pip of the environment."""
        return self.run("python", "-m", "pip", "--disable-pip-version-check", *arguments)


def build(place: Place, python: str) -> None:
    """What happens when the image is built."""
    subprocess.run([python, "-m", "venv", str(place.environment)], check=True)
    place.pip("install", "--quiet", *IMAGE)
    before = _versions(place)
    place.pip("install", "--quiet", "-r", "binder/requirements.txt")
    place.pip("check")
    after = _versions(place)
    changed = [f"{name} {old} -> {after.get(name)}" for name, old in before.items() if after.get(name) != old]
    if changed:
        raise RehearsalError(f"requirements.txt changes what the image brings: {', '.join(changed)}")
    for name in ("postBuild", "start"):
        if not os.access(place.repository / "binder" / name, os.X_OK):
            raise RehearsalError(f"binder/{name} cannot be executed")
    place.run("./binder/postBuild")


def _versions(place: Place) -> dict[str, str]:
    listed = json.loads(place.pip("list", "--format=json"))
    return {row["name"].lower(): row["version"] for row in listed}


@contextmanager
def session(place: Place, log: Path) -> Iterator[str]:
    """The running Jupyter server, started as the hub does; gives its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        *("./binder/start", "jupyter", "lab", "--no-browser", "--ip=127.0.0.1", f"--port={port}"),
        *("--ServerApp.port_retries=0", f"--ServerApp.base_url={BASE}/", f"--IdentityProvider.token={TOKEN}"),
        *(["--allow-root"] if os.getuid() == 0 else []),
    ]
    with log.open("w") as out:
        process = subprocess.Popen(
            command, cwd=place.repository, env=place.variables, stdout=out, stderr=subprocess.STDOUT
        )
        address = f"http://127.0.0.1:{port}{BASE}"
        try:
            _wait(address, process)
            yield address
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:  # a kernel that does not want to go
                process.kill()
                process.wait()


def _wait(address: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        try:
            ask(address + "/api")
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise RehearsalError("the Jupyter server did not start")


def ask(url: str, body: object = None, *, token: str = TOKEN) -> tuple[int, str, str]:
    """Status, final address and text of the answer; with *body* a POST of JSON."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"token {token}"} if token else {})
    request = urllib.request.Request(url, data, headers)  # noqa: S310, on loopback
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
            return answer.status, answer.url, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, url, error.read().decode()


def _expect(what: str, good: bool, found: object) -> None:
    if not good:
        raise RehearsalError(f"{what}: {str(found)[:500]}")
    print(f"  {what}")


def check_lab(place: Place, address: str) -> None:
    """The first notebook opens, and runs from top to bottom."""
    status, url, _ = ask(address + "/")
    _expect("a link without a path opens the first notebook", (status, START in url) == (200, True), url)
    status, _, text = ask(f"{address}/api/contents/{START}")
    _expect("the server has it", status == 200 and json.loads(text)["type"] == "notebook", text)
    status, _, text = ask(f"{address}/lab/api/settings/@jupyterlab/apputils-extension:notification")
    news = json.loads(text).get("settings", {}) if status == 200 else {}
    schema = json.loads(text).get("schema", {}).get("properties", {}) if status == 200 else {}
    asked = news.get("fetchNews", schema.get("fetchNews", {}).get("default"))
    _expect("nobody is asked about news", asked == "false", text)
    run = ("jupyter", "nbconvert", "--to", "html", "--execute", "--output-dir", str(place.home), START)
    place.run(*run)
    page = (place.home / Path(START).with_suffix(".html").name).read_text(encoding="utf-8")
    _expect("it runs from top to bottom", "iso8583" in page.lower() or "iso 8583" in page.lower(), page)


def check_service(address: str) -> None:
    """The service answers below the server's address, for those with the token, as a public one."""
    service = f"{address}/iso8583"
    status, _, text = ask(f"{service}/generate", {"network": "VISA"})
    made = json.loads(text) if status == 200 else {}
    _expect("the service starts on the first call and generates", made.get("mti") == "0100", text)
    status, _, text = ask(f"{service}/validate", {"message": made.get("message", "")})
    _expect("and validates", status == 200 and json.loads(text)["valid"] is True, text)
    status, _, text = ask(f"{service}/generate", {"stan": "1"})
    _expect("a bad request is told in its own shape", status == 422 and "detail" in json.loads(text), text)
    status, _, text = ask(f"{service}/explain", {"message": made.get("message", ""), "llm": True})
    _expect("LLM features are off", status == 403 and "llm_disabled" in text, text)
    status, _, text = ask(f"{service}/docs")
    _expect("its documentation is there", status == 200 and "/generate" in text, text)
    status, _, text = ask(f"{service}/generate", {}, token="")
    _expect("without the token nobody gets in", status == 403, f"{status} {text}")


def check_voila(address: str) -> None:
    """The panels as a page."""
    status, _, text = ask(f"{address}/voila/render/{PANELS}")
    view = "application/vnd.jupyter.widget-view+json"
    good = status == 200 and view in text and "error when executing" not in text
    _expect("Voila shows the panels", good, text)


def main() -> int:
    """Rehearse in the folder named on the command line, which is emptied, or in one of its own."""
    given = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
    folder = given or Path(tempfile.mkdtemp(prefix="binder"))
    shutil.rmtree(folder, ignore_errors=True)
    log = folder / "server.log"
    try:
        python, version = wanted_python()
        place = Place(folder)
        copy_repository(place.repository)
        print(f"Building with Python {version} in {folder}", flush=True)
        began = time.monotonic()
        build(place, python)
        print(f"Built in {time.monotonic() - began:.0f} s; starting as the hub does", flush=True)
        with session(place, log) as address:
            checks: list[Callable[[], Any]] = [
                lambda: check_lab(place, address),
                lambda: check_service(address),
                lambda: check_voila(address),
            ]
            for check in checks:
                check()
    except RehearsalError as error:
        said = log.read_text(encoding="utf-8", errors="replace")[-3000:] if log.is_file() else ""
        print(f"Rehearsal failed: {error}\n{said}", file=sys.stderr)
        return 1
    print("Binder would work.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

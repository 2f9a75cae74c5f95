"""Start `make serve`, make the README's curl calls, compare the answers with the README's, stop the service.

A line of an answer in the README stands anywhere in the real one; lines with an ellipsis are not compared.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
ADDRESS = "http://127.0.0.1:8000"  # in the README
_CALL = re.compile(r"```sh\n(curl .*?)```\s*```json\n(.*?)```", re.DOTALL)
_SERVING = re.compile(r"Serving on (http://\S+)")
_CALLS = 3
_SECONDS_TO_STOP = 30


def lines(text: str) -> list[str]:
    """The lines of a JSON text without indentation and trailing commas."""
    return [line.strip().removesuffix(",") for line in text.splitlines() if line.strip()]


def call(command: str, expected: str, address: str) -> None:
    """Run one curl *command* against *address*; fail where a line of *expected* is not in the answer."""
    command = command.replace(ADDRESS, address).replace("curl ", "curl --fail-with-body --max-time 30 ", 1)
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"failed: {command}\n{done.stdout}{done.stderr}")
    answer = lines(json.dumps(json.loads(done.stdout), indent=2, ensure_ascii=False))
    wanted = [line for line in lines(expected) if "…" not in line]
    absent = [line for line in wanted if line not in answer and not spread(line, answer)]
    if absent:
        sys.exit(f"{command}\nnot in the answer: {absent}\n{done.stdout}")
    print(f"as in the README: {command.splitlines()[0]}")


def spread(line: str, answer: list[str]) -> bool:
    """Whether *line*, an object on one line, stands in *answer* over several."""
    try:
        parts = lines(json.dumps(json.loads(line), indent=2, ensure_ascii=False))
    except ValueError:
        return False
    return any(answer[start : start + len(parts)] == parts for start in range(len(answer)))


def main() -> None:
    """Exit with a sentence where something is not as the README says."""
    calls = _CALL.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    if len(calls) != _CALLS:
        sys.exit(f"the README has {len(calls)} curl calls with an answer, not {_CALLS}")
    command = ["make", "--no-print-directory", "serve", "PORT=0"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as service:
        said = service.stdout or iter(())
        try:
            match = next(filter(None, map(_SERVING.search, said)), None)
            if match is None:
                sys.exit("the service did not start")
            for curl, expected in calls:
                call(curl, expected, match[1])
        finally:
            service.send_signal(signal.SIGTERM)
            rest = "".join(said)
            service.wait(_SECONDS_TO_STOP)
    if "Traceback" in rest:
        sys.exit(f"the service did not stop well:\n{rest}")
    print("the service answered and stopped")


if __name__ == "__main__":
    main()

"""Hold a running service to its own OpenAPI document: `python tests/harness/contract.py CASES`.

Schemathesis makes about CASES cases for each endpoint, good and bad ones, and checks every answer. Two things
are so by decision and cannot be said in JSON Schema; they are checked here in its checks' place: what keeps
to the schema may still be no ISO 8583 message (422 of the types in REFUSED), 1.0 is no integer here; and 503
is the documented answer where no language model is configured.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
WHERE = ROOT / "build" / "contract"
# What the interface documents for values that the schema lets through.
REFUSED = {
    "description_unclear",
    "format_unknown",
    "int_type",
    "interface_unknown",
    "iso8583_build",
    "iso8583_parse",
    "llm_model_unknown",
    "llm_provider_unknown",
    "not_iso8583",
    "not_possible",
}
_CHECKS = (
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "missing_required_header",
    "unsupported_method",
    "allow_header_conformance",
    "expected_refusals",
)


def main(cases: int) -> int:
    """Serve, check, and stop."""
    here = str(ROOT)
    WHERE.mkdir(parents=True, exist_ok=True)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SIM_")}
    clean["PYTHONPATH"] = os.pathsep.join([here, str(Path(__file__).parent)])
    clean["SCHEMATHESIS_HOOKS"] = "contract_checks"
    service = [sys.executable, "-m", "server", "--port", "0"]
    with subprocess.Popen(service, cwd=ROOT, env=clean, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().split()[2]
            command = [str(Path(sys.executable).with_name("schemathesis")), "run", f"{address}/openapi.json"]
            command += [
                "--checks",
                ",".join(_CHECKS),
                "-n",
                str(cases),
                "--continue-on-failure",
                "--seed",
                "8583",
            ]
            command += ["--phases", "examples,coverage,fuzzing", "--suppress-health-check", "all"]
            done = subprocess.run(command, cwd=WHERE, env=clean, check=False)
        finally:
            process.terminate()
    return done.returncode


def refusal_is_expected(status: int, body: Any, *, good: bool) -> bool:
    """Whether *status* is one that a request may get: *good*, it keeps to the schema."""
    if not good or status in (200, 503):
        return status != 500
    return status == 422 and {fault["type"] for fault in body["detail"]} <= REFUSED


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))

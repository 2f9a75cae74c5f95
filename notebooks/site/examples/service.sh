#!/usr/bin/env bash
# The service from a shell: bash service.sh [ADDRESS]
set -euo pipefail
address=${1:-http://127.0.0.1:8000}

call() { curl --silent --show-error --fail-with-body "$address$1" -H 'Content-Type: application/json' --data "$2"; }

message=$(call /generate '{"network": "VISA", "amount_minor_units": 2500}' |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["message"])')
call /explain "$(printf '{"message": "%s"}' "$message")"
echo
call /validate "$(printf '{"message": "%s", "against": ["VISA", "AMEX"]}' "$message")"
echo

#!/usr/bin/env bash
# The whole proof: lints, unit tests, the suites against the real server, the clients people use, the console in a browser.
# Everything is built once, with the release profile. The last line counts all tests.
set -euo pipefail
cd "$(dirname "$0")/.."

log="$(mktemp -d)"
trap 'rm -rf "$log"' EXIT
features=()
if [ -n "${FEATURES:-}" ]; then features=(--features "firn/$FEATURES"); fi

step() { echo; echo "== $* (after ${SECONDS} s)"; }

if ! command -v python3 >/dev/null; then
  echo "python3 is missing: install Python 3.10 or later with its venv module" >&2
  exit 1
fi

step "formatting and lints"
scripts/lint.sh

step "building"
# All targets at once: what is built for one of them alone has other features and would be built twice.
cargo build --release --locked --workspace --all-targets ${features[@]+"${features[@]}"}

failed=0
step "unit tests and suites"
scripts/run_tests.py --release --locked --workspace ${features[@]+"${features[@]}"} 2>&1 \
  | tee "$log/cargo" || failed=1

step "clients"
python="$(scripts/python.sh tests/clients/requirements.txt)"
FIRN_BINARY="$CARGO_TARGET_DIR/release/firn" "$python" -m pytest tests/clients 2>&1 \
  | tee "$log/pytest" || failed=1

step "drivers"
scripts/driver_tests.sh quick 2>&1 | tee "$log/drivers" || failed=1

step "packages, examples and documents"
FIRN_BINARY="$CARGO_TARGET_DIR/release/firn" "$python" -m pytest -n 2 --dist loadfile tests/packages 2>&1 \
  | tee "$log/packages" || failed=1

step "console"
NO_COLOR=1 scripts/browser_tests.sh 2>&1 | tee "$log/console" || failed=1

step "done"
awk '
  /^test result:/ { passed += $4; broken += $6 }
  # The console: unit tests, then those in the browser.
  /^ +Tests +/ { for (i = 2; i <= NF; i++) { if ($i == "passed") passed += $(i - 1); if ($i == "failed") broken += $(i - 1) } }
  /^ +[0-9]+ passed \(/ { passed += $1 }
  /^ +[0-9]+ failed$/ { broken += $1 }
  / (passed|failed|error|errors)(,| in )/ && /^=+ / {
    for (i = 2; i <= NF; i++) {
      if ($i ~ /^passed/) passed += $(i - 1)
      if ($i ~ /^(failed|error)/) broken += $(i - 1)
    }
  }
  END { printf "%d passed, %d failed\n", passed, broken }
' "$log/cargo" "$log/pytest" "$log/drivers" "$log/packages" "$log/console"
exit "$failed"

#!/usr/bin/env bash
# Builds the server and runs the benchmarks of bench/, which print ratios against their peers.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --release --locked --workspace --bin firn
python="$(scripts/python.sh bench/requirements.txt)"
FIRN_BINARY="$CARGO_TARGET_DIR/release/firn" exec "$python" bench/run.py "$@"

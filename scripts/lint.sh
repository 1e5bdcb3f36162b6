#!/usr/bin/env bash
# Formatting and lints of the whole workspace.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo fmt --all --check
cargo clippy --release --locked --workspace --all-targets -- -D warnings

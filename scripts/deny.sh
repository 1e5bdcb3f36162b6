#!/usr/bin/env bash
# Checks the dependencies against deny.toml: licenses, bans and sources from what cargo has already fetched, advisories
# from their database, which has to be fetched. Without a network to it that part is left out, and it says so.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.18.9
tools="$CARGO_TARGET_DIR/tools"
PATH="$tools/bin:$PATH"
if ! command -v cargo-deny >/dev/null; then
  echo "installing cargo-deny $version below $tools (some minutes, once)"
  cargo install --quiet --locked --version "$version" --root "$tools" cargo-deny
fi
cargo deny --all-features check licenses bans sources

log="$(mktemp)"
trap 'rm -f "$log"' EXIT
if cargo deny --all-features check advisories 2>"$log"; then
  echo "advisories checked"
elif grep -qi "failed to fetch advisory database" "$log"; then
  echo "NOT CHECKED: advisories; their database cannot be fetched from here. Run this again with a network."
else
  cat "$log" >&2
  exit 1
fi

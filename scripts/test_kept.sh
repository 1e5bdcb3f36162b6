#!/usr/bin/env bash
# Runs `make test` on this commit in a checkout that stays in the user's cache folder between runs of
# CI, with a target folder that no other checkout uses. Cargo tells by a file's time what to compile,
# and in a fresh clone all files are new; here only those are that changed. Nothing else of an earlier
# run is left there.
set -euo pipefail
cd "$(dirname "$0")/.."

cache="${XDG_CACHE_HOME:-$HOME/.cache}/firn"
kept="$cache/checkout"
mkdir -p "$cache"

# Two runs at a time would change each other's files.
if command -v flock >/dev/null; then
  exec 9>"$cache/checkout.lock"
  flock 9
fi

take() {
  git -C "$kept" fetch --quiet --no-tags "$PWD" HEAD \
    && git -C "$kept" checkout --quiet --force --detach FETCH_HEAD \
    && git -C "$kept" clean --quiet -ffdx
}

if ! { [ -d "$kept/.git" ] && take; }; then
  rm -rf "$kept"
  git init --quiet "$kept"
  take
fi
echo "testing $(git -C "$kept" rev-parse --short HEAD) in $kept"
# The lock ends with this process, not with a server that a test left behind.
CARGO_TARGET_DIR="$cache/target" make -C "$kept" test KEPT=yes 9>&-

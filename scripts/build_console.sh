#!/usr/bin/env bash
# Builds the console into web/dist, which the binary brings along. Does nothing when it is built from the same sources.
set -euo pipefail
cd "$(dirname "$0")/../web"

checksum() {
  if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi
}

state() {
  find ./*.json ./*.ts index.html src -type f | LC_ALL=C sort \
    | while read -r file; do checksum "$file"; done | checksum
}

wanted="$(state)"
if [ "$wanted" = "$(cat dist/state 2>/dev/null)" ]; then exit 0; fi

if ! command -v npm >/dev/null; then
  # Whoever compiles the library has no other use for npm.
  if [ "${FEATURES:-}" = bundled ]; then
    echo "npm is missing: firn is built without its console" >&2
    exit 0
  fi
  echo "npm is missing, and the console is built with it: install Node.js 20 or later" >&2
  exit 1
fi
if [ "$(checksum package-lock.json)" != "$(cat node_modules/.lock-sum 2>/dev/null)" ]; then
  echo "fetching what the console is built with" >&2
  npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error >&2
  checksum package-lock.json > node_modules/.lock-sum
fi
echo "building the console" >&2
npm run --silent build >&2
echo "$wanted" > dist/state

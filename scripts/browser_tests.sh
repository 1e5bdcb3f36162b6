#!/usr/bin/env bash
# Unit tests and checks of the console, then its tests in a real browser against the built server.
set -euo pipefail
cd "$(dirname "$0")/.."

checksum() {
  if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi
}

chromium="${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}"
if [ -z "$chromium" ] && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  echo "installing chromium" >&2
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core; } >/dev/null
  chromium="$(command -v chromium || true)"
fi
if [ -z "$chromium" ]; then
  echo "chromium is missing, and the console is tested with it: install it, or name it with CHROMIUM=…" >&2
  exit 1
fi

cd web
if [ "$(checksum package-lock.json)" != "$(cat node_modules/.test-lock-sum 2>/dev/null)" ]; then
  echo "fetching what the console is tested with" >&2
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
  checksum package-lock.json | tee node_modules/.lock-sum > node_modules/.test-lock-sum
fi
npm run --silent check
npm run --silent test
CHROMIUM="$chromium" FIRN_BINARY="${FIRN_BINARY:-$CARGO_TARGET_DIR/release/firn}" npx playwright test "$@"

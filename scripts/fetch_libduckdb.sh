#!/usr/bin/env bash
# Puts the prebuilt libduckdb into vendor/duckdb. The lock file beside package.json says which one;
# npm refuses a package whose hash is another. Does nothing when the right library is in place, or when
# DUCKDB_LIB_DIR names the folder of another one.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${FEATURES:-}" = bundled ] || [ -n "${DUCKDB_LIB_DIR:-}" ]; then exit 0; fi

lock=scripts/libduckdb
target=vendor/duckdb
case "$(uname -s)" in
  Darwin) library=libduckdb.dylib ;;
  *) library=libduckdb.so ;;
esac

checksum() {
  if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi
}

# What is in place is right when it was put there for this lock file and has not changed since.
state() {
  checksum "$lock/package-lock.json" "$target/$library" 2>/dev/null
}

if [ -f "$target/$library" ] && [ "$(state)" = "$(cat "$target/state" 2>/dev/null)" ]; then exit 0; fi

if ! command -v npm >/dev/null; then
  echo "npm is missing, and libduckdb is fetched with it: install Node.js 18 or later" >&2
  exit 1
fi

echo "fetching libduckdb into $target"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cp "$lock/package.json" "$lock/package-lock.json" "$lock/.npmrc" "$work/"
(cd "$work" && npm ci --ignore-scripts --loglevel=error >&2)

found="$(find "$work/node_modules" -name "$library" 2>/dev/null | head -n 1)"
if [ -z "$found" ]; then
  echo "no prebuilt libduckdb is locked for $(uname -s) $(uname -m);" >&2
  echo "build DuckDB 1.5 with the extensions icu, json and parquet, and name its folder: DUCKDB_LIB_DIR=…" >&2
  exit 1
fi
mkdir -p "$target"
# A running server may have the old file mapped: put the new one beside it, then rename.
cp "$found" "$target/$library.new"
mv "$target/$library.new" "$target/$library"
state > "$target/state"

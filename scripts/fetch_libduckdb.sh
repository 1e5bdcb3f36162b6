#!/usr/bin/env bash
# Puts libduckdb into vendor/duckdb: the prebuilt one from npm, or with FEATURES=bundled one that is compiled here. The
# lock files in scripts/libduckdb say which one; npm and pip refuse what has another hash. Does nothing when the right
# library is in place, or when DUCKDB_LIB_DIR names the folder of another one.
set -euo pipefail
cd "$(dirname "$0")/.."

target=vendor/duckdb
if [ "${DUCKDB_LIB_DIR:-$PWD/$target}" != "$PWD/$target" ]; then exit 0; fi

case "$(uname -s)" in
  Darwin) library=libduckdb.dylib ;;
  *) library=libduckdb.so ;;
esac
case "${FEATURES:-}" in
  bundled) lock=scripts/libduckdb/source.txt ;;
  *) lock=scripts/libduckdb/package-lock.json ;;
esac

checksum() {
  if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi
}

# What is in place is right when it was put there for this lock file and has not changed since.
state() {
  checksum "$lock" "$target/$library" 2>/dev/null
}

is_in_place() {
  [ -f "$target/$library" ] && [ "$(state)" = "$(cat "$target/state" 2>/dev/null)" ]
}

# A running server may have the old file mapped: put the new one beside it, then rename.
put() {
  cp "$1" "$target/$library.new"
  mv "$target/$library.new" "$target/$library"
  state > "$target/state"
}

fetch() {
  if ! command -v npm >/dev/null; then
    echo "npm is missing, and libduckdb is fetched with it: install Node.js 18 or later" >&2
    exit 1
  fi
  echo "fetching libduckdb into $target" >&2
  cp scripts/libduckdb/package.json "$lock" scripts/libduckdb/.npmrc "$work/"
  (cd "$work" && npm ci --ignore-scripts --loglevel=error >&2)
  found="$(find "$work/node_modules" -name "$library" 2>/dev/null | head -n 1)"
  if [ -z "$found" ]; then
    echo "no prebuilt libduckdb is locked for $(uname -s) $(uname -m); compile it here: make FEATURES=bundled …" >&2
    exit 1
  fi
  put "$found"
}

# DuckDB's sources are those of the Python package; CMake and Ninja come from PyPI too. What was compiled before a
# break stays for the next time.
compile() {
  if ! command -v c++ >/dev/null; then
    echo "a C++ compiler is missing, and libduckdb is compiled with it" >&2
    exit 1
  fi
  export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
  python="$(scripts/python.sh scripts/libduckdb/build-tools.txt)"
  PATH="$(dirname "$python"):$PATH"
  version="$(sed -n 's/^duckdb==\([0-9.]*\).*/\1/p' "$lock")"
  folder="$CARGO_TARGET_DIR/duckdb-$version"
  if [ ! -f "$folder/source/CMakeLists.txt" ]; then
    echo "fetching the sources of libduckdb" >&2
    "$python" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary duckdb --require-hashes \
      -r "$lock" -d "$work" >&2
    tar -xzf "$work/duckdb-$version.tar.gz" -C "$work"
    mkdir -p "$folder"
    mv "$work/duckdb-$version/external/duckdb" "$folder/source"
  fi
  echo "compiling libduckdb into $target: half an hour on two cores, once" >&2
  cmake -S "$folder/source" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_EXTENSIONS="core_functions;icu;json;parquet" -DBUILD_SHELL=0 -DBUILD_UNITTESTS=0 \
    -DENABLE_SANITIZER=0 -DENABLE_UBSAN=0 -DOVERRIDE_GIT_DESCRIBE="v$version-0-g0000000" >&2
  cmake --build "$folder/build" --target duckdb >&2
  put "$folder/build/src/$library"
}

mkdir -p "$target"
# Several packages of one build may ask for it at the same time.
if command -v flock >/dev/null; then
  exec 9>"$target/lock"
  flock 9
fi
if is_in_place; then exit 0; fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
if [ "${FEATURES:-}" = bundled ]; then compile; else fetch; fi

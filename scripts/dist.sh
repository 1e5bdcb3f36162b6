#!/usr/bin/env bash
# Builds firn once more, for others: without a path of this machine inside, and looking for libduckdb beside itself alone.
# Then packs it into dist/. The build takes as long as a first one, and has a folder of its own below target/; later ones
# compile what has changed.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(uname -s)" != Linux ]; then
  echo "packages are made on Linux" >&2
  exit 1
fi
if ! command -v python3 >/dev/null; then
  echo "python3 is missing, and the packages are made with it: install Python 3.10 or later" >&2
  exit 1
fi

SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH
if [ -n "$(git status --porcelain --untracked-files=no 2>/dev/null)" ]; then
  echo "note: the checkout has changes that are no commit; the packages are named for the last one" >&2
fi

# The last prefix that fits counts.
registry="${CARGO_HOME:-$HOME/.cargo}"
remapped=("$HOME=/home" "$registry=/cargo" "$(rustc --print sysroot)=/rust" "$PWD=/firn" "$CARGO_TARGET_DIR=/firn/target")
rust_flags="" c_flags=""
for prefix in "${remapped[@]}"; do
  rust_flags+="${rust_flags:+$'\x1f'}--remap-path-prefix=$prefix"
  c_flags+=" -ffile-prefix-map=$prefix"
done
CARGO_ENCODED_RUSTFLAGS="$rust_flags" CFLAGS="${CFLAGS:-}$c_flags" CXXFLAGS="${CXXFLAGS:-}$c_flags" FIRN_DIST=1 \
  cargo build --profile dist --locked --workspace --bin firn

rm -rf dist
packages/pack.py --binary "$CARGO_TARGET_DIR/dist/firn" --library "${DUCKDB_LIB_DIR:-vendor/duckdb}/libduckdb.so" --out dist

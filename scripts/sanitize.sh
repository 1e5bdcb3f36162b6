#!/usr/bin/env bash
# Unit tests and suites with AddressSanitizer, in a target folder of their own: `scripts/sanitize.sh [cargo test arguments]`.
# The flag is one that the stable compiler hides; the library behind it comes with the compiler. libduckdb is not
# instrumented, but what it allocates is, and so is everything that crosses from one side to the other.
set -euo pipefail
cd "$(dirname "$0")/.."

target="$(rustc -vV | sed -n 's/^host: //p')"
runtime="$(rustc --print sysroot)/lib/rustlib/$target/lib"
if ! ls "$runtime"/librustc-*_rt.asan.a >/dev/null 2>&1; then
  echo "the Rust toolchain has no AddressSanitizer for $target; use x86_64 or aarch64 Linux" >&2
  exit 1
fi

export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}/sanitize"
export RUSTC_BOOTSTRAP=1
export RUSTFLAGS="-Zsanitizer=address -Cdebuginfo=line-tables-only"
# Leaks are not what is looked for: the engine keeps memory until the process ends. A stack frame is larger with the
# sanitizer, and the deepest statements need four times the stack.
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=0:detect_stack_use_after_return=0:abort_on_error=1}"
export RUST_MIN_STACK="${RUST_MIN_STACK:-67108864}"
# The suites look for the server in the folder of release builds.
export FIRN_BINARY="$CARGO_TARGET_DIR/$target/release/firn"

# The server's own allocator would hide the ends of what it gives out.
build=(--release --locked --workspace --target "$target" --features firn/system-allocator)
cargo build "${build[@]}" --bin firn
exec cargo test "${build[@]}" --no-fail-fast "$@"

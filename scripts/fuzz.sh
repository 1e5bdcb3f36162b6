#!/usr/bin/env bash
# Mutated inputs for every target of tests/fuzz, with one seed after the other, for FIRN_SECONDS. FIRN_ROUNDS is the number
# of inputs per seed and target, FIRN_SEED the first seed. An input that breaks a target is printed and left in a file.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds="${FIRN_SECONDS:-600}"
seed="${FIRN_SEED:-$(date +%s)}"
export FIRN_ROUNDS="${FIRN_ROUNDS:-2000}"
features=()
if [ -n "${FEATURES:-}" ]; then features=(--features "firn/$FEATURES"); fi

# All targets at once: what is built for one of them alone has other features and would be built twice.
cargo build --release --locked --workspace --all-targets ${features[@]+"${features[@]}"}

SECONDS=0
while [ "$SECONDS" -lt "$seconds" ]; do
  echo "== seed $seed (after $SECONDS s)"
  FIRN_SEED="$seed" cargo test --release --locked --workspace ${features[@]+"${features[@]}"} --test fuzz -- --nocapture
  seed=$((seed + 1))
done

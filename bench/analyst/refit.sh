#!/usr/bin/env bash
# Fits the judge and the confidence anew after a change of the interpreter, and puts the tables where they are compiled in.
#
#   refit.sh SHARED WORK [PART…]
#
# SHARED holds the sets of questions, WORK takes readings, labels and the cache of answers. The parts are `tuned` and `look`,
# which are fitted on; with `held` and `untouched` their totals are printed too, which is for the end of a piece of work.
set -euo pipefail
shared=$1 work=$2
shift 2
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(tuned look)
here=$(cd "$(dirname "$0")" && pwd)
tables=$here/../../crates/analyst/src/judge
python=${PYTHON:-python3}
mkdir -p "$work"
cargo build --release --locked -p firn-analyst --example nl_questions
labels=()
for part in "${parts[@]}"; do
  "$python" "$here/parts.py" "$shared" "$work/$part" "$part"
  "$here/../../target/release/examples/nl_questions" "$work/$part" --readings > "$work/$part.readings.jsonl"
  "$python" "$here/label.py" "$work/$part" "$work/$part.readings.jsonl" "$work/$part.labels.jsonl" --cache "$work/answers.sqlite"
  labels+=("$work/$part.labels.jsonl")
done
"$python" "$here/fit_judge.py" "${labels[@]}" --out "$tables/weights.txt" --expectations "$tables/expectations.txt" | tee "$work/judge.md"
"$python" "$here/fit_confidence.py" "${labels[@]}" --out "$tables/confidence.txt" | tee "$work/confidence.md"
# The tables of the documentation are of all parts.
if [ -e "$work/untouched.labels.jsonl" ] && [[ " ${parts[*]} " == *" untouched "* ]]; then
  "$python" "$here/docs_tables.py" "$work/judge.md" "$work/confidence.md" "$here/../../docs/analyst.md"
fi

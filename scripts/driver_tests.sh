#!/usr/bin/env bash
# The drivers and tools of others, unmodified, against the built server: `driver_tests.sh quick` runs what `make test`
# runs, `driver_tests.sh all` everything. Each family has a Python environment of its own.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=tests/clients/drivers
export FIRN_BINARY="${FIRN_BINARY:-$CARGO_TARGET_DIR/release/firn}"
failed=0

# family REQUIREMENTS TEST…
family() {
  local requirements="$1" python
  shift
  echo "-- $requirements: $*"
  python="$(scripts/python.sh "$folder/requirements/$requirements.txt")"
  (cd "$folder" && "$python" -m pytest "$@") || failed=1
}

# node_packages FOLDER: what its lock file says
node_packages() {
  local folder="$1"
  FIRN_NODE_FOLDER="$CARGO_TARGET_DIR/node-$(cksum < "$folder/package-lock.json" | cut -d ' ' -f 1)"
  export FIRN_NODE_FOLDER
  if [ ! -f "$FIRN_NODE_FOLDER/complete" ]; then
    rm -rf "$FIRN_NODE_FOLDER"
    mkdir -p "$FIRN_NODE_FOLDER"
    cp "$folder/package.json" "$folder/package-lock.json" "$FIRN_NODE_FOLDER"
    npm ci --prefix "$FIRN_NODE_FOLDER" --no-audit --no-fund --loglevel=error
    touch "$FIRN_NODE_FOLDER/complete"
  fi
}

family connector-4.8 test_connector.py test_files.py test_arrow_results.py
family sqlalchemy test_connector.py test_files.py test_sqlalchemy.py
family adbc test_adbc.py
node_packages "$folder/node"
family connector-4.8 test_node.py
if [ "${1:-quick}" = all ]; then
  family connector-3.18 test_connector.py test_files.py test_faults.py
  family connector-4.8 test_faults.py
  family sqlalchemy test_faults.py
  node_packages "$folder/node/line-2"
  family connector-4.8 test_node.py
  family snowpark test_snowpark.py
  family snow test_snow.py
  family ibis test_ibis.py
  family dlt test_dlt.py
  family sling test_sling.py
  family dbt test_dbt.py
  family dbt -p dbt.tests.fixtures.project suites/test_dbt_adapter.py
  family sqlalchemy suites/test_sqlalchemy_compliance.py
fi
exit "$failed"

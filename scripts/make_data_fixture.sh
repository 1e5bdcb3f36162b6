#!/bin/sh
# Makes tests/fixtures/data-VERSION.tar.gz: the data folder of this version's server with one of everything, which the
# servers after it have to open (tests/upgrade.rs). To be run once for a version that is released.
set -eu
cd "$(dirname "$0")/.."
binary=${FIRN_BINARY:-target/release/firn}
version=$("$binary" --version | cut -d' ' -f2)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export FIRN_ADMIN_TOKEN=test-admin-token-0123456789abcdef FIRN_ACCOUNT=TESTACCOUNT FIRN_RESULT_RETENTION_S=3000000000
"$binary" serve --listen 127.0.0.1:0 --data-dir "$work/data" > "$work/log" 2>&1 &
server=$!
until url=$(grep -o 'http://127.0.0.1:[0-9]*' "$work/log" | tail -1) && [ -n "$url" ]; do sleep 0.1; done

post() {
    curl -sS --fail-with-body "$url$1" -H "Authorization: Bearer $FIRN_ADMIN_TOKEN" -H 'Content-Type: application/json' -d "$2"
}
# The statements are separated by lines with nothing but a slash.
awk 'BEGIN { RS = "\n/\n" } { gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); gsub(/\n/, "\\n"); print }' tests/fixtures/data.sql |
while IFS= read -r statement; do
    case $statement in
        *upgrade-handle-*) id=$(printf %s "$statement" | sed 's/.*upgrade-handle-\([0-9]\).*/\1/') ;;
        *) id= ;;
    esac
    names='"database": "SHOP", "schema": "PUBLIC", '
    case $statement in "CREATE DATABASE SHOP"*) names= ;; esac
    query=${id:+?requestId=00000000-0000-4000-8000-00000000000$id}
    post "/api/v2/statements$query" "{\"statement\": \"$statement\", $names\"warehouse\": \"COMPUTE_WH\"}" > "$work/answer" ||
        { echo "failed: $statement" >&2; cat "$work/answer" >&2; exit 1; }
    if [ "$statement" = 'CREATE STAGE FILES' ]; then
        printf '1,one\n2,two\n' | curl -sS -f -T - "$url/api/v2/databases/SHOP/schemas/PUBLIC/stages/FILES/files/in/rows.csv" \
            -H "Authorization: Bearer $FIRN_ADMIN_TOKEN" > /dev/null
    fi
done
kill "$server"
wait "$server" || true
rm -rf "$work/data/temp" "$work/data/lock"
mkdir -p tests/fixtures
tar --sort=name --owner=0 --group=0 -C "$work/data" -czf "tests/fixtures/data-$version.tar.gz" .
ls -l "tests/fixtures/data-$version.tar.gz"

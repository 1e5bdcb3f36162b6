"""A whole result of 5 million rows through the API beside DuckDB writing the same rows as JSON."""

import gzip
import json
import time

from filled_pair import filled_pair, timed
from report import Goal, Line

ROWS = 5_000_000
ROUNDS = 3
QUERY = "SELECT ID, CUSTOMER, AMOUNT, ORDERED_ON, NOTE FROM SALES"
TABLE = "CREATE TABLE SALES (ID INTEGER, CUSTOMER INTEGER, AMOUNT NUMBER(12,2), ORDERED_ON DATE, NOTE VARCHAR)"
# The numbers are scattered, so that the rows compress like real ones.
FILL = f"""
INSERT INTO PUBLIC.SALES
SELECT n, hash(n) % 100000, (hash(n + 7) % 10000000)::DECIMAL(12,2) / 100,
       DATE '2020-01-01' + (hash(n + 13) % 2000)::INTEGER, 'note ' || (hash(n + 29) % 1000000)
FROM range({ROWS}) AS numbers (n)
"""


def measure(work_dir):
    with filled_pair(work_dir, TABLE, FILL) as (firn, peer):
        firn.api().run("SELECT 1")
        before = firn.memory_bytes()
        firn.forget_peak_memory()
        ours, theirs = [], []
        for number in range(ROUNDS):
            ours.append(timed(lambda: fetch(firn.api(), work_dir / "firn.json.gz")))
            if number == 0:
                check(work_dir / "firn.json.gz")
            theirs.append(timed(lambda: write_json(peer, work_dir / "peer.json.gz")))
        growth = firn.peak_memory_bytes() - before
    our_size, their_size = (megabytes(work_dir / name) for name in ("firn.json.gz", "peer.json.gz"))
    yield Line(
        "whole result, gzip, to a file",
        f"{min(ours):.2f} s, {our_size:.0f} MB",
        f"DuckDB COPY TO json.gz {min(theirs):.2f} s, {their_size:.0f} MB",
        min(ours) / min(theirs),
        Goal.at_most(0.5),
    )
    yield Line(
        "growth of the server's memory, MB",
        f"{growth / 1e6:.0f} MB over {before / 1e6:.0f} MB",
        "bound 300 MB",
        growth / 300e6,
        Goal.at_most(1),
    )


def megabytes(file):
    return file.stat().st_size / 1e6


def fetch(api, target):
    """Writes every partition to a file as it came, compressed: what COPY does with its rows."""
    place = {"database": "BENCH", "schema": "PUBLIC", "parameters": {"use_cached_result": "false"}}
    answer = json.loads(api.post({"statement": QUERY, **place}))
    while "resultSetMetaData" not in answer:
        time.sleep(0.01)
        answer = api.partition_json(answer["statementHandle"], 0)
    with open(target, "wb") as file:
        file.write(gzip.compress(json.dumps({"data": answer["data"]}).encode()))
        for number in range(1, len(answer["resultSetMetaData"]["partitionInfo"])):
            file.write(api.partition(answer["statementHandle"], number))


def check(target):
    rows, tail = 0, b""
    with gzip.open(target) as file:
        while chunk := file.read(1 << 24):
            rows += (tail + chunk).count(b"note ")
            tail = chunk[-4:]
    if rows != ROWS:
        raise RuntimeError(f"{rows} of {ROWS} rows arrived")


def write_json(connection, target):
    connection.execute(f"COPY ({QUERY.replace('SALES', 'PUBLIC.SALES')}) TO '{target}' (FORMAT json, COMPRESSION gzip)")

"""COPY INTO of 10 million rows from a stage beside DuckDB's own load of the same files."""

import http.client
import time

import duckdb

import servers
from report import Goal, Line

ROWS = 10_000_000
ROUNDS = 3
COLUMNS = "id BIGINT, k BIGINT, amount DECIMAL(12,2), day DATE, seen TIMESTAMP, name VARCHAR, share DOUBLE"
QUERY = f"""
    SELECT range AS id, (range * 7919) % 100000 AS k, CAST(range * 1.37 AS DECIMAL(12,2)) AS amount,
        DATE '2020-01-01' + CAST(range % 1000 AS INTEGER) AS day,
        TIMESTAMP '2020-01-01 00:00:00' + to_seconds(range % 86400) AS seen,
        'name ' || range % 5000 AS name, (range % 1000) / 1000 AS share
    FROM range({ROWS})
"""
FORMATS = {
    "csv": ("(HEADER false)", "FILE_FORMAT = (TYPE = CSV)"),
    "parquet": ("(FORMAT parquet)", "FILE_FORMAT = (TYPE = PARQUET) MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"),
}


def measure(work_dir):
    files = generate(work_dir.parent)
    place = {"database": "COPY_INTO", "schema": "PUBLIC"}
    with servers.firn(work_dir / "data") as firn:
        api = firn.api()
        api.run("CREATE DATABASE COPY_INTO")
        api.run("CREATE STAGE FILES", **place)
        for name, file in files.items():
            put(firn.port, file, f"/api/v2/databases/COPY_INTO/schemas/PUBLIC/stages/FILES/files/{file.name}")
            ours, theirs = [], []
            for _ in range(ROUNDS):
                theirs.append(load_in_process(work_dir / "peer.duckdb", name, file))
                ours.append(load_through_api(api, place, file.name, FORMATS[name][1]))
            what = f"{ROWS // 1_000_000} million rows of {name.upper() if name == 'csv' else 'Parquet'}"
            yield Line(
                what, f"{min(ours):.2f} s", f"DuckDB in-process {min(theirs):.2f} s", min(ours) / min(theirs), Goal.at_most(1.15)
            )


def generate(cache):
    """The files, generated once and cached."""
    target = cache / f"copy-{ROWS}"
    target.mkdir(exist_ok=True)
    files = {name: target / f"rows.{name}" for name in FORMATS}
    for name, file in files.items():
        if not file.exists():
            half_done = file.with_suffix(".part")
            duckdb.sql(f"COPY ({QUERY}) TO '{half_done}' {FORMATS[name][0]}")
            half_done.rename(file)
    return files


def put(port, file, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    headers = {"Authorization": f"Bearer {servers.TOKEN}", "User-Agent": "bench/1"}
    with open(file, "rb") as content:
        connection.request("PUT", path, body=content, headers={**headers, "Content-Length": str(file.stat().st_size)})
        answer = connection.getresponse()
        if answer.status != 200:
            raise RuntimeError(f"the file was answered with {answer.status}: {answer.read(500)!r}")
        answer.read()


def load_in_process(database, name, file):
    database.unlink(missing_ok=True)
    with duckdb.connect(str(database)) as connection:
        connection.execute(f"CREATE TABLE t ({COLUMNS})")
        begin = time.perf_counter()
        connection.execute(f"COPY t FROM '{file}' {FORMATS[name][0]}")
        seconds = time.perf_counter() - begin
        check(connection.execute("SELECT count(*) FROM t").fetchone()[0])
    return seconds


def load_through_api(api, place, name, options):
    api.run(f"CREATE OR REPLACE TABLE t ({COLUMNS})", **place)
    begin = time.perf_counter()
    api.run(f"COPY INTO t FROM @FILES/{name} {options}", **place)
    seconds = time.perf_counter() - begin
    check(int(api.run("SELECT count(*) FROM t", **place)[0][0]))
    return seconds


def check(rows):
    if rows != ROWS:
        raise RuntimeError(f"{rows} rows were loaded, not {ROWS}")

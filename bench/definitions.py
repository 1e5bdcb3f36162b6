"""What a definition takes: a table and a view made, replaced and dropped, beside the same in DuckDB on a file."""

import statistics
import time

import duckdb

import servers
from report import Line

COUNT = 40

STATEMENTS = {
    "CREATE TABLE": "CREATE TABLE DEFINED.S.T{n} (ID INTEGER, NAME VARCHAR, AMOUNT DECIMAL(12,2))",
    "CREATE VIEW": "CREATE VIEW DEFINED.S.V{n} AS SELECT ID, NAME FROM DEFINED.S.T{n}",
    "CREATE OR REPLACE VIEW": "CREATE OR REPLACE VIEW DEFINED.S.V{n} AS SELECT ID FROM DEFINED.S.T{n}",
    "DROP VIEW": "DROP VIEW DEFINED.S.V{n}",
    "DROP TABLE": "DROP TABLE DEFINED.S.T{n}",
}


def measure(work_dir):
    with servers.firn(work_dir / "definitions") as firn:
        api = firn.api()
        peer = duckdb.connect()
        peer.execute(f"ATTACH '{work_dir / 'definitions.duckdb'}' AS DEFINED")
        api.run("CREATE DATABASE DEFINED")
        for run in (api.run, peer.execute):
            run("CREATE SCHEMA DEFINED.S")
        for name, sql in STATEMENTS.items():
            ours, theirs = [], []
            for number in range(COUNT):
                statement = sql.replace("{n}", str(number))
                ours.append(seconds(api.run, statement))
                theirs.append(seconds(peer.execute, statement))
            mine, other = statistics.median(ours), statistics.median(theirs)
            yield Line(name, f"{mine * 1e3:.1f} ms", f"DuckDB in-process {other * 1e3:.1f} ms", mine / other, None)


def seconds(run, statement):
    begin = time.perf_counter()
    run(statement)
    return time.perf_counter() - begin

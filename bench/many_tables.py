"""What SHOW and INFORMATION_SCHEMA take in a database of a thousand tables."""

import time

import servers
from report import Goal, Line

TABLES = 1_000
PER_REQUEST = 100
ROUNDS = 5
GOAL_MS = 50

STATEMENTS = (
    "SHOW OBJECTS IN DATABASE MANY",
    "SHOW TABLES IN DATABASE MANY",
    "SHOW VIEWS IN DATABASE MANY",
    "SHOW COLUMNS IN DATABASE MANY",
    "SELECT TABLE_NAME, ROW_COUNT FROM MANY.INFORMATION_SCHEMA.TABLES",
    "SELECT TABLE_NAME, COLUMN_NAME FROM MANY.INFORMATION_SCHEMA.COLUMNS",
)


def measure(work_dir):
    with servers.firn(work_dir / "many") as firn:
        api = firn.api()
        api.run("CREATE DATABASE MANY")
        for start in range(0, TABLES, PER_REQUEST):
            numbers = range(start, start + PER_REQUEST)
            tables = [f"CREATE TABLE MANY.PUBLIC.T{n} (ID INTEGER, NAME VARCHAR(20), AMOUNT NUMBER(12,2))" for n in numbers]
            api.run(";".join(tables), parameters={"MULTI_STATEMENT_COUNT": str(PER_REQUEST)})
        # The first to ask for numbers of rows has them counted.
        api.run(STATEMENTS[0])
        for sql in STATEMENTS:
            best = min(seconds(api, sql) for _ in range(ROUNDS)) * 1e3
            yield Line(f"{sql}, {TABLES:,} tables", f"{best:.0f} ms", f"bound {GOAL_MS} ms", best / GOAL_MS, Goal.at_most(1))


def seconds(api, sql):
    begin = time.perf_counter()
    api.run(sql, parameters={"use_cached_result": "false"})
    return time.perf_counter() - begin

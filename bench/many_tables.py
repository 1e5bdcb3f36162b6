"""What SHOW and INFORMATION_SCHEMA take in databases of a thousand and of ten thousand tables."""

import time

import servers
from report import Goal, Line

#: Tables, how many of them have rows, and how many milliseconds a statement may take.
DATABASES = {"MANY": (1_000, 1_000, 50), "MORE": (10_000, 1_000, 1_000)}
PER_REQUEST = 100
ROUNDS = 5

STATEMENTS = (
    "SHOW OBJECTS IN DATABASE {database}",
    "SHOW TABLES IN DATABASE {database}",
    "SHOW VIEWS IN DATABASE {database}",
    "SHOW COLUMNS IN DATABASE {database}",
    "SHOW SCHEMAS IN DATABASE {database}",
    "SELECT TABLE_NAME, ROW_COUNT FROM {database}.INFORMATION_SCHEMA.TABLES",
    "SELECT TABLE_NAME, COLUMN_NAME FROM {database}.INFORMATION_SCHEMA.COLUMNS",
)


def measure(work_dir):
    for database, (tables, filled, bound_ms) in DATABASES.items():
        with servers.firn(work_dir / database.lower()) as firn:
            create(firn.api(), database, tables, filled)
        # Started anew, it has nothing in memory.
        with servers.firn(work_dir / database.lower()) as firn:
            api = firn.api()
            first = seconds(api, STATEMENTS[0].format(database=database)) * 1e3
            yield Line(f"the first SHOW OBJECTS, {tables:,} tables, {filled:,} of them with rows", f"{first:.0f} ms", "", 0, None)
            for statement in STATEMENTS:
                sql = statement.format(database=database)
                best = min(seconds(api, sql) for _ in range(ROUNDS)) * 1e3
                bound = f"bound {bound_ms:,} ms"
                yield Line(f"{sql}, {tables:,} tables", f"{best:.0f} ms", bound, best / bound_ms, Goal.at_most(1))
            yield from after_changes(api, database, tables, bound_ms)


def create(api, database, tables, filled):
    api.run(f"CREATE DATABASE {database}")
    for start in range(0, tables, PER_REQUEST):
        numbers = range(start, start + PER_REQUEST)
        definitions = [f"CREATE TABLE {database}.PUBLIC.T{n} (ID INTEGER, NAME VARCHAR(20), AMOUNT NUMBER(12,2))" for n in numbers]
        run_all(api, definitions)
        run_all(api, [f"INSERT INTO {database}.PUBLIC.T{n} VALUES (1, 'a', 2.5)" for n in numbers if n < filled])


def run_all(api, statements):
    if statements:
        api.run(";".join(statements), parameters={"MULTI_STATEMENT_COUNT": str(len(statements))})


def after_changes(api, database, tables, bound_ms):
    """A change of one table makes nothing be read again but that table."""
    sql = f"SHOW TABLES IN DATABASE {database}"

    def changed(round_number):
        api.run(f"CREATE TABLE {database}.PUBLIC.NEW_{round_number} (ID INTEGER)")
        api.run(f"INSERT INTO {database}.PUBLIC.T1 VALUES (2, 'b', 3.5)")
        return seconds(api, sql)

    best = min(changed(round_number) for round_number in range(ROUNDS)) * 1e3
    name = f"{sql} after a CREATE TABLE and an INSERT, {tables:,} tables"
    yield Line(name, f"{best:.0f} ms", f"bound {bound_ms:,} ms", best / bound_ms, Goal.at_most(1))


def seconds(api, sql):
    begin = time.perf_counter()
    api.run(sql, parameters={"use_cached_result": "false"})
    return time.perf_counter() - begin

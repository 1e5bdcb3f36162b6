"""Small statements: how many per second beside snowduck, and how long one takes beside DuckDB in-process."""

import contextlib
import json
import random
import subprocess
import threading
import time
from pathlib import Path

import duckdb

import servers
from report import Goal, Line

ROWS = 10_000
LARGER_ROWS = 100_000
# A dashboard asks the same few things again and again.
REPEATED = 100
CONNECTIONS = (1, 8, 64)
LOAD_SECONDS = 4
ROUNDS = 3
ROUND_SECONDS = 1.5
WRITES_PER_SECOND = 50

# Full names and no session context: the way the peer is fastest.
TABLE = "CREATE TABLE BENCH.S.ITEMS (ID INTEGER, NAME VARCHAR, CATEGORY VARCHAR, AMOUNT NUMBER(12,2))"
STATEMENTS = {
    "constant": "SELECT {n} + 1 AS ANSWER",
    "look-up": "SELECT ID, NAME, AMOUNT FROM BENCH.S.ITEMS WHERE ID = {n}",
    "aggregate": "SELECT CATEGORY, COUNT(*) AS ITEMS, SUM(AMOUNT) AS AMOUNT FROM BENCH.S.ITEMS WHERE ID <> {n} GROUP BY CATEGORY ORDER BY CATEGORY",
}
LARGER_LOOK_UP = "SELECT ID, NAME, AMOUNT FROM BENCH.S.MORE_ITEMS WHERE ID = {n}"
# Beside DuckDB in-process: how much longer a statement may take that differs from earlier ones in a value, and one that
# differs from them in more.
TIME_GOALS = {"constant": (3, 2.5), "look-up": (3, 2), "aggregate": (3, 1.3), "look-up in 100,000 rows": (2, 2)}


def measure(work_dir):
    with servers.firn(work_dir / "small") as firn, servers.snowduck() as snowduck:
        for server in (firn, snowduck):
            fill(server.api())
        client = compile_load_client(work_dir)
        yield from against_snowduck(client, firn, snowduck)
        fill_more(firn.api())
        yield from against_duckdb(client, firn)


def fill(api):
    for sql in ("CREATE DATABASE BENCH", "CREATE SCHEMA BENCH.S", TABLE, *inserts()):
        api.run(sql)


def inserts():
    numbers = range(1, ROWS + 1)
    values = [f"({n},'item {n}','category {n % 12}',{n % 997}.{n % 100:02})" for n in numbers]
    for start in range(0, ROWS, 1_000):
        yield "INSERT INTO BENCH.S.ITEMS VALUES " + ",".join(values[start : start + 1_000])


def fill_more(api):
    api.run(f"CREATE TABLE BENCH.S.MORE_ITEMS AS SELECT ID * 10 + D - 10 AS ID, NAME, AMOUNT FROM BENCH.S.ITEMS, (SELECT SEQ4() AS D FROM TABLE(GENERATOR(ROWCOUNT => {LARGER_ROWS // ROWS})))")
    api.run("CREATE TABLE BENCH.S.WRITTEN (N INTEGER)")


def against_snowduck(client, firn, snowduck):
    for name, sql in STATEMENTS.items():
        for connections in CONNECTIONS:
            plural = "s" if connections > 1 else ""
            theirs = statements_per_second(client, snowduck, request_body(sql), connections, ROWS)
            kinds = {
                "new": (request_body(sql), ROWS, Goal.at_least(20)),
                "unlike any before": (request_body(unlike(sql)), ROWS, None),
                "repeated": ({"statement": sql}, REPEATED, Goal.at_least(20)),
            }
            for kind, (body, numbers, goal) in kinds.items():
                ours = statements_per_second(client, firn, body, connections, numbers)
                yield Line(
                    f"{name}, {kind}, {connections} connection{plural}",
                    f"{ours:,.0f}/s",
                    f"snowduck {theirs:,.0f}/s",
                    ours / theirs,
                    goal,
                )


def compile_load_client(work_dir):
    binary = work_dir / "load_client"
    source = Path(__file__).with_name("load_client.rs")
    subprocess.run(["rustc", "--edition", "2024", "-O", source, "-o", str(binary)], check=True)
    return binary


def statements_per_second(client, server, body, connections, numbers):
    command = [client, f"127.0.0.1:{server.port}", servers.TOKEN, str(connections), str(LOAD_SECONDS), str(numbers)]
    done = subprocess.run(command, input=json.dumps(body), text=True, check=True, capture_output=True)
    return float(done.stdout.split()[0])


def request_body(sql):
    """A statement that is run, also when its result is known."""
    return {"statement": sql, "parameters": {"use_cached_result": "false"}}


def unlike(sql):
    """A statement that differs from others in more than values, so that nothing known of them serves it."""
    return sql.replace("SELECT ", "SELECT /* {n} */ ", 1)


def against_duckdb(client, firn):
    connection = in_process()
    for name, sql in {**STATEMENTS, "look-up in 100,000 rows": LARGER_LOOK_UP}.items():
        new_goal, unlike_goal = TIME_GOALS[name]
        kinds = {"new": (sql, Goal.at_most(new_goal)), "unlike any before": (unlike(sql), Goal.at_most(unlike_goal))}
        yield from times(client, firn, connection, name, sql, kinds)
    ours, theirs = firn.api(), connection.cursor()
    with writing(ours.run), writing(theirs.execute):
        for name, sql in STATEMENTS.items():
            kinds = {"new": (sql, Goal.at_most(3)), "unlike any before": (unlike(sql), None)}
            yield from times(client, firn, connection, f"{name} while another connection writes", sql, kinds)


def in_process():
    connection = duckdb.connect()
    connection.execute("ATTACH ':memory:' AS BENCH; CREATE SCHEMA BENCH.S; CREATE TABLE BENCH.S.WRITTEN (N BIGINT)")
    connection.execute(TABLE.replace("NUMBER", "DECIMAL").replace("INTEGER", "BIGINT"))
    for insert in inserts():
        connection.execute(insert)
    digits = f"(SELECT range AS D FROM range({LARGER_ROWS // ROWS}))"
    connection.execute(f"CREATE TABLE BENCH.S.MORE_ITEMS AS SELECT ID * 10 + D - 10 AS ID, NAME, AMOUNT FROM BENCH.S.ITEMS, {digits}")
    return connection


def times(client, firn, connection, name, sql, kinds):
    """One line for each kind of the statement: how long it takes over HTTP, beside the same in-process."""
    in_process_times, over_http = [], {kind: [] for kind in kinds}
    for _ in range(ROUNDS):
        in_process_times.append(seconds_per_call(lambda n: connection.execute(sql.replace("{n}", str(n))).fetchall()))
        for kind, (statement, _goal) in kinds.items():
            over_http[kind].append(1 / statements_per_second(client, firn, request_body(statement), 1, ROWS))
    theirs = min(in_process_times)
    for kind, (_statement, goal) in kinds.items():
        ours = min(over_http[kind])
        yield Line(
            f"{name}, {kind}, time per statement",
            f"{ours * 1e6:,.0f} µs",
            f"DuckDB in-process {theirs * 1e6:,.0f} µs",
            ours / theirs,
            goal,
        )


@contextlib.contextmanager
def writing(run):
    """Rows go into a table of their own meanwhile, one by one and at an even pace."""
    stop = threading.Event()

    def write():
        number = 0
        while not stop.wait(1 / WRITES_PER_SECOND):
            number += 1
            run(f"INSERT INTO BENCH.S.WRITTEN VALUES ({number})")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        stop.set()
        writer.join()


def seconds_per_call(call):
    numbers = random.Random(1)
    for _ in range(50):
        call(numbers.randint(1, ROWS))
    count = 0
    begin = time.perf_counter()
    while time.perf_counter() - begin < ROUND_SECONDS:
        call(numbers.randint(1, ROWS))
        count += 1
    return (time.perf_counter() - begin) / count

"""5 million rows to a pandas data frame through the Arrow results of a driver, beside DuckDB's own to pandas in-process."""

import snowflake.connector

import servers
from filled_pair import filled_pair, timed
from report import Goal, Line

ROWS = 5_000_000
ROUNDS = 3
TABLE = "CREATE TABLE READINGS (ID INTEGER, AMOUNT FLOAT, NOTE VARCHAR)"
QUERY = "SELECT ID, AMOUNT, NOTE FROM READINGS"
FILL = f"""
INSERT INTO PUBLIC.READINGS
SELECT n, (hash(n + 7) % 10000000)::DOUBLE / 100, 'note ' || (hash(n + 29) % 1000000) FROM range({ROWS}) AS numbers (n)
"""


def measure(work_dir):
    with filled_pair(work_dir, TABLE, FILL) as (firn, peer), connect(firn) as connection:
        cursor = connection.cursor()
        cursor.execute("ALTER SESSION SET USE_CACHED_RESULT = FALSE")
        ours, answers, theirs = [], [], []
        for _ in range(ROUNDS):
            ours.append(timed(lambda: check(cursor.execute(QUERY).fetch_pandas_all())))
            answers.append(timed(lambda: cursor.execute(QUERY)))
            theirs.append(timed(lambda: check(peer.execute(QUERY.replace("READINGS", "PUBLIC.READINGS")).df())))
    yield Line(
        "5 million rows of 3 columns to pandas",
        f"{min(ours):.2f} s",
        f"DuckDB in-process {min(theirs):.2f} s",
        min(ours) / min(theirs),
        Goal.at_most(1.5),
    )
    yield Line(
        "of that, until the rows are ready",
        f"{min(answers):.2f} s",
        f"DuckDB in-process {min(theirs):.2f} s",
        min(answers) / min(theirs),
        None,
    )


def connect(firn):
    return snowflake.connector.connect(
        account="BENCH", user="ADMIN", password=servers.TOKEN, host="127.0.0.1", port=firn.port, protocol="http",
        database="BENCH", schema="PUBLIC", warehouse="COMPUTE_WH", session_parameters={"CLIENT_TELEMETRY_ENABLED": False},
    )  # fmt: skip


def check(frame):
    if len(frame) != ROWS or int(frame["ID"].sum()) != ROWS * (ROWS - 1) // 2:
        raise RuntimeError(f"{len(frame)} of {ROWS} rows arrived, or others")

"""What authorisation costs in an account of 100,000 grants."""

import itertools
import statistics
import time

import servers
from api import Api
from report import Goal, Line

TABLES = 1_000
ROLES = 100
PER_REQUEST = 100
ROUNDS = 200
TABLES_READ = 10
GOAL_US = 50
GOAL_START_S = 1


def measure(work_dir):
    data_dir = work_dir / "many"
    with servers.firn(data_dir) as many, servers.firn(work_dir / "few") as few:
        readers = [reader(few), reader(many)]
        for role in range(ROLES):
            many.api().run(f"GRANT SELECT ON ALL TABLES IN SCHEMA D.S TO ROLE R{role}")
        statements = reads()
        rounds = [[seconds(api, sql) for api in readers] for sql in itertools.islice(statements, ROUNDS)]
        of_few, of_many = (statistics.median(times) for times in zip(*rounds))
        added = max(0, statistics.median(many - few for few, many in rounds)) * 1e6
        name = f"a query of {TABLES_READ} tables, with {TABLES * ROLES:,} grants beside {TABLES_READ}"
        yield Line(name, f"{of_many * 1e3:.2f} ms", f"{of_few * 1e3:.2f} ms", of_many / of_few, None)
        yield Line("what the grants add to it", f"{added:.0f} µs", f"bound {GOAL_US} µs", added / GOAL_US, Goal.at_most(1))
    begin = time.perf_counter()
    with servers.firn(data_dir):
        start = time.perf_counter() - begin
    name = f"start with {TABLES * ROLES:,} grants"
    yield Line(name, f"{start:.2f} s", f"bound {GOAL_START_S} s", start / GOAL_START_S, Goal.at_most(1))


def reader(firn):
    return Api(firn.port, set_up(firn.api()))


def set_up(admin):
    """A reader of ten of the tables; returns the reader's token."""
    several(admin, ["CREATE DATABASE D", "CREATE SCHEMA D.S"])
    several(admin, [f"CREATE TABLE D.S.T{n} (A INTEGER)" for n in range(TABLES)])
    several(admin, [f"CREATE ROLE R{n}" for n in range(ROLES)])
    grants = ["DATABASE D", "SCHEMA D.S", "WAREHOUSE COMPUTE_WH"]
    several(admin, ["CREATE USER READER", "GRANT ROLE R0 TO USER READER"])
    several(admin, [f"GRANT USAGE ON {on} TO ROLE R0" for on in grants])
    several(admin, [f"GRANT SELECT ON TABLE D.S.T{n} TO ROLE R0" for n in range(TABLES_READ)])
    return admin.run("ALTER USER READER ADD PROGRAMMATIC ACCESS TOKEN T")[0][1]


def several(api, statements):
    for start in range(0, len(statements), PER_REQUEST):
        part = statements[start : start + PER_REQUEST]
        api.run(";".join(part), parameters={"MULTI_STATEMENT_COUNT": str(len(part))})


def reads():
    """Statements that no cache knows."""
    number = 0
    while True:
        number += 1
        tables = ", ".join(f"D.S.T{n} AS T{n}" for n in range(TABLES_READ))
        yield f"SELECT {number} AS X{number} FROM {tables}"


def seconds(api, sql):
    begin = time.perf_counter()
    api.run(sql, role="R0", warehouse="COMPUTE_WH")
    return time.perf_counter() - begin

"""`firn.serve()`, connections and values."""

import datetime
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from decimal import Decimal
from pathlib import Path

import pytest

import firn
from conftest import PACKAGE

UTC = datetime.timezone.utc
VALUES = [
    42,
    -7.25,
    Decimal("12345.678"),
    "it's text",
    "",
    True,
    False,
    None,
    b"\xde\xad\xbe\xef",
    datetime.date(2026, 10, 9),
    datetime.date(1900, 1, 1),
    datetime.time(12, 34, 56, 123456),
    datetime.datetime(2026, 10, 9, 12, 34, 56, 123456),
    datetime.datetime(1969, 12, 31, 23, 59, 58, 500000),
    datetime.datetime(2026, 10, 9, 12, 0, tzinfo=datetime.timezone(datetime.timedelta(hours=-8))),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_bound_value_comes_back(database, value):
    found = database.execute("select ? as v", [value]).scalar()
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("1.50", Decimal("1.50")),
        ("1e0::float", 1.0),
        ("'inf'::float", float("inf")),
        ("to_date('2024-02-29')", datetime.date(2024, 2, 29)),
        ("'1950-01-01 00:00:00.25'::timestamp_ntz", datetime.datetime(1950, 1, 1, 0, 0, 0, 250000)),
        ("'2026-01-01 00:00:00 +0100'::timestamp_ltz", datetime.datetime(2025, 12, 31, 23, tzinfo=UTC)),
        ("parse_json('{\"a\": [1, null, 2.5]}')", {"a": [1, None, 2.5]}),
        ("array_construct(1, 'x')", [1, "x"]),
        ("object_construct('k', true)", {"k": True}),
        ("to_binary('FF00', 'HEX')", b"\xff\x00"),
        ("null::variant", None),
    ],
)
def test_types_are_python_s(database, sql, expected):
    found = database.execute(f"select {sql} as v").scalar()
    assert found == expected and type(found) is type(expected)


def test_names_columns_and_dicts(database):
    result = database.execute("select :a as one, :b as two", {"a": 1, "b": "x"})
    assert [column.name for column in result.columns] == ["ONE", "TWO"]
    assert [column.type for column in result.columns] == ["fixed", "text"]
    assert (result.dicts, result.one(), len(result), list(result)) == ([{"ONE": 1, "TWO": "x"}], (1, "x"), 1, [(1, "x")])
    with pytest.raises(ValueError, match="2 columns"):
        result.scalar()


def test_a_script_shares_a_session(database):
    results = database.execute_script("create temporary table t (n int); insert into t values (1), (2); select sum(n) from t")
    assert [len(result) for result in results] == [1, 1, 1] and results[-1].scalar() == 3
    assert database.execute_script("select 5")[0].scalar() == 5


def test_many_rows_are_inserted_and_read(database, monkeypatch):
    monkeypatch.setattr("firn._connection._VALUES_OF_A_REQUEST", 1_000)
    database.execute("create table t (n int, s text, d date)")
    rows = [(n, None if n % 7 == 0 else f"row {n}", datetime.date(2026, 1, 1)) for n in range(1_500)]
    assert database.execute_many("insert into t values (?, ?, ?)", rows) == 1_500
    assert database.execute("select n, s, d from t order by n").rows == rows
    assert database.execute_many("insert into t values (?, ?, ?)", []) == 0


def test_a_result_of_several_partitions_is_whole(database):
    result = database.execute("select seq4() as n, repeat('x', 1000) as s from table(generator(rowcount => 30000)) order by n")
    assert [row[0] for row in result] == list(range(30_000))


def test_a_failure_says_what_and_where(database):
    with pytest.raises(firn.StatementError) as caught:
        database.execute("select 1,\n  nothing_here")
    error = caught.value
    assert (error.code, error.location["line"]) == ("000904", 2)
    assert "NOTHING_HERE" in str(error) and str(error).endswith("\n      nothing_here\n      ^")


def test_what_cannot_be_bound_is_refused_with_the_way_out(database):
    for value, message in [({"a": 1}, "parse_json"), (Decimal("NaN"), "float"), (object(), "object")]:
        with pytest.raises((TypeError, ValueError), match=message):
            database.execute("select ?", [value])
    with pytest.raises(TypeError, match=r"write \[value\]"):
        database.execute("select ?", "one")
    with pytest.raises(TypeError, match="different types"):
        database.execute_many("insert into t values (?)", [(1,), ("x",)])


def test_a_wrong_token_and_a_wrong_address_are_told_apart(server):
    with pytest.raises(firn.ConnectionFailed, match="401"):
        server.connect(token="wrong").execute("select 1")
    with pytest.raises(firn.ConnectionFailed, match="does not answer"):
        firn.Connection("http://127.0.0.1:1", "x").execute("select 1")
    with pytest.raises(firn.ConnectionFailed, match="no address"):
        firn.Connection("localhost:8090", "x")


def test_threads_share_a_connection(database):
    found = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(database.execute("select ? * 2", [n]).scalar())) for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [n * 2 for n in range(8)]


def test_a_database_is_dropped_and_its_room_given_back(server):
    with server.new_database() as database:
        database.execute("create table t as select 1 as n")
        assert database.environment()["FIRN_DATABASE"] == database.name
        named = f"SHOW DATABASES HISTORY LIKE '{database.name}'"
        assert len(server.execute(named)) == 1
    assert len(server.execute(f"SHOW DATABASES LIKE '{database.name}'")) == 0
    with pytest.raises(firn.StatementError):
        server.execute(f"UNDROP DATABASE {database.name}")


def test_a_database_may_be_a_clone(server):
    with server.new_database() as origin:
        origin.fill("create table t (n int); insert into t values (1), (2)")
        with server.new_database(template=origin.name) as clone:
            clone.execute("insert into t values (3)")
            assert (len(origin.execute("select * from t")), len(clone.execute("select * from t"))) == (2, 3)


def test_settings_are_those_of_the_configuration_file():
    with firn.serve(settings={"account": "shop", "threads": 1, "api_enabled": True}) as server:
        assert server.execute("select current_account()").scalar() == "SHOP"
    with pytest.raises(firn.StartError, match="colour"):
        firn.serve(settings={"colour": "blue"})


def test_variables_of_the_caller_do_not_reach_the_server(monkeypatch, tmp_path):
    monkeypatch.setenv("FIRN_LISTEN", "0.0.0.0:80")
    monkeypatch.setenv("FIRN_DATA_DIR", str(tmp_path / "kept"))
    with firn.serve() as server:
        assert server.url.startswith("http://127.0.0.1:")
    assert not (tmp_path / "kept").exists()


def test_a_missing_binary_is_said_with_the_way_out(monkeypatch):
    monkeypatch.setenv("FIRN_BINARY", "/nowhere/firn")
    with pytest.raises(firn.StartError, match="FIRN_BINARY names `/nowhere/firn`"):
        firn.serve()
    monkeypatch.delenv("FIRN_BINARY")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(firn.StartError, match="set FIRN_BINARY"):
        firn.serve()


def test_a_binary_that_does_not_serve_is_quoted(tmp_path):
    program = tmp_path / "firn"
    program.write_text("#!/bin/sh\necho it is broken >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(firn.StartError, match="it is broken"):
        firn.serve(binary=str(program))


def test_the_server_ends_with_a_program_that_is_killed(tmp_path):
    program = "import firn, sys, time; s = firn.serve(); print(s.url, flush=True); time.sleep(600)"
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "TMPDIR": str(tmp_path)}
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment)
    url = child.stdout.readline().strip()
    urllib.request.urlopen(f"{url}/healthz").read()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("firn-ephemeral-")]
    child.send_signal(signal.SIGKILL)
    child.wait()
    until = time.monotonic() + 60
    while time.monotonic() < until and list(tmp_path.glob("firn-ephemeral-*")):
        time.sleep(0.05)
    assert not list(tmp_path.glob("firn-ephemeral-*"))
    with pytest.raises(OSError):
        urllib.request.urlopen(f"{url}/healthz")


def test_the_package_needs_the_standard_library_alone():
    script = (
        "import sys; import firn, firn._command; "
        "own = {name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names); "
        "print(sorted(name for name in own if not name.startswith('_')))"
    )
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    ran = subprocess.run([sys.executable, "-S", "-c", script], env=environment, text=True, capture_output=True)
    assert ran.stdout.strip() == "['firn']", ran.stderr


def test_the_command_becomes_the_binary():
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    ran = subprocess.run([sys.executable, "-m", "firn", "--version"], env=environment, text=True, capture_output=True)
    assert ran.stdout.split()[:2] == ["firn", firn.__version__]
    assert (Path(firn.__file__).parent / "py.typed").exists()

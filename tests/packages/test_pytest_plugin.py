"""The fixtures, as other projects use them: in a pytest of their own."""

import pytest

from conftest import ROOT

TWO_TESTS = """
def test_one(firn_database):
    firn_database.execute("create table t (n int)")
    assert len(firn_database.execute("select * from t")) == 0

def test_other(firn_database, firn_connection):
    firn_connection.execute("create table t (n int)")
    assert firn_connection.execute("select current_database()").scalar() == firn_database.name
"""


def test_every_test_has_a_database_of_its_own(run_pytest, tmp_path):
    (tmp_path / "test_it.py").write_text(TWO_TESTS)
    code, output = run_pytest("-q")
    assert (code, "2 passed" in output) == (0, True), output


def test_a_project_that_asks_for_nothing_starts_nothing(run_pytest, tmp_path):
    (tmp_path / "test_it.py").write_text("def test_it(): pass\n")
    code, output = run_pytest("-q", FIRN_BINARY="/nowhere/firn")
    assert code == 0, output


def test_workers_have_servers_of_their_own(run_pytest, tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import pytest\n\n"
        "@pytest.mark.parametrize('n', range(12))\n"
        "def test_it(n, firn_server, firn_database, worker_id):\n"
        "    firn_server.execute('create role if not exists tester')\n"
        "    firn_database.execute('create table t as select ? as n', [n])\n"
        "    assert firn_database.execute('select n from t').scalar() == n\n"
        "    open(f'{worker_id}.url', 'w').write(firn_server.url)\n"
    )
    code, output = run_pytest("-q", "-n", "2", "-p", "xdist")
    assert (code, "12 passed" in output) == (0, True), output
    urls = [file.read_text() for file in tmp_path.glob("gw*.url")]
    assert len(urls) == len(set(urls)) == 2, urls


def test_workers_may_share_a_running_server(run_pytest, tmp_path, server):
    (tmp_path / "test_it.py").write_text(
        "import pytest\n\n"
        "@pytest.mark.parametrize('n', range(8))\n"
        f"def test_it(n, firn_server, firn_database):\n    assert firn_server.url == {server.url!r}\n"
    )
    before = len(server.execute("show databases"))
    arguments = ("-q", "-n", "2", "-p", "xdist", "--firn-url", server.url)
    code, output = run_pytest(*arguments, FIRN_TOKEN=server.token)
    assert (code, "8 passed" in output) == (0, True), output
    assert len(server.execute("show databases")) == before
    code, output = run_pytest(*arguments[:1], "--firn-url", server.url, FIRN_TOKEN="")
    assert code != 0 and "FIRN_TOKEN" in output, output


SEED = """
import pytest

@pytest.fixture(scope="session")
def firn_seed():
    return {seed}
"""
SEEDED = """
import pytest

@pytest.mark.parametrize("n", range(3))
def test_it(n, firn_database):
    firn_database.execute("insert into t values (2)")
    assert len(firn_database.execute("select * from t")) == 2
"""


@pytest.mark.parametrize(
    "seed",
    [
        '"create table t (n int); insert into t values (1);"',
        'lambda database: database.execute("create table t as select 1 as n")',
    ],
    ids=["text", "function"],
)
def test_databases_begin_with_the_seed(run_pytest, tmp_path, seed):
    (tmp_path / "conftest.py").write_text(SEED.format(seed=seed))
    (tmp_path / "test_it.py").write_text(SEEDED)
    code, output = run_pytest("-q")
    assert (code, "3 passed" in output) == (0, True), output


def test_a_failed_test_shows_what_ran(run_pytest, tmp_path):
    (tmp_path / "test_it.py").write_text(
        "def test_it(firn_database):\n"
        "    firn_database.execute('create table t (n int)')\n"
        "    firn_database.execute('select missing from t')\n"
    )
    code, output = run_pytest("-q")
    assert code == 1 and "firn statements" in output, output
    shown = output.split("firn statements")[1]
    assert "create table t (n int)" in shown and "select missing from t" in shown and "MISSING" in shown, output


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_example_project_passes(run_pytest, workers):
    code, output = run_pytest("-q", "-n", workers, "-p", "xdist", folder=ROOT / "examples/orders_report")
    assert (code, "5 passed" in output) == (0, True), output

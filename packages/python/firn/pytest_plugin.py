"""Fixtures: `firn_server` for the session, `firn_database` and `firn_connection` for a test.

With pytest-xdist every worker has a server of its own, so that tests may also change users, roles and warehouses. Nothing is
started before a test asks for it.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from typing import Any, Optional

import pytest

from firn._connection import Connection
from firn._errors import FirnError
from firn._server import Database, Seed, Server, Setting, serve

_SHOWN_MAX = 50
_HISTORY = """SELECT QUERY_TEXT, EXECUTION_STATUS, ERROR_MESSAGE, TOTAL_ELAPSED_TIME
FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY(RESULT_LIMIT => 1000))
WHERE DATABASE_NAME = ? AND QUERY_TEXT NOT LIKE 'CREATE DATABASE%' ORDER BY START_TIME"""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("firn")
    group.addoption(
        "--firn-url",
        metavar="URL",
        default=None,
        help="use the running firn server at this address, with the token in FIRN_TOKEN, instead of starting one",
    )


@pytest.fixture(scope="session")
def firn_settings() -> dict[str, Setting]:
    """Settings of the server; override it in `conftest.py`. Workers of pytest-xdist share the machine's cores."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    return {"threads": max(1, (os.cpu_count() or 1) // workers)} if workers > 1 else {}


@pytest.fixture(scope="session")
def firn_server(request: pytest.FixtureRequest, firn_settings: dict[str, Setting]) -> Iterator[Server]:
    """A server for all tests of the session, or of the worker."""
    url = request.config.getoption("--firn-url")
    if url is None:
        with serve(settings=firn_settings) as server:
            yield server
        return
    token = os.environ.get("FIRN_TOKEN")
    if not token:
        raise pytest.UsageError("--firn-url needs the access token of an administrator in the variable FIRN_TOKEN")
    yield Server(url, token)


@pytest.fixture(scope="session")
def firn_seed() -> Optional[Seed]:
    """What every test's database begins with: SQL, or a function of the database. Override it in `conftest.py`; it runs
    once, and the databases are clones of what it made."""
    return None


@pytest.fixture(scope="session")
def _firn_template(firn_server: Server, firn_seed: Optional[Seed]) -> Iterator[Optional[Database]]:
    if firn_seed is None:
        yield None
        return
    with firn_server.new_database() as database:
        database.fill(firn_seed)
        yield database


@pytest.fixture
def firn_database(firn_server: Server, _firn_template: Optional[Database]) -> Iterator[Database]:
    """A fresh database, dropped after the test."""
    template = _firn_template.name if _firn_template else None
    with firn_server.new_database(template=template) as database:
        yield database


@pytest.fixture
def firn_connection(firn_database: Database) -> Connection:
    """A connection in the test's database."""
    return firn_database.connection


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that failed shows what ran in its database, whichever program sent it."""
    report = yield
    database = getattr(item, "funcargs", {}).get("firn_database")
    if report.when == "call" and report.failed and isinstance(database, Database):
        report.sections.append(("firn statements", _statements(database)))
    return report


def _statements(database: Database) -> str:
    try:
        ran = database.server.execute(_HISTORY, [database.name]).rows
    except FirnError as error:
        return f"the history cannot be read: {error}\n{database.server.log()}"
    lines = [f"({len(ran) - _SHOWN_MAX} earlier ones)"] if len(ran) > _SHOWN_MAX else []
    for text, status, message, elapsed_ms in ran[-_SHOWN_MAX:]:
        lines.append(f"{status or ''} {elapsed_ms} ms: {text}")
        if message:
            lines.append(f"    {message}")
    return "\n".join(lines) or "no statement ran in the test's database"

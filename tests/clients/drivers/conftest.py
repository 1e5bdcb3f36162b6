"""A server for the suites of the drivers, and a database on it for each test."""

import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "packages/python"))

# Drivers look for their own settings there; nobody's shall count.
os.environ["SNOWFLAKE_HOME"] = os.devnull


class Place:
    """A database of a test, and what drivers are told to get there."""

    def __init__(self, server, database):
        self.server = server
        self.database = database
        address = urlsplit(server.url)
        self.host, self.port = address.hostname, address.port

    @property
    def login(self) -> dict:
        """What the clients for Python take: an access token in the place of the password."""
        return {
            "account": self.server.account,
            "user": "ADMIN",
            "password": self.server.token,
            "host": self.host,
            "port": self.port,
            "protocol": "http",
            "database": self.database.name,
            "schema": self.database.schema,
            "warehouse": "COMPUTE_WH",
        }

    def rows(self, sql: str) -> list:
        """What the server says itself, past the driver."""
        return self.database.execute(sql).rows


@pytest.fixture(scope="session")
def server():
    import firn

    with firn.serve() as server:
        yield server


@pytest.fixture
def place(server):
    with server.new_database() as database:
        yield Place(server, database)

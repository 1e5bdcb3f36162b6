"""A firn server for tests: `firn.serve()` starts one, and the pytest fixtures give every test a database of its own.

    with firn.serve() as server:
        with server.new_database() as database:
            database.execute("create table t (n int, s text)")
            database.execute("insert into t values (?, ?)", [1, "one"])
            assert database.execute("select n, s from t").rows == [(1, "one")]
"""

from firn._connection import Connection
from firn._errors import ConnectionFailed, FirnError, StartError, StatementError
from firn._locate import binary
from firn._result import Column, Result
from firn._server import Database, Server, serve
from firn._version import __version__

__all__ = [
    "Column",
    "Connection",
    "ConnectionFailed",
    "Database",
    "FirnError",
    "Result",
    "Server",
    "StartError",
    "StatementError",
    "__version__",
    "binary",
    "serve",
]

"""A server of one's own, and databases on it."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import tempfile
import threading
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Callable, Optional, Union

from firn._connection import Bindings, Connection
from firn._errors import StartError
from firn._locate import binary as locate
from firn._result import Result

_STOP_WAIT_S = 30
_LOG_LINES_SHOWN = 20

Setting = Union[str, int, float, bool, Sequence[str]]
#: SQL with semicolons between its statements, or what fills a database by itself.
Seed = Union[str, Callable[["Database"], Any]]


class _Process:
    """The child. It reads this program's end of a pipe, and ends with it, however that comes."""

    def __init__(self, command: list[str], environment: dict[str, str], log: IO[bytes], ready_wait_s: float) -> None:
        self.log = log
        try:
            self._child = subprocess.Popen(
                command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
            )
        except OSError as error:
            raise StartError(f"`{command[0]}` cannot be started: {error}") from error
        lines: queue.Queue[bytes] = queue.Queue()
        output = self._child.stdout
        assert output is not None
        threading.Thread(target=lambda: lines.put(output.readline()), daemon=True).start()
        try:
            line = lines.get(timeout=ready_wait_s)
            self.described: dict[str, Any] = json.loads(line) if line else {}
        except (queue.Empty, ValueError):
            self.described = {}
        if "url" not in self.described:
            self.stop()
            raise StartError(f"`{command[0]}` did not start; it said:\n{self.log_text()}")

    def stop(self) -> None:
        child = self._child
        if child.stdin is not None and not child.stdin.closed:
            child.stdin.close()
        if child.poll() is None:
            child.terminate()
        try:
            child.wait(_STOP_WAIT_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        if child.stdout is not None:
            child.stdout.close()

    def log_text(self) -> str:
        if self.log.closed:
            return ""
        self.log.seek(0)
        lines = self.log.read().decode(errors="replace").splitlines()
        return "\n".join(lines[-_LOG_LINES_SHOWN:])


class Server:
    """A running server. `serve()` starts one; `Server(url, token)` is one that runs already."""

    def __init__(self, url: str, token: str, *, account: str = "FIRN", version: str = "") -> None:
        self.url = url
        #: The access token of user ADMIN.
        self.token = token
        self.account = account
        self.version = version
        self._process: Optional[_Process] = None
        self._admin = Connection(url, token, client_generated=True)

    def connect(self, **options: Any) -> Connection:
        """A connection, of ADMIN unless `token` says otherwise; the options are those of `Connection`."""
        return Connection(self.url, options.pop("token", self.token), **options)

    def execute(self, sql: str, bindings: Optional[Bindings] = None) -> Result:
        """Runs one statement as ADMIN, in the account's first database."""
        return self._admin.execute(sql, bindings)

    def new_database(self, name: Optional[str] = None, *, template: Optional[str] = None) -> Database:
        """Makes a database; a name that nobody else has, unless one is given. `template` names one to clone."""
        return Database(self, name or f"TEST_{uuid.uuid4().hex[:12]}".upper(), template)

    def environment(self) -> dict[str, str]:
        """Variables for programs under test, as the `firn` command reads them."""
        return {"FIRN_URL": self.url, "FIRN_TOKEN": self.token, "FIRN_ACCOUNT": self.account}

    def log(self) -> str:
        """The last lines of the server's log; empty for one that `serve` did not start."""
        return self._process.log_text() if self._process else ""

    def stop(self) -> None:
        """Ends the server, if `serve` started it, and removes its data."""
        self._admin.close()
        if self._process is not None:
            self._process.stop()
            self._process.log.close()
            self._process = None

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.stop()


class Database:
    """A database of a test. As a context manager it is dropped at the end."""

    def __init__(self, server: Server, name: str, template: Optional[str] = None) -> None:
        self.server = server
        self.name = name
        self.schema = "PUBLIC"
        self._quoted = '"' + name.replace('"', '""') + '"'
        source = "" if template is None else ' CLONE "' + template.replace('"', '""') + '"'
        # Nobody brings a test's database back: without retention its room is free as soon as it is dropped.
        server._admin.execute(f"CREATE DATABASE {self._quoted}{source} DATA_RETENTION_TIME_IN_DAYS = 0")
        self.connection = self.connect()

    def connect(self, **options: Any) -> Connection:
        """A connection in this database; the options are those of `Connection`."""
        return self.server.connect(**{"database": self.name, "schema": self.schema, **options})

    def execute(self, sql: str, bindings: Optional[Bindings] = None) -> Result:
        """Runs one statement as ADMIN, with values for `?` (a sequence) or for `:name` (a mapping)."""
        return self.connection.execute(sql, bindings)

    def execute_script(self, sql: str) -> list[Result]:
        """Runs several statements in one session; a result for each."""
        return self.connection.execute_script(sql)

    def execute_many(self, sql: str, values: Iterable[Sequence[Any]]) -> int:
        """Runs an INSERT for all rows of values; how many rows that were."""
        return self.connection.execute_many(sql, values)

    def fill(self, seed: Optional[Seed]) -> None:
        """Runs the statements of a seed, or calls it."""
        if callable(seed):
            seed(self)
        elif seed:
            self.execute_script(seed)

    def environment(self) -> dict[str, str]:
        """Variables for programs under test, as the `firn` command reads them."""
        return {**self.server.environment(), "FIRN_DATABASE": self.name, "FIRN_SCHEMA": self.schema}

    def drop(self) -> None:
        """Drops the database, if it is still there."""
        self.connection.close()
        self.server._admin.execute(f"DROP DATABASE IF EXISTS {self._quoted}")

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.drop()


def serve(
    *,
    settings: Optional[Mapping[str, Setting]] = None,
    demo: bool = False,
    binary: Optional[str] = None,
    ready_wait_s: float = 120,
) -> Server:
    """Starts a server on a free port, with temporary data; use it in a `with`, or `stop()` it.

    `settings` are keys of the configuration file, such as `{"threads": 2}`. With `demo` there is the database DEMO, which
    takes a few seconds. The server ends with this process, however that ends.
    """
    program = binary or locate()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FIRN_")}
    given = {"log_level": "warn", **(settings or {}), **({"demo": True} if demo else {})}
    log = tempfile.TemporaryFile(prefix="firn-log-")
    with tempfile.TemporaryDirectory(prefix="firn-settings-") as folder:
        file = Path(folder) / "firn.toml"
        file.write_text("".join(f"{key} = {_toml(key, value)}\n" for key, value in given.items()))
        command = [program, "serve", "--ephemeral", "--config", str(file)]
        try:
            process = _Process(command, environment, log, ready_wait_s)
        except StartError:
            log.close()
            raise
    said = process.described
    token = said.get("token") or str(given.get("admin_token", ""))
    server = Server(said["url"], token, account=said["account"], version=said["version"])
    server._process = process
    return server


def _toml(key: str, value: Setting) -> str:
    if isinstance(value, (str, bool, int, float)):
        return json.dumps(value)
    if isinstance(value, Sequence) and all(isinstance(each, str) for each in value):
        return json.dumps(list(value))
    raise TypeError(f"the setting {key!r} is {value!r}; give a text, a number, True or False, or a list of texts")

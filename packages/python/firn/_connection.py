"""Statements over the SQL API, with nothing but the standard library."""

from __future__ import annotations

import ssl
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Optional, Union

from firn._errors import ConnectionFailed, StatementError
from firn._http import Http
from firn._result import Result, columns, rows
from firn._values import encode, encode_column

_STATEMENTS = "/api/v2/statements"
_POLL_WAIT_S = 0.02
_POLL_WAIT_MAX_S = 1.0
#: The server takes 100,000 bound values in a request unless it is told otherwise.
_VALUES_OF_A_REQUEST = 50_000

Bindings = Union[Sequence[Any], Mapping[str, Any]]


class Connection:
    """Runs statements as one user, in one database and schema. Threads may share it.

    Every statement has a session of its own, as everywhere in the SQL API: what `USE`, `SET` and temporary tables do is
    seen by the statements of the same `execute_script`.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        database: Optional[str] = None,
        schema: Optional[str] = None,
        warehouse: Optional[str] = None,
        role: Optional[str] = None,
        parameters: Optional[Mapping[str, Any]] = None,
        timeout_s: float = 300,
        tls: Optional[ssl.SSLContext] = None,
        client_generated: bool = False,
    ) -> None:
        """`parameters` are session parameters, such as `timezone`. Statements that are `client_generated` are not listed
        among those of people."""
        self.url = url
        self.database = database
        self.schema = schema
        self._http = Http(url, token, timeout_s=timeout_s, tls=tls)
        context = {"database": database, "schema": schema, "warehouse": warehouse, "role": role}
        self._context = {name: value for name, value in context.items() if value is not None}
        self._parameters = {name: str(value) for name, value in (parameters or {}).items()}
        self._timeout_s = timeout_s
        self._headers = {"X-Firn-Client-Generated": "true"} if client_generated else {}

    def execute(self, sql: str, bindings: Optional[Bindings] = None) -> Result:
        """Runs one statement. `bindings` are values for `?` (a sequence) or for `:name` (a mapping)."""
        return self._result(self._run(sql, _encoded(bindings)), sql)

    def execute_script(self, sql: str) -> list[Result]:
        """Runs several statements, with semicolons between, in one session; a result for each."""
        answer = self._run(sql, {}, {"MULTI_STATEMENT_COUNT": "0"})
        handles = answer.get("statementHandles")
        if not handles:
            return [self._result(answer, sql)]
        return [self._result(self._outcome(handle, sql), sql) for handle in handles]

    def execute_many(self, sql: str, values: Iterable[Sequence[Any]]) -> int:
        """Runs an INSERT once for all rows of values, and returns how many rows that were. More than 50,000 values go in
        several requests, each of which is committed by itself."""
        given = [tuple(row) for row in values]
        width = len(given[0]) if given else 0
        if any(len(row) != width for row in given):
            raise ValueError("the rows have different numbers of values")
        step = max(1, _VALUES_OF_A_REQUEST // max(1, width))
        for start in range(0, len(given), step):
            by_column = zip(*given[start : start + step])
            bound = {str(place): encode_column(list(column)) for place, column in enumerate(by_column, start=1)}
            self._run(sql, bound)
        return len(given)

    def close(self) -> None:
        """Closes the network connection of this thread."""
        self._http.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def _run(self, sql: str, bindings: dict[str, Any], parameters: Optional[dict[str, str]] = None) -> dict[str, Any]:
        body: dict[str, Any] = {"statement": sql, **self._context}
        if bindings:
            body["bindings"] = bindings
        if parameters or self._parameters:
            body["parameters"] = {**self._parameters, **(parameters or {})}
        # By its id and `retry` a request that is sent again runs once, whatever happened to the first.
        path = f"{_STATEMENTS}?requestId={uuid.uuid4()}&retry=true"
        status, answer = self._http.send("POST", path, body, self._headers)
        return self._ended(status, answer, sql)

    def _outcome(self, handle: str, sql: str) -> dict[str, Any]:
        status, answer = self._http.send("GET", f"{_STATEMENTS}/{handle}")
        return self._ended(status, answer, sql)

    def _ended(self, status: int, answer: dict[str, Any], sql: str) -> dict[str, Any]:
        wait_s, begun = _POLL_WAIT_S, time.monotonic()
        while status == 202:
            handle = answer["statementHandle"]
            try:
                if time.monotonic() - begun > self._timeout_s:
                    raise ConnectionFailed(f"the statement {handle} has not ended within {self._timeout_s} s; it is cancelled")
                time.sleep(wait_s)
                wait_s = min(wait_s * 2, _POLL_WAIT_MAX_S)
                status, answer = self._http.send("GET", f"{_STATEMENTS}/{handle}")
            except (KeyboardInterrupt, ConnectionFailed):
                self._http.send("POST", f"{_STATEMENTS}/{handle}/cancel")
                raise
        if status == 200:
            return answer
        if status in (408, 422):
            raise StatementError(
                answer.get("message", "the statement failed"),
                code=str(answer.get("code", "")),
                sql_state=str(answer.get("sqlState", "")),
                statement=sql,
                statement_handle=answer.get("statementHandle"),
                location=answer.get("errorLocation"),
            )
        raise ConnectionFailed(f"{self.url} answered {status}: {answer.get('message', answer)}")

    def _result(self, answer: dict[str, Any], sql: str) -> Result:
        metadata = answer.get("resultSetMetaData", {})
        described = columns(metadata)
        found = rows(described, answer.get("data", []))
        handle = answer.get("statementHandle", "")
        for partition in range(1, len(metadata.get("partitionInfo", []))):
            status, piece = self._http.send("GET", f"{_STATEMENTS}/{handle}?partition={partition}")
            found += rows(described, self._ended(status, piece, sql)["data"])
        return Result(columns=described, rows=found, statement_handle=handle)


def _encoded(bindings: Optional[Bindings]) -> dict[str, Any]:
    if bindings is None:
        return {}
    if isinstance(bindings, (str, bytes)):
        raise TypeError("bindings are a sequence or a mapping; for one value write [value]")
    if isinstance(bindings, Mapping):
        return {str(name): encode(value) for name, value in bindings.items()}
    return {str(place): encode(value) for place, value in enumerate(bindings, start=1)}

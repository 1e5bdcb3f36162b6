"""Requests over kept connections, one for each thread."""

from __future__ import annotations

import gzip
import http.client
import json
import ssl
import threading
import time
import urllib.parse
from typing import Any, Optional

from firn._errors import ConnectionFailed
from firn._version import __version__

_ATTEMPTS = 4
_RETRY_WAIT_MAX_S = 5.0


class Http:
    """Sends JSON and returns the status with the JSON of the answer."""

    def __init__(self, url: str, token: str, *, timeout_s: float, tls: Optional[ssl.SSLContext] = None) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConnectionFailed(f"`{url}` is no address of a server; it looks like http://127.0.0.1:8090")
        self.url = url.rstrip("/")
        self._parts = parts
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "User-Agent": f"firn-python/{__version__}",
        }
        self._timeout_s = timeout_s
        self._tls = tls
        self._threads = threading.local()

    def send(self, method: str, path: str, body: Any = None, headers: Optional[dict[str, str]] = None) -> tuple[int, Any]:
        """Repeats what was not answered: whoever sends a statement gives it a request id, by which it runs once."""
        data = None if body is None else json.dumps(body).encode()
        failed: Optional[Exception] = None
        for attempt in range(_ATTEMPTS):
            try:
                response = self._once(method, path, data, headers or {})
            except (OSError, http.client.HTTPException) as error:
                self.close()
                failed = error
                if attempt and isinstance(error, ConnectionRefusedError):
                    break
                continue
            status, retry_after_s, text = response
            if status not in (429, 503) or attempt + 1 == _ATTEMPTS:
                return status, self._parsed(status, text)
            time.sleep(min(retry_after_s, _RETRY_WAIT_MAX_S))
        raise ConnectionFailed(f"{self.url} does not answer: {failed or 'no answer'}")

    def close(self) -> None:
        """Closes the connection of this thread; the next request opens one again."""
        connection = getattr(self._threads, "connection", None)
        if connection is not None:
            connection.close()
            self._threads.connection = None

    def _once(self, method: str, path: str, data: Optional[bytes], headers: dict[str, str]) -> tuple[int, float, bytes]:
        connection = self._connection()
        connection.request(method, self._parts.path.rstrip("/") + path, body=data, headers={**self._headers, **headers})
        response = connection.getresponse()
        text = response.read()
        if response.getheader("Content-Encoding") == "gzip":
            text = gzip.decompress(text)
        try:
            retry_after_s = float(response.getheader("Retry-After") or 1)
        except ValueError:
            retry_after_s = 1.0
        return response.status, retry_after_s, text

    def _connection(self) -> http.client.HTTPConnection:
        connection: Optional[http.client.HTTPConnection] = getattr(self._threads, "connection", None)
        if connection is None:
            host, port = self._parts.hostname or "", self._parts.port
            if self._parts.scheme == "https":
                connection = http.client.HTTPSConnection(host, port, timeout=self._timeout_s, context=self._tls)
            else:
                connection = http.client.HTTPConnection(host, port, timeout=self._timeout_s)
            self._threads.connection = connection
        return connection

    def _parsed(self, status: int, text: bytes) -> Any:
        try:
            return json.loads(text) if text else {}
        except ValueError:
            raise ConnectionFailed(f"{self.url} answered {status} with no JSON; is it a firn server?") from None

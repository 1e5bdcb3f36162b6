"""What can go wrong, by whose fault."""

from __future__ import annotations

from typing import Optional


class FirnError(Exception):
    """Everything that this package raises by itself."""


class StartError(FirnError):
    """The server could not be found or did not start."""


class ConnectionFailed(FirnError):
    """No answer, or one that no statement gets: a wrong address or token."""


class StatementError(FirnError):
    """A statement failed on the server."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        sql_state: str = "",
        statement: str = "",
        statement_handle: Optional[str] = None,
        location: Optional[dict[str, int]] = None,
    ) -> None:
        self.message = message
        self.code = code
        self.sql_state = sql_state
        self.statement = statement
        self.statement_handle = statement_handle
        #: `statement`, `line` (from 1) and `position` (from 0) in the text, where the server knows the place.
        self.location = location
        super().__init__(self._text())

    def _text(self) -> str:
        text = f"{self.message} ({self.code}, {self.sql_state})"
        lines = self.statement.splitlines()
        if not self.location or not 0 < self.location.get("line", 0) <= len(lines):
            return text
        line = lines[self.location["line"] - 1]
        return f"{text}\n    {line}\n    {' ' * self.location.get('position', 0)}^"

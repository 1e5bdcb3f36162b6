"""Rows with Python's types, and what is known of their columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Optional

from firn._values import decoder


@dataclass(frozen=True)
class Column:
    """A column of a result; `type` as the API names it: fixed, real, text, date, timestamp_ntz, variant …"""

    name: str
    type: str
    nullable: bool
    precision: Optional[int] = None
    scale: Optional[int] = None
    length: Optional[int] = None


@dataclass
class Result:
    """All rows of a statement. It iterates over them and has their number as its length."""

    columns: list[Column]
    rows: list[tuple[Any, ...]] = field(repr=False)
    statement_handle: str = ""

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def dicts(self) -> list[dict[str, Any]]:
        """Every row by the names of its columns."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, row)) for row in self.rows]

    def one(self) -> tuple[Any, ...]:
        """The only row."""
        if len(self.rows) != 1:
            raise ValueError(f"the result has {len(self.rows)} rows, not one")
        return self.rows[0]

    def scalar(self) -> Any:
        """The only value of the only row."""
        row = self.one()
        if len(row) != 1:
            raise ValueError(f"the result has {len(row)} columns, not one")
        return row[0]


def columns(metadata: dict[str, Any]) -> list[Column]:
    """What `resultSetMetaData` says of them."""
    return [
        Column(
            name=each["name"],
            type=each["type"],
            nullable=bool(each.get("nullable", True)),
            precision=each.get("precision"),
            scale=each.get("scale"),
            length=each.get("length"),
        )
        for each in metadata.get("rowType", [])
    ]


def rows(columns: list[Column], cells: list[list[Optional[str]]]) -> list[tuple[Any, ...]]:
    """A partition's cells as Python's values."""
    decoders = [decoder(column.type, column.scale) for column in columns]
    return [
        tuple(None if cell is None else decode(cell) for decode, cell in zip(decoders, row)) for row in cells
    ]

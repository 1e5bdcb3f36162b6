"""Between Python's values and those of the statement API."""

from __future__ import annotations

import datetime
import json
import math
import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Optional

_EPOCH = datetime.datetime(1970, 1, 1)
_EPOCH_UTC = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_MINUTES_OF_A_DAY = 1440

Binding = dict[str, Optional[str]]


def decoder(kind: str, scale: Optional[int]) -> Callable[[str], Any]:
    """What reads the cells of a column. A value that Python's type cannot hold, such as the year 12000, stays text."""
    read = _DECODERS.get(kind.lower(), str)
    if kind.lower() == "fixed" and not scale:
        read = int

    def decode(cell: str) -> Any:
        try:
            return read(cell)
        except (ValueError, OverflowError, ArithmeticError):
            return cell

    return decode


def _date(cell: str) -> datetime.date:
    return _EPOCH.date() + datetime.timedelta(days=int(cell))


def _microseconds(cell: str) -> datetime.timedelta:
    """Seconds with up to nine decimals; Python counts microseconds, the rest is dropped."""
    return datetime.timedelta(microseconds=math.floor(Decimal(cell) * 1_000_000))


def _time(cell: str) -> datetime.time:
    return (_EPOCH + _microseconds(cell)).time()


def _timestamp_tz(cell: str) -> datetime.datetime:
    seconds, _, offset = cell.partition(" ")
    zone = datetime.timezone(datetime.timedelta(minutes=int(offset) - _MINUTES_OF_A_DAY))
    return (_EPOCH_UTC + _microseconds(seconds)).astimezone(zone)


_DECODERS: dict[str, Callable[[str], Any]] = {
    "fixed": Decimal,
    "decfloat": Decimal,
    "real": float,
    "boolean": lambda cell: cell.lower() in ("true", "1"),
    "date": _date,
    "time": _time,
    "timestamp_ntz": lambda cell: _EPOCH + _microseconds(cell),
    "timestamp_ltz": lambda cell: _EPOCH_UTC + _microseconds(cell),
    "timestamp_tz": _timestamp_tz,
    "binary": bytes.fromhex,
    "variant": json.loads,
    "object": json.loads,
    "array": json.loads,
    "map": json.loads,
    "vector": json.loads,
}


def encode(value: Any) -> Binding:
    """A value as the API binds it."""
    for kinds, encode_as in _ENCODERS:
        if isinstance(value, kinds):
            return encode_as(value)
    raise TypeError(
        f"a value of type {type(value).__name__} cannot be bound; bind a number, text, bytes, date or time, "
        "and semi-structured values as text: parse_json(?) with json.dumps(value)"
    )


def encode_column(values: list[Any]) -> dict[str, Any]:
    """The values of one column of an INSERT, which have one type together."""
    bindings = [encode(value) for value in values]
    kinds = {binding["type"] for binding, value in zip(bindings, values) if value is not None}
    if kinds == {"FIXED", "REAL"}:
        kinds = {"REAL"}
    if len(kinds) > 1:
        raise TypeError(f"the values of one column have different types: {', '.join(sorted(map(str, kinds)))}")
    return {"type": kinds.pop() if kinds else "TEXT", "value": [binding["value"] for binding in bindings]}


def _real(value: float) -> Binding:
    if math.isinf(value):
        return {"type": "REAL", "value": "Infinity" if value > 0 else "-Infinity"}
    return {"type": "REAL", "value": "NaN" if math.isnan(value) else repr(value)}


def _decimal(value: Decimal) -> Binding:
    if not value.is_finite():
        raise ValueError(f"the decimal number {value} cannot be bound; bind a float instead")
    return {"type": "FIXED", "value": format(value, "f")}


def _nanoseconds(span: datetime.timedelta) -> int:
    return span // datetime.timedelta(microseconds=1) * 1_000


def _timestamp(value: datetime.datetime) -> Binding:
    offset = value.utcoffset()
    if offset is None:
        return {"type": "TIMESTAMP_NTZ", "value": str(_nanoseconds(value - _EPOCH))}
    minutes = offset // datetime.timedelta(minutes=1)
    return {"type": "TIMESTAMP_TZ", "value": f"{_nanoseconds(value - _EPOCH_UTC)} {minutes + _MINUTES_OF_A_DAY}"}


def _day(value: datetime.date) -> Binding:
    return {"type": "DATE", "value": str((value - _EPOCH.date()).days * 86_400_000)}


def _time_of_day(value: datetime.time) -> Binding:
    if value.tzinfo is not None:
        raise ValueError(f"the time {value} has a time zone, which TIME has not; bind value.replace(tzinfo=None)")
    return {"type": "TIME", "value": str(_nanoseconds(datetime.datetime.combine(_EPOCH, value) - _EPOCH))}


# A bool is an int to Python, and a datetime a date: those come first.
_ENCODERS: list[tuple[Any, Callable[[Any], Binding]]] = [
    (type(None), lambda _: {"type": "TEXT", "value": None}),
    (bool, lambda value: {"type": "BOOLEAN", "value": str(value).lower()}),
    (int, lambda value: {"type": "FIXED", "value": str(int(value))}),
    (float, _real),
    (Decimal, _decimal),
    (str, lambda value: {"type": "TEXT", "value": str(value)}),
    (uuid.UUID, lambda value: {"type": "TEXT", "value": str(value)}),
    ((bytes, bytearray, memoryview), lambda value: {"type": "BINARY", "value": bytes(value).hex()}),
    (datetime.datetime, _timestamp),
    (datetime.date, _day),
    (datetime.time, _time_of_day),
]

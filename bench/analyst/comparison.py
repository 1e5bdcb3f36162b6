"""Whether an answer is right: the same rows, columns in any order, numbers to 1e-6, among ties any of the tied rows."""

import decimal
import re
from collections import Counter
from dataclasses import dataclass

RELATIVE_DIFFERENCE = 1e-6
# Assignments of columns that are tried before giving up.
ASSIGNMENTS_MAX = 2000
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
TIME = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[ T](\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?")


def cell(value):
    """A value as it is compared: None, a number, or text. A date is the same with and without midnight."""
    if value is None:
        return None
    if isinstance(value, (bool, int, float, decimal.Decimal)):
        return float(value)
    text = str(value)
    if NUMBER.fullmatch(text):
        return float(text)
    if found := TIME.fullmatch(text):
        year, month, day, hour, minute, second, fraction = found.groups()
        date = f"{year}-{int(month):02}-{int(day):02}"
        time = f"{int(hour or 0):02}:{minute or '00'}:{second or '00'}.{(fraction or '').rstrip('0')}".rstrip(".")
        return date if time == "00:00:00" else f"{date} {time}"
    return text


def fold(rows):
    return [tuple(value.casefold() if isinstance(value, str) else value for value in row) for row in rows]


@dataclass
class Rows:
    """Expected rows, as a multiset or in order."""

    rows: list
    ordered: bool

    def columns(self):
        return list(zip(*self.rows))

    def column_fits(self, own, other):
        if not self.ordered:
            own, other = sorted(own, key=sort_key), sorted(other, key=sort_key)
        return all(map(is_same, own, other))

    def rows_fit(self, found):
        if self.ordered:
            return True
        own, other = sorted(self.rows, key=row_key), sorted(found, key=row_key)
        return all(is_same(left, right) for row, peer in zip(own, other) for left, right in zip(row, peer))

    def count(self):
        return len(self.rows)


@dataclass
class Ties:
    """Expected rows by falling rank: of each group of tied rows, so many of them, whichever."""

    groups: list
    ordered: bool

    def columns(self):
        return list(zip(*(row for _, pool in self.groups for row in pool)))

    def column_fits(self, own, other):
        return {rounded(value) for value in other} <= {rounded(value) for value in own}

    def rows_fit(self, found):
        found = [tuple(map(rounded, row)) for row in found]
        pools = [(take, Counter(tuple(map(rounded, row)) for row in pool)) for take, pool in self.groups]
        if self.ordered:
            starts = [sum(take for take, _ in pools[:number]) for number in range(len(pools))]
            return all(Counter(found[start : start + take]) <= pool for start, (take, pool) in zip(starts, pools))
        left = Counter(found)
        for _, pool in pools[:-1]:
            if not pool <= left:
                return False
            left -= pool
        return left <= pools[-1][1]

    def count(self):
        return sum(take for take, _ in self.groups)


def compare(expected, found):
    """`strict`, `relaxed` (the same but for columns that were not asked for), or None."""
    if expected.count() != len(found):
        return None
    if not found:
        return "strict"
    columns, others = expected.columns(), list(zip(*found))
    if len(others) < len(columns):
        return None
    fitting = [[number for number, other in enumerate(others) if expected.column_fits(own, other)] for own in columns]
    if not all(fitting):
        return None
    for tried, chosen in enumerate(assignments(fitting, [])):
        if expected.rows_fit([tuple(row[number] for number in chosen) for row in found]):
            return "strict" if len(others) == len(columns) else "relaxed"
        if tried >= ASSIGNMENTS_MAX:
            break
    return None


def assignments(fitting, chosen):
    """Every choice of different columns, one of each list."""
    if len(chosen) == len(fitting):
        yield chosen
        return
    for number in fitting[len(chosen)]:
        if number not in chosen:
            yield from assignments(fitting, [*chosen, number])


def is_same(left, right):
    if isinstance(left, float) and isinstance(right, float):
        return abs(left - right) <= RELATIVE_DIFFERENCE * max(abs(left), abs(right))
    return left == right


def rounded(value):
    return f"{value:.6g}" if isinstance(value, float) else (value,)


def sort_key(value):
    # What is nearly the same must sort alike, before what breaks the tie.
    if isinstance(value, float):
        return (0, float(f"{value:.6g}"), "")
    return (1, 0.0, value) if value is not None else (2, 0.0, "")


def row_key(row):
    return [sort_key(value) for value in row]

"""The answers to a question that count as right, from its reference rows and its reference SQL.

The reference rows always count. Two more answers are right though they differ from these rows:

- `ties`: where the reference SQL sorts and several rows have the same sort key, any order of these, and with LIMIT any
  choice of these. The SQL runs without its LIMIT and with its sort keys shown, which tells the tied rows. A subquery with
  LIMIT 1 among ties stands for each of the tied values.
- `case`: the reference SQL compares text without regard to case; what it returns when case counts is right too, and so
  are the reference rows in other case.

Both are used only where the reference SQL run in this way agrees with the reference rows.
"""

import itertools
import json
from dataclasses import dataclass

import duckdb
import sqlglot
from sqlglot import exp

import databases
from comparison import Rows, Ties, cell, compare, fold

# Choices of tied values for subqueries that are tried.
CHOICES_MAX = 12
ROWS_MAX = 5000
# Where the reference SQL was run, nothing is less than anything.
REFERENCE_NULLS = "nulls_first_on_asc_last_on_desc"


@dataclass
class Variant:
    """One right answer."""

    # What makes it right: `strict`, `ties` or `case`.
    why: str
    expected: object
    folded: bool = False

    def compare(self, rows):
        return compare(self.expected, fold(rows) if self.folded else rows)


def variants(connection, question):
    """All right answers to a question, the reference rows first."""
    rows = [tuple(map(cell, row)) for row in question["rows"]]
    plain = Rows(rows, question["ordered"])
    known = [Variant("strict", plain)]
    try:
        gold = sqlglot.parse_one(question["gold_sql"], dialect="mysql")
    except sqlglot.errors.SqlglotError:
        return known
    any_case = results(connection, gold, databases.ANY_CASE, question["ordered"])
    confirmed = [result for result in any_case if compare(result, rows) == "strict"]
    if not confirmed:
        return known
    known += [Variant("ties", result) for result in any_case if isinstance(result, Ties) or result is not confirmed[0]]
    if compares_text(gold):
        known.append(Variant("case", Rows(fold(rows), question["ordered"]), folded=True))
        exact_case = results(connection, gold, "main", question["ordered"])
        known += [Variant("case", result) for result in exact_case if says_something(result)]
    return known


def compares_text(gold):
    tests = gold.find_all(exp.EQ, exp.NEQ, exp.Like, exp.In, exp.Distinct, exp.Group, exp.SetOperation, exp.Order)
    return any(True for _ in tests)


def says_something(result):
    """Nothing found is no proof of a right reading: an answer is, if it has a row with more than zeros."""
    return any(value not in (None, 0.0) for column in result.columns() for value in column)


def results(connection, gold, schema, ordered):
    """What the reference SQL returns: one result for each choice of tied values in its subqueries."""
    connection.execute(f"SET schema = '{schema}'")
    connection.execute(f"SET default_null_order = '{REFERENCE_NULLS}'")
    if schema == databases.ANY_CASE:
        # Collations do not reach LIKE.
        gold = gold.transform(lambda node: exp.ILike(**node.args) if type(node) is exp.Like else node)
    try:
        choices = list(itertools.islice(choose_subqueries(connection, gold), CHOICES_MAX))
        return [result for choice in choices if (result := result_of(connection, choice, ordered)) is not None]
    finally:
        connection.execute("SET schema = 'main'")
        connection.execute(f"SET default_null_order = '{databases.NULLS}'")


def choose_subqueries(connection, gold):
    """The SQL with each subquery that is limited to one row replaced by one of the values tied for it."""
    subqueries = [
        node
        for node in gold.find_all(exp.Subquery)
        if isinstance(node.this, exp.Select) and limit_of(node.this) == 1 and node.this.args.get("order")
        and len(node.this.expressions) == 1 and isinstance(node.parent, (exp.EQ, exp.NEQ, exp.GT, exp.LT, exp.GTE, exp.LTE))
    ]
    tied = [tied_values(connection, node.this) for node in subqueries]
    if not subqueries or any(len(values) == 0 for values in tied):
        yield gold
        return
    for values in itertools.product(*tied):
        replaced = {node.sql(): value for node, value in zip(subqueries, values)}
        yield gold.transform(lambda node: literal(replaced[node.sql()]) if node.sql() in replaced else node)


def literal(value):
    if value is None:
        return exp.Null()
    return exp.Literal.number(value) if isinstance(value, float) else exp.Literal.string(value)


def tied_values(connection, select):
    result = result_of(connection, select, False)
    if isinstance(result, Ties):
        return list(dict.fromkeys(row[0] for row in result.groups[0][1]))
    return []


def result_of(connection, gold, ordered):
    """The result with its ties, or the plain rows where it does not sort; None where DuckDB cannot run it."""
    order = gold.args.get("order") if isinstance(gold, exp.Select) else None
    if order is None:
        rows = run(connection, gold)
        return None if rows is None else Rows(rows, ordered)
    shown, keys = gold.copy(), [ordering.this for ordering in order.expressions]
    if gold.args.get("distinct") and not {key.sql() for key in keys} <= {item.unalias().sql() for item in gold.expressions}:
        return None
    shown.set("limit", None)
    shown.set("expressions", [*shown.expressions, *(key.copy() for key in keys)])
    rows = run(connection, shown)
    return None if rows is None else ties_of(rows, len(keys), limit_of(gold), ordered)


def ties_of(rows, key_count, limit, ordered):
    groups, left = [], len(rows) if limit is None else limit
    for _, tied in itertools.groupby(rows, key=lambda row: fold([row[-key_count:]])):
        pool = [row[:-key_count] for row in tied]
        if left > 0:
            groups.append((min(left, len(pool)), pool))
        left -= len(pool)
    return Ties(groups, ordered) if groups else Rows([], ordered)


def limit_of(select):
    limit = select.args.get("limit")
    if limit is None or select.args.get("offset"):
        return None
    return int(limit.expression.name) if limit.expression.is_int else None


def run(connection, query):
    for text in (query, with_any_values(query)):
        try:
            found = connection.execute(text.sql(dialect="duckdb")).fetchmany(ROWS_MAX)
            return [tuple(map(cell, row)) for row in found]
        except (duckdb.Error, AttributeError):
            continue
    return None


def with_any_values(query):
    """The query with columns that are neither grouped nor aggregated taken from any row of the group."""
    if not isinstance(query, exp.Select) or not query.args.get("group"):
        return query
    grouped = {item.sql() for item in query.args["group"].expressions}
    wrapped = query.copy()
    outputs = [*wrapped.expressions, *(item.this for item in (wrapped.args.get("order") or exp.Order()).expressions)]
    for output in outputs:
        for column in list(output.find_all(exp.Column)):
            if column.sql() not in grouped and not column.find_ancestor(exp.AggFunc):
                column.replace(exp.AnyValue(this=column.copy()))
    return wrapped


def key_of(question):
    return json.dumps([question["gold_sql"], question["rows"], question["ordered"]])

"""What a reference query looks like: the aspects that `crates/analyst/src/judge/aspects.rs` tells of a reading's query."""

import sqlglot
from sqlglot import exp

import databases

NAMES = ("shown", "plain", "measures", "groups", "order", "conditions", "joins", "kinds")
FUNCTIONS = {exp.Sum: "sum", exp.Avg: "average", exp.Min: "minimum", exp.Max: "maximum"}
SHOWN_MAX = 4
COUNT_MAX = 3
NAMED_MAX = 2


def of(sql, schema):
    """The aspects of a query by name; None where it cannot be parsed."""
    try:
        query = sqlglot.parse_one(sql, dialect="mysql")
    except sqlglot.errors.SqlglotError:
        return None
    while isinstance(query, (exp.SetOperation, exp.Subquery)):
        query = query.this
    shown = [item.unalias() for item in query.expressions]
    measures = [name for item in shown if (name := function(item)) is not None]
    plain = [item for item in shown if function(item) is None]
    where = query.args.get("where")
    values = (
        str(min(len(shown), SHOWN_MAX)),
        str(min(len(plain), COUNT_MAX)),
        joined(sorted(set(measures))[:NAMED_MAX]),
        joined([name for name in ("group", "having") if query.args.get(name)]),
        order(query),
        str(min(leaves(where.this) if where else 0, COUNT_MAX)),
        str(min(len(query.args.get("joins") or []), COUNT_MAX)),
        joined([kind for item in plain if (kind := kind_of(item, query, schema))][:NAMED_MAX]),
    )
    return dict(zip(NAMES, values))


def function(item):
    if isinstance(item, exp.Count):
        return "count_distinct" if isinstance(item.this, exp.Distinct) else "count"
    return FUNCTIONS.get(type(item), "measure" if item.find(exp.AggFunc) else None)


def order(query):
    names = []
    if query.args.get("order"):
        key = query.args["order"].expressions[0]
        by = function(key.this)
        names.append("down" if key.args.get("desc") else "up")
        names.append("column" if by is None else "count" if by.startswith("count") else "measure")
    if query.args.get("limit"):
        names.append("one" if query.args["limit"].expression.name == "1" else "some")
    return joined(names)


def leaves(condition):
    """Conditions that are made of no others."""
    if isinstance(condition, (exp.And, exp.Or)):
        return leaves(condition.left) + leaves(condition.right)
    if isinstance(condition, (exp.Not, exp.Paren)):
        return leaves(condition.this)
    return 1


def kind_of(item, query, schema):
    """What a column that is shown holds; None for what is no column."""
    if not isinstance(item, exp.Column):
        return None
    tables = {table.alias_or_name.lower(): table.name.lower() for table in query.find_all(exp.Table)}
    wanted = [tables.get(item.table.lower())] if item.table else list(tables.values())
    for table in schema["tables"]:
        if table["name"].lower() not in wanted:
            continue
        for column in table["columns"]:
            if column["name"].lower() == item.name.lower():
                return "key" if is_key(table, column["name"]) else data_kind(column["type"])
    return None


def is_key(table, name):
    references = [key["column"] for key in table["foreign_keys"]]
    return table["primary_key"] == [name] or name in references


def data_kind(declared):
    declared = declared.split("(")[0].strip().upper()
    if declared in databases.TIMES:
        return "date"
    if declared == "BOOLEAN":
        return "flag"
    return "number" if declared in databases.WHOLE | databases.FRACTIONS else "text"


def joined(names):
    return "+".join(names) or "none"

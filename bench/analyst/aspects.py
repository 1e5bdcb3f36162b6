"""What a reference query looks like: the aspects that `crates/analyst/src/judge/aspects.rs` tells of a reading's query."""

import sqlglot
from sqlglot import exp

import databases

NAMES = ("shown", "plain", "measures", "groups", "order", "conditions", "joins", "kinds", "repeats", "sets")
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
    combined = sets(query)
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
        str(min(len(query.args.get("joins") or []) + semi_joins(where), COUNT_MAX)),
        joined([kind for item in plain if (kind := kind_of(item, query, schema))][:NAMED_MAX]),
        repeats(query, measures),
        combined,
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


def repeats(query, measures):
    """Whether rows that are alike are shown once, or as often as a join meets them."""
    if query.args.get("distinct"):
        return "distinct"
    key = query.args["order"].expressions[0].this if query.args.get("order") else None
    if measures or query.args.get("group") or (key is not None and function(key)):
        return "grouped"
    return "joined" if query.args.get("joins") else "plain"


def sets(query):
    """How the query combines sets of rows; what is not among others is the difference of two."""
    for kind, name in ((exp.Intersect, "intersect"), (exp.Except, "except"), (exp.Union, "union")):
        if isinstance(query, kind):
            return name
    clauses = [clause.this for name in ("where", "having") if (clause := query.args.get(name))]
    found = {set_of(condition) for clause in clauses for condition in conjuncts(clause)}
    return next((name for name in ("except", "value", "or") if name in found), "none")


def semi_joins(where):
    """Rows that must be met in another table, as a join meets them."""
    return sum(set_of(condition) == "nested" for condition in conjuncts(where.this)) if where else 0


def conjuncts(condition):
    if isinstance(condition, exp.And):
        return conjuncts(condition.left) + conjuncts(condition.right)
    return conjuncts(condition.this) if isinstance(condition, exp.Paren) else [condition]


def set_of(condition):
    if isinstance(condition, exp.Not):
        inner = set_of(condition.this)
        return "except" if inner == "nested" else inner
    if isinstance(condition, exp.Paren):
        return set_of(condition.this)
    if isinstance(condition, exp.In) and condition.args.get("query"):
        return "nested"
    if isinstance(condition, exp.Or):
        return "or"
    return "value" if isinstance(condition, exp.Binary) and condition.find(exp.Select) else "none"


def leaves(condition):
    """Conditions that are made of no others."""
    if isinstance(condition, (exp.And, exp.Or)):
        return leaves(condition.left) + leaves(condition.right)
    if isinstance(condition, (exp.Not, exp.Paren)):
        return leaves(condition.this)
    if isinstance(condition, exp.In) and (nested := condition.args.get("query")):
        inner = nested.this.args.get("where") if isinstance(nested, exp.Subquery) else nested.args.get("where")
        return leaves(inner.this) if inner else 1
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

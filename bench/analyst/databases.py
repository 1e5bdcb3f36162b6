"""A database of the shared questions in DuckDB, with the types that firn would give it."""

import csv
import json

import duckdb

import dialect

WHOLE = {"INTEGER", "INT", "BIGINT"}
FRACTIONS = {"REAL", "FLOAT", "DOUBLE", "DECIMAL", "NUMERIC"}
TIMES = {"DATETIME": "TIMESTAMP", "TIMESTAMP": "TIMESTAMP", "DATE": "DATE"}
# The same tables with text that compares without regard to case, for the reference SQL.
ANY_CASE = "any_case"
# As firn sorts.
NULLS = "nulls_last_on_asc_first_on_desc"


def connect(folder):
    connection = duckdb.connect(":memory:", config={"threads": 1, "memory_limit": "2GB"})
    connection.execute(f"SET default_null_order = '{NULLS}'")
    for macro in dialect.MACROS:
        connection.execute(f"CREATE MACRO {macro}")
    connection.execute(f"CREATE SCHEMA {ANY_CASE}")
    for table in json.loads((folder / "schema.json").read_text())["tables"]:
        load(connection, table, folder / f"{table['name']}.csv")
    return connection


def load(connection, table, path):
    with path.open(newline="", encoding="utf-8") as file:
        names = next(csv.reader(file))
    declared = {column["name"]: column["type"].split("(")[0].strip().upper() for column in table["columns"]}
    texts = ", ".join(f"{quoted(name)}: 'VARCHAR'" for name in names)
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE cells AS FROM read_csv(?, columns = {{{texts}}}, header = true, delim = ',', "
        "quote = '\"', escape = '\"', nullstr = '', auto_detect = false)",
        [str(path)],
    )
    kinds = [kind_of(connection, declared[name], quoted(name)) for name in names]
    target = quoted(table["name"])
    create(connection, target, names, kinds)
    connection.execute(f"INSERT INTO {target} FROM cells")
    any_case = [f"{kind} COLLATE NOCASE" if kind == "VARCHAR" else kind for kind in kinds]
    create(connection, f"{ANY_CASE}.{target}", names, any_case)
    connection.execute(f"INSERT INTO {ANY_CASE}.{target} FROM main.{target}")


def kind_of(connection, declared, column):
    """The declared type, or a wider one where a cell does not fit."""
    if declared in WHOLE:
        wanted = ["BIGINT", "DOUBLE"]
    elif declared in FRACTIONS:
        wanted = ["DOUBLE"]
    elif declared in TIMES:
        wanted = [TIMES[declared]]
    else:
        wanted = ["BOOLEAN"] if declared == "BOOLEAN" else []
    return next((kind for kind in wanted if fits(connection, kind, column)), "VARCHAR")


def fits(connection, kind, column):
    # A cast to whole numbers would round.
    fraction = f"OR contains({column}, '.')" if kind == "BIGINT" else ""
    query = f"SELECT COUNT({column}) FROM cells WHERE TRY_CAST({column} AS {kind}) IS NULL {fraction}"
    return connection.execute(query).fetchone()[0] == 0


def create(connection, target, names, kinds):
    columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in zip(names, kinds))
    connection.execute(f"CREATE TABLE {target} ({columns})")


def quoted(name):
    return '"' + name.replace('"', '""') + '"'

"""Asks a folder of questions with known answers through a server of its own, and prints how many rows are right.

    questions.py FOLDER

FOLDER has `questions.jsonl` and `databases/<name>/` with `schema.json` and a CSV file for each table. Every database is
loaded, its semantic model is made by `firn model generate`, and `firn eval` asks and compares, one database after the
other. FIRN_BINARY says which firn.
"""

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import servers

TYPES = {"VARCHAR": "VARCHAR", "TEXT": "VARCHAR", "CHAR": "VARCHAR", "INTEGER": "INTEGER", "INT": "INTEGER"}
TYPES |= {"BIGINT": "INTEGER", "REAL": "FLOAT", "FLOAT": "FLOAT", "DOUBLE": "FLOAT", "DATETIME": "TIMESTAMP_NTZ"}
TYPES |= {"DECIMAL": "NUMBER(18,4)", "NUMERIC": "NUMBER(18,4)", "DATE": "DATE", "TIMESTAMP": "TIMESTAMP_NTZ"}
TYPES |= {"BOOLEAN": "BOOLEAN", "BOOL": "BOOLEAN"}
ROWS_PER_INSERT = 500


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    questions = {}
    for line in (folder / "questions.jsonl").read_text().splitlines():
        questions.setdefault(json.loads(line)["database"], []).append(line)
    totals = {}
    with tempfile.TemporaryDirectory() as work_dir, servers.firn(Path(work_dir) / "data") as server:
        api = server.api()
        environment = {**os.environ, "FIRN_URL": f"http://127.0.0.1:{server.port}", "FIRN_TOKEN": servers.TOKEN}
        print("| database | questions | strict | relaxed | suggestions | failed | ms |\n|---|---|---|---|---|---|---|")
        for database, lines in sorted(questions.items()):
            load(api, folder / "databases" / database, database)
            counts = evaluate(Path(work_dir), environment, database, lines)
            print_line(database, counts)
            for name, count in counts.items():
                totals.setdefault(name, []).append(count)
    median = sorted(totals.pop("median"))
    all_counts = {name: sum(counts) for name, counts in totals.items()} | {"median": median[len(median) // 2]}
    print_line("**all**", all_counts)


def load(api, folder, database):
    schema = json.loads((folder / "schema.json").read_text())
    api.run(f'CREATE DATABASE "{database.upper()}"')
    for table in schema["tables"]:
        rows = list(csv.reader((folder / f"{table['name']}.csv").open(newline="")))
        for as_text in (False, True):
            try:
                create(api, database, table, rows, as_text)
                break
            except RuntimeError:
                if as_text:
                    raise
    for table in schema["tables"]:
        refer(api, database, table)


def create(api, database, table, rows, as_text):
    """A table; where its dates are none, they stay texts."""
    name = f'"{database.upper()}".PUBLIC."{table["name"].upper()}"'
    kinds = {column["name"]: TYPES[re.split(r"\(", column["type"])[0].strip()] for column in table["columns"]}
    if as_text:
        kinds = {column: "VARCHAR" if kind in ("TIMESTAMP_NTZ", "DATE", "BOOLEAN") else kind for column, kind in kinds.items()}
    columns = [f'"{column.upper()}" {kinds[column]}' for column in rows[0]]
    if table["primary_key"]:
        columns.append("PRIMARY KEY (" + ", ".join(f'"{column.upper()}"' for column in table["primary_key"]) + ")")
    api.run(f"CREATE OR REPLACE TABLE {name} ({', '.join(columns)})")
    values = ["(" + ", ".join(literal(cell) for cell in row) + ")" for row in rows[1:]]
    for start in range(0, len(values), ROWS_PER_INSERT):
        api.run(f"INSERT INTO {name} VALUES " + ", ".join(values[start : start + ROWS_PER_INSERT]))


def refer(api, database, table):
    for key in table["foreign_keys"]:
        other = f'"{database.upper()}".PUBLIC."{key["references"]["table"].upper()}"'
        own, theirs = key["column"].upper(), key["references"]["column"].upper()
        name = f'"{database.upper()}".PUBLIC."{table["name"].upper()}"'
        api.run(f'ALTER TABLE {name} ADD FOREIGN KEY ("{own}") REFERENCES {other} ("{theirs}")')


def literal(cell):
    if cell == "":
        return "NULL"
    return "'" + cell.replace("\\", "\\\\").replace("'", "''") + "'"


def evaluate(work_dir, environment, database, lines):
    names = ["--database", database.upper(), "--schema", "PUBLIC"]
    model = firn(environment, "model", "generate", *names)
    (work_dir / f"{database}.yaml").write_text(model)
    (work_dir / "questions.jsonl").write_text("\n".join(lines) + "\n")
    output = firn(environment, "eval", work_dir / "questions.jsonl", "--models", work_dir, *names)
    return {line.split()[0]: float(line.split()[1]) for line in output.splitlines() if len(line.split()) > 1}


def firn(environment, *arguments):
    command = [os.environ["FIRN_BINARY"], *map(str, arguments)]
    return subprocess.run(command, env=environment, check=True, text=True, stdout=subprocess.PIPE).stdout


def print_line(name, counts):
    count = counts["questions"]
    share = lambda key: f"{100 * counts[key] / count:.1f} %"
    cells = [name, f"{count:.0f}", *map(share, ("strict", "relaxed", "suggestions", "failed")), f"{counts['median']:.0f}"]
    print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()

"""Asks the questions of the business domains through a server of its own, and prints how many answers are right.

    domains.py [DOMAIN …] [--failures]

Each folder of tests/analyst/domains has data, a curated model and questions. Of the domains that are held out only the
totals are printed. FIRN_BINARY says which firn.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import servers

DOMAINS = Path(__file__).parents[2] / "tests" / "analyst" / "domains"
HELD_OUT = {"university", "energy", "theatre", "translations", "charity", "films"}


def main():
    names = [name for name in sys.argv[1:] if not name.startswith("--")]
    folders = [folder for folder in sorted(DOMAINS.iterdir()) if folder.is_dir() and (not names or folder.name in names)]
    with tempfile.TemporaryDirectory() as work_dir, servers.firn(Path(work_dir) / "data") as server:
        api = server.api()
        api.run("CREATE DATABASE DOMAINS")
        environment = {**os.environ, "FIRN_URL": f"http://127.0.0.1:{server.port}", "FIRN_TOKEN": servers.TOKEN}
        for folder in folders:
            load(api, folder)
            print(f"== {folder.name}", flush=True)
            print(evaluate(folder, environment), flush=True)


def load(api, folder):
    schema = folder.name.upper()
    api.run(f"CREATE SCHEMA DOMAINS.{schema}")
    for statement in statements((folder / "data.sql").read_text()):
        api.run(statement, database="DOMAINS", schema=schema)


def statements(text):
    """The statements of a file; a semicolon ends one where a line ends."""
    parts = (part.strip().rstrip(";") for part in text.replace(";\n", ";\0").split("\0"))
    return [part for part in parts if part]


def evaluate(folder, environment):
    arguments = ["eval", folder / "questions.yaml", "--model", folder / "model.yaml", "--database", "DOMAINS"]
    arguments += ["--schema", folder.name.upper(), "--confidence"]
    if "--failures" in sys.argv and folder.name not in HELD_OUT:
        arguments.append("--failures")
    command = [os.environ["FIRN_BINARY"], *map(str, arguments)]
    done = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout


if __name__ == "__main__":
    main()

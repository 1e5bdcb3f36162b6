"""Which part of the shared questions a database belongs to, and what may be done with it.

    split.py NL_QUESTIONS NL_QUESTIONS_MORE

writes `split.json`. The parts `tuned` and `look` are for fitting and for looking at single failures; `held` and `untouched`
are for totals alone. Databases are dealt by a hash of their names; `aircraft` is held, as docs/analyst.md says.
"""

import hashlib
import json
import sys
from pathlib import Path

FILE = Path(__file__).parent / "split.json"
FITTED = ("tuned", "look")
HELD_OUT = ("held", "untouched")
HELD_COUNT, HELD_BY_NAME = 11, "aircraft"


def parts():
    """The part of each database, by its name."""
    split = json.loads(FILE.read_text())
    return {database: part for part, databases in split.items() for database in databases}


def deal(questions, more):
    held = sorted(questions, key=lambda name: (name != HELD_BY_NAME, hash_of(name)))[:HELD_COUNT]
    look = sorted(more, key=hash_of)[: len(more) // 2]
    split = {"tuned": set(questions) - set(held), "held": held, "look": look, "untouched": set(more) - set(look)}
    return {part: sorted(databases) for part, databases in split.items()}


def hash_of(name):
    return hashlib.sha256(f"analyst split 1: {name}".encode()).hexdigest()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    names = [[path.name for path in (Path(folder) / "databases").iterdir()] for folder in sys.argv[1:]]
    FILE.write_text(json.dumps(deal(*names), indent=1) + "\n")


if __name__ == "__main__":
    main()

"""A set of questions that holds the databases of one part alone.

    parts.py SHARED FOLDER PART

SHARED holds the sets of questions; FOLDER becomes a set of the same form, whose databases are links.
"""

import argparse
import json
from pathlib import Path

import split


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("part", choices=sorted(set(split.parts().values())))
    options = parser.parse_args()
    (options.folder / "databases").mkdir(parents=True, exist_ok=True)
    part_of = split.parts()
    chosen = []
    for questions in sorted(options.shared.glob("*/questions.jsonl")):
        for line in questions.read_text().splitlines():
            database = json.loads(line)["database"]
            if part_of.get(database) == options.part:
                chosen.append(line)
                link = options.folder / "databases" / database
                if not link.exists():
                    link.symlink_to((questions.parent / "databases" / database).resolve())
    (options.folder / "questions.jsonl").write_text("\n".join(chosen) + "\n")


if __name__ == "__main__":
    main()

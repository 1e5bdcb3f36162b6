"""Labels the readings of a set of questions by the rows that their SQL returns.

    label.py FOLDER READINGS.jsonl LABELS.jsonl [--cache FILE] [--jobs N] [--seconds N]

FOLDER is a set of questions with known answers, READINGS.jsonl what `nl_questions FOLDER --readings` printed about it. Each
line of LABELS.jsonl is one of READINGS.jsonl with labels: of the SQL that was given as the answer, and of every reading.

    strict   the reference rows            relaxed  the reference rows, and columns that were not asked for
    ties     others of rows that tie       wrong    other rows
    case     right where case counts       failed   the SQL does not run       none     no SQL

The first three are right. What the reference SQL looks like is written with each question (`aspects.py`). The same SQL never runs twice: answers and verdicts are in the cache file.
"""

import argparse
import json
import multiprocessing
import os
import sys
from pathlib import Path

import answers
import aspects
import split


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("readings", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--cache", type=Path, default=Path("answers.sqlite"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=2.0, help="time limit of a statement")
    options = parser.parse_args()
    answers.prepare(options.cache)
    tasks = gather(options)
    written = {}
    with multiprocessing.Pool(options.jobs) as pool:
        for number, (database, lines) in enumerate(pool.imap_unordered(label_database, tasks)):
            written[database] = lines
            print(f"\r{number + 1}/{len(tasks)} databases", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    with options.labels.open("w") as file:
        file.writelines(line for database in sorted(written) for line in written[database])


def gather(options):
    """The work on each database, the longest first."""
    questions = {}
    for line in (options.folder / "questions.jsonl").read_text().splitlines():
        question = json.loads(line)
        questions[question["id"]] = question
    lines = {}
    for line in options.readings.open():
        # The identifier is enough to deal the lines; whoever labels them parses them.
        identifier = json.loads(line)["id"] if not line.startswith('{"id"') else line.split('"', 4)[3]
        lines.setdefault(questions[identifier]["database"], []).append((questions[identifier], line))
    folder = options.folder / "databases"
    tasks = [(folder / database, options.cache, options.seconds, own) for database, own in lines.items()]
    return sorted(tasks, key=lambda task: -sum(len(line) for _, line in task[3]))


def label_database(task):
    folder, cache, seconds_max, lines = task
    known = answers.Answers(folder, cache, seconds_max)
    part = split.parts().get(folder.name, "other")
    schema = json.loads((folder / "schema.json").read_text())
    labelled = [label_question(known, question, json.loads(line), part) for question, line in lines]
    for line in labelled:
        line["gold_aspects"] = aspects.of(line["gold_sql"], schema)
    known.save()
    return folder.name, [json.dumps(line, separators=(",", ":")) + "\n" for line in labelled]


def label_question(known, question, line, part):
    label, _ = known.label(question, line.get("sql"))
    readings = [label_reading(known, question, reading) for reading in line.get("readings", [])]
    return line | {
        "database": question["database"],
        "question": question["question"],
        "gold_sql": question["gold_sql"],
        "part": part,
        "answer": label,
        "readings": readings,
    }


def label_reading(known, question, reading):
    label, rows = known.label(question, reading["sql"])
    labelled = reading | {"label": label, "rows": rows}
    return labelled | {"error": known.error(reading["sql"])} if label == "failed" else labelled


if __name__ == "__main__":
    os.nice(5)
    main()

"""Puts the figures of a fit into the tables of the documentation.

    docs_tables.py JUDGE.md CONFIDENCE.md DOCS.md

JUDGE.md and CONFIDENCE.md are what fit_judge.py and fit_confidence.py printed, with the totals of all four parts. The tables
of DOCS.md are found by their heads: right readings per part, reliability, and risk against coverage on `untouched`.
"""

import json
import sys
from pathlib import Path

import split

PARTS = "| part | databases | questions | right among the best 50 | right first |"
RELIABILITY = "| confidence | questions | mean confidence | right |"
RISK = "| answered as sure from | share of the questions | of these right | wrong though sure, of all questions |"
COVERAGE = "| answered | confidence from | precision |"
BOUNDS = "| confidence from | chosen for precision | precision | coverage | sure and wrong |"
# Of precision against coverage, the first rows are of interest.
COVERAGES_SHOWN = 2
HONEST = "untouched"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    judge, confidence, docs = map(Path, sys.argv[1:])
    of_part = section(confidence.read_text(), f"### {HONEST}")
    text = docs.read_text()
    text = replaced(text, PARTS, parts(judge.read_text()))
    text = replaced(text, RELIABILITY, table(of_part, RELIABILITY))
    text = replaced(text, RISK, risk(of_part))
    docs.write_text(text)


def section(text, title):
    start = text.find(title)
    if start < 0:
        sys.exit(f"there is no {title!r}: fit with the totals of all parts (refit.sh … tuned look held untouched)")
    end = text.find("\n### ", start)
    return text[start : end if end >= 0 else len(text)]


def table(text, head):
    """The rows below a table's head."""
    lines = text.splitlines()
    place = lines.index(head) + 2
    end = next((at for at in range(place, len(lines)) if not lines[at].startswith("|")), len(lines))
    return lines[place:end]


def cells(row):
    return [cell.strip() for cell in row.strip("|").split("|")]


def parts(judge):
    databases = {part: len(names) for part, names in json.loads(split.FILE.read_text()).items()}
    head = "| part | its databases are | questions | oracle | first as it came | first by the judge |"
    rows = map(cells, table(judge, head))
    return [f"| {part} | {databases[part]} | {int(count):,} | {oracle} | {first} |" for part, _, count, oracle, _, first in rows]


def risk(confidence):
    rows = []
    for answered, bound, precision in map(cells, table(confidence, COVERAGE)[:COVERAGES_SHOWN]):
        wrong = float(answered.split()[0]) * (100 - float(precision.split()[0])) / 100
        rows.append(f"| {bound} | {answered} | {precision} | {wrong:.1f} % |")
    for bound, wanted, precision, coverage, wrong in map(cells, table(confidence, BOUNDS)):
        if wanted != "80 %":
            rows.append(f"| {bound} | {float(coverage.split()[0]):.0f} % | {precision} | {wrong} |")
    return rows


def replaced(text, head, rows):
    lines = text.splitlines()
    place = lines.index(head) + 2
    end = next((at for at in range(place, len(lines)) if not lines[at].startswith("|")), len(lines))
    return "\n".join(lines[:place] + rows + lines[end:]) + "\n"


if __name__ == "__main__":
    main()

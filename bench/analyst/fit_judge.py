"""Fits the judge's weights on labelled readings.

    fit_judge.py LABELS.jsonl… --out FILE --expectations FILE [--penalty N]

Fits on the parts `tuned` and `look` alone, tries penalties with whole databases left out (5 folds), and writes the weights
of the best one, and those of the cues that let expect one look of a query or another. Prints how often the first reading is right: as the readings came, by judges that had not seen the database,
and at best. Of `held` and `untouched` it prints totals by the written weights.
"""

import argparse
from pathlib import Path

import numpy

import judge
import split


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--expectations", type=Path, required=True)
    parser.add_argument("--penalty", type=float, help="what was best, when absent")
    options = parser.parse_args()
    readings, empty = judge.read(options.labels)
    parts = numpy.array(readings.parts)
    fitted = readings.taken(numpy.isin(parts, split.FITTED))
    penalty, scores = judge.best_penalty(fitted, options.penalty)
    weights = judge.fit(fitted, penalty)
    print_head()
    for part in split.FITTED:
        print_line(fitted, scores, part, empty, "left out")
    for part in dict.fromkeys(parts):
        if part not in split.FITTED:
            print_line(readings, readings.features @ weights, part, empty, "never seen")
    judge.write_table(options.out, dict(zip(readings.names, weights)))
    lines = readings.expected.write_table(options.expectations)
    print(f"\n{options.expectations}: {lines} lines")
    print(f"{options.out}: {numpy.sum(numpy.abs(weights) >= 0.00005)} weights, penalty {penalty:g}")


def print_head():
    names = ("part", "its databases are", "questions", "oracle", "first as it came", "first by the judge")
    print("\n| " + " | ".join(names) + " |\n|" + "---|" * len(names))


def print_line(readings, scores, part, empty, how):
    wanted = numpy.array(readings.parts) == part
    count = wanted.sum() + empty.get(part, 0)
    if not count:
        return
    came = -numpy.arange(len(scores), dtype=float)
    found = [readings.has_right(), judge.first_right(readings, came), judge.first_right(readings, scores)]
    shares = [f"{100 * right[wanted].sum() / count:.1f} %" for right in found]
    print(f"| {part} | {how} | {count} | " + " | ".join(shares) + " |")


if __name__ == "__main__":
    main()

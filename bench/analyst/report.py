"""Says how good labelled readings are, in Markdown.

    report.py LABELS.jsonl… [--part PART]… [--sure N] [--databases]
    report.py LABELS.jsonl… --failures CLASS [--part PART]… [--limit N]

The first form prints totals per part of split.json: right among the best 50, right first, and answered though wrong, then the
classes of what is not right. With --databases, a table per database too. The second form prints the single failures of a
class, of the parts that may be looked at.

    not-generated   no reading is right
    ranked-lower    a reading is right, but another was given as the answer
    no-knowledge    wrong, and given though it leaves words of the question unused
    refused         the first reading is right, but no SQL was given
    replaced        the first reading is right, but the answer is another one

A wrong answer that left words unused is `no-knowledge`, whatever else it is.

Behind the classes the causes are counted, of the parts that may be looked at: the first of these in which the first reading looks
otherwise than the reference query (`aspects.py`); `names` where it looks the same, with other columns, tables or values.
"""

import argparse
import statistics
import sys
from collections import Counter

import labels
import split

CLASSES = ("not-generated", "ranked-lower", "no-knowledge", "refused", "replaced")
CAUSES = {"sets": "set operation", "measures": "aggregate", "groups": "grouping", "order": "superlative",
          "conditions": "condition", "shown": "projection", "plain": "projection", "repeats": "distinct", "joins": "join",
          "kinds": "projection"}
# Not exact: right by the rules about ties and letter case.
TOTALS = ("questions", "oracle", "first", "answered right", "of these not exact", "relaxed", "answered wrong",
          "sure and wrong", "suggestions", "failed", "median ms", "p95 ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", nargs="+")
    parser.add_argument("--part", action="append", help="tuned, held, look, untouched or other; all when absent")
    parser.add_argument("--sure", type=float, default=0.8, help="the confidence from which an answer counts as sure")
    parser.add_argument("--databases", action="store_true")
    parser.add_argument("--failures", choices=CLASSES)
    parser.add_argument("--limit", type=int, default=20)
    options = parser.parse_args()
    held_out = set(options.part or []) & set(split.HELD_OUT)
    if options.failures and held_out:
        parts = ", ".join(sorted(held_out))
        sys.exit(f"single failures of the part {parts} are not to be looked at; take --part tuned or look")
    questions = [line for line in labels.read(options.labels) if not options.part or line["part"] in options.part]
    if options.failures:
        print_failures(questions, options)
        return
    print_totals(questions, options, "part")
    print_classes(questions)
    print_causes(questions)
    if options.databases:
        print_totals(questions, options, "database")


def print_totals(questions, options, by):
    print(f"\n| {by} | " + " | ".join(TOTALS) + " |\n|" + "---|" * (len(TOTALS) + 1))
    for name, own in [*grouped(questions, by), ("**all**", questions)]:
        print(f"| {name} | " + " | ".join(totals(own, options.sure)) + " |")


def grouped(questions, by):
    groups = {}
    for question in questions:
        groups.setdefault(question[by], []).append(question)
    return sorted(groups.items())


def totals(questions, sure):
    share = lambda test: f"{100 * sum(map(test, questions)) / max(1, len(questions)):.1f} %"
    wrong = lambda line: labels.is_answered(line) and not labels.is_right(line["answer"])
    times = sorted(line["micros"] / 1000 for line in questions)
    return [
        str(len(questions)),
        share(lambda line: labels.right_rank(line) is not None),
        share(lambda line: labels.right_rank(line) == 0),
        share(lambda line: labels.is_right(line["answer"])),
        share(lambda line: labels.is_right(line["answer"]) and line["answer"] != "strict"),
        share(lambda line: labels.is_right(line["answer"]) or line["answer"] == "relaxed"),
        share(wrong),
        share(lambda line: wrong(line) and labels.confidence(line) >= sure),
        share(lambda line: not labels.is_answered(line)),
        share(lambda line: line["answer"] == "failed"),
        f"{statistics.median(times):.1f}" if times else "",
        f"{times[int(0.95 * (len(times) - 1))]:.1f}" if times else "",
    ]


def class_of(line):
    """The class of what went wrong with a question; None where its answer is right."""
    if labels.is_right(line["answer"]):
        return None
    if labels.is_answered(line) and labels.unused(line):
        return "no-knowledge"
    rank = labels.right_rank(line)
    if rank is None:
        return "not-generated"
    if rank == 0:
        return "replaced" if labels.is_answered(line) else "refused"
    return "ranked-lower"


def print_classes(questions):
    print("\n| part | right | " + " | ".join(CLASSES) + " |\n|" + "---|" * (len(CLASSES) + 2))
    for part, own in [*grouped(questions, "part"), ("**all**", questions)]:
        counts = Counter(class_of(line) for line in own)
        shares = [f"{100 * counts[name] / max(1, len(own)):.1f} %" for name in (None, *CLASSES)]
        print(f"| {part} | " + " | ".join(shares) + " |")


def cause_of(line):
    """In what the first reading looks otherwise than the reference query."""
    candidates, gold = labels.candidates(line), line.get("gold_aspects")
    if not candidates or gold is None:
        return "none"
    own = candidates[0]["aspects"]
    return next((cause for name, cause in CAUSES.items() if own[name] != gold[name]), "names")


def print_causes(questions):
    names = [*dict.fromkeys(CAUSES.values()), "names", "none"]
    print("\n| part | class | " + " | ".join(names) + " |\n|" + "---|" * (len(names) + 2))
    for part, own in grouped(questions, "part"):
        for name in CLASSES if part not in split.HELD_OUT else ():
            counts = Counter(cause_of(line) for line in own if class_of(line) == name)
            if counts:
                print(f"| {part} | {name} | " + " | ".join(str(counts[cause]) for cause in names) + " |")


def print_failures(questions, options):
    seen = [line for line in questions if line["part"] not in split.HELD_OUT and class_of(line) == options.failures]
    for line in seen[: options.limit]:
        rank = labels.right_rank(line)
        print(f"\n{line['id']} ({line['part']}): {line['question']}")
        print(f"  reference: {line['gold_sql']}")
        print(f"  answer ({line['answer']}, confidence {labels.confidence(line):.2f}): {one_line(line.get('sql'))}")
        if labels.unused(line):
            print(f"  unused: {', '.join(map(str, labels.unused(line)))}")
        if rank is not None:
            first, right = (labels.candidates(line)[place] for place in (0, rank))
            print(f"  right, at place {rank + 1}: {one_line(right['sql'])}")
            print(f"  features: {differing(first, right)}")
    print(f"\n{len(seen)} in all")


def one_line(sql):
    return " ".join(sql.split()) if sql else "none"


def differing(first, right):
    """The features in which two readings differ, the first one's value before the right one's."""
    names = sorted(set(first["features"]) | set(right["features"]))
    pairs = [(name, first["features"].get(name, 0), right["features"].get(name, 0)) for name in names]
    return ", ".join(f"{name} {left:g}→{other:g}" for name, left, other in pairs if left != other) or "the same"


if __name__ == "__main__":
    main()

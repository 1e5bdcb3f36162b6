"""Fits the probability that the first reading is right.

    fit_confidence.py LABELS.jsonl… --out FILE [--judge-penalty N]

A logistic regression on the features of the first reading, on what the judge makes of it against the others (names with the
prefix `j_`, see `compared`), and on a constant (`bias`). It is fitted on the parts `tuned` and `look`: the judge that puts a
reading first has not seen its database, and the probabilities that are printed for these parts come from regressions that
have not seen it either. Questions without a right reading count as wrong, those without any reading as not answered.

Prints precision against coverage, and a reliability table, in Markdown.
"""

import argparse
from pathlib import Path

import numpy

import fitting
import judge
import split

PENALTIES = (1e-3, 1e-2, 3e-2, 0.1, 0.3)
PRECISIONS = (0.95, 0.9, 0.8)
COVERAGES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
BINS = 10
# The grammar was made with `tuned`: its questions are answered more often than those of databases that come later.
WEIGHTS = {"tuned": 0.3}
# So many answers must be above a bound for its precision to mean anything.
SURE_MIN = 100
# A probability is never so near to 0 or 1 that its log odds run away.
ODDS_EDGE = 1e-4


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--judge-penalty", type=float, help="what was best, when absent")
    options = parser.parse_args()
    readings, empty = judge.read(options.labels)
    parts = numpy.array(readings.parts)
    fitted = readings.taken(numpy.isin(parts, split.FITTED))
    judge_penalty, scores = judge.best_penalty(fitted, options.judge_penalty)
    names, inputs, right = firsts(fitted, scores)
    shares = numpy.array([WEIGHTS.get(part, 1.0) for part in fitted.parts])
    penalty, chances = best_penalty(inputs, right, shares, fitting.folds(fitted.databases))
    weights = regress(inputs, right, shares, penalty)
    unanswered = sum(empty.get(part, 0) for part in split.FITTED)
    bounds = [bound for wanted in PRECISIONS if (bound := bound_for(chances, right, wanted)) is not None]
    report("tuned and look, each database left out", chances, right, unanswered, bounds)
    judge_weights = judge.fit(fitted, judge_penalty)
    for part in dict.fromkeys(parts):
        if part not in split.FITTED:
            own = readings.taken(parts == part)
            _, inputs, right = firsts(own, own.features @ judge_weights)
            report(f"{part}, never seen", logistic(inputs @ weights), right, empty.get(part, 0), bounds)
    judge.write_table(options.out, dict(zip(names, weights)))
    print(f"\n{options.out}: {numpy.sum(numpy.abs(weights) >= 0.00005)} weights, penalty {penalty:g}")


def firsts(readings, scores):
    """Names and values of what is known about each first reading, and whether it is right."""
    rows = judge.first_rows(readings, scores)
    known = {"bias": numpy.ones(len(rows))} | compared(readings, scores, rows)
    names = [*known, *readings.names]
    inputs = numpy.hstack([numpy.column_stack(list(known.values())), readings.features[rows].toarray()])
    return names, inputs, readings.right[rows]


def compared(readings, scores, rows):
    """What the judge makes of each first reading against the others of its question.

    j_probability  its softmax probability p         j_odds      ln(p / (1 - p)), p between 0.0001 and 0.9999
    j_margin       p less the second's probability   j_entropy   -sum of p ln p over all readings
    j_readings     ln of the number of readings
    """
    chances = judge.probabilities(readings, scores)
    first = chances[rows]
    others = chances.copy()
    others[rows] = 0.0
    second = numpy.maximum.reduceat(others, readings.starts[:-1])
    bounded = numpy.clip(first, ODDS_EDGE, 1 - ODDS_EDGE)
    return {
        "j_probability": first,
        "j_odds": numpy.log(bounded / (1 - bounded)),
        "j_margin": first - second,
        "j_entropy": -readings.sums(chances * numpy.log(chances + judge.TINY)),
        "j_readings": numpy.log(numpy.diff(readings.starts)),
    }


def logistic(values):
    return 1 / (1 + numpy.exp(-numpy.clip(values, -30, 30)))


def regress(inputs, right, shares, penalty):
    """The weights of a logistic regression; inputs are scaled to the same spread, the constant is not held back.

    `shares` says how much each question counts.
    """
    shares = shares / shares.sum()
    mean, scale = inputs.mean(axis=0), inputs.std(axis=0)
    constant = scale < 1e-9
    mean, scale = numpy.where(constant, 0.0, mean), numpy.where(constant, 1.0, scale)
    scaled = (inputs - mean) / scale
    # The bias is the first column. Others that never differ tell nothing.
    scaled[:, constant] = 0.0
    scaled[:, 0] = 1.0
    held = numpy.full(inputs.shape[1], penalty)
    held[0] = 0.0

    def loss(weights):
        chances = logistic(scaled @ weights)
        likelihood = numpy.where(right, chances, 1 - chances)
        gradient = scaled.T @ (shares * (chances - right)) + 2 * held * weights
        return -shares @ numpy.log(likelihood + judge.TINY) + (held * weights) @ weights, gradient

    weights = fitting.minimize(loss, inputs.shape[1]) / scale
    weights[0] -= (weights * mean).sum()
    return weights


def best_penalty(inputs, right, shares, fold):
    print("\n| penalty of the confidence | log loss, left out | precision of the surest half |\n|---|---|---|")
    tried = []
    for penalty in PENALTIES:
        chances = numpy.zeros(len(right))
        for number in range(fitting.FOLDS):
            own = fold == number
            chances[own] = logistic(inputs[own] @ regress(inputs[~own], right[~own], shares[~own], penalty))
        likelihood = numpy.where(right, chances, 1 - chances)
        loss = -(shares @ numpy.log(likelihood + judge.TINY)) / shares.sum()
        surest = numpy.argsort(-chances)[: len(right) // 2]
        print(f"| {penalty:g} | {loss:.4f} | {100 * right[surest].mean():.1f} % |", flush=True)
        tried.append((loss, penalty, chances))
    _, penalty, chances = min(tried, key=lambda one: one[0])
    return penalty, chances


def bound_for(chances, right, wanted):
    """The least confidence from which answers are right so often; None where that is so for a few answers at most."""
    order = numpy.argsort(-chances, kind="stable")
    precision = numpy.cumsum(right[order]) / numpy.arange(1, len(order) + 1)
    # Of answers with equal confidence all are given or none.
    is_last = numpy.append(numpy.diff(chances[order]) < 0, True)
    places = numpy.flatnonzero((precision >= wanted) & is_last)
    return (wanted, chances[order[places[-1]]]) if len(places) and places[-1] >= SURE_MIN else None


def report(title, chances, right, unanswered, bounds):
    """Precision against coverage of all questions, and how probabilities agree with what is right."""
    count = len(right) + unanswered
    order = numpy.argsort(-chances, kind="stable")
    precision = numpy.cumsum(right[order]) / numpy.arange(1, len(order) + 1)
    print(f"\n### {title}: {count} questions, first reading right in {100 * right.sum() / count:.1f} %\n")
    print("| answered | confidence from | precision |\n|---|---|---|")
    for coverage in COVERAGES:
        place = min(len(order), round(coverage * count)) - 1
        print(f"| {100 * (place + 1) / count:.0f} % | {chances[order[place]]:.3f} | {100 * precision[place]:.1f} % |")
    print("\n| confidence from | chosen for precision | precision | coverage | sure and wrong |\n|---|---|---|---|---|")
    for wanted, bound in bounds:
        sure = chances >= bound
        shares = [right[sure].mean() if sure.any() else 1.0, sure.sum() / count, (sure & ~right).sum() / count]
        print(f"| {bound:.3f} | {100 * wanted:.0f} % | " + " | ".join(f"{100 * share:.1f} %" for share in shares) + " |")
    print_reliability(chances, right)


def print_reliability(chances, right):
    print("\n| confidence | questions | mean confidence | right |\n|---|---|---|---|")
    bins = numpy.minimum((chances * BINS).astype(int), BINS - 1)
    for number in range(BINS):
        own = bins == number
        if own.any():
            cells = f"{own.sum()} | {100 * chances[own].mean():.1f} % | {100 * right[own].mean():.1f} %"
            print(f"| {number / BINS:.1f} to {(number + 1) / BINS:.1f} | {cells} |")


if __name__ == "__main__":
    main()

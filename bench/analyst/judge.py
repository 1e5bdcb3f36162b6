"""A log-linear judge: readings compete by weighted sums of named features, softmax makes them probabilities."""

from dataclasses import dataclass

import numpy
import scipy.sparse

import expectations
import fitting
import labels
import split

# Features with this prefix say how sure the first reading can be; they do not choose it.
COUNT_PREFIX = "c_"
PENALTIES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2)
# Where the log of nothing would be taken.
TINY = 1e-12


@dataclass
class Readings:
    """The candidates of questions, one row each, those of one question next to each other."""

    names: list
    features: scipy.sparse.csr_matrix
    right: numpy.ndarray
    # Where each question's rows begin, and one past the end.
    starts: numpy.ndarray
    databases: list
    parts: list
    # What is not of one reading: the answer that was given, the time, and so on.
    questions: list
    expected: expectations.Expectations = None

    def question_of_row(self):
        return numpy.repeat(numpy.arange(len(self.databases)), numpy.diff(self.starts))

    def taken(self, wanted):
        """The questions for which `wanted` is true."""
        rows = numpy.flatnonzero(wanted[self.question_of_row()])
        chosen = numpy.flatnonzero(wanted)
        starts = numpy.concatenate([[0], numpy.cumsum(numpy.diff(self.starts)[chosen])])
        pick = lambda items: [items[number] for number in chosen]
        return Readings(self.names, self.features[rows], self.right[rows], starts, pick(self.databases), pick(self.parts),
                        pick(self.questions), self.expected)

    def sums(self, values):
        return numpy.add.reduceat(values, self.starts[:-1])

    def has_right(self):
        return self.sums(self.right.astype(float)) > 0


def read(paths):
    """All questions with at least one candidate, and how many have none, by part.

    How expected a reading is, is not taken from the labels but fitted anew.
    """
    vocabulary, expected = {}, expectations.Expectations()
    columns, values, row_ends, right, counts = [], [], [0], [], []
    databases, parts, questions, empty = [], [], [], {}
    for line in labels.read(paths):
        candidates = labels.candidates(line)
        if not candidates:
            empty[line["part"]] = empty.get(line["part"], 0) + 1
            continue
        for reading in candidates:
            for name, value in reading["features"].items():
                if value and not name.startswith(expectations.PREFIX):
                    columns.append(vocabulary.setdefault(name, len(vocabulary)))
                    values.append(float(value))
            row_ends.append(len(columns))
            right.append(labels.is_right(reading["label"]))
        expected.add(line, candidates, line["part"] in split.FITTED)
        counts.append(len(candidates))
        databases.append(line["database"])
        parts.append(line["part"])
        questions.append({"id": line["id"], "right": labels.is_right(line["answer"])})
    shape = (len(right), len(vocabulary))
    features = scipy.sparse.csr_matrix((values, columns, row_ends), shape=shape)
    names, logs = expected.columns()
    features = scipy.sparse.hstack([features, scipy.sparse.csr_matrix(logs)]).tocsr()
    starts = numpy.concatenate([[0], numpy.cumsum(counts)]).astype(int)
    readings = Readings([*vocabulary, *names], features, numpy.array(right), starts, databases, parts, questions, expected)
    return readings, empty


def judged(names):
    """Which features the judge may use."""
    return numpy.array([not name.startswith(COUNT_PREFIX) for name in names])


def probabilities(readings, scores):
    top = numpy.maximum.reduceat(scores, readings.starts[:-1])[readings.question_of_row()]
    powers = numpy.exp(scores - top)
    return powers / readings.sums(powers)[readings.question_of_row()]


def fit(readings, penalty):
    """Weights that maximise the mean log of the probability of right readings, less `penalty` times their squares.

    Features are scaled by how much they differ within questions, so that the penalty means the same for each.
    """
    readings = readings.taken(readings.has_right())
    scale = spread(readings)
    scaled = readings.features @ scipy.sparse.diags(numpy.where(judged(readings.names), 1 / scale, 0.0))
    scaled, transposed, count = scaled.tocsr(), scaled.T.tocsr(), len(readings.databases)

    def loss(weights):
        chances = probabilities(readings, scaled @ weights)
        right = chances * readings.right
        sums = readings.sums(right) + TINY
        of_right = right / sums[readings.question_of_row()]
        gradient = transposed @ (chances - of_right) / count + 2 * penalty * weights
        return -numpy.log(sums).mean() + penalty * (weights @ weights), gradient

    return fitting.minimize(loss, scaled.shape[1]) / scale


def spread(readings):
    """How far each feature is from its mean over the question, as a root of mean squares; 1 where it never differs."""
    rows = readings.features.shape[0]
    owner = scipy.sparse.csr_matrix((numpy.ones(rows), readings.question_of_row(), numpy.arange(rows + 1)))
    counts = numpy.diff(readings.starts)
    means = scipy.sparse.diags(1 / counts) @ (owner.T @ readings.features)
    squares = readings.features.multiply(readings.features).sum(axis=0)
    within = numpy.asarray(squares - means.multiply(means).multiply(counts[:, None]).sum(axis=0)).ravel() / max(1, rows)
    return numpy.where(within > 1e-9, numpy.sqrt(numpy.maximum(within, 1e-9)), 1.0)


def out_of_fold_scores(readings, penalty):
    """Each reading's score by a judge that was fitted without its database."""
    fold = fitting.folds(readings.databases)
    scores = numpy.zeros(len(readings.right))
    for number in range(fitting.FOLDS):
        weights = fit(readings.taken(fold != number), penalty)
        rows = fold[readings.question_of_row()] == number
        scores[rows] = readings.features[rows] @ weights
    return scores


def first_rows(readings, scores):
    """The row of each question's best reading; the earlier of equals."""
    return numpy.array([start + numpy.argmax(scores[start:end]) for start, end in zip(readings.starts, readings.starts[1:])])


def first_right(readings, scores):
    """Whether each question's best reading is right."""
    return readings.right[first_rows(readings, scores)]


def right_log_loss(readings, scores):
    some = readings.taken(readings.has_right())
    selected = scores[readings.has_right()[readings.question_of_row()]]
    return float(-numpy.log(some.sums(probabilities(some, selected) * some.right) + TINY).mean())


def best_penalty(fitted, given):
    """The penalty with the least log loss where databases are left out, and the scores of such judges."""
    print("| penalty of the judge | first right, left out | log loss |\n|---|---|---|")
    tried = []
    for penalty in [given] if given else PENALTIES:
        scores = out_of_fold_scores(fitted, penalty)
        right, loss = first_right(fitted, scores).mean(), right_log_loss(fitted, scores)
        print(f"| {penalty:g} | {100 * right:.2f} % | {loss:.4f} |", flush=True)
        tried.append((loss, penalty, scores))
    _, penalty, scores = min(tried, key=lambda one: one[0])
    return penalty, scores


def write_table(path, weights):
    """One `name weight` per line, sorted by name; what rounds to zero is left out."""
    lines = [f"{name} {weight:.4f}" for name, weight in sorted(weights.items()) if abs(weight) >= 0.00005]
    path.write_text("\n".join(lines) + "\n")


def read_table(path):
    lines = [line.rsplit(" ", 1) for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return {name: float(weight) for name, weight in lines}

"""Which look of a query the words of a question let expect: a multinomial regression of each aspect on the question's cues.

It is fitted on the reference queries of the fitted parts. For their questions the probabilities come from regressions that
have not seen the database, so that the judge learns how much they are worth on others.
"""

import collections

import numpy
import scipy.sparse

import aspects
import fitting

# A cue counts if so many databases have it.
DATABASES_MIN = 10
# A value has a name if so many reference queries have it; at most so many do. The others are one.
VALUE_QUESTIONS_MIN = 15
VALUES_MAX = 13
OTHER = "other"
PENALTY = 3e-4
# As in crates/analyst/src/judge/expectations.rs.
LOG_PROBABILITY_MIN = -6.0
PREFIX = "Expected"
HUNDREDTHS = 100


def feature(aspect):
    return PREFIX + aspect.capitalize()


class Aspect:
    """The values of one aspect and, once fitted, the weights of cues for them."""

    def __init__(self, name, known):
        counts = collections.Counter(known).most_common(VALUES_MAX)
        self.name = name
        self.values = [value for value, count in counts if count >= VALUE_QUESTIONS_MIN] + [OTHER]
        self.numbers = {value: number for number, value in enumerate(self.values)}
        self.weights = None

    def number(self, value):
        return self.numbers.get(value, len(self.values) - 1)

    def fit(self, cues, known):
        """The weights, one row a cue and one column a value."""
        wanted = numpy.array([self.number(value) for value in known])
        ones = numpy.zeros((len(wanted), len(self.values)))
        ones[numpy.arange(len(wanted)), wanted] = 1.0
        transposed, shape = cues.T.tocsr(), (cues.shape[1], len(self.values))

        def loss(flat):
            weights = flat.reshape(shape)
            logs = log_probabilities(cues @ weights)
            gradient = transposed @ (numpy.exp(logs) - ones) / len(wanted) + 2 * PENALTY * weights
            return -(logs * ones).sum() / len(wanted) + PENALTY * (flat @ flat), gradient.ravel()

        return fitting.minimize(loss, shape[0] * shape[1]).reshape(shape)


def log_probabilities(scores):
    scores = scores - scores.max(axis=1, keepdims=True)
    return scores - numpy.log(numpy.exp(scores).sum(axis=1, keepdims=True))


class Expectations:
    """The lines of labelled questions, as the regressions need them."""

    def __init__(self):
        self.cues, self.gold, self.readings, self.databases, self.fitted = [], [], [], [], []
        self.aspects, self.vocabulary = [], {}

    def add(self, line, candidates, is_fitted):
        self.cues.append(line["cues"])
        self.gold.append(line["gold_aspects"])
        self.readings.append([tuple(reading["aspects"][name] for name in aspects.NAMES) for reading in candidates])
        self.databases.append(line["database"])
        self.fitted.append(is_fitted)

    def columns(self):
        """For each reading how expected its aspects are, as logs of probabilities; one column an aspect."""
        fitted = numpy.array([own and gold is not None for own, gold in zip(self.fitted, self.gold)])
        matrix = self.cue_matrix(numpy.flatnonzero(fitted))
        owner = numpy.repeat(numpy.arange(len(self.readings)), [len(readings) for readings in self.readings])
        values = [value for readings in self.readings for value in readings]
        fold = fitting.folds(self.databases, numpy.array(self.fitted))
        found = []
        for place, name in enumerate(aspects.NAMES):
            aspect = Aspect(name, (self.gold[at][name] for at in numpy.flatnonzero(fitted)))
            self.aspects.append(aspect)
            logs = self.logs(aspect, matrix, fitted, fold)
            numbers = numpy.array([aspect.number(value[place]) for value in values])
            found.append(numpy.maximum(logs[owner, numbers], LOG_PROBABILITY_MIN))
        return [feature(name) for name in aspects.NAMES], numpy.column_stack(found)

    def logs(self, aspect, matrix, fitted, fold):
        """The log probabilities of all values for each question, by what has not seen its database."""
        gold = lambda wanted: [self.gold[at][aspect.name] for at in numpy.flatnonzero(wanted)]
        aspect.weights = aspect.fit(matrix[fitted], gold(fitted))
        logs = log_probabilities(matrix @ aspect.weights)
        for number in range(fitting.FOLDS):
            others = fitted & (fold != number)
            logs[fold == number] = log_probabilities(matrix[fold == number] @ aspect.fit(matrix[others], gold(others)))
        return logs

    def cue_matrix(self, fitted):
        databases = collections.defaultdict(set)
        for at in fitted:
            for cue in self.cues[at]:
                databases[cue].add(self.databases[at])
        frequent = sorted(cue for cue, own in databases.items() if len(own) >= DATABASES_MIN)
        self.vocabulary = {cue: number for number, cue in enumerate(frequent)}
        rows = [[self.vocabulary[cue] for cue in cues if cue in self.vocabulary] for cues in self.cues]
        ends = numpy.cumsum([0] + [len(row) for row in rows])
        indices = [number for row in rows for number in row]
        return scipy.sparse.csr_matrix((numpy.ones(len(indices)), indices, ends), shape=(len(rows), len(frequent)))

    def write_table(self, path):
        """`=`, an aspect and its values; below that each cue with a weight in hundredths for each value."""
        lines = []
        for aspect in self.aspects:
            lines.append("\t".join(["=", aspect.name, *aspect.values]))
            hundredths = numpy.rint(aspect.weights * HUNDREDTHS).astype(int)
            for cue, number in self.vocabulary.items():
                if hundredths[number].any():
                    lines.append("\t".join([cue, *map(str, hundredths[number])]))
        path.write_text("\n".join(lines) + "\n")
        return len(lines)

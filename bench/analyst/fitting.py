"""What all fits share: the folds of databases, and the search for the least loss."""

import hashlib

import numpy
import scipy.optimize

FOLDS = 5
# The fold of what is not fitted on.
NO_FOLD = -1


def folds(databases, is_fitted=None):
    """A fold for each question: whole databases, dealt by a hash of their names so that folds have like numbers.

    Questions that are not fitted on have none.
    """
    wanted = numpy.ones(len(databases), dtype=bool) if is_fitted is None else is_fitted
    names = [name for name, own in zip(databases, wanted) if own]
    sizes, fold_of = [0] * FOLDS, {}
    for name in sorted(set(names), key=lambda name: hashlib.sha256(f"fold: {name}".encode()).hexdigest()):
        fold_of[name] = sizes.index(min(sizes))
        sizes[fold_of[name]] += names.count(name)
    return numpy.array([fold_of[name] if own else NO_FOLD for name, own in zip(databases, wanted)])


def minimize(loss, count):
    """The weights with the least loss; `loss` returns it with its gradient."""
    options = {"maxiter": 500}
    return scipy.optimize.minimize(loss, numpy.zeros(count), jac=True, method="L-BFGS-B", options=options).x

"""Reads what label.py wrote."""

import json

RIGHT = ("strict", "ties", "case")


def read(paths):
    for path in paths:
        with open(path) as file:
            yield from map(json.loads, file)


def is_right(label):
    return label in RIGHT


def candidates(question):
    """The readings that can be answers: those with SQL, each SQL once."""
    seen = {}
    for reading in question["readings"]:
        if reading["sql"] is not None:
            seen.setdefault(reading["sql"], reading)
    return list(seen.values())


def right_rank(question):
    """The place of the first right candidate, from 0; None where there is none."""
    ranks = (rank for rank, reading in enumerate(candidates(question)) if is_right(reading["label"]))
    return next(ranks, None)


def is_answered(question):
    return question.get("sql") is not None


def confidence(question):
    """How sure the answer is said to be; what knows no probability is sure of all it answers."""
    return question.get("confidence", 1.0) if is_answered(question) else 0.0


def unused(question):
    """The content words that the answer did not use."""
    words = question.get("unused") or []
    return words if isinstance(words, list) else [words]

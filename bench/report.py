"""What a measurement says, and the table it is printed in."""

from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Goal:
    bound: float
    word: str

    @staticmethod
    def at_least(bound):
        return Goal(bound, "≥")

    @staticmethod
    def at_most(bound):
        return Goal(bound, "≤")

    def is_met_by(self, ratio):
        return ratio >= self.bound if self.word == "≥" else ratio <= self.bound


@dataclass(frozen=True)
class Line:
    what: str
    ours: str
    peer: str
    ratio: float
    # Lines without a goal are there to be read.
    goal: Optional[Goal]

    def is_good(self):
        return self.goal is None or self.goal.is_met_by(self.ratio)


def print_head(title):
    print(f"\n### {title}\n\n| measured | firn | peer | ratio | goal | met |\n|---|---|---|---|---|---|", flush=True)


def print_line(line):
    goal = f"{line.goal.word} {line.goal.bound:g}" if line.goal else ""
    met = ("yes" if line.is_good() else "no") if line.goal else ""
    print(f"| {line.what} | {line.ours} | {line.peer} | {line.ratio:.2f} | {goal} | {met} |", flush=True)

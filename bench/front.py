"""What firn does with a query of a hundred lines before the engine sees it: parse, passes, print."""

import re
import subprocess
from pathlib import Path

from report import Goal, Line

GOAL_US = 600
# The measurement is a test of the engine's crate: these steps are nobody's to call from outside.
COMMAND = "cargo test --release --locked --workspace --lib front_of_a_long_query -- --ignored --nocapture"


def measure(_work_dir):
    root = Path(__file__).resolve().parent.parent
    done = subprocess.run(COMMAND.split(), cwd=root, text=True, check=True, stdout=subprocess.PIPE)
    micros = float(re.search(r"front: (\d+) µs", done.stdout)[1])
    lines = len((root / "bench" / "front.sql").read_text().splitlines())
    yield Line(f"a query of {lines} lines", f"{micros:,.0f} µs", f"bound {GOAL_US:,} µs", micros / GOAL_US, Goal.at_most(1))
